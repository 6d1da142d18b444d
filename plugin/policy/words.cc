#include "policy/words.h"

#include <algorithm>
#include <array>

#include "policy/words/reader.h"

namespace wtool::policy {

namespace {

// Sorted, for binary search. Words of dash and of bash, because /bin/sh may be either.
constexpr std::array<std::string_view, 84> shell_words = {
    "!",        ".",       ":",       "[",      "[[",      "]]",      "alias",   "bg",       "bind",      "break",
    "builtin",  "caller",  "case",    "cd",     "chdir",   "command", "compgen", "complete", "compopt",   "continue",
    "coproc",   "declare", "dirs",    "disown", "do",      "done",    "echo",    "elif",     "else",      "enable",
    "esac",     "eval",    "exec",    "exit",   "export",  "false",   "fc",      "fg",       "fi",        "for",
    "function", "getopts", "hash",    "help",   "history", "if",      "in",      "jobs",     "kill",      "let",
    "local",    "logout",  "mapfile", "popd",   "printf",  "pushd",   "pwd",     "read",     "readarray", "readonly",
    "return",   "select",  "set",     "shift",  "shopt",   "source",  "suspend", "test",     "then",      "time",
    "times",    "trap",    "true",    "type",   "typeset", "ulimit",  "umask",   "unalias",  "unset",     "until",
    "wait",     "while",   "{",       "}"};

bool same_words(const std::vector<Word>& one, const std::vector<Word>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const Word& a, const Word& b) { return a.literal == b.literal && a.text == b.text; });
}

bool same_command(const SimpleCommand& one, const SimpleCommand& other) {
  return same_words(one.words, other.words) && same_words(one.assignments, other.assignments) &&
         std::equal(one.redirections.begin(), one.redirections.end(), other.redirections.begin(),
                    other.redirections.end(),
                    [](const Redirection& a, const Redirection& b) { return a.text == b.text; });
}

// Adds those commands of another reading which are not yet in the script, each at its position. If many begin at one
// position (in backquotes), only some are compared, since a command that is listed twice does no harm.
void add_commands(Findings& to, Findings&& from) {
  constexpr std::size_t most = 8;
  std::vector<SimpleCommand> commands;
  std::vector<std::size_t> begins;
  std::size_t at = 0;
  const auto take_until = [&](std::size_t begin) {
    for (; at < to.begins.size() && to.begins[at] < begin; ++at) {
      commands.push_back(std::move(to.script.commands[at]));
      begins.push_back(to.begins[at]);
    }
  };
  for (std::size_t i = 0; i < from.begins.size(); ++i) {
    SimpleCommand& command = from.script.commands[i];
    take_until(from.begins[i]);
    bool known = false;
    for (std::size_t other = at; !known && other < std::min(at + most, to.begins.size()); ++other)
      known = to.begins[other] == from.begins[i] && same_command(command, to.script.commands[other]);
    if (known) continue;
    take_until(from.begins[i] + 1);
    commands.push_back(std::move(command));
    begins.push_back(from.begins[i]);
  }
  take_until(static_cast<std::size_t>(-1));
  to.script.commands = std::move(commands);
  to.begins = std::move(begins);
}

Findings read_as(ShellDialect dialect, std::string_view line, bool reads_pipe) {
  Findings findings(dialect, line.size());
  WordReader(line, findings).read(reads_pipe);
  // Removes a command that had just begun when the text turned out to be malformed.
  for (std::size_t i = findings.begins.size(); i > 0; --i) {
    const SimpleCommand& command = findings.script.commands[i - 1];
    if (!command.words.empty() || !command.assignments.empty() || !command.redirections.empty()) continue;
    findings.script.commands.erase(findings.script.commands.begin() + static_cast<std::ptrdiff_t>(i - 1));
    findings.begins.erase(findings.begins.begin() + static_cast<std::ptrdiff_t>(i - 1));
  }
  return findings;
}

}  // namespace

std::vector<std::string> texts_of(const std::vector<Word>& words) {
  std::vector<std::string> texts;
  texts.reserve(words.size());
  for (const Word& word : words) texts.push_back(word.text);
  return texts;
}

const Word* directory_of_cd(const std::vector<Word>& words) {
  std::size_t at = 1;
  while (at < words.size() && (words[at].text == "-L" || words[at].text == "-P")) ++at;
  const bool dashes = at < words.size() && words[at].text == "--";
  if (dashes) ++at;
  // A lone - means OLDPWD, even after --.
  if (at + 1 != words.size() || words[at].text.empty() || words[at].text == "-") return nullptr;
  return dashes || words[at].text.front() != '-' ? &words[at] : nullptr;
}

bool is_shell_word(std::string_view word) { return std::binary_search(shell_words.begin(), shell_words.end(), word); }

Script parse(std::string_view line, Shell shell, bool rebuilt, bool reads_pipe) {
  const std::size_t zero = line.find('\0');
  if (zero != std::string_view::npos) {
    Script script;
    script.error = Obstacle{{zero, zero + 1}, "a zero byte"};
    script.obstacle = script.lasting = script.error;
    return script;
  }
  Findings findings = read_as({.dash = shell == Shell::dash, .rebuilt = rebuilt}, line, reads_pipe);
  Script& script = findings.script;
  // An error or an obstacle in one dialect is an obstacle of the line, even if another dialect has neither.
  if (!script.obstacle) script.obstacle = script.error;
  if (!script.lasting) script.lasting = script.error;
  const auto read_also = [&](ShellDialect dialect) {
    dialect.rebuilt = rebuilt;
    Findings further = read_as(dialect, line, reads_pipe);
    if (!script.obstacle) script.obstacle = further.script.obstacle ? further.script.obstacle : further.script.error;
    if (!script.lasting) script.lasting = further.script.lasting ? further.script.lasting : further.script.error;
    // An error is kept only if all dialects have one, because text that one shell rejects may be valid in another. An
    // error due to this reader's own limits is always kept.
    if (further.gave_up && !findings.gave_up) script.error = further.script.error;
    findings.gave_up = findings.gave_up || further.gave_up;
    if (!further.script.error && !findings.gave_up) script.error.reset();
    add_commands(findings, std::move(further));
  };
  const bool differs = findings.differs;
  if (shell != Shell::dash) {
    if (findings.extglob) read_also({.extglob = true});
    if (findings.posix) read_also({.posix = true});
    if (findings.extglob && findings.posix) read_also({.extglob = true, .posix = true});
  }
  if (differs && shell == Shell::any) read_also({.dash = true});
  return std::move(script);
}

std::optional<std::vector<std::string>> plain_command(std::string_view line) {
  static_assert(std::is_sorted(shell_words.begin(), shell_words.end()));
  Script script = parse(line);
  if (script.obstacle || script.commands.size() != 1) return std::nullopt;
  SimpleCommand& command = script.commands.front();
  if (command.negated || !command.redirections.empty()) return std::nullopt;
  if (command.words.front().text.empty() || is_shell_word(command.words.front().text)) return std::nullopt;
  std::vector<std::string> words;
  words.reserve(command.words.size());
  for (Word& word : command.words) words.push_back(std::move(word.text));
  return words;
}

}  // namespace wtool::policy
