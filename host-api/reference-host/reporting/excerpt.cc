#include "reporting/excerpt.h"

#include <algorithm>
#include <vector>

#include "reporting/display.h"

namespace wtool::host::workflow {

void append_excerpt(std::string& out, const std::string& title, std::string_view text, std::size_t lines, bool tail) {
  constexpr std::size_t most_bytes = 8 * 1024;
  if (text.find_first_not_of(" \n") == std::string_view::npos) return;
  std::string clean = cleaned_for_terminal(
      tail && text.size() > most_bytes ? text.substr(text.size() - most_bytes) : text.substr(0, most_bytes), true);
  while (clean.ends_with('\n')) clean.pop_back();
  bool cut = text.size() > most_bytes;
  std::vector<std::string_view> all;
  for (std::size_t begin = 0; begin <= clean.size();) {
    const std::size_t end = std::min(clean.find('\n', begin), clean.size());
    all.push_back(std::string_view(clean).substr(begin, end - begin));
    begin = end + 1;
  }
  if (all.size() > lines) {
    cut = true;
    if (tail) {
      all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(lines));
    } else {
      all.resize(lines);
    }
  }
  out += "  " + title + (cut ? (tail ? " (the end of it)" : " (the beginning of it)") : "") + ":\n";
  for (const std::string_view line : all) out += "    | " + std::string(line) + "\n";
}

}  // namespace wtool::host::workflow
