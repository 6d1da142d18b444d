// Which commands a command runs besides itself: env, timeout, xargs and the like run their arguments; sh -c reads shell
// text; python -c reads code that cannot be judged. Pure, except that it resolves paths.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/words.h"

namespace wtool::policy {

// Where a command may run, so that its paths can be resolved.
struct Whereabouts {
  const std::vector<std::string>& directories;  // canonical
  bool elsewhere = false;                       // or in any other folder, because some `cd` could not be followed
  // True: all words of the line itself are literal. A word that is not literal then stands for what a program finds or
  // reads.
  bool all_known = false;
};

struct Inner {
  enum class Kind {
    command,  // `command` is run as it is
    script,   // `text` is shell text
    code,     // `text` is code of another language, or the program is controlled in a way that cannot be judged
    unclear,  // the wrapper's own arguments are not understood, so it could run anything
  };
  Kind kind = Kind::command;
  // Kind::command: the command; its assignments are its environment. Kind::script: only reads_pipe is used, which is
  // true if the standard input of the script's commands is unknown.
  SimpleCommand command;
  // Kind::command: some arguments are unknown until the command runs (xargs, find {}). In `command`, these arguments
  // are words that are not literal. If they come last, one empty word replaces all of them.
  bool open_ended = false;
  Word text;           // Kind::script, code, unclear: the word that contains or names the text
  std::string reason;  // Kind::code, unclear: a clause, "-c gives python code"
};

// What `command` runs besides itself, one level deep. To see what an inner command runs, call inner_commands() again
// for it, with a limit on the depth ("env env env ..."). Empty for most commands. `tool` is the name of the program
// without its folder. Words may be unknown; an inner command that depends on an unknown word is `unclear`.
//
// Without `where`, relative paths are not resolved.
std::vector<Inner> inner_commands(std::string_view tool, const SimpleCommand& command,
                                  const Whereabouts* where = nullptr);

// True for a program that runs, or may run, other programs.
bool is_wrapper(std::string_view tool);

// True if no additional word can make the tool run a program unnoticed: each one is passed to the inner command, or
// makes the inner command unclear.
bool hands_words_on(std::string_view tool);

// True if an entry of a deny list with these `options` (each as written: "-f", "--force") and `operands` matches the
// command: the command has all of the options, in any spelling that the tool accepts (-rf, --force, --forc), and begins
// with these operands. A word that is not literal may be anything. `words[0]` is the program and is ignored.
bool arguments_match(std::string_view tool, const std::vector<Word>& words, const std::vector<std::string>& options,
                     const std::vector<std::string>& operands);

}  // namespace wtool::policy
