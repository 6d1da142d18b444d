// Reads the options of a program, by a table of what it takes, in the manner of getopt_long: bundles (-abc), values in
// the same word or the next one (-ofile, -o file, --out=file, --out file), abbreviated long options (--forc), and `--`.
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/words.h"

namespace wtool::policy {

// What a program takes.
struct Syntax {
  // Letters: "ab:c::" has -a alone, -b with a value, -c with a value in the same word or none.
  std::string_view letters;
  // Separated by spaces: "all out= color? bind=2" has --all alone, --out with a value, --color with a value behind "="
  // or none, --bind with two words behind it.
  std::string_view longs;
  enum : unsigned {
    plain = 0,
    permutes = 1,       // options may stand behind operands
    single_dash = 2,    // long options may have a single dash: -exec; letters are not bundled
    any_long = 4,       // long options that are not in the table take a value behind "=" or none
    any_valued = 8,     // long options that are not in the table take a value
    number = 16,        // -10 is an option
    lenient = 32,       // what is not in the table is passed over; the table names only what matters
    plus = 64,          // +x is an option too, of the same letters
    no_equals = 128,    // the value of a long option stands in the next word only
    underscores = 256,  // a long option may have _ for -
  };
  unsigned manner = plain;
};

struct Option {
  std::string name;      // a letter, or a long option without its dashes, in full; "+x" where it was spelled so
  std::size_t word = 0;  // where it stands
  std::size_t next = 0;  // behind it and its values
  bool has_value = false;
  Word value;  // as a word of its own
};

struct Reading {
  std::vector<Option> options;
  std::vector<std::size_t> operands;    // indices; without Syntax::permutes: everything from the first operand on
  std::optional<std::size_t> obstacle;  // the first word that is not understood: nothing behind it is read
  std::string reason;                   // a clause about it
  bool passed_over = false;             // lenient: an option was passed over that may take a value

  const Option* find(std::string_view list) const;  // the first option whose name is in the list
};

// Whether the option in `text`, "-abc" or "--name", takes the next word.
enum class Takes { nothing, value, unknown };
Takes what_takes(const Syntax& syntax, std::string_view text);

// True where `list`, separated by `separator`, has `item`.
bool is_listed(std::string_view list, std::string_view item, char separator = ' ');

// Reads words[from ...]. A word that is not literal ends the options like an operand (with Syntax::permutes: it is one,
// or, without Syntax::lenient, an obstacle); as the value of an option it is an obstacle, because it may become several
// words, unless the reading is lenient.
Reading read_options(const std::vector<Word>& words, std::size_t from, const Syntax& syntax);

}  // namespace wtool::policy
