// `arguments: safe`: for the well-known tools, which arguments neither execute nor write. Allow lists of options and
// operands; what is not on them is unsafe. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "policy/words.h"

namespace wtool::policy {

struct ArgumentJudgement {
  enum class Kind {
    safe,     // nothing in these arguments executes or writes
    unsafe,   // something does, or may
    no_rules  // the tool is none of those that are known here
  };
  Kind kind = Kind::safe;
  std::size_t word = 0;  // unsafe: the index of the word it is about
  std::string reason;    // unsafe: a clause, "-exec runs another program"
  std::string hint;      // unsafe: what would be safe instead; may be empty
};

// `words` are the program and its arguments, all literal; `tool` is the program's name without a folder.
ArgumentJudgement judge_arguments(std::string_view tool, const std::vector<std::string>& words);

// What is put into the words of a tool when they run, so that it executes nothing that they do not say.
struct Addition {
  std::size_t before;  // this word
  std::vector<std::string_view> words;
};
struct Hardening {
  std::vector<Addition> additions;
  std::vector<std::string> directories;  // of git -C, each of which is meant from where the one before leads
};
Hardening hardening(std::string_view tool, const std::vector<std::string>& words);

// Code in the tool's own language that executes programs (sed's e, awk's system and pipes), and options that name a
// program to run. Checked even where any arguments are allowed. Kind::no_rules for an unknown tool.
ArgumentJudgement judge_program_text(std::string_view tool, const std::vector<std::string>& words);

// For the confinement of arguments: whether the tool is told to read or write files that its words do not name, by a
// list of files, sed's r and w, or awk's getline from a file. Kind::no_rules for an unknown tool.
ArgumentJudgement judge_reach(std::string_view tool, const std::vector<std::string>& words);

// For each word, whether it is known to be text and not a path: sed's script, grep's pattern, what echo prints. The
// program itself counts as text. As long as `words`.
std::vector<bool> text_words(std::string_view tool, const std::vector<std::string>& words);

// True where it is known which arguments of this very program are safe.
bool has_argument_table(std::string_view tool);

// True for a tool that some argument makes run another program, and for every unknown tool. Its arguments must then be
// known, or follow `--`.
bool may_run_programs(std::string_view tool);

// True where the words are safe whatever arguments follow them, such as those that xargs adds: for a known tool without
// options but the safe ones, or after a `--`.
bool takes_more_arguments(std::string_view tool, const std::vector<std::string>& words);

// True where these words are safe, and stay so with any other path in place of those that are paths (Word::is_path).
bool takes_paths(std::string_view tool, const std::vector<Word>& words);

}  // namespace wtool::policy
