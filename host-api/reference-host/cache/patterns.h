// The files that the patterns of a step name: `src/**`, `CMakeLists.txt`, `!src/generated/**`.
//
// - `*`, `?` and `[ab]` stand for a part of one name, `**` for any number of folders. A name stands
//   for itself, too, and a folder for all files below it. `!` excludes what the other patterns name.
// - Hidden files are included. The folders .git and .wtool are left out, unless a pattern names them.
// - Links are followed, unless the caller says otherwise. A path that leads in a circle is a problem, and so is one
//   that cannot be read: a file that is not seen could change unnoticed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::host::cache {

inline constexpr std::size_t max_files = 100'000;  // named by the patterns of one step

struct FoundFiles {
  std::vector<std::string> paths;      // sorted, each once, as a pattern spells it; a plain name need not exist
  std::vector<std::string> unmatched;  // patterns that name no file
  std::string problem;                 // why the lists are not complete; a sentence without its full stop
};

// If links are not followed, a link is a file of its own, and nothing below it is found.
enum class PatternLinks { followed, not_followed };

// Relative patterns begin in `directory`, which is absolute. Files that a pattern of `without` names are left out, but
// not those that `patterns` name without a wildcard.
FoundFiles find_files(const std::string& directory, const std::vector<std::string>& patterns,
                      const std::vector<std::string>& without = {}, PatternLinks links = PatternLinks::followed);

// Both must be relative to the same folder.
bool matches(std::string_view pattern, std::string_view path);

// The path without `.` components and with single slashes.
std::string plain_path(std::string_view path);

// The folder that a pattern's files are in, or below: `src` of `src/**/*.c` and of `src/a.c`. Empty: they may lie where
// the pattern begins.
std::string folder_of(std::string_view pattern);

// Why `pattern` cannot name outputs; empty: it can. Outputs must be below the directory of the step, because they are
// restored there.
std::string output_problem(std::string_view pattern);

}  // namespace wtool::host::cache
