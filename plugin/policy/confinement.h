// `directories.confine_arguments`: finds out whether the words of a command lead out of the roots. Looks at the file
// system, because a name may be a link.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/words.h"

namespace wtool::policy {

struct Escape {
  std::size_t word = 0;  // the index of the word
  std::string path;      // where the word leads; empty: that is not known, because of `why`
  std::string why{};
};

// The directories to which the command's relative paths may refer: `directories` (canonical), and those that its first
// `count` words name with an option such as -C, --directory or --chdir, even in a bundle or abbreviated. An option with
// another meaning may be taken for one of these, which only makes the rules stricter. Nothing: there are too many
// directories to track.
std::optional<std::vector<std::string>> working_directories(const std::vector<Word>& words, std::size_t count,
                                                            const std::vector<std::string>& directories);

// True if a program that the command starts may run in a directory that the words do not name: another root, a home
// directory, the folder of each file that find finds, the top of git's work tree.
bool runs_elsewhere(std::string_view tool, const std::vector<Word>& words);

// The first of `texts` (literal words, the program first) that names a path outside `roots` (canonical), resolved from
// `directory` (canonical). The path may be anywhere in the word: at its start, after the letters of options, or after
// one of the characters = , : @. An address such as http://host is treated as a path, because a link may be called
// `http:`. The exception is a scheme that never names a file, if the tool takes addresses. Words that the tool reads as
// text (a pattern, a script) and /dev/null are skipped.
std::optional<Escape> find_escape(std::string_view tool, const std::vector<std::string>& texts,
                                  std::string_view directory, const std::vector<std::string>& roots);

// Finds the option that makes the tool open the files that a list names, such as -c in `sha256sum -c LIST`.
std::optional<std::size_t> find_list_of_sums(std::string_view tool, const std::vector<std::string>& texts);

// True if the command may make a link, or move a link so that its target changes. Where the paths of later commands
// lead is then not known before this command has run.
bool moves_links(std::string_view tool, const std::vector<std::string>& texts);

// True if some word of the command may be a path.
bool names_paths(std::string_view tool, const std::vector<std::string>& texts);

}  // namespace wtool::policy
