// Commands for tests of the policy, made without the parser from a short notation, such as "timeout ~5 'a b'":
//
//   'a b'         one word; otherwise blanks separate words
//   ~5            a word that is known only when the command runs
//   | COMMAND     the command reads a pipe
//   { COMMAND     the command is inside a group
//   <FILE         its standard input is a file
//   <<TEXT        its standard input is a here-document with this body; <<~TEXT: known only when the command runs
//   <<<TEXT       its standard input is a here-string
#pragma once

#include <string>
#include <string_view>

#include "policy/words.h"

namespace wtool::test {

inline policy::Word word_of(std::string text) {
  policy::Word word;
  for (const char c : text) {
    if (c == '~') {
      word.literal = false;
    } else {
      word.text.push_back(c);
    }
  }
  return word;
}

inline policy::Redirection redirection_of(std::string_view text) {
  policy::Redirection redirection;
  redirection.is_input = true;
  redirection.text = text;
  const std::size_t begin = text.find_first_not_of('<');
  redirection.target = word_of(std::string(text.substr(begin)));
  redirection.is_here_document = begin == 2;
  redirection.to_file = begin == 1 && redirection.target.text != "/dev/null";
  return redirection;
}

inline policy::SimpleCommand command_of(std::string_view line) {
  policy::SimpleCommand command;
  if (line.starts_with("| ")) {
    command.reads_pipe = true;
    line.remove_prefix(2);
  }
  if (line.starts_with("{ ")) {
    command.nested = true;
    line.remove_prefix(2);
  }
  std::string word;
  bool in_word = false, in_quotes = false;
  for (const char c : std::string(line) + ' ') {
    if (c == '\'') {
      in_quotes = !in_quotes;
      in_word = true;
    } else if (c != ' ' || in_quotes) {
      word.push_back(c);
      in_word = true;
    } else if (in_word) {
      if (word.starts_with('<')) {
        command.redirections.push_back(redirection_of(word));
      } else {
        command.words.push_back(word_of(word));
      }
      word.clear();
      in_word = false;
    }
  }
  return command;
}

}  // namespace wtool::test
