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

// The directories to which the command's relative paths may refer: `directories` (canonical), and those that its first
// `count` words name with an option such as -C, --directory or --chdir, in a bundle or abbreviated, too. An option that
// means something else may count by mistake; that is only stricter. Nothing if there are more than can be tracked.
std::optional<std::vector<std::string>> working_directories(const std::vector<Word>& words, std::size_t count,
                                                            const std::vector<std::string>& directories);

// True where a program that the command starts may run in a directory that the words do not name: another root, a home,
// the folder of each file that find finds, the top of git's work tree.
bool runs_elsewhere(std::string_view tool, const std::vector<Word>& words);

// The first of `texts` (literal words, the program first) that names a path outside `roots` (canonical) from
// `directory` (canonical), wherever it is in the word: at its start, after the letters of options, or after = , : or @.
// An address also counts as a path, because a link may be called `http:`, unless the tool takes addresses and the
// scheme never names a file. Words that the tool takes as text (a pattern, a script) and /dev/null are skipped.
std::optional<Escape> find_escape(std::string_view tool, const std::vector<std::string>& texts,
                                  std::string_view directory, const std::vector<std::string>& roots);

// The word by which the tool reads a list of files to open: sha256sum -c LIST.
std::optional<std::size_t> find_list_of_sums(std::string_view tool, const std::vector<std::string>& texts);

// True where the command may make links, or move one to where it leads elsewhere. What the paths of later commands lead
// to is then unknown until it has run.
bool moves_links(std::string_view tool, const std::vector<std::string>& texts);

// True where some word of the command may be a path.
bool names_paths(std::string_view tool, const std::vector<std::string>& texts);

}  // namespace wtool::policy
