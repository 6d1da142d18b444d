#include <algorithm>

#include "base/text.h"
#include "policy/arguments/parts.h"
#include "policy/environment.h"

namespace wtool::policy::programs {

namespace {

struct GivenSetting {
  std::string key;  // in lower case: git ignores case in all parts except the middle one
  std::string value = {};
  bool has_value = false;
};

GivenSetting read_setting(std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  GivenSetting setting{.key = lowered(text.substr(0, equals)), .has_value = equals < text.size()};
  if (setting.key.find('.') == std::string::npos) setting.key.insert(0, ".");
  if (setting.has_value) setting.value = text.substr(equals + 1);
  return setting;
}

// True if an entry of the list, such as "color.* core.pager=cat|false", covers the setting. An entry that lists
// values covers settings with one of these values if `with_value` is true, and settings with any other value if it is
// false.
bool is_known(std::string_view list, const GivenSetting& setting, bool with_value) {
  return any_listed(list, [&](std::string_view entry) {
    const std::size_t equals = std::min(entry.find('='), entry.size());
    if (!matches_pattern(entry.substr(0, equals), setting.key)) return false;
    const std::string_view value = setting.has_value && setting.value.empty() ? "''" : std::string_view(setting.value);
    return equals == entry.size() || is_listed(entry.substr(equals + 1), value, '|') == with_value;
  });
}

bool is_harmless(const GivenSetting& setting) {
  return is_known(find_program("git")->spec().harmless_settings, setting, true);
}

// True for a setting whose value is a program, a line for the shell, or a file of further settings.
bool runs_program(const GivenSetting& setting) {
  // The command of an alias begins with !, and so does the command that updates a submodule.
  return setting.value.starts_with('!') || is_known(find_program("git")->spec().settings, setting, false);
}

// The word of the first operand after `--` that begins with a dash.
std::optional<std::size_t> dashed_operand(const ParsedCommand& reading) {
  for (std::size_t i = reading.first_operand_behind_dashes; i < reading.operands.size(); ++i) {
    if (reading.operand(i).starts_with('-')) return reading.operands[i];
  }
  return std::nullopt;
}

Problem complain(std::size_t word, std::string_view setting) {
  return {word, "the setting " + std::string(setting) + " of git can name a program that runs",
          "leave the setting out"};
}

}  // namespace

// True for a format that shows signatures: with %G?, %+G?, %- GK (a sign or a blank may precede the letter),
// %(signature) or %(*signature:key).
bool shows_signatures(std::string_view format) {
  if (format.find("%(") != format.npos && format.find("signature") != format.npos) return true;
  for (std::size_t at = format.find('%'); at != format.npos; at = format.find('%', at + 1)) {
    const std::size_t letter = format.find_first_not_of("+- ", at + 1);
    if (letter != format.npos && format[letter] == 'G') return true;
  }
  return false;
}

// True if the word is this option, or an abbreviation of it with at least `shortest` characters. The subcommand does
// not matter: it may be one that is not known here.
bool is_option(std::string_view word, std::string_view option, std::size_t shortest) {
  return word.size() >= shortest && option.starts_with(word);
}

// Git runs a program to check signatures if a format shows them, or if the output is sorted by them.
std::optional<Problem> find_signatures(const ParsedCommand& reading) {
  for (std::size_t i = 2; i < reading.words.size(); ++i) {
    const std::string_view word = reading.words[i];
    const std::size_t equals = word.starts_with("--") ? word.find('=') : word.npos;
    const std::string_view option = equals == word.npos ? reading.words[i - 1] : word.substr(0, equals);
    if (!option.starts_with("--")) continue;
    const bool sorts = is_option(option, "--sort", 4) && word.find("signature") != word.npos;
    const bool shows = is_option(option, "--format", 3) || is_option(option, "--pretty", 4);
    if (sorts || (shows && shows_signatures(word))) {
      return Problem{i, "a format with signatures in it makes git run the program that checks them", "leave %G out"};
    }
  }
  return std::nullopt;
}

std::optional<Problem> check_git_settings(const ParsedCommand& reading) {
  if (auto problem = find_signatures(reading)) return problem;
  for (const Given& given : reading.given) {
    // Only the options of git itself, before the subcommand, are judged here.
    if (given.word >= reading.begin && reading.begin > 0) continue;
    if (given.option->name == "-c" && given.value && !is_harmless(read_setting(*given.value))) {
      return Problem{given.value_word,
                     "the setting " + std::string(*given.value) + " of git is not known to be harmless",
                     "leave -c out"};
    }
  }
  return std::nullopt;
}

std::optional<Problem> find_git_program(const ParsedCommand& reading) {
  if (auto problem = find_signatures(reading)) return problem;
  for (const Given& given : reading.given) {
    const std::string& option = given.option->name;
    const bool of_git = given.word < reading.begin || reading.begin == 0;
    if (!given.value) continue;
    if ((of_git && option == "-c") || (reading.name == "git clone" && (option == "-c" || option == "--config"))) {
      const GivenSetting setting = read_setting(*given.value);
      if (setting.key.starts_with("alias.")) {
        return Problem{given.value_word, "an alias of git may run any git command", "write the command out"};
      }
      if (runs_program(setting)) return complain(given.value_word, *given.value);
    } else if (of_git && (option == "--exec-path" || option == "--config-env")) {
      return Problem{given.word, option + " of git can name a program that runs", "leave " + option + " out"};
    }
  }
  // Any two adjacent operands may be the name and the value. After the value, a third operand may select the old value
  // that is replaced. Before the name, the value of an option that is not known here looks like an operand.
  for (std::size_t i = 0; reading.name.starts_with("git config") && i + 1 < reading.operands.size(); ++i) {
    if (!runs_program(read_setting(std::string(reading.operand(i)) + '=' + std::string(reading.operand(i + 1)))))
      continue;
    return complain(reading.operands[i], reading.operand(i));
  }
  // Renaming a section may turn harmless settings into settings that name programs.
  if (reading.name == "git config rename-section" ||
      (reading.name == "git config" && reading.has("--rename-section"))) {
    return Problem{reading.begin, "git config can rename a section to one whose settings name a program that runs",
                   "set the setting under its new name"};
  }
  // git pull hands these words to git fetch without the dashes: git pull -- --upload-pack=PROGRAM.
  const std::optional<std::size_t> dashed = dashed_operand(reading);
  if (dashed && reading.name == "git pull") {
    return Problem{*dashed, "git pull reads options behind --, and they can name a program",
                   "write ./ before the name"};
  }
  if (reading.tool->spec().does == Effect::runs_program) {
    return Problem{reading.begin, reading.name + ' ' + std::string(reading.tool->spec().never), {}};
  }
  for (std::size_t i = 1; i < reading.words.size(); ++i) {
    if (!reading.text[i] && reading.words[i].starts_with("ext::")) {
      return Problem{i, "an address of git that begins with ext:: is a command that git runs", "use another transport"};
    }
  }
  return std::nullopt;
}

std::optional<Problem> check_dashes(const ParsedCommand& reading) {
  const std::optional<std::size_t> dashed = dashed_operand(reading);
  if (!dashed) return std::nullopt;
  return Problem{*dashed, reading.name + " may read an option behind --", "write ./ before the name"};
}

}  // namespace wtool::policy::programs
