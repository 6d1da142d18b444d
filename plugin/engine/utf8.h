// Bytes to text: what a command writes may be anything, what a result holds is valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace wtool::engine {

// How many bytes from the start of `bytes` are whole, valid UTF-8 (RFC 3629: no surrogates, no overlong forms).
std::size_t valid_utf8_prefix(std::string_view bytes) noexcept;

// The text with each maximal run of bytes that is not UTF-8 replaced by U+FFFD, as the Unicode standard recommends
// (chapter 3, "U+FFFD Substitution of Maximal Subparts"). Valid text is moved through. *replaced is set when something
// was.
std::string to_utf8(std::string bytes, bool* replaced = nullptr);

// The smallest n' >= n at which `bytes` may be cut without cutting a character in two; n itself when that cannot be
// told.
std::size_t cut_after(std::string_view bytes, std::size_t n) noexcept;

}  // namespace wtool::engine
