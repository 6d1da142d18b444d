// `arguments: safe`: which arguments of the well-known tools neither execute nor write. The options and operands that
// are listed are safe; all others are not. Pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "policy/words.h"

namespace wtool::policy {

struct ArgumentJudgement {
  enum class Kind {
    safe,     // these arguments neither execute nor write
    unsafe,   // an argument executes or writes, or may do so
    no_rules  // this tool is not known
  };
  Kind kind = Kind::safe;
  std::size_t word = 0;  // unsafe: the index of the unsafe word
  std::string reason;    // unsafe: a clause, "-exec runs another program"
  std::string hint;      // unsafe: what would be safe instead; may be empty
};

// `words` are the program and its arguments, all literal; `tool` is the program's name without its folder.
ArgumentJudgement judge_arguments(std::string_view tool, const std::vector<std::string>& words);

// Words that are added when a tool runs, so that it executes only what its own words name.
struct AddedWords {
  std::size_t before;  // the index of the word before which they are added
  std::vector<std::string_view> words;
};
struct Hardening {
  std::vector<AddedWords> additions;
  std::vector<std::string> directories;  // the values of git -C; each is relative to the one before
};
Hardening hardening(std::string_view tool, const std::vector<std::string>& words);

// Finds code in the tool's own language that executes programs (sed's e, awk's system and pipes), and options that name
// a program to run. Checked even with `arguments: any`. Kind::no_rules for an unknown tool.
ArgumentJudgement judge_program_text(std::string_view tool, const std::vector<std::string>& words);

// For the confinement of arguments: finds what makes the tool read or write files that its words do not name, such as a
// list of files, sed's r and w, or awk's getline from a file. Kind::no_rules for an unknown tool.
ArgumentJudgement judge_reach(std::string_view tool, const std::vector<std::string>& words);

// Says for each word whether it is known to be text and not a path: sed's script, grep's pattern, what echo prints. The
// program itself is treated as text. The result is as long as `words`.
std::vector<bool> text_words(std::string_view tool, const std::vector<std::string>& words);

// True if it is known which arguments of a program with exactly this name are safe.
bool has_argument_table(std::string_view tool);

// True for a tool that can run another program, depending on its arguments, and for every unknown tool. Its arguments
// must then be known, or follow `--`.
bool may_run_programs(std::string_view tool);

// True if the words are safe whatever arguments follow them, such as those that xargs adds. This needs a known tool
// that has only safe options, or a `--` among the words.
bool takes_more_arguments(std::string_view tool, const std::vector<std::string>& words);

// True if these words are safe, and stay safe if any other paths replace the words that are paths (Word::is_path).
bool takes_paths(std::string_view tool, const std::vector<Word>& words);

}  // namespace wtool::policy
