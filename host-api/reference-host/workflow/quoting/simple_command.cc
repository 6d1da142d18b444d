#include "workflow/quoting/simple_command.h"

#include <utility>

#include "base/text.h"

namespace wtool::host::workflow {
namespace {

// NAME, NAME+ and NAME[...] can be assigned to.
bool is_assignable(std::string_view text) {
  if (text.ends_with('+')) text.remove_suffix(1);
  const std::size_t bracket = text.find('[');
  return is_variable_name(text.substr(0, bracket)) && (bracket == std::string_view::npos || text.ends_with(']'));
}

// Whether the word is an option of `read` whose value is a text or a number, and not the name of a variable.
bool is_value_of_read(const std::string& word) {
  return word.starts_with('-') && word.find_first_of("dinNpt") != std::string::npos;
}

bool compares_numbers(std::string_view word) { return is_one_of(word, {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}); }

}  // namespace

bool is_separator(char c) { return std::string_view(" \t\n;&|()<>").find(c) != std::string_view::npos; }

void SimpleCommandReader::add_bare(char c) {
  if (c == '=' && !word_.quoted && is_assignable(word_.text)) word_.is_assignment = true;
  word_.add(c);
}

SimpleCommandReader::Word SimpleCommandReader::end_word() {
  Word word = std::exchange(word_, {});
  SimpleCommand& command = command_;
  if (!word.begun) return {};
  if (std::exchange(command.redirects, false)) return word;
  const std::string& text = word.text;
  const bool is_reserved = word.is_plain();
  if (text.starts_with('-')) command.flags += text.substr(1);
  command.previous = word.unknown ? "" : text;
  if (is_reserved && command.in_test && text == "]]") command.in_test = false;
  if (is_reserved && command.declares && text == "{") {
    command = {};
    return word;
  }
  if (!command.name.empty()) {
    ++command.operands;
    return word;
  }
  if (word.is_assignment) return word;
  if (command.has_prefix && text.starts_with('-')) return word;
  if (is_one_of(text, {"command", "builtin"}) || (is_reserved && text == "time")) {
    command.has_prefix = true;
    return word;
  }
  if (is_reserved && is_one_of(text, {"if", "then", "elif", "else", "while", "until", "do", "!", "{"})) return word;
  if (is_reserved && is_one_of(text, {"coproc", "function"})) {
    command.declares = true;
    return word;
  }
  if (is_reserved && text == "[[") command.in_test = true;
  command.name = word.unknown ? "?" : text;
  return word;
}

void SimpleCommandReader::read_separator(char separator, char before) {
  if (separator == ' ' || separator == '\t') return;
  if (command_.in_test) {
    command_.previous.clear();
    return;
  }
  if (separator == '(') {
    const bool continues = before == '=' || before == '<' || before == '>';
    parentheses_.push_back({before == '=', continues ? std::optional(command_) : std::nullopt});
    command_ = {};
    return;
  }
  std::optional<SimpleCommand> outer;
  if (separator == ')' && !parentheses_.empty()) {
    outer = std::move(parentheses_.back().outer);
    parentheses_.pop_back();
  }
  if (separator == '\n' && in_array()) return;
  command_ = outer.value_or(SimpleCommand());
  command_.redirects = false;
}

bool SimpleCommandReader::is_evaluated() const {
  const std::string& name = command_.name;
  const std::string& word = word_.text;
  if (command_.redirects) return false;
  if (in_array() && word.starts_with('[')) return true;
  const std::string variable = word.substr(0, word.find_first_of("=+["));
  const bool assigns = word.find('=') != std::string::npos;
  if (assigns &&
      is_one_of(variable, {"RANDOM", "SECONDS", "OPTIND", "HISTCMD", "PS4", "BASH_ENV", "ENV", "PROMPT_COMMAND"}) &&
      (word_.is_assignment || is_one_of(name, {"declare", "typeset", "local", "readonly", "export"}))) {
    return true;
  }
  if (is_one_of(name, {"let", "trap", "unset", "mapfile", "readarray", "compgen", "complete"})) return true;
  if (is_one_of(name, {"declare", "typeset", "local", "readonly"})) {
    return !assigns || command_.flags.find_first_of("inaA") != std::string::npos;
  }
  if (name == "export") return !assigns;
  if (name == "getopts") return command_.operands == 1;
  if (name == "read") return !is_value_of_read(word) && !is_value_of_read(command_.previous);
  if (name == "wait") return command_.previous == "-p";
  if (name == "printf" && word.starts_with("-v")) return true;
  return command_.previous == "-v" && (command_.in_test || is_one_of(name, {"printf", "test", "["}));
}

std::string SimpleCommandReader::why_evaluated() const {
  const std::string& name = command_.name;
  const std::string what = command_.in_test ? "[[" : name == "?" ? "" : name;
  return (what.empty() ? "bash evaluates this value" : "bash evaluates this argument of " + what) +
         " as code, as a name or as a number, so no value is safe here";
}

bool SimpleCommandReader::is_number_operand(std::string_view rest) const {
  if (!command_.in_test) return false;
  if (compares_numbers(command_.previous)) return true;
  while (!rest.empty() && !is_separator(rest[0]) && !rest.starts_with("\\\n")) rest.remove_prefix(1);
  while (rest.starts_with(' ') || rest.starts_with('\t') || rest.starts_with("\\\n")) {
    rest.remove_prefix(rest[0] == '\\' ? 2 : 1);
  }
  return compares_numbers(rest.substr(0, 3)) && (rest.size() == 3 || is_separator(rest[3]));
}

}  // namespace wtool::host::workflow
