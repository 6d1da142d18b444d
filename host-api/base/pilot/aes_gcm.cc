#include "base/pilot/aes_gcm.h"

#include <sodium.h>

#include <array>
#include <new>

#if __has_include(<intel-ipsec-mb.h>)
#include <dlfcn.h>
#include <intel-ipsec-mb.h>
#define WTOOL_HAS_IPSEC_MB 1
#endif

namespace wtool::pilot {

namespace {

constexpr std::size_t tag_size = crypto_aead_aes256gcm_ABYTES;

static_assert(tag_size == 16 && sizeof(AesGcm::Key) == crypto_aead_aes256gcm_KEYBYTES &&
              sizeof(AesGcm::Nonce) == crypto_aead_aes256gcm_NPUBBYTES);

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

void seal_by_sodium(unsigned char* text, std::size_t size, std::string_view bound, const AesGcm::Nonce& nonce,
                    const AesGcm::Key& key) {
  crypto_aead_aes256gcm_encrypt(text, nullptr, text, size, bytes_of(bound), bound.size(), nullptr, nonce.data(),
                                key.data());
}

bool open_by_sodium(unsigned char* sealed, std::size_t size, std::string_view bound, const AesGcm::Nonce& nonce,
                    const AesGcm::Key& key) {
  return size >= tag_size && crypto_aead_aes256gcm_decrypt(sealed, nullptr, nullptr, sealed, size, bytes_of(bound),
                                                           bound.size(), nonce.data(), key.data()) == 0;
}

#ifdef WTOOL_HAS_IPSEC_MB

// The library's functions for this processor; nullptr: the library cannot be used. The library and these functions are
// never freed, since a plugin stays in memory anyway.
const IMB_MGR* ipsec_mb() {
  static const IMB_MGR* const functions = []() -> const IMB_MGR* {
    void* const library = ::dlopen("libIPSec_MB.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    const auto version = reinterpret_cast<decltype(&imb_get_version)>(::dlsym(library, "imb_get_version"));
    const auto allocate = reinterpret_cast<decltype(&alloc_mb_mgr)>(::dlsym(library, "alloc_mb_mgr"));
    const auto choose = reinterpret_cast<decltype(&init_mb_mgr_auto)>(::dlsym(library, "init_mb_mgr_auto"));
    // In another version, the functions may have other places in IMB_MGR.
    const bool usable = version != nullptr && allocate != nullptr && choose != nullptr && version() == IMB_VERSION_NUM;
    IMB_MGR* const made = usable ? allocate(0) : nullptr;
    if (made == nullptr) return nullptr;
    choose(made, nullptr);
    return made->gcm256_pre == nullptr || made->gcm256_enc == nullptr || made->gcm256_dec == nullptr ? nullptr : made;
  }();
  return functions;
}

// A key as the library wants it. Making it takes only a small part of the time that the smallest record takes.
struct ExpandedKey {
  explicit ExpandedKey(const AesGcm::Key& key) { ipsec_mb()->gcm256_pre(key.data(), &data); }
  ~ExpandedKey() {
    sodium_memzero(&data, sizeof data);
    sodium_memzero(&context, sizeof context);
  }
  ExpandedKey(const ExpandedKey&) = delete;
  ExpandedKey& operator=(const ExpandedKey&) = delete;
  alignas(64) gcm_key_data data;
  alignas(64) gcm_context_data context;
};

// The library refuses a null pointer, even for an empty text.
const unsigned char* bound_bytes(std::string_view bound) { return bytes_of(bound.empty() ? "" : bound); }

void seal_by_ipsec_mb(unsigned char* text, std::size_t size, std::string_view bound, const AesGcm::Nonce& nonce,
                      const AesGcm::Key& key) {
  ExpandedKey expanded(key);
  ipsec_mb()->gcm256_enc(&expanded.data, &expanded.context, text, text, size, nonce.data(), bound_bytes(bound),
                         bound.size(), text + size, tag_size);
}

bool open_by_ipsec_mb(unsigned char* sealed, std::size_t size, std::string_view bound, const AesGcm::Nonce& nonce,
                      const AesGcm::Key& key) {
  if (size < tag_size) return false;
  const std::size_t text = size - tag_size;
  ExpandedKey expanded(key);
  std::array<unsigned char, tag_size> tag{};
  ipsec_mb()->gcm256_dec(&expanded.data, &expanded.context, sealed, sealed, text, nonce.data(), bound_bytes(bound),
                         bound.size(), tag.data(), tag.size());
  if (sodium_memcmp(tag.data(), sealed + text, tag_size) == 0) return true;
  sodium_memzero(sealed, text);  // a text that is not authentic must not be used
  return false;
}

#endif

}  // namespace

const AesGcm* AesGcm::of_sodium() {
  static constexpr AesGcm functions{seal_by_sodium, open_by_sodium};
  if (sodium_init() < 0) throw std::bad_alloc();
  return crypto_aead_aes256gcm_is_available() == 1 ? &functions : nullptr;
}

const AesGcm* AesGcm::of_ipsec_mb() {
#ifdef WTOOL_HAS_IPSEC_MB
  static constexpr AesGcm functions{seal_by_ipsec_mb, open_by_ipsec_mb};
  return of_sodium() != nullptr && ipsec_mb() != nullptr ? &functions : nullptr;
#else
  return nullptr;
#endif
}

const AesGcm* AesGcm::fastest() {
  static const AesGcm* const found = of_ipsec_mb() != nullptr ? of_ipsec_mb() : of_sodium();
  return found;
}

}  // namespace wtool::pilot
