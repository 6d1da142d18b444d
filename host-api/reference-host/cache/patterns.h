// Finds the files for the patterns of a step: `src/**`, `CMakeLists.txt`, `!src/generated/**`.
//
// - `*`, `?` and `[ab]` match a part of one name, `**` any number of folders. A name that contains such characters also
//   matches itself. If a folder matches, all files below it match. `!` excludes files that the other patterns match.
// - Hidden files are included. The folders .git and .wtool are left out, unless a pattern names them.
// - Links are followed, unless the caller says otherwise. A link to a folder that contains the link is a problem, and
//   so is a folder that cannot be read: files that are not found could change unnoticed.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wtool::host::cache {

// Files that are being restored have names that begin like this. They are left out: a killed process may leave one.
inline constexpr std::string_view unfinished_prefix = ".wtool-restoring-";

inline constexpr std::size_t max_files = 100'000;  // for the patterns of one step

struct FoundFiles {
  std::vector<std::string> paths;      // sorted, each once, spelt as in the pattern; may include dangling links
  std::vector<std::string> unmatched;  // patterns that match no file
  std::string problem;                 // why the lists are not complete; a sentence without its full stop
};

// If links are not followed, a link is found like a file, and the files below its target are not found.
enum class PatternLinks { followed, not_followed };

// Finds the files that the patterns match. Relative patterns are resolved against `directory`, which must be absolute.
// Leaves out the files that match a pattern in `without`, unless one of `patterns` names the file without a wildcard.
FoundFiles find_files(const std::string& directory, const std::vector<std::string>& patterns,
                      const std::vector<std::string>& without = {}, PatternLinks links = PatternLinks::followed);

// The first folder of the path, which is relative to `directory`, that is a link; empty: none is. Looks only at folders
// that are not in `checked`, and adds them to it.
std::string link_above(const std::string& directory, const std::string& path, std::set<std::string>& checked);

// True if stat() failed with this error because no file has that path, or because the links on the way lead nowhere. Any
// other error leaves open whether there is a file.
bool means_no_file(int error);

// True if the pattern matches the path. Both must be relative to the same folder.
bool matches(std::string_view pattern, std::string_view path);
// True if something below the folder may match.
bool may_match_below(std::string_view pattern, std::string_view folder);

// False only if no file can match both patterns. Both must be relative to the same folder, or absolute.
bool may_name_one_file(std::string_view one, std::string_view other);

// The outputs of a step: patterns, and the absolute directory against which they are resolved.
struct Outputs {
  std::string directory;
  std::vector<std::string> patterns;
};
// A pattern of `one` whose file `other` may write, too. Empty: they have no file in common.
std::string shared_output(const Outputs& one, const Outputs& other);

// The path without `.` components and with single slashes.
std::string plain_path(std::string_view path);

// Finds out where files are relative to a folder, however their paths are written.
class PathsBelow {
 public:
  explicit PathsBelow(std::string directory) : directory_(std::move(directory)) {}
  // The plain path relative to the folder. A path that leads out of it stays as it is.
  std::string operator()(const std::string& path);

 private:
  const std::string directory_;
  std::optional<std::string> real_directory_;
  std::map<std::string, std::string> real_folders_;
};

// The deepest folder that contains all files that the pattern can match: `src` for `src/**/*.c` and for `src/a.c`.
// Empty: it is the folder against which the pattern is resolved.
std::string folder_of(std::string_view pattern);

// Why `pattern` cannot name outputs; empty: it can. Outputs must be below the directory of the step, because they are
// restored there.
std::string output_problem(std::string_view pattern);

}  // namespace wtool::host::cache
