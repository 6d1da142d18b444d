// `directories.confine_arguments`: whether the words of a command lead out of the roots. Looks at the file system,
// because a name may be a link.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/words.h"

namespace wtool::policy {

struct Escape {
  std::size_t word = 0;  // its index
  std::string path;      // where it leads
};

// Where the command may look for its relative paths: `directories` (canonical), and those that words of it lead to as
// an option for that (-C, --directory, --chdir). Too many for an option that means something else are no harm.
std::vector<std::string> working_directories(const std::vector<Word>& words,
                                             const std::vector<std::string>& directories);

// The first of `texts` (literal words, the program first) that names a path outside `roots` (canonical) from
// `directory` (canonical), however it is written: as the word, behind the letters of options, behind = , : or @, as
// file:// URL. Words that the tool takes as text (a pattern, a script) are not looked at, nor is /dev/null.
std::optional<Escape> find_escape(std::string_view tool, const std::vector<std::string>& texts,
                                  std::string_view directory, const std::vector<std::string>& roots);

}  // namespace wtool::policy
