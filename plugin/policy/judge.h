// Judges a command line by the configured rules: allow, ask or deny, and why. Pure, except that it looks up the files
// of programs and resolves paths.
//
// - The strictest verdict wins. Entries of commands.deny take precedence, whatever else is wrong with the line.
// - Under an allow list, or with directories.confine_arguments, every word must be known before it runs, and the line
//   that runs is made from the words that were judged.
// - With only commands.deny or commands.ask, every command in the line is checked at any depth. A line that contains a
//   command which could be anything is refused or, without commands.deny, needs approval. The same applies if a
//   variable that is set before a command may change what the command does.
// - commands.ask_network is a list like commands.ask. If one of its entries certainly matches a command of the line,
//   the verdict says that a yes opens the network.
// - Without any of these rules, every line is allowed without being read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/programs.h"
#include "policy/rules.h"
#include "policy/verdict.h"
#include "policy/words.h"

namespace wtool::policy {

struct Situation {
  const CommandRules& commands;
  const DirectoryRules& directories;
  const Programs& programs;
  std::vector<std::string> roots;                 // directories.roots, canonical
  std::string directory;                          // the working directory, canonical
  bool by_shell = true;                           // false: the line is one command, which no shell runs
  const EnvironmentRules* environment = nullptr;  // whose `allow` and `deny` apply; nullptr: only harmless names pass
  bool expands = false;                           // globs, $HOME, $PWD and $? are expanded while the line is judged
  std::string home = {};                          // the value that HOME will have for the command
  bool gets_text = false;                         // the call passes a text for standard input, which nobody has judged
};

// True if any rule needs lines to be judged.
bool judges_lines(const CommandRules& commands, const DirectoryRules& directories);

// True under an allow list or confinement: the line that runs is then made from the words that were judged.
bool judges_words(const CommandRules& commands, const DirectoryRules& directories);

struct LineJudgement {
  Verdict verdict;
  std::optional<Script> script;  // set if judges_words(), and all words of the line are known
  bool expanded = false;         // expand_known() has changed the script
};

LineJudgement judge(std::string_view line, const Situation& situation);

}  // namespace wtool::policy
