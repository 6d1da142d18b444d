#include "base/text.h"

#include <algorithm>
#include <utility>

namespace wtool {

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

void replace_all(std::string& text, std::string_view part, std::string_view with) {
  std::size_t at = text.find(part);
  if (at == std::string::npos) return;
  std::string replaced;
  replaced.reserve(text.size());
  std::size_t copied = 0;
  for (; at != std::string::npos; at = text.find(part, copied)) {
    replaced.append(text, copied, at - copied).append(with);
    copied = at + part.size();
  }
  text = std::move(replaced.append(text, copied));
}

std::string with_entities(std::string_view plain, std::string_view quote, std::string_view apostrophe) {
  std::string text(plain);
  replace_all(text, "&", "&amp;");
  replace_all(text, "<", "&lt;");
  replace_all(text, ">", "&gt;");
  replace_all(text, "\"", quote);
  replace_all(text, "'", apostrophe);
  return text;
}

std::string in_capitals(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), upper);
  return result;
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

bool is_blank(std::string_view text) { return trimmed(text).empty(); }

bool is_variable_name(std::string_view name) {
  return !name.empty() && !is_digit(name.front()) && std::all_of(name.begin(), name.end(), is_word_character);
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string joined(std::span<const std::string> words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i];
  return text;
}

std::string counted(std::int64_t count, std::string_view noun) {
  return (std::to_string(count) + ' ').append(noun) + (count == 1 ? "" : "s");
}

}  // namespace wtool
