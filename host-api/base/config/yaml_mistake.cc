#include "base/config/yaml_mistake.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace wtool {

namespace {

constexpr std::string_view blanks = " \t";

std::string_view line_of(std::string_view text, std::size_t begin) {
  return text.substr(begin, std::min(text.find_first_of("\r\n", begin), text.size()) - begin);
}

// A tab where the indentation of a line should be.
std::optional<std::size_t> indenting_tab(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::string_view line = line_of(text, begin);
    const std::size_t first = line.find_first_not_of(blanks);
    const std::size_t tab = line.find('\t');
    if (first != std::string_view::npos && tab < first) return begin + tab;
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) break;
    begin = end + 1;
  }
  return std::nullopt;
}

// Quotes and brackets that are still open at the end of the text, in the order in which they were opened. An apostrophe
// within a word is not a quote: only a quote that begins a value is included.
std::vector<std::size_t> left_open(std::string_view text) {
  std::vector<std::size_t> open;
  char before = '\n';  // the last character that is not a blank
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool begins_value = std::string_view("\n:-,[{").find(before) != std::string_view::npos;
    if ((c == '"' || c == '\'') && begins_value) {
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != c) end += c == '"' && text[end] == '\\' ? 2U : 1U;
      if (end >= text.size()) {
        open.push_back(i);
        return open;
      }
      i = end;
    } else if (c == '#' && (i == 0 || blanks.find(text[i - 1]) != std::string_view::npos || text[i - 1] == '\n')) {
      i = std::min(text.find('\n', i), text.size());
      before = '\n';
      continue;
    } else if ((c == '[' || c == '{') && begins_value) {
      open.push_back(i);
    } else if ((c == ']' || c == '}') && !open.empty()) {
      open.pop_back();
    }
    if (blanks.find(c) == std::string_view::npos) before = c;
  }
  return open;
}

}  // namespace

YamlMistake explain_yaml_error(std::string_view text, int line, int column, const std::string& message) {
  if (const auto tab = indenting_tab(text)) {
    return {*tab, "a tab indents this line, but YAML allows only spaces for indentation"};
  }
  if (const std::vector<std::size_t> open = left_open(text); !open.empty()) {
    const char c = text[open.back()];
    return {open.back(),
            c == '"' || c == '\'' ? "this quote is not closed" : std::string("this '") + c + "' is not closed"};
  }
  std::size_t begin = 0;
  for (int i = 0; i < line && begin < text.size(); ++i) begin = std::min(text.find('\n', begin), text.size() - 1) + 1;
  const std::string_view at = line_of(text, std::min(begin, text.size()));
  const std::size_t offset = begin + std::min(static_cast<std::size_t>(std::max(column, 0)), at.size());
  if (message.starts_with("end of ")) {
    const std::size_t first = std::min(at.find_first_not_of(blanks), at.size());
    return {begin + first, "this line is indented differently from the lines around it; begin it in the same column"};
  }
  if (message == "illegal map value") {
    return {offset,
            "this line has a second ': '; put a value that contains ': ' into quotes, or indent this line like its "
            "neighbours"};
  }
  return {offset, message};
}

}  // namespace wtool
