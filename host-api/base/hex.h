// Bytes in hexadecimal.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace wtool {

// Two lower-case digits for each byte: "00ff".
std::string to_hex(std::span<const unsigned char> bytes);

// At most 256 random bytes that nobody can guess, in hexadecimal. Empty, with errno: the kernel could not provide them.
std::string random_hex(std::size_t bytes);

}  // namespace wtool
