// Helpers for short texts: character classes and case conversion (ASCII only, whatever the locale), blanks, names of
// variables, lists of words, numbers, counts.
#pragma once

#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace wtool {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_letter_or_digit(char c) noexcept { return is_letter(c) || is_digit(c); }
// A letter, a digit or an underscore.
constexpr bool is_word_character(char c) noexcept { return is_letter_or_digit(c) || c == '_'; }

// Other characters stay as they are.
constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
std::string lowered(std::string_view text);
std::string in_capitals(std::string_view text);

// The text without the characters of `blanks` at its beginning and its end.
std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n");

// True if a text is empty, or has nothing but blanks and line ends.
bool is_blank(std::string_view text);

// True for [A-Za-z_][A-Za-z0-9_]*, the names of variables that every shell accepts.
bool is_variable_name(std::string_view name);

// How often `part`, which must not be empty, occurs in the text. Occurrences do not overlap.
std::size_t occurrences(std::string_view text, std::string_view part);

// Replaces every occurrence of `part`, which must not be empty. What is inserted is not searched again.
void replace_all(std::string& text, std::string_view part, std::string_view with);

// The text as HTML and XML write it. Both kinds of quotes can be written in several ways; `quote` and `apostrophe`
// choose one.
std::string with_entities(std::string_view plain, std::string_view quote = "&quot;",
                          std::string_view apostrophe = "&#39;");

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words);

// "a, b, c". Empty words at the beginning get no separator.
std::string joined(std::span<const std::string> words, std::string_view separator = ", ");

// "a, b or c"
std::string alternatives(const std::vector<std::string>& words);

// Like std::from_chars, but fails unless the number is the whole text. After a failure, `number` may have another value,
// such as the number at the beginning of the text.
template <typename Number, typename... How>
bool read_number(std::string_view text, Number& number, How... how) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number, how...);
  return failed == std::errc() && end == text.data() + text.size();
}

// "1 file", "3 files": for a noun whose plural ends with an s.
std::string counted(std::int64_t count, std::string_view noun);

}  // namespace wtool
