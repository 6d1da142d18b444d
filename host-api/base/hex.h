// Bytes in hexadecimal.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace wtool {

// Two digits for each byte, without capitals: "00ff".
std::string to_hex(std::span<const unsigned char> bytes);

// Random bytes that nobody can guess, at most 256, in hexadecimal. Empty with errno: the kernel gives none.
std::string random_hex(std::size_t bytes);

}  // namespace wtool
