#include "policy/hints.h"

#include "policy/programs/reader.h"

namespace wtool::policy {

namespace {

struct Hint {
  std::string_view about;  // a part of a construct's description, or names of builtins
  std::string_view text;
};

constexpr Hint construct_hints[] = {
    {"a command substitution", "run that command first, and write what it prints into the line"},
    {"the keyword for", "give all names to one command (wc -l *.md), or use xargs or find -exec"},
    {"the keyword while", "let xargs or find -exec run the command for each name"},
    {"the keyword until", "make a call for each iteration"},
    {"the keyword if", "write TEST && COMMAND || COMMAND, with test or ["},
    {"a keyword that only some shells know",
     "write [ ... ] instead of [[ ... ]]; for the other keywords, make separate calls"},
    {"a subshell", "leave the parentheses out: cd DIRECTORY && ... lasts for this call only"},
    {"a group of commands", "leave the braces out"},
    {"a redirection to or from a file",
     "to read a file, write < FILE, with its plain name (not in /dev), or cat FILE | ...; to write one, pipe into a "
     "program that is allowed to, such as tee"},
    {"the redirection &>", "write >/dev/null 2>&1"},
    {"the operator |&", "write 2>&1 |"},
    {"a here-string", "write printf '%s\\n' TEXT | ..."},
    {"a here-document whose delimiter is not quoted", "put the delimiter in quotes (<<'EOF'), and write values out"},
    {"a process substitution", "write the outputs to files with calls of their own, or use a pipe"},
    {"a command in the background", "leave the & out"},
    {"a brace expansion", "write the words out (a.c a.h), or use a glob"},
    {"a parameter expansion", "write the value out; $HOME, $PWD and $? are known in this spelling"},
    {"an arithmetic expansion", "write the number out"},
    {"an assignment", "give the variable in the call's environment"},
    {"a tilde", "write ~/... or $HOME/... as an argument of its own, or the path"},
    {"the glob character", "write the names out, or give the glob as an argument of its own, without quotes"},
};

constexpr Hint builtin_hints[] = {
    {"command type hash", "\"which NAME\" shows where a program is"},
    {"pushd popd dirs chdir", "write cd DIRECTORY && ..."},
    {". source", "name programs by their paths (.venv/bin/python), and give variables in the call's environment"},
    {"exec builtin eval", "write the command itself"},
    {"[[", "write [ ... ]"},
};

}  // namespace

std::string_view hint_for(std::string_view what) {
  for (const Hint& hint : construct_hints) {
    if (what.find(hint.about) != what.npos) return hint.text;
  }
  return "write the words out as they are meant, in quotes where needed, or run it as a command of its own";
}

std::string_view hint_for_builtin(std::string_view name) {
  for (const Hint& hint : builtin_hints) {
    if (programs::is_listed(hint.about, name)) return hint.text;
  }
  return "leave it out";
}

}  // namespace wtool::policy
