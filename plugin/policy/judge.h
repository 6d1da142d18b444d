// Judges a command line by the configured rules: allow, ask or deny, and why. Pure, but for asking which file a name
// stands for and where a path leads.
//
// - Strictest wins. Entries of commands.deny come first, whatever else is wrong with the line.
// - Under an allow list, or with directories.confine_arguments, every word must be known before it runs; what runs is
//   made from the words that were judged.
// - With commands.deny or commands.ask alone, every command anywhere in the line is looked at; where one could be
//   anything, the line is refused. Also there no variable in front of a command may change what it does.
// - Without any of them, every line is allowed, and none is read.
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
  const EnvironmentRules* environment = nullptr;  // whose `allow` counts; NULL: no name is allowed but harmless ones
  bool expands = false;                           // globs, $HOME, $PWD and $? are expanded while the line is judged
  std::string home = {};                          // the value of HOME that the command will have
};

// True where the rules leave something to judge.
bool judges_lines(const CommandRules& commands, const DirectoryRules& directories);

// True under an allow list or confinement: then the line that runs is made from the words that were judged.
bool judges_words(const CommandRules& commands, const DirectoryRules& directories);

struct LineJudgement {
  Verdict verdict;
  std::optional<Script> script;  // where judges_words(), and all of its words are known
  bool expanded = false;         // the script has words that the line does not have
};

LineJudgement judge(std::string_view line, const Situation& situation);

}  // namespace wtool::policy
