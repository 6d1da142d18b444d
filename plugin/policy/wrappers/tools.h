// What is known of the options of well-known programs, beside what wrappers take: the options that stand in front of a
// subcommand, and the names that an option has. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/wrappers/options.h"

namespace wtool::policy {

struct Tool {
  std::string_view names;     // separated by commas; "docker compose" is the subcommand of a program
  Syntax syntax;              // options in front of the subcommand, or, where there is none, all of them
  bool has_subcommands;       // "git", "docker"
  std::string_view synonyms;  // separated by spaces: "f=force D=delete+force"
};

// Null where nothing is known.
const Tool* find_tool(std::string_view name);

// Where the subcommand of words[0] stands, and what it is called: "docker compose exec". Further words are read as long
// as `is_wanted` does not know the name and there is a Tool of it.
struct Subcommand {
  std::string name;                // the program alone where there is none
  std::size_t next = 1;            // the word behind it
  const Word* obstacle = nullptr;  // a word that is not literal stands where the subcommand should
};
Subcommand find_subcommand(std::string_view tool, const std::vector<Word>& words, bool (*is_wanted)(std::string_view));

}  // namespace wtool::policy
