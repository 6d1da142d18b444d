// UTF-8 (RFC 3629: no surrogates, no overlong forms, nothing above U+10FFFF). A command may write any bytes, but a
// result must be valid UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace wtool {

struct Character {
  std::uint32_t code_point = 0;
  std::size_t length = 1;  // bytes
  bool valid = true;       // false: not UTF-8; `code_point` is the first byte, `length` the size of a maximal subpart
};

// True if the byte is the second, third or fourth of a character.
constexpr bool continues_character(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// The character that begins `bytes`, which is not empty.
Character first_character(std::string_view bytes) noexcept;

// How many bytes from the start of `bytes` are whole, valid UTF-8.
std::size_t valid_utf8_prefix(std::string_view bytes) noexcept;

bool is_utf8(std::string_view bytes) noexcept;

// Stands for bytes that are not UTF-8: U+FFFD.
inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

// The text with U+FFFD in place of bytes that are not UTF-8: one for each unfinished character, and one for each other
// byte, as the Unicode standard recommends (chapter 3, "U+FFFD Substitution of Maximal Subparts"). A valid text is
// returned without a copy. *replaced says whether something was replaced.
std::string to_utf8(std::string bytes, bool* replaced = nullptr);

// The smallest n' >= n at which `bytes` may be cut without splitting a character; n itself if `bytes` is not UTF-8 at
// n.
std::size_t cut_after(std::string_view bytes, std::size_t n) noexcept;

// The largest n' <= n at which `bytes` may be cut without splitting a character; the size if `bytes` is not
// longer than n.
std::size_t cut_before(std::string_view bytes, std::size_t n) noexcept;

// The text if it has at most `most` bytes; otherwise its beginning, with whole characters, and "...".
std::string clipped(std::string_view text, std::size_t most);

// How many bytes at the end (0 to 3) may begin a character whose rest is still to come.
std::size_t unfinished_character(std::string_view bytes) noexcept;

// How many characters a UTF-8 text has: all of its bytes except those that continue a character.
std::size_t character_count(std::string_view text) noexcept;

// Appends the UTF-8 of a code point, which is at most U+10FFFF.
void append_utf8(std::string& text, std::uint32_t code_point);

}  // namespace wtool
