// What a command would run besides itself: env, timeout, xargs and their like run their arguments; sh -c reads shell
// text; python -c reads code that nobody can judge. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/words.h"

namespace wtool::policy {

struct Inner {
  enum class Kind {
    command,  // `command` is run as it stands
    script,   // `text` is shell text
    code,     // `text` is code of another language, or the program is steered in a way that cannot be judged: ask
    unclear,  // the wrapper's own arguments are not understood, so what it runs is not known: refuse
  };
  Kind kind = Kind::command;
  SimpleCommand command;  // Kind::command: assignments are what it is run with
  // Kind::command: there are arguments that nobody knows before it runs (xargs, find {}). They stand in the command as
  // words that are not literal, so that whoever judges it again meets them; where they follow, as one empty word.
  bool open_ended = false;
  Word text;           // Kind::script, code, unclear: the word that it is about
  std::string reason;  // Kind::code, unclear: a clause, "-c gives python code"
};

// What `command` runs besides itself, one level deep: who wants to know what that runs asks again, and must stop
// somewhere ("env env env ..."). Empty for most. `tool` is the name of its program without a folder. Words of it
// may be not literal: where such a word decides, the answer is `unclear`.
std::vector<Inner> inner_commands(std::string_view tool, const SimpleCommand& command);

// True for a program that runs others besides itself, or may.
bool is_wrapper(std::string_view tool);

// True where nothing that follows the words that are known makes it run a program unseen: every word is handed on to
// the command inside, or makes that unclear.
bool hands_words_on(std::string_view tool);

// True where an entry of a deny list for `options` (each as written: "-f", "--force") and `operands` matches the
// command: all of the options are among its options, in whatever spelling the tool takes (-rf, --force, --forc), and
// the operands are its first ones. A word that is not literal may be anything. `words[0]` is the program and is not
// looked at.
bool arguments_match(std::string_view tool, const std::vector<Word>& words, const std::vector<std::string>& options,
                     const std::vector<std::string>& operands);

}  // namespace wtool::policy
