// Bytes in hexadecimal.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace wtool {

// Two digits for each byte, without capitals: "00ff".
std::string to_hex(std::span<const unsigned char> bytes);

// As many random bytes, at most 256, in hexadecimal; nobody can guess them. Empty with errno: the kernel gives none.
std::string random_hex(std::size_t bytes);

}  // namespace wtool
