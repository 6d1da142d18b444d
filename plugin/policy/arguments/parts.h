// The parts of arguments.cc: the languages of sed, awk and find, and the settings of git.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/programs/reader.h"

namespace wtool::policy::programs {

// The findings in a script of sed or a program of awk.
struct ScriptFindings {
  // Clauses; empty: nothing was found.
  std::string executes;     // it runs a program
  std::string writes;       // it writes to a file
  std::string reaches_out;  // it reads something besides its input
  std::string unclear;      // it cannot be understood, so what it does is not known
};

// The most important finding, for a tool whose arguments must be safe; empty: nothing was found.
inline const std::string& worst(const ScriptFindings& script) {
  if (!script.executes.empty()) return script.executes;
  if (!script.writes.empty()) return script.writes;
  return script.unclear.empty() ? script.reaches_out : script.unclear;
}

// Reads scripts of sed as GNU sed does.
ScriptFindings read_sed(std::string_view script);

// The script in a command line, and the word that contains it; no script if it is in a file.
struct Located {
  std::string script;
  std::size_t word = 0;
};
std::optional<Located> find_script(const ParsedCommand& reading);
std::optional<Problem> check_sed(const ParsedCommand& reading);

// Refuses an operand after `--` that begins with a dash: git blame -- FILE REVISION puts the revision in front of the
// dashes, and git stash list drops them.
std::optional<Problem> check_dashes(const ParsedCommand& reading);

// Refuses words of dashes before the archive of unzip.
std::optional<Problem> check_unzip(const ParsedCommand& reading);

// Reads programs of awk as far as needed to see whether they execute, write, or read more than their input.
ScriptFindings read_awk(std::string_view program);
std::optional<Problem> check_awk(const ParsedCommand& reading);

// The first option that may contain an awk program but is not read: some options exist only in some awks, and the other
// awks ignore them.
std::optional<Problem> find_awk_option(std::string_view tool, const Words& words);

// Finds what makes an expression of jq or yq read files that no word names.
std::optional<Problem> find_reach_of_expression(const ParsedCommand& reading);

// Finds a word in find's expression that is not known to be safe.
std::optional<Problem> check_find(const ParsedCommand& reading);
// Finds -files0-from, which names a file with the paths at which the search begins.
std::optional<Problem> find_list_of_files(const ParsedCommand& reading);
// Marks the words of find's expression that are text and not paths.
void mark_find_text(const Words& words, std::vector<bool>& text);

// For `arguments: safe`: finds a setting of git -c that is not known to be harmless, and options that make git check
// signatures.
std::optional<Problem> check_git_settings(const ParsedCommand& reading);

// Finds settings and addresses that name a program to run. Checked even with `arguments: any`.
std::optional<Problem> find_git_program(const ParsedCommand& reading);

}  // namespace wtool::policy::programs
