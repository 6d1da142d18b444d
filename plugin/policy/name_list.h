// A list of programs that may run, as it is written in environment variables and small files. Pure, except that it
// looks up the files of programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/programs.h"

namespace wtool::policy {

// The parts of a text between its commas, without the blanks around them; empty parts are left out.
std::vector<std::string> comma_separated(std::string_view text);

// - The entry "*" allows every program.
// - Any other entry allows a command whose first word is equal to it, byte for byte: `./ls` and `/tmp/ls` are not `ls`.
// - An absolute path is also allowed if `programs` finds this very file for a listed name (Programs::is_found).
class NameList {
 public:
  explicit NameList(std::vector<std::string> entries) : entries_(std::move(entries)) {}

  bool allows(std::string_view program, const Programs& programs) const;
  bool empty() const { return entries_.empty(); }
  // The first twenty names, for messages: "ls, cat".
  std::string shown() const;

 private:
  bool holds(std::string_view entry) const;

  std::vector<std::string> entries_;
};

}  // namespace wtool::policy
