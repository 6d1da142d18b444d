// Does a shell's expansions in advance, if their results are known before anything runs: globs become the existing
// names, ~, $HOME and $PWD their values. Assignments before a program stay, and so does $?, but only for a builtin that
// prints or compares it. After that every word is known: exactly these words are judged and run, and no shell expands
// anything later.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/words.h"

namespace wtool::policy {

struct Surroundings {
  std::string directory;                // in which the line starts, canonical
  std::string home;                     // the value of HOME; empty when HOME is not set
  bool confined = false;                // directories may only be read within the roots
  std::vector<std::string> roots = {};  // canonical
};

// Why a word could not be expanded.
struct NotExpanded {
  Range at;
  std::string what;  // a noun with its article
  std::string hint;
};

// Expands the open words of a script that has no lasting obstacle. On success, the script no longer has an obstacle.
// Otherwise the result says why, and the script must no longer be used.
//
// - A glob is expanded in the directory in which its command is certain to run: that of the call or, after `cd DIR &&`,
//   DIR. Commands before it must be known not to change files, since they run after the expansion.
// - If nothing matches, the word stays as it is, as in shells. If too many names match, the expansion fails.
std::optional<NotExpanded> expand_known(Script& script, const Surroundings& surroundings);

}  // namespace wtool::policy
