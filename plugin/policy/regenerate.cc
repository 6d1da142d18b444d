#include <algorithm>

#include "policy/words.h"

namespace wtool::policy {

namespace {

void append_quoted(std::string& line, std::string_view word) {
  line += '\'';
  for (const char c : word) {
    if (c == '\'') {
      line += "'\\''";
    } else {
      line += c;
    }
  }
  line += '\'';
}

std::string_view operator_of(Joint joint) {
  switch (joint) {
    case Joint::end:
      return "";
    case Joint::sequence:
      return ";";
    case Joint::background:
      return " &";
    case Joint::and_then:
      return " &&";
    case Joint::or_else:
      return " ||";
    case Joint::pipe:
      return " |";
  }
  return "";
}

// The length of the longest row of `c` in the text.
std::size_t longest_row(std::string_view text, char c) {
  std::size_t longest = 0;
  std::size_t row = 0;
  for (const char each : text) {
    row = each == c ? row + 1 : 0;
    longest = std::max(longest, row);
  }
  return longest;
}

}  // namespace

std::string regenerate(const Script& script) {
  std::string line;
  std::string bodies;
  for (const SimpleCommand& command : script.commands) {
    if (!line.empty()) line += ' ';
    if (command.negated) line += "! ";
    bool first = true;
    const auto separate = [&] {
      if (!first) line += ' ';
      first = false;
    };
    if (command.words.size() == 2 && command.words.front().text == "cd") {
      // Without symbolic links, and without reading the folder as an option or in CDPATH's places.
      separate();
      line += "cd -P -- ";
      append_quoted(line, command.words.back().text);
    } else {
      for (const Word& word : command.words) {
        separate();
        append_quoted(line, word.text);
      }
    }
    for (const Redirection& redirection : command.redirections) {
      separate();
      line += redirection.text;
      if (!redirection.is_here_document) continue;
      // A delimiter with a longer row of underscores than the body has cannot be a line of it.
      const std::string delimiter = "END" + std::string(longest_row(redirection.target.text, '_') + 1, '_');
      append_quoted(line, delimiter);
      bodies += '\n' + redirection.target.text + delimiter;
    }
    line += operator_of(command.joint);
  }
  line += bodies;
  if (!bodies.empty()) line += '\n';
  return line;
}

}  // namespace wtool::policy
