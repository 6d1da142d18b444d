// Expands in advance what a shell would expand, if the result is known before anything runs: a glob becomes the names
// that exist; ~, $HOME and $PWD become their values. Assignments before a program stay as they are. $? also stays, but
// only in the arguments of a builtin that prints or compares it. Afterwards every word is known, apart from the number
// that $? stands for. Exactly these words are judged and run, and no shell expands anything else later.
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
  bool confined = false;                // only directories within the roots may be read
  std::vector<std::string> roots = {};  // canonical
};

// Why a word could not be expanded.
struct NotExpanded {
  Range at;
  std::string what;  // a noun with its article
  std::string hint;
};

// Expands the words of a script that have marks (Word::open). Script::lasting must be empty. On success, returns
// nothing, and the script no longer has an obstacle. On failure, returns the reason, and the script must no longer be
// used.
//
// - A glob is expanded in the directory in which its command is certain to run: that of the call or, after `cd DIR &&`,
//   DIR. All commands before the glob must be known not to change files, because they run after the expansion.
// - If nothing matches, the word stays as it is, as in shells. If too many names match, the expansion fails.
std::optional<NotExpanded> expand_known(Script& script, const Surroundings& surroundings);

}  // namespace wtool::policy
