#include "policy/words.h"

#include <algorithm>
#include <array>

namespace wtool::policy {

namespace {

// Sorted, for binary search. The union of dash's and bash's, so that it does not matter which of them /bin/sh is.
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

// Characters that mean only themselves when they stand unquoted in a word, in every shell and in every place but the
// first word's. A tilde, a brace or a caret does in most places; the shell may judge those.
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./:,+@%=").find(c) != std::string_view::npos || static_cast<unsigned char>(c) >= 0x80;
}

// Characters that keep a meaning between double quotes. An exclamation mark does in interactive shells only.
bool is_special_in_double_quotes(char c) { return c == '$' || c == '`' || c == '\\'; }

}  // namespace

bool is_shell_word(std::string_view word) { return std::binary_search(shell_words.begin(), shell_words.end(), word); }

std::optional<std::vector<std::string>> plain_command(std::string_view line) {
  static_assert(std::is_sorted(shell_words.begin(), shell_words.end()));
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  for (std::size_t at = 0; at <= line.size(); ++at) {
    const char c = at < line.size() ? line[at] : ' ';
    if (c == ' ' || c == '\t') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else if (c == '\'' || c == '"') {
      const std::size_t end = line.find(c, at + 1);
      if (end == std::string_view::npos) return std::nullopt;
      const std::string_view quoted = line.substr(at + 1, end - at - 1);
      if (c == '"' && std::any_of(quoted.begin(), quoted.end(), is_special_in_double_quotes)) return std::nullopt;
      word.append(quoted);
      in_word = true;
      at = end;
    } else if (is_plain(c)) {
      // An unquoted "=" in front of the command's name makes an assignment of it.
      if (c == '=' && words.empty()) return std::nullopt;
      word.push_back(c);
      in_word = true;
    } else {
      return std::nullopt;
    }
  }
  if (words.empty() || words.front().empty() || is_shell_word(words.front())) return std::nullopt;
  return words;
}

}  // namespace wtool::policy
