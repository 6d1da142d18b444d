// Bytes in hexadecimal.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace wtool {

// Two digits for each byte, without capitals: "00ff".
std::string to_hex(std::span<const unsigned char> bytes);

// At most 256 random bytes that nobody can guess, in hexadecimal. Empty, with errno: the kernel provides none.
std::string random_hex(std::size_t bytes);

}  // namespace wtool
