#include "page_blocks.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace wtool::test {

std::string PageBlock::text() const {
  std::string text;
  for (const std::string& one : lines) text += one + '\n';
  return text;
}

std::vector<PageBlock> read_blocks(std::string_view page) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(page)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);

  std::vector<PageBlock> blocks;
  std::vector<std::string> needs;
  bool follows = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
    if (line == "<!-- example") {
      for (++i; i < lines.size() && lines[i] != "-->"; ++i) needs.push_back(lines[i]);
      follows = false;
    } else if (ticks >= 3) {
      PageBlock block{i + 1, line.substr(ticks), {}, std::exchange(needs, {}), follows};
      for (++i; i < lines.size() && lines[i] != line.substr(0, ticks); ++i) block.lines.push_back(lines[i]);
      blocks.push_back(std::move(block));
      follows = true;
    } else if (!line.empty()) {
      follows = false;
      needs.clear();
    }
  }
  return blocks;
}

bool matches(std::string_view expected, std::string_view got) {
  const std::size_t any = expected.find("...");
  if (any == std::string_view::npos) return expected == got;
  if (!got.starts_with(expected.substr(0, any))) return false;
  const std::string_view rest = expected.substr(any + 3);
  for (std::size_t at = any; at <= got.size(); ++at) {
    if (matches(rest, got.substr(at))) return true;
  }
  return false;
}

}  // namespace wtool::test
