// Tables of commands for the tests of policy/wrappers.h. A row is a command (see simple_command.h) and what it runs
// besides itself: "command: WORDS" (a ? before a word that is known only when the command runs, ... if more follow),
// "script: TEXT", "code: WORD", "unclear: WORD", joined by " & "; empty if it runs nothing else.
//
//   check({{"env A=1 ls -l", "command: [A=1] ls -l"}, {"ls", ""}});
#pragma once

#include <boost/test/unit_test.hpp>
#include <initializer_list>
#include <string>
#include <vector>

#include "policy/wrappers.h"
#include "simple_command.h"

namespace wrappers_test {

using namespace wtool::policy;

inline std::string shown(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words) text += (text.empty() ? "" : " ") + std::string(word.literal ? "" : "?") + word.text;
  return text;
}

inline std::string shown(const Inner& inner) {
  switch (inner.kind) {
    case Inner::Kind::command: {
      const std::string assignments = shown(inner.command.assignments);
      return "command: " + (assignments.empty() ? "" : "[" + assignments + "] ") + shown(inner.command.words) +
             (inner.open_ended ? " ..." : "");
    }
    case Inner::Kind::script:
      return "script: " + inner.text.text;
    case Inner::Kind::code:
      return "code: " + inner.text.text;
    case Inner::Kind::unclear:
      return "unclear: " + inner.text.text;
  }
  return {};
}

inline std::string inner_of(const std::string& line) {
  const SimpleCommand command = wtool::test::command_of(line);
  std::string text;
  for (const Inner& inner : inner_commands(command.words.empty() ? "" : command.words.front().text, command)) {
    text += (text.empty() ? "" : " & ") + shown(inner);
    if (inner.kind == Inner::Kind::code || inner.kind == Inner::Kind::unclear) BOOST_TEST(!inner.reason.empty(), line);
  }
  return text;
}

struct Row {
  std::string line, inner;
};

inline void check(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    const std::string found = inner_of(row.line);
    BOOST_TEST(found == row.inner, row.line << "\n    gives    " << found << "\n    and not  " << row.inner);
  }
}

}  // namespace wrappers_test
