// Which subcommand of a program stands in its words. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/programs/reader.h"

namespace wtool::policy {

// Where the subcommand of words[0] stands, and what it is called: "docker compose exec". Further words are read as long
// as `is_wanted` does not know the name and its spec has subcommands.
struct Subcommand {
  std::string name;                // the program alone where there is none
  std::size_t next = 1;            // the word behind it
  const Word* obstacle = nullptr;  // a word that is not literal stands where the subcommand should
};
Subcommand find_subcommand(std::string_view tool, const std::vector<Word>& words, bool (*is_wanted)(std::string_view));

}  // namespace wtool::policy
