// Runs the examples of a page of the guide exactly as they are written. A page is markdown. The words after a fence say
// what the block means:
//
//   json call TOOL   the arguments of a call, followed directly by its expected result, in one of these forms or both:
//   json result      metadata that the result has: all keys given, at every depth, and equal. "..." is any value
//   text result, yaml result   the text of the result, to the last byte (except the end of its last line)
//   yaml config      the tool's configuration from here on; without such a block it is empty
//   env              lines NAME=value: variables of the host from here on, instead of those of the block before
//   sh setup         is run with sh at this point, in the page's folder
//
// A page has its own folder, which is the current directory of the host, and one plugin, so that an example sees the
// effects of those before it. In every block, "$FOLDER" means that folder. In calls and their json results,
// "$RESULT1.key" means the value of `key` in the metadata of the first call of the page. All other blocks are ignored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wtool::test {

struct PageReport {
  std::vector<std::string> problems;  // "PAGE:LINE: ...", each with the expected and the actual text
  std::vector<std::string> called;    // the tools, in the order of the calls
};

// Runs a page. Afterwards, the current directory and the environment are as before.
PageReport run_page(std::string_view name, std::string_view text);

}  // namespace wtool::test
