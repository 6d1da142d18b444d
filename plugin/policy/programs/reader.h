// The only reader of command lines: reads the words of a program by its spec, as getopt_long would. All code that
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

// True if `list`, separated by `separator`, contains `item`.
bool is_listed(std::string_view list, std::string_view item, char separator = ' ');

// True if `holds` returns true for at least one part of the list.
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

// An option in a command line.
struct Given {
  const Option* option = nullptr;  // nullptr: the spec does not list this option
  std::string name = {};           // without its dashes, in full; "+x" if it was written with a plus
  std::size_t word = 0;            // the index of its word
  std::size_t next = 0;            // the index after the option and its values
  std::optional<std::string_view> value = {};
  std::size_t value_word = 0;  // the index of its value; the same as `word` if the value is attached
  bool negated = false;        // --no-OPTION
};

struct ParsedCommand {
  std::vector<std::string_view> words = {};
  const OptionTable* tool = nullptr;  // the table of the program or, if there is one, of the subcommand
  std::string name = {};              // its name in the table: "git log"
  std::size_t begin = 0;              // the index of the word that names it
  std::vector<Given> given = {};
  std::vector<std::size_t> operands = {};                                  // the words that belong to no option
  std::size_t first_operand_behind_dashes = static_cast<std::size_t>(-1);  // an index into `operands`
  bool first_replaced = false;                                             // an option has replaced the first operand

  // Set by read_safe():
  std::vector<bool> text = {};          // for each word: true if it is not a path
  std::optional<Problem> problem = {};  // the first problem
  bool complete = true;                 // false: an option or subcommand is unknown, so later words may be misread
  std::optional<std::size_t> response_file = {};  // the first word that is @FILE
  std::optional<Problem> split = {};              // the first word that a shell script splits or expands

  // Set by read_options() and read_exactly():
  std::optional<std::size_t> obstacle = {};  // the first word that is not understood; nothing after it is read
  std::string unknown = {};                  // that word, if it is an unknown option: "-x", "--name"
  std::string reason = {};                   // a clause that says why it is not understood
  bool passed_over = false;                  // Manner::lenient: an unknown option that may take a value was skipped

  bool has(std::string_view options) const { return in_force(options) != nullptr; }
  // The last of these options that was given: it overrides the earlier ones. nullptr: none was given, or the last one
  // was negated.
  const Given* in_force(std::string_view options) const;
  // The first option whose name, without dashes, is in the list.
  const Given* find(std::string_view list) const;
  // True if the only argument is one with which the program prints, and does nothing else. With further words, it need
  // not be: npm takes --version=false as the opposite.
  bool is_alone() const { return words.size() == begin + 2 && is_listed(tool->spec().alone, words.back()); }
  // The operand with this index, or an empty text if the command has fewer operands.
  std::string_view operand(std::size_t index) const;
};

// The words must outlive the ParsedCommand that is read from them.

// Finds out whether a command is safe: every word is read as it is, an `unproven` option counts as unknown, and
// whatever is not known to be safe becomes a problem. find_rules() must know the tool.
ParsedCommand read_safe(std::string_view tool, const Words& words);

// Reads words[from ...], some of which may be known only when the command runs. Such a word is read as an operand. If
// the spec has `permutes`, the word is an obstacle instead, because it may be an option. It is also an obstacle as the
// value of an option, because it may become several words. With `lenient`, neither is an obstacle.
enum class Permuting { by_spec, never };  // never: the first operand ends the options
ParsedCommand read_options(const std::vector<Word>& words, std::size_t from, const OptionTable& program,
                           Permuting permuting = Permuting::by_spec);

// For execute_run: options must be written in full, and an unlisted option is an obstacle.
ParsedCommand read_exactly(const Words& words, std::size_t from, const OptionTable& program);

// Says whether the option in `text`, "-abc" or "--name", takes the next word.
enum class Takes { nothing, value, unknown };
Takes what_takes(const OptionTable& program, std::string_view text);

// Finds the subcommand of words[0] and its full name: "docker compose exec". Reads further words as long as `is_wanted`
// rejects the name and its spec has subcommands.
struct Subcommand {
  std::string name;                // only the program's name if no subcommand follows
  std::size_t next = 1;            // the index of the word after the subcommand
  const Word* obstacle = nullptr;  // a word that is not literal, in the place of the subcommand
};
Subcommand find_subcommand(std::string_view tool, const std::vector<Word>& words, bool (*is_wanted)(std::string_view));

}  // namespace wtool::policy::programs
