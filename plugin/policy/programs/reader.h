// The one reader of command lines: reads the words of a program by its spec, as getopt_long would. Everything that
// judges a program works on the ParsedCommand.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "policy/programs/spec.h"
#include "policy/words.h"

namespace wtool::policy::programs {

using Words = std::vector<std::string>;

// True where `list`, separated by `separator`, has `item`.
bool is_listed(std::string_view list, std::string_view item, char separator = ' ');

// True where `holds` is true of one of the parts of a list.
template <typename Holds>
bool any_listed(std::string_view list, Holds holds, char separator = ' ') {
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(separator));
    if (!part.empty() && holds(part)) return true;
    list.remove_prefix(std::min(list.size(), part.size() + 1));
  }
  return false;
}

std::vector<std::string_view> parts_of(std::string_view list, char separator = ' ');

// An option as it was given.
struct Given {
  const Option* option = nullptr;  // null: of a spec that does not have all
  std::string name = {};           // without its dashes, in full; "+x" where it was spelled so
  std::size_t word = 0;            // where it stands
  std::size_t next = 0;            // behind it and its values
  std::optional<std::string_view> value = {};
  std::size_t value_word = 0;  // where its value stands; the same word when it is glued
  bool negated = false;        // --no-OPTION
};

struct ParsedCommand {
  std::vector<std::string_view> words = {};
  const Compiled* tool = nullptr;  // of the subcommand, where there is one
  std::string name = {};           // its name in the table: "git log"
  std::size_t begin = 0;           // the word that names it
  std::vector<Given> given = {};
  std::vector<std::size_t> operands = {};                                  // the words that are none of an option's
  std::size_t first_operand_behind_dashes = static_cast<std::size_t>(-1);  // counts operands
  bool first_replaced = false;  // an option took the place of the first operand

  // Of read_safe().
  std::vector<bool> text = {};                    // for each word, whether it is no path
  std::optional<Problem> problem = {};            // the first one
  bool complete = true;                           // false: behind an unknown option nothing is certain
  std::optional<std::size_t> response_file = {};  // the first word that is @FILE

  // Of the others.
  std::optional<std::size_t> obstacle = {};  // the first word that is not understood: nothing behind it is read
  std::string unknown = {};                  // where that is an option that is not known: "-x", "--name"
  std::string reason = {};                   // a clause about it
  bool passed_over = false;                  // lenient: an option was passed over that may take a value

  bool has(std::string_view options) const { return in_force(options) != nullptr; }
  // Of options that replace each other, the one that counts: the last. Null where none was given, or where the last one
  // revokes the option.
  const Given* in_force(std::string_view options) const;
  // The first option whose name, without dashes, is in the list.
  const Given* find(std::string_view list) const;
  // The operand, or an empty text.
  std::string_view operand(std::size_t index) const;
};

// The words must stay where they are as long as what was read of them.

// For proofs that a command is safe: all words count as known, `unproven` options do not, and whatever is not known to
// be safe is a problem. The tool must have rules.
ParsedCommand read_safe(std::string_view tool, const Words& words);

// Reads words[from ...], some of which may be known only when the command runs. Such a word ends the options as an
// operand does. (If the program permutes, it counts as an operand in a lenient reading, and otherwise is an obstacle.)
// As the value of an option it is an obstacle, because it may become several words, unless the reading is lenient.
enum class Permuting { by_spec, never };  // never: the first operand ends the options
ParsedCommand read_options(const std::vector<Word>& words, std::size_t from, const Compiled& program,
                           Permuting permuting = Permuting::by_spec);

// What execute_run takes: options are written in full, and one that is not there is an obstacle.
ParsedCommand read_exactly(const Words& words, std::size_t from, const Compiled& program);

// Whether the option in `text`, "-abc" or "--name", takes the next word.
enum class Takes { nothing, value, unknown };
Takes what_takes(const Compiled& program, std::string_view text);

// Where the subcommand of words[0] is, and its name: "docker compose exec". Further words are read as long as
// `is_wanted` does not know the name and its spec has subcommands.
struct Subcommand {
  std::string name;                // without a subcommand, the program's name alone
  std::size_t next = 1;            // the word behind it
  const Word* obstacle = nullptr;  // a word that is not literal stands where the subcommand should
};
Subcommand find_subcommand(std::string_view tool, const std::vector<Word>& words, bool (*is_wanted)(std::string_view));

}  // namespace wtool::policy::programs
