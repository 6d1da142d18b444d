#include "policy/covenant/line.h"

#include "policy/words.h"

namespace wtool::policy::covenant {

namespace {

enum class FoundInLine { plain, operators, unterminated };

// Finds operators character by character. Apart from them, it recognises only quotes and backslashes, so that the
// message names the first mistake in the line even if no shell could read the rest (`cat << EOF`).
FoundInLine scan(std::string_view line) {
  char quote = 0;
  std::size_t blank = 0;  // where a word would begin: after the last unquoted space
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char one = line[at];
    if (quote == '\'') {
      if (one == '\'') quote = 0;
    } else if (one == '\\') {
      if (++at == line.size()) return FoundInLine::unterminated;
    } else if (one == '$' || one == '`') {
      return FoundInLine::operators;
    } else if (quote == '"') {
      if (one == '"') quote = 0;
    } else if (one == '"' || one == '\'') {
      quote = one;
    } else if (std::string_view("|&;<>()*?[]\n").find(one) != std::string_view::npos) {
      return FoundInLine::operators;
    } else if (one == ' ' || one == '\t') {
      blank = at + 1;
    } else if (one == '#' && at == blank) {
      return FoundInLine::operators;  // a shell would ignore the rest, but a person who is asked would read it
    }
  }
  return quote == 0 ? FoundInLine::plain : FoundInLine::unterminated;
}

bool is_plain(const SimpleCommand& command) {
  return !command.words.empty() && command.assignments.empty() && command.redirections.empty() && !command.negated &&
         !command.nested && command.joint == Joint::end;
}

}  // namespace

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t begin = line.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  std::size_t end = line.find_last_not_of(blank) + 1;
  // A backslash escapes the next character, which therefore stays.
  if (line[end - 1] == '\\' && end < line.size()) ++end;
  return line.substr(begin, end - begin);
}

Line read_line(std::string_view line) {
  switch (scan(line)) {
    case FoundInLine::operators:
      return {std::string(operators_refused), {}};
    case FoundInLine::unterminated:
      return {std::string(syntax_refused), {}};
    case FoundInLine::plain:
      break;
  }
  // The policy's reader of shell text decides. A line with anything except plain words (a tilde, braces, a comment, an
  // assignment, a keyword) is refused, and the words that run are exactly those that the configured lists judge.
  const Script script = parse(line);
  if (script.error || (!script.obstacle && script.commands.empty())) return {std::string(syntax_refused), {}};
  if (script.obstacle || script.commands.size() != 1 || !is_plain(script.commands.front())) {
    return {std::string(operators_refused), {}};
  }
  return {{}, texts_of(script.commands.front().words)};
}

}  // namespace wtool::policy::covenant
