// The programs that run what stands behind their own options and operands. Data alone: see prefix.cc.
#pragma once

#include <string_view>

#include "policy/wrappers/options.h"

namespace wtool::policy {

struct Prefix {
  enum class Rest {
    command,  // is run as it stands
    joined,   // joined by spaces, is shell text
    scripts,  // each word is shell text
    code,     // is a package, a program from elsewhere or a file of commands: nobody here knows what it does
    ignored,  // only the options matter
  };
  enum class Bare { nothing, shell, code };  // what runs where no command is given

  std::string_view names;  // separated by commas; "docker exec" is a subcommand
  Syntax syntax = {};
  std::size_t operands = 0;      // operands in front of the command
  std::string_view idle = {};    // options with which nothing is run
  std::string_view script = {};  // options whose value is shell text
  std::string_view code = {};    // options whose value is code, or a program that is run
  Rest rest = Rest::command;
  Bare bare = Bare::nothing;
  bool assignments = false;    // NAME=value may stand in front of the command
  bool behind_dashes = false;  // where "--" stands behind the operands, the command is what follows it
};

// Null for programs that are none.
const Prefix* find_prefix(std::string_view name);
// True where find_prefix knows subcommands of this program.
bool has_prefix_subcommands(std::string_view program);

}  // namespace wtool::policy
