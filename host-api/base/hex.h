// Bytes in hexadecimal.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace wtool {

// Two lower-case digits for each byte: "00ff".
std::string to_hex(std::span<const unsigned char> bytes);

// The value of a hexadecimal digit; -1: the character is no such digit.
constexpr int hex_value(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// At most 256 random bytes that nobody can guess, in hexadecimal. Empty, with errno: the kernel could not provide them.
std::string random_hex(std::size_t bytes);

}  // namespace wtool
