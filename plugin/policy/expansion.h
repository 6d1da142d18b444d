// Takes the place of a shell's expansions where what they give is known before anything runs: globs become the names
// that there are now, $HOME and $PWD their values, and $? stays for a builtin that does nothing but print or compare
// it. Then every word is known again, what is judged are the names, and they are what runs: no shell expands anything
// later.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/words.h"

namespace wtool::policy {

struct Surroundings {
  std::string directory;                // where the line starts, canonical
  std::string home;                     // the value of HOME; empty when HOME is not set
  bool confined = false;                // directories may only be read within the roots
  std::vector<std::string> roots = {};  // canonical
};

// Why an open word stays unknown.
struct NotExpanded {
  Range at;
  std::string what;  // a noun with its article
  std::string hint;
};

// Expands the open words of a script that has no lasting obstacle. Where that is done, the script has no obstacle any
// more; else it is of no use any more, and the answer says why.
//
// - A glob is expanded in the directory that its command surely runs in: that of the call, or behind `cd DIR &&` that.
//   Commands in front of it must be known to leave files alone, since they run later than it is expanded.
// - Nothing matches: the word stays as it is, as shells do it. Too many names: it is not expanded.
std::optional<NotExpanded> expand_known(Script& script, const Surroundings& surroundings);

}  // namespace wtool::policy
