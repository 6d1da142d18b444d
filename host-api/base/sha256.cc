#include "base/sha256.h"

#include <sha2.h>

#include <algorithm>
#include <cstdint>

#include "base/hex.h"

namespace wtool {

struct Sha256::State {
  SHA2_CTX context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) { ::SHA256Init(&state_->context); }

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  ::SHA256Update(&state_->context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::string Sha256::finish() {
  std::uint8_t digest[SHA256_DIGEST_LENGTH];
  ::SHA256Final(digest, &state_->context);
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
