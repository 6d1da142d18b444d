// Runs the examples of the page on the workflow language exactly as they are written.
//
// An example is a fenced block that contains a whole workflow (a `stateDiagram-v2`) or items `- State: Action ...`. A
// block of items is put into a workflow that visits their states one after the other. If a state is named a second
// time, another workflow begins. The expected result comes directly after an example, in a block `output`: a line
// `STATE: TEXT` for each line that a state prints, in the order in which the states began, and at the end `completed`,
// `failed: REASON` or `aborted: REASON`. "..." matches any text. In a block `output in any order` the states may have
// begun in any order. A block `output of lint` has instead what `wtool lint` says, without the name of the file.
//
// Requirements of an example are in a comment directly before it, `<!-- example` and `-->` with lines between them:
//   var NAME=VALUE   is given with --var (\n in it is a newline); workflows made of items declare it as a parameter
//   sh COMMAND       is run first, in the folder that all examples of the page share
//   file NAME        the name of its file; without it, example.md
//   exit STATUS      the exit status of the run, if the last line of its `output` block does not imply it
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wtool::test {

struct LanguagePageReport {
  std::vector<std::string> problems;  // "PAGE:LINE: ...", each with the expected and the actual text
  std::size_t examples = 0;
};

LanguagePageReport run_language_page(std::string_view name, std::string_view text);

}  // namespace wtool::test
