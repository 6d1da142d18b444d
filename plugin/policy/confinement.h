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

// Where the command may look for its relative paths: `directories` (canonical), and those that its first `count` words
// lead to as an option for that (-C, --directory, --chdir), in a bundle or abbreviated, too. Too many for an option
// that means something else are no harm. Nothing: there are more than are followed.
std::optional<std::vector<std::string>> working_directories(const std::vector<Word>& words, std::size_t count,
                                                            const std::vector<std::string>& directories);

// True where what the command runs in turn may run in a directory that its words do not name: another root, a home, the
// folder of each file that find finds, the top of git's work tree.
bool runs_elsewhere(std::string_view tool, const std::vector<Word>& words);

// The first of `texts` (literal words, the program first) that names a path outside `roots` (canonical) from
// `directory` (canonical), however it is written: as the word, behind the letters of options, behind = , : or @. What
// looks like an address is a path as well, because a link may be called `http:`; what stands behind its colon is none
// only for tools that take addresses, with schemes that are no file's. Words that the tool takes as text (a pattern, a
// script) are not looked at, nor is /dev/null.
std::optional<Escape> find_escape(std::string_view tool, const std::vector<std::string>& texts,
                                  std::string_view directory, const std::vector<std::string>& roots);

// The word by which the tool reads a list of files to open: sha256sum -c LIST.
std::optional<std::size_t> find_list_of_sums(std::string_view tool, const std::vector<std::string>& texts);

// True where the command may make links, or move one to where it leads elsewhere: what paths of later commands lead to
// is not known then before it has run.
bool moves_links(std::string_view tool, const std::vector<std::string>& texts);

// True where some word of the command may be a path.
bool names_paths(std::string_view tool, const std::vector<std::string>& texts);

}  // namespace wtool::policy
