#include "base/sha256.h"

#include <nettle/sha2.h>
#include <nettle/version.h>

#include <algorithm>
#include <cstdint>

#include "base/hex.h"

namespace wtool {

struct Sha256::State {
  sha256_ctx context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) { ::sha256_init(&state_->context); }

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  ::sha256_update(&state_->context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

std::string Sha256::finish() {
  std::uint8_t digest[SHA256_DIGEST_SIZE];
#if NETTLE_VERSION_MAJOR >= 4
  ::sha256_digest(&state_->context, digest);
#else
  ::sha256_digest(&state_->context, sizeof digest, digest);
#endif
  return to_hex(digest);
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

bool is_sha256(std::string_view text) {
  return text.size() == sha256_size &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace wtool
