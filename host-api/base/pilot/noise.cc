#include "base/pilot/noise.h"

#include <sodium.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "base/pilot/aes_gcm.h"

namespace wtool::pilot {

namespace {

constexpr std::string_view chacha_protocol = "Noise_NNpsk0_25519_ChaChaPoly_SHA256";
constexpr std::string_view aes_protocol = "Noise_NNpsk0_25519_AESGCM_SHA256";

static_assert(crypto_aead_chacha20poly1305_ietf_KEYBYTES == key_size && sizeof(AesGcm::Key) == key_size);
static_assert(crypto_aead_chacha20poly1305_ietf_ABYTES == tag_size);
static_assert(crypto_aead_chacha20poly1305_ietf_NPUBBYTES == sizeof(AesGcm::Nonce));
static_assert(aes_protocol.size() <= key_size && chacha_protocol.size() > key_size);
static_assert(crypto_scalarmult_BYTES == key_size && crypto_hash_sha256_BYTES == key_size);

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::string_view text_of(const Key& key) { return {reinterpret_cast<const char*>(key.data()), key.size()}; }

Key hmac(const Key& key, std::string_view bytes) {
  Key out;
  crypto_auth_hmacsha256(out.data(), bytes_of(bytes), bytes.size(), key.data());
  return out;
}

// The framework's HKDF (section 4.3) with three output keys.
std::array<Key, 3> derive(const Key& chain, std::string_view input) {
  const Key secret = hmac(chain, input);
  std::array<Key, 3> out;
  std::string text;
  for (std::size_t i = 0; i < out.size(); ++i) {
    text += static_cast<char>(i + 1);
    out[i] = hmac(secret, text);
    text = text_of(out[i]);
  }
  return out;
}

}  // namespace

Key random_key() {
  Key key;
  if (sodium_init() < 0) throw std::bad_alloc();
  randombytes_buf(key.data(), key.size());
  return key;
}

bool has_aes() { return AesGcm::fastest() != nullptr; }

Cipher::~Cipher() { sodium_memzero(key_.data(), key_.size()); }

namespace {

// Four bytes of zero and the number: for ChaChaPoly with the least significant byte first, for AESGCM with the most
// significant byte first.
AesGcm::Nonce nonce_of(std::uint64_t number, Suite suite) {
  AesGcm::Nonce nonce{};
  for (std::size_t i = 0; i < 8; ++i) {
    nonce[suite == Suite::aes ? 11 - i : 4 + i] = static_cast<unsigned char>(number >> (8 * i));
  }
  return nonce;
}

}  // namespace

void Cipher::seal_in_place(char* text, std::size_t size, std::string_view bound) {
  auto* const bytes = reinterpret_cast<unsigned char*>(text);
  const auto nonce = nonce_of(number_++, suite_);
  if (suite_ == Suite::aes) {
    AesGcm::fastest()->seal(bytes, size, bound, nonce, key_);
  } else {
    crypto_aead_chacha20poly1305_ietf_encrypt(bytes, nullptr, bytes, size, bytes_of(bound), bound.size(), nullptr,
                                              nonce.data(), key_.data());
  }
}

bool Cipher::open_in_place(char* sealed, std::size_t size, std::string_view bound) {
  if (size < tag_size) return false;
  auto* const bytes = reinterpret_cast<unsigned char*>(sealed);
  const auto nonce = nonce_of(number_, suite_);
  const bool opened = suite_ == Suite::aes ? AesGcm::fastest()->open(bytes, size, bound, nonce, key_)
                                           : crypto_aead_chacha20poly1305_ietf_decrypt(
                                                 bytes, nullptr, nullptr, bytes, size, bytes_of(bound), bound.size(),
                                                 nonce.data(), key_.data()) == 0;
  if (opened) ++number_;
  return opened;
}

std::string Cipher::seal(std::string_view text, std::string_view bound) {
  std::string out(text);
  out.resize(text.size() + tag_size);
  seal_in_place(out.data(), text.size(), bound);
  return out;
}

std::optional<std::string> Cipher::open(std::string_view sealed, std::string_view bound) {
  std::string out(sealed);
  if (!open_in_place(out.data(), out.size(), bound)) return std::nullopt;
  out.resize(out.size() - tag_size);
  return out;
}

Handshake::Handshake(const Key& shared, std::string_view prologue, std::optional<Key> own)
    : shared_(shared), prologue_(prologue), secret_(own ? *own : random_key()) {
  crypto_scalarmult_base(public_.data(), secret_.data());
}

// A protocol name that fits into a hash is padded with zeros; a longer one is hashed.
void Handshake::start(Suite suite) {
  suite_ = suite;
  cipher_.reset();
  hash_ = {};
  if (suite == Suite::aes) {
    std::copy(aes_protocol.begin(), aes_protocol.end(), hash_.begin());
  } else {
    crypto_hash_sha256(hash_.data(), bytes_of(chacha_protocol), chacha_protocol.size());
  }
  chain_ = hash_;
  mix_hash(prologue_);
}

Handshake::~Handshake() {
  sodium_memzero(shared_.data(), shared_.size());
  sodium_memzero(secret_.data(), secret_.size());
  sodium_memzero(chain_.data(), chain_.size());
}

void Handshake::mix_hash(std::string_view bytes) {
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  crypto_hash_sha256_update(&state, hash_.data(), hash_.size());
  crypto_hash_sha256_update(&state, bytes_of(bytes), bytes.size());
  crypto_hash_sha256_final(&state, hash_.data());
}

void Handshake::mix_key(std::string_view bytes) {
  const auto keys = derive(chain_, bytes);
  chain_ = keys[0];
  cipher_.emplace(keys[1], suite_);
}

void Handshake::mix_shared_key() {
  const auto keys = derive(chain_, text_of(shared_));
  chain_ = keys[0];
  mix_hash(text_of(keys[1]));
  cipher_.emplace(keys[2], suite_);
}

std::string Handshake::seal_nothing() {
  std::string tag = cipher_->seal({}, text_of(hash_));
  mix_hash(tag);
  return tag;
}

bool Handshake::open_nothing(std::string_view tag) {
  if (!cipher_->open(tag, text_of(hash_))) return false;
  mix_hash(tag);
  return true;
}

// False: their key is a point of small order, with which the result would not be secret.
bool Handshake::mix_exchange(std::string_view theirs) {
  Key both;
  if (crypto_scalarmult(both.data(), secret_.data(), bytes_of(theirs)) != 0) return false;
  mix_key(text_of(both));
  sodium_memzero(both.data(), both.size());
  return true;
}

std::string Handshake::begin(Suite suite) {
  start(suite);
  mix_shared_key();
  std::string message(text_of(public_));
  mix_hash(message);
  mix_key(message);
  return message + seal_nothing();
}

std::optional<Ciphers> Handshake::finish(std::string_view answer) {
  if (answer.size() != handshake_size) return std::nullopt;
  const std::string_view theirs = answer.substr(0, key_size);
  mix_hash(theirs);
  mix_key(theirs);
  if (!mix_exchange(theirs) || !open_nothing(answer.substr(key_size))) return std::nullopt;
  const auto keys = derive(chain_, {});
  return Ciphers{Cipher(keys[0], suite_), Cipher(keys[1], suite_)};
}

bool Handshake::open_begun(Suite suite, std::string_view begun) {
  start(suite);
  mix_shared_key();
  const std::string_view theirs = begun.substr(0, key_size);
  mix_hash(theirs);
  mix_key(theirs);
  return open_nothing(begun.substr(key_size));
}

std::optional<Ciphers> Handshake::answer(std::string_view begun, std::string& to_send) {
  if (begun.size() != handshake_size) return std::nullopt;
  if (!open_begun(Suite::chacha, begun) && !(has_aes() && open_begun(Suite::aes, begun))) return std::nullopt;
  const std::string_view theirs = begun.substr(0, key_size);
  std::string own(text_of(public_));
  mix_hash(own);
  mix_key(own);
  if (!mix_exchange(theirs)) return std::nullopt;
  to_send = own + seal_nothing();
  const auto keys = derive(chain_, {});
  return Ciphers{Cipher(keys[1], suite_), Cipher(keys[0], suite_)};
}

}  // namespace wtool::pilot
