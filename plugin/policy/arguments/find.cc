// Reads find's expression, which consists of tests and actions. Every word in the expression must be known.
#include "base/lasting.h"
#include "policy/arguments/parts.h"

namespace wtool::policy::programs {

namespace {

const Option* find_primary(const OptionTable& find, std::string_view word) {
  if (const Option* option = find.word(word).option) return option;
  // -newerXY: X and Y say which times are compared. If Y is t, the value is a time as text, not a file.
  static const auto& newer =
      lasting<Option>(Option{.name = "-newerXY", .value = OptionValue::required, .values = 1, .path = true});
  static const auto& newer_time =
      lasting<Option>(Option{.name = "-newerXt", .value = OptionValue::required, .values = 1});
  if (word.size() == 8 && word.starts_with("-newer")) return word[7] == 't' ? &newer_time : &newer;
  return nullptr;
}

bool is_operator(std::string_view word) {
  return word == "(" || word == ")" || word == "!" || word == "," || word == "{}";
}

bool is_option(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

}  // namespace

std::optional<Problem> check_find(const ParsedCommand& reading) {
  const auto& words = reading.words;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string word(words[i]);
    if (!is_option(word) || word == "--") continue;
    const Option* primary = find_primary(*reading.tool, word);
    if (primary == nullptr) {
      return Problem{i, "the word " + word + " of find is not known to be safe", "leave it out"};
    }
    // The command that find runs is judged on its own.
    if (word == "-exec") {
      std::size_t end = i + 1;
      while (end < words.size() && words[end] != ";" && words[end] != "+") ++end;
      // Versions of find differ in whether a + ends the command after anything but {}.
      if (end == words.size() || end == i + 1 || (words[end] == "+" && words[end - 1] != "{}")) {
        return Problem{i, "it is not clear where the command of -exec ends", "end it with ';'"};
      }
      i = end;
      continue;
    }
    if (!primary->safe()) {
      return Problem{i, word + ' ' + std::string(primary->why), "-print and -ls only show what is found"};
    }
    i += primary->values;
  }
  return std::nullopt;
}

std::optional<Problem> find_list_of_files(const ParsedCommand& reading) {
  const auto& words = reading.words;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const Option* primary = is_option(words[i]) ? find_primary(*reading.tool, words[i]) : nullptr;
    if (primary == nullptr) continue;
    if (primary->list)
      return Problem{i, std::string(words[i]) + " names a file that names further files", "name the paths themselves"};
    i += primary->values;
  }
  return std::nullopt;
}

void mark_find_text(const Words& words, std::vector<bool>& text) {
  const OptionTable& find = *find_rules("find");
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (is_operator(words[i])) text[i] = true;
    if (!is_option(words[i])) continue;
    const Option* primary = find_primary(find, words[i]);
    // The remaining words may belong to a command, so it is not known which of them are text.
    if (primary == nullptr || primary->effect == Effect::runs_program) return;
    text[i] = true;
    for (std::size_t k = primary->values; k > 0 && i + 1 < words.size(); --k)
      text[++i] = !primary->path && primary->safe();
  }
}

}  // namespace wtool::policy::programs
