// Reads the arguments of a command of tier one by the list of its flags, as getopt_long would: letters in bundles,
// values attached or behind, flags between operands, `--`. What is not on the list is refused.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wtool::policy::covenant {

enum class Value {
  none,
  number,         // digits
  signed_number,  // digits, with + or - before them where wanted
  text,
  optional_text,  // --name or --name=text
};

struct LongFlag {
  std::string_view name;  // without its dashes
  char letter = 0;        // that means the same; 0: none
  Value value = Value::none;
};

struct Flags {
  std::string_view letters = {};  // without a value
  std::string_view numbers = {};  // letters with one
  std::string_view signed_numbers = {};
  std::string_view texts = {};
  std::vector<LongFlag> names = {};
  char digits = 0;  // the letter that -5 is short for; 0: there is no such thing
};

struct Arguments {
  std::string refusal;                // not empty: the message
  std::string letters;                // all that were given; long ones by their letter
  std::vector<std::string> flags;     // one each, values attached: they mean the same in any order of reading
  std::vector<std::string> operands;  // in their order, without `--`
  std::size_t before_dashes = 0;      // how many operands stand before a `--`
  bool dashes = false;                // there is one

  bool has(char letter) const { return letters.find(letter) != std::string::npos; }
};

// `words` without the program. Pure.
Arguments read_arguments(const std::vector<std::string>& words, const Flags& flags);

bool is_number(std::string_view text, bool with_sign = false);

std::string unknown_flag(std::string_view flag);
std::string invalid_number(std::string_view flag);  // without its dashes

}  // namespace wtool::policy::covenant
