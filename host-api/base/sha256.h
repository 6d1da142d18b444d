// SHA-256 (FIPS 180-4), written in lower-case hexadecimal.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace wtool {

inline constexpr std::size_t sha256_size = 64;  // characters of the text

std::string sha256(std::string_view bytes);

// True if the text could be a SHA-256: it has the right size and is lower-case hexadecimal.
bool is_sha256(std::string_view text);

// The hash of bytes that come in pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void add(std::string_view bytes);
  // Call this once, at the end.
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wtool
