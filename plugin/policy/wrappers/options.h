// Reads the options of a program, by its spec, where words may be known only when it runs; in the manner of
// getopt_long: bundles (-abc), values in the same word or the next one (-ofile, -o file, --out=file, --out file),
// abbreviated long options (--forc), and `--`. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/programs/spec.h"
#include "policy/words.h"

namespace wtool::policy {

struct Option {
  std::string name;      // a letter, or a long option without its dashes, in full; "+x" where it was spelled so
  std::size_t word = 0;  // where it stands
  std::size_t next = 0;  // behind it and its values
  bool has_value = false;
  Word value;  // as a word of its own
};

struct Reading {
  std::vector<Option> options;
  std::vector<std::size_t> operands;    // indices; unless it permutes: everything from the first operand on
  std::optional<std::size_t> obstacle;  // the first word that is not understood: nothing behind it is read
  std::string reason;                   // a clause about it
  bool passed_over = false;             // lenient: an option was passed over that may take a value

  const Option* find(std::string_view list) const;  // the first option whose name is in the list
};

// Whether the option in `text`, "-abc" or "--name", takes the next word.
enum class Takes { nothing, value, unknown };
Takes what_takes(const programs::Compiled& program, std::string_view text);

// True where `list`, separated by `separator`, has `item`.
bool is_listed(std::string_view list, std::string_view item, char separator = ' ');

// Reads words[from ...]. A word that is not literal ends the options like an operand (where it permutes: it is one,
// or, unless it is lenient, an obstacle); as the value of an option it is an obstacle, because it may become several
// words, unless the reading is lenient.
enum class Permuting { by_spec, never };  // never: the first operand ends the options
Reading read_options(const std::vector<Word>& words, std::size_t from, const programs::Compiled& program,
                     Permuting permuting = Permuting::by_spec);

}  // namespace wtool::policy
