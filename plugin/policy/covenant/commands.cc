// Classifies a command of execute_run by its words (read_command in policy/covenant.h). The commands of tier one, their
// flags and how many paths they take are in policy/programs/, as ProgramSpec::covenant. No option there follows
// links (ls -L, grep -R, find -follow), waits (tail -f), asks (rm -i), reads names or patterns from a file (grep -f),
// makes links (cp -s), takes the target first (cp -t), executes (find -exec) or writes.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "policy/covenant.h"
#include "policy/programs/reader.h"

namespace wtool::policy::covenant {

namespace {

using programs::Covenant;
using programs::Given;
using programs::OptionTable;
using programs::ParsedCommand;
using programs::Use;
using programs::Words;

bool is_number(std::string_view text, bool with_sign) {
  if (with_sign && !text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  return !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == text.npos;
}

Reading unknown_flag(std::string_view flag) { return Reading::refuse("Unknown flag: " + std::string(flag)); }

// A refusal if the option does not accept this value. Nothing: the option accepts it.
std::optional<Reading> refuse_value(const programs::Option& option, std::string_view name,
                                    const std::optional<std::string_view>& value) {
  if (option.value != programs::OptionValue::required) return std::nullopt;
  if (option.value_name == "NUM" || option.value_name == "INT") {
    if (value && is_number(*value, option.value_name == "INT")) return std::nullopt;
    return Reading::refuse("Invalid number for flag: " + std::string(name));
  }
  if (value) return std::nullopt;
  return Reading::refuse("Missing value for flag: " + std::string(name));
}

// Adds each flag with its value attached, so that it means the same in whatever order a program reads its words.
std::optional<Reading> add_flags(const ParsedCommand& parsed, Words& executed) {
  const bool numbers_lines =
      parsed.tool->any_letter('n') != nullptr && parsed.tool->any_letter('n')->value == programs::OptionValue::required;
  for (const Given& given : parsed.given) {
    const std::string value(given.value.value_or(""));
    if (auto refusal = refuse_value(*given.option, given.name, given.value)) return refusal;
    if (given.option->name == "-NUM") {
      if (!is_number(value, false)) return unknown_flag('-' + value.substr(0, 1));
      executed.push_back((numbers_lines ? "-n" : "-C") + value);
    } else if (given.name.size() > 1) {
      if (given.value && given.option->value == programs::OptionValue::none)
        return unknown_flag(parsed.words[given.word]);
      executed.push_back("--" + given.name + (given.value ? '=' + value : ""));
    } else if (given.value && value.empty()) {  // An empty value cannot be attached.
      executed.insert(executed.end(), {'-' + given.name, ""});
    } else {
      executed.push_back('-' + given.name + value);
    }
  }
  if (!parsed.obstacle) return std::nullopt;
  const std::string_view word = parsed.words[*parsed.obstacle];
  return unknown_flag(word.starts_with("--") ? word : parsed.unknown);
}

std::string wrong_count(const std::string& name, const Covenant& command) {
  return name + " requires " + (command.most == command.least ? "exactly " : "at least ") +
         counted(command.least, "path");
}

Reading read_plain(const Words& words, const OptionTable& program) {
  const Covenant& command = *program.spec().covenant;
  const std::string& name = words.front();
  const ParsedCommand parsed = programs::read_exactly(words, 1, program);
  Reading reading{Tier::immediate, {}, {}, {name}, true, false};
  if (auto refusal = add_flags(parsed, reading.executed)) return *std::move(refusal);
  Words operands;
  for (const std::size_t operand : parsed.operands) operands.push_back(words[operand]);
  const bool recursive = parsed.find(name == "grep" ? "r recursive" : "r R a recursive archive") != nullptr;
  std::size_t least = command.least;
  if (name == "grep") {
    // The covenant promises line numbers in a search through folders.
    if (recursive && parsed.find("n line-number") == nullptr) reading.executed.emplace_back("-n");
    if (!parsed.first_replaced) {
      if (operands.empty()) return Reading::refuse("grep requires pattern");
      reading.executed.push_back("--regexp=" + operands.front());
      operands.erase(operands.begin());
    }
    if (recursive) least = 0;
  }
  if (operands.size() < least || operands.size() > command.most) return Reading::refuse(wrong_count(name, command));
  // After `--`, no word is taken for a flag, even if the environment changes how flags and operands may be mixed.
  reading.executed.push_back("--");
  reading.executed.insert(reading.executed.end(), operands.begin(), operands.end());
  if (command.most == 0) return reading;

  for (const std::string& operand : operands) reading.paths.push_back({operand, command.use});
  if (operands.empty()) reading.paths.push_back({".", command.use});
  if (command.most == 2) {
    reading.paths.back().use = Use::target;
    if (command.use == Use::read && recursive) reading.paths.front().use = Use::read_tree;
  }
  if (name == "rm" && recursive) reading.tier = Tier::ask;
  return reading;
}

// The arguments of find are folders and then an expression, in which the order matters.
Reading read_find(const Words& words, const OptionTable& find) {
  Reading reading{Tier::immediate, {}, {}, {}, true, false};
  std::size_t at = 1;
  const auto begins_expression = [](const std::string& word) {
    return (word.size() > 1 && word.front() == '-') || word == "!" || word == "(";
  };
  for (; at < words.size() && !begins_expression(words[at]); ++at) reading.paths.push_back({words[at], Use::read});
  if (reading.paths.empty()) reading.paths.push_back({".", Use::read});
  for (; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (programs::is_listed("! ( ) ,", word)) continue;
    const programs::Option* const primary = find.exact(word);
    if (primary == nullptr) return unknown_flag(word);
    if (primary->value == programs::OptionValue::none) continue;
    const auto value = ++at < words.size() ? std::optional<std::string_view>(words[at]) : std::nullopt;
    if (auto refusal = refuse_value(*primary, word.substr(1), value)) return *std::move(refusal);
    if (primary->path) reading.paths.push_back({words[at], Use::read});
  }
  return reading;
}

Reading read_git(const Words& words) {
  std::size_t at = 1;
  while (at < words.size() && words[at] == "--no-pager") ++at;
  if (at == words.size()) return Reading::refuse("git requires subcommand");
  const std::string& name = words[at];
  if (name.starts_with('-')) return unknown_flag(name.substr(0, name.find('=')));
  if (programs::is_listed(programs::find_program("git:execute_run_asks")->spec().words, name)) return {};
  const OptionTable* const subcommand = programs::find_covenant("git " + name);
  if (subcommand == nullptr) return Reading::refuse("Git subcommand not allowed: " + name);

  const Covenant& command = *subcommand->spec().covenant;
  const ParsedCommand parsed = programs::read_exactly(words, at + 1, *subcommand);
  Reading reading{Tier::immediate, {}, {}, {"git"}, true, true};
  const auto add = [&](std::string_view list) {
    for (const std::string_view word : programs::parts_of(list)) reading.executed.emplace_back(word);
  };
  add(programs::find_program("git")->spec().hardened);
  reading.executed.push_back(name);
  add(command.hardened);
  auto refusal = add_flags(parsed, reading.executed);
  const bool extra = parsed.operands.size() > command.most;
  if (command.otherwise_asks && (extra || refusal)) return {};
  if (refusal) return *std::move(refusal);
  if (extra) return Reading::refuse("git " + name + " requires exactly 0 paths");
  // Only git can decide whether an operand is a revision or a path, so each operand is checked as if it were a path. A
  // revision passes this check, because its text does not lead out of the project.
  const auto add_dashes = [&](std::size_t index) {
    if (parsed.first_operand_behind_dashes == index) reading.executed.push_back("--");
  };
  for (std::size_t i = 0; i < parsed.operands.size(); ++i) {
    // git blame -- FILE REVISION puts the revision in front of the dashes.
    if (name == "blame" && parsed.operand(i).starts_with('-')) return unknown_flag(parsed.operand(i));
    add_dashes(i);
    reading.executed.push_back(words[parsed.operands[i]]);
    reading.paths.push_back({words[parsed.operands[i]], Use::read});
  }
  add_dashes(parsed.operands.size());
  // The directory in which git begins to look for its repository.
  reading.paths.push_back({".", Use::read});
  return reading;
}

}  // namespace

Reading read_command(const Words& words) {
  const std::string& name = words.front();
  if (name == "git") return read_git(words);
  // echo treats every word as text or as one of its flags, and the flags only change how the text is printed.
  if (name == "echo") return {Tier::immediate, {}, {}, {}, true, false};
  const OptionTable* const program = name.find(' ') == name.npos ? programs::find_covenant(name) : nullptr;
  if (program == nullptr) return {};
  return name == "find" ? read_find(words, *program) : read_plain(words, *program);
}

}  // namespace wtool::policy::covenant
