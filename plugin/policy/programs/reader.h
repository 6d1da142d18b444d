// Reads a command line against the table of its tool, as getopt would.
#pragma once

#include <initializer_list>
#include <vector>

#include "policy/programs/spec.h"

namespace wtool::policy::programs {

using Words = std::vector<std::string>;

// An option as it was given.
struct Given {
  const Option* option;
  std::size_t word = 0;  // where it stands
  std::optional<std::string_view> value = {};
  std::size_t value_word = 0;  // where its value stands; the same word when it is glued
  bool negated = false;        // --no-OPTION
};

struct Reading {
  const Words& words;
  const Compiled* tool = nullptr;  // of the subcommand, where there is one
  std::string name = {};           // its name in the table: "git log"
  std::size_t begin = 0;           // the word that names it
  std::vector<Given> given = {};
  std::vector<std::size_t> operands = {};                                  // the words that are none of an option's
  std::size_t first_operand_behind_dashes = static_cast<std::size_t>(-1);  // counts operands
  bool first_replaced = false;                    // an option took the place of the first operand
  std::vector<bool> text = {};                    // for each word, whether it is no path
  std::optional<Problem> problem = {};            // the first one
  bool complete = true;                           // false: behind an unknown option nothing is certain
  std::optional<std::size_t> response_file = {};  // the first word that is @FILE

  bool has(std::string_view option) const { return in_force({option}) != nullptr; }
  // Of options that take each other's place, the one that holds: the last that was given. Null where none was, or where
  // the last took its option back.
  const Given* in_force(std::initializer_list<std::string_view> options) const;
  // The operand, or an empty text.
  std::string_view operand(std::size_t index) const;
};

// There must be a table for the tool, and `words` must stay where they are.
Reading read(std::string_view tool, const Words& words);

}  // namespace wtool::policy::programs
