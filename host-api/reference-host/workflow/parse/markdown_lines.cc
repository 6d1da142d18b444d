#include "workflow/parse/markdown.h"

#include <algorithm>

#include "base/text.h"

namespace wtool::host::workflow {
namespace {

// Replaces each character of inline markdown in a line by an x, in place, so that all offsets remain valid. Keeps the
// marks of blocks.
void mask_line(std::string& text, std::size_t begin, std::size_t end) {
  std::size_t at = begin;
  const auto is_prefix = [](char c) { return std::string_view(" \t-*+>#=_~").find(c) != std::string_view::npos; };
  while (at < end && is_prefix(text[at])) ++at;
  std::size_t digits = at;
  while (digits < end && is_digit(text[digits])) ++digits;
  if (digits > at && digits < end && (text[digits] == '.' || text[digits] == ')')) {
    at = digits + 1;
    while (at < end && is_prefix(text[at])) ++at;
  }
  const std::string_view rest(text.data() + at, end - at);
  if (rest.starts_with("<!--")) return;
  if (rest.starts_with("```")) {
    std::size_t fence = at;
    while (fence < end && text[fence] == '`') ++fence;
    // If more backticks follow, this is a code span and does not open a block.
    if (std::string_view(text.data() + fence, end - fence).find('`') == std::string_view::npos) at = fence;
  }
  static constexpr std::string_view special = "[]*_\\&<`";
  for (; at < end; ++at) {
    if (special.find(text[at]) != std::string_view::npos) text[at] = 'x';
  }
}

}  // namespace

bool is_heading(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos || begin > 3 || line[begin] != '#') return false;
  const std::size_t end = line.find_first_not_of('#', begin);
  return end == std::string_view::npos || line[end] == ' ' || line[end] == '\t';
}

bool is_actions_heading(std::string_view line) {
  if (!is_heading(line)) return false;
  line = trim(line);
  const std::size_t begin = std::min(line.find_first_not_of('#'), line.size());
  const std::size_t end = line.find_last_not_of('#');
  return end != std::string_view::npos && end >= begin &&
         lowered(trim(line.substr(begin, end + 1 - begin))) == "actions";
}

bool is_fence(std::string_view line) {
  line = trim(line);
  return line.starts_with("```") || line.starts_with("~~~");
}

bool is_list_line(std::string_view line) {
  line = trim(line);
  std::size_t digits = 0;
  while (digits < line.size() && is_digit(line[digits])) ++digits;
  const std::size_t mark = digits;
  if (mark + 1 >= line.size() || line[mark + 1] != ' ') return false;
  return digits > 0 ? line[mark] == '.' || line[mark] == ')' : std::string_view("-*+").find(line[mark]) < 3;
}

bool is_diagram_start(std::string_view line) {
  line = trim(line);
  return line == "stateDiagram-v2" || line == "stateDiagram";
}

std::string masked(const Source& source, const std::vector<LineRange>& blank) {
  std::string text(source.text());
  std::size_t next = 0;
  std::fill(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(source.content_begin()), ' ');
  for (std::size_t i = 0; i < source.line_count(); ++i) {
    const std::string_view line = source.line(i);
    const auto begin = static_cast<std::size_t>(line.data() - source.text().data());
    while (next < blank.size() && i >= blank[next].end) ++next;
    if (next < blank.size() && i >= blank[next].begin) {
      std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(begin), line.size(), ' ');
    } else {
      mask_line(text, begin, begin + line.size());
    }
  }
  return text;
}

}  // namespace wtool::host::workflow
