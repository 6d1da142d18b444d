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

// The first word of `words` (literal ones, the program first) that names a path outside `roots` (canonical) from
// `directory` (canonical), however it is written: as the word, behind an option's letter, behind = , : or @, as file://
// URL. Words that the tool takes as text (a pattern, a script) are not looked at.
std::optional<Escape> find_escape(std::string_view tool, const std::vector<Word>& words, std::string_view directory,
                                  const std::vector<std::string>& roots);

}  // namespace wtool::policy
