// The fenced blocks of a markdown page, for tests that run what a page shows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::test {

struct PageBlock {
  std::size_t line = 0;  // of its fence, from 1
  std::string info;      // what follows the opening fence: "sh", "markdown notes.md"
  std::vector<std::string> lines;
  std::vector<std::string> needs;  // the lines of a comment `<!-- example` above it
  bool follows = false;            // only blank lines are between it and the block before

  std::string text() const;  // each line with its newline
};

// A block ends at a fence as long as the one that opened it, so that a block can show a shorter fence.
std::vector<PageBlock> read_blocks(std::string_view page);

// True if the texts are equal, where "..." in `expected` matches any text.
bool matches(std::string_view expected, std::string_view got);

}  // namespace wtool::test
