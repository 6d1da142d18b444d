// A list of programs that may run, as environment variables and small files of names have it. Pure, except that it asks
// which file a name means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/programs.h"

namespace wtool::policy {

// The parts of a text between its commas, without the blank space around them; empty parts are left out.
std::vector<std::string> comma_separated(std::string_view text);

// - "*" as an entry allows every program.
// - Any other entry allows the first word of a command that is equal to it, byte for byte: `./ls` and `/tmp/ls` are not
//   `ls`.
// - An absolute path also counts as the listed name where it is the very file that `programs` finds for that name
//   (Programs::is_found).
class NameList {
 public:
  explicit NameList(std::vector<std::string> entries) : entries_(std::move(entries)) {}

  bool allows(std::string_view program, const Programs& programs) const;
  bool empty() const { return entries_.empty(); }
  // For messages: "ls, cat"; the first twenty.
  std::string shown() const;

 private:
  bool holds(std::string_view entry) const;

  std::vector<std::string> entries_;
};

}  // namespace wtool::policy
