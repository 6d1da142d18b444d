#include "policy/arguments.h"

#include <algorithm>

#include "policy/arguments/awk.h"
#include "policy/arguments/find.h"
#include "policy/arguments/git_settings.h"
#include "policy/arguments/sed.h"
#include "policy/arguments/spellings.h"
#include "policy/arguments/tar.h"
#include "policy/programs/hardening.h"
#include "policy/programs/names.h"
#include "policy/wrappers.h"

namespace wtool::policy {

namespace {

using arguments::Given;
using arguments::Problem;
using arguments::Reading;

// The reason of an option that names a program, in all tables.
constexpr std::string_view names_program = "runs another program";

bool is_tar(std::string_view tool) { return tool == "tar" || tool == "gtar" || tool == "bsdtar"; }

ArgumentJudgement judgement(std::optional<Problem> problem) {
  if (!problem) return {};
  return {ArgumentJudgement::Kind::unsafe, problem->word, std::move(problem->reason), std::move(problem->hint)};
}

const ArgumentJudgement no_rules{ArgumentJudgement::Kind::no_rules, 0, {}, {}};

// Reads the words of a known tool and hands on what `look` makes of them.
template <typename Look>
std::optional<Problem> look_at(std::string_view tool, const std::vector<std::string>& words, Look look) {
  if (!is_tar(tool)) return look(arguments::read(tool, words));
  const arguments::Expanded expanded = arguments::expand_tar(words);
  std::optional<Problem> problem = look(arguments::read(tool, expanded.words));
  if (problem) problem->word = problem->word < expanded.from.size() ? expanded.from[problem->word] : 0;
  return problem;
}

struct ReadScript {
  arguments::Script script;
  std::size_t word = 0;
};

// The script of sed or the program of awk, where it stands in the words.
std::optional<ReadScript> read_script(const Reading& reading) {
  const bool is_sed = reading.tool->tool().check == arguments::check_sed;
  const bool is_awk = reading.tool->tool().check == arguments::check_awk;
  const auto located = is_sed || is_awk ? arguments::find_script(reading) : std::nullopt;
  if (!located) return std::nullopt;
  return ReadScript{is_sed ? arguments::read_sed(located->script) : arguments::read_awk(located->script),
                    located->word};
}

std::optional<Problem> find_program(std::string_view tool, const Reading& reading) {
  for (const Given& given : reading.given) {
    if (given.option->why == names_program) {
      return Problem{given.word, given.option->name + ' ' + std::string(names_program),
                     "leave " + given.option->name + " out"};
    }
  }
  if (reading.tool->tool().never == names_program) {
    return Problem{reading.begin, reading.name + ' ' + std::string(names_program), {}};
  }
  // Of a program that only reads, the file of further arguments tells nothing worse than they could.
  if (reading.response_file && (!reading.tool->tool().never.empty() || reading.tool->has_unsafe())) {
    return Problem{*reading.response_file, reading.words[*reading.response_file] + " names a file of further arguments",
                   "write the arguments out"};
  }
  if (tool == "git") return arguments::find_git_program(reading);
  const auto located = read_script(reading);
  if (!located) return std::nullopt;
  const std::string& found = located->script.executes.empty() ? located->script.unclear : located->script.executes;
  if (found.empty()) return std::nullopt;
  return Problem{located->word, found, "a script that only prints and substitutes is safe"};
}

// What makes the tool open files that no word names.
std::optional<Problem> find_reach(const Reading& reading) {
  if (reading.response_file) {
    return Problem{*reading.response_file, reading.words[*reading.response_file] + " names a file of further arguments",
                   "write the arguments out"};
  }
  for (const Given& given : reading.given) {
    if (given.option->lists && !reading.operands.empty()) {
      return Problem{reading.operands[0], "with " + given.option->name + " it is a file that names further files",
                     "name the files themselves"};
    }
    if (given.option->list && given.value && *given.value != "/dev/null") {
      return Problem{given.word, given.option->name + " names a file that names further files",
                     "name the files themselves"};
    }
  }
  if (const auto located = read_script(reading); located && !worst(located->script).empty()) {
    return Problem{located->word, worst(located->script), "name the files as arguments"};
  }
  if (reading.name == "jq" && !reading.first_replaced && !reading.operands.empty()) {
    for (const std::string_view word : {"import", "include"}) {
      if (reading.operand(0).find(word) != std::string_view::npos) {
        return Problem{reading.operands[0], std::string(word) + " in a filter of jq reads another file", {}};
      }
    }
  }
  return std::nullopt;
}

// main..topic is a range of revisions; a path would have .. as a whole part of it.
bool is_range(std::string_view word) {
  if (word.find("..") == word.npos || word.starts_with('/') || word.starts_with('~')) return false;
  for (std::size_t begin = 0; begin <= word.size();) {
    const std::size_t end = std::min(word.find('/', begin), word.size());
    const std::string_view part = word.substr(begin, end - begin);
    if (!part.empty() && part.find_first_not_of('.') == part.npos) return false;
    begin = end + 1;
  }
  return true;
}

// The operators of test, and its numbers.
bool is_test_operator(std::string_view word) {
  for (const std::string_view known : {"=", "==", "!=", "<", ">", "!", "(", ")", "]", ""}) {
    if (word == known) return true;
  }
  return word.starts_with('-') || word.find_first_not_of("0123456789") == word.npos;
}

}  // namespace

bool has_argument_table(std::string_view tool) {
  // The names of subcommands and of parts of tables are no tools.
  return (tool == ":" || tool.find_first_of(" :") == tool.npos) && arguments::find_tool(tool) != nullptr;
}

ArgumentJudgement judge_arguments(std::string_view tool, const std::vector<std::string>& words) {
  if (words.empty() || !has_argument_table(tool)) return no_rules;
  return judgement(look_at(tool, words, [&](Reading reading) {
    if (!reading.problem && tool == "git") reading.problem = arguments::check_git_settings(reading);
    if (!reading.problem) reading.problem = arguments::find_odd_program(tool, words);
    return std::move(reading.problem);
  }));
}

std::vector<Addition> hardening(std::string_view tool, const std::vector<std::string>& words) {
  std::vector<Addition> additions;
  if (words.empty() || !has_argument_table(tool)) return additions;
  const auto add = [&](const arguments::Tool& table, std::size_t behind) {
    if (!table.hardened.empty()) additions.push_back({behind + 1, words_of_text(table.hardened)});
  };
  add(arguments::find_tool(tool)->tool(), 0);
  const Reading reading = arguments::read(tool, words);
  if (reading.begin > 0) add(reading.tool->tool(), reading.begin);
  return additions;
}

std::vector<std::string> git_directories(const std::vector<std::string>& words) {
  std::vector<std::string> directories;
  const Reading reading = arguments::read("git", words);
  for (const Given& given : reading.given) {
    const bool of_git = given.word < reading.begin || reading.begin == 0;
    if (of_git && given.option->name == "-C" && given.value) directories.emplace_back(*given.value);
  }
  return directories;
}

ArgumentJudgement judge_program_text(std::string_view given, const std::vector<std::string>& words) {
  const std::string_view tool = known_name(given);
  if (auto problem = arguments::find_odd_program(tool, words)) return judgement(std::move(problem));
  if (words.empty() || !has_argument_table(tool)) return no_rules;
  return judgement(look_at(tool, words, [&](const Reading& reading) { return find_program(tool, reading); }));
}

ArgumentJudgement judge_reach(std::string_view given, const std::vector<std::string>& words) {
  const std::string_view tool = known_name(given);
  if (words.empty() || !has_argument_table(tool)) return no_rules;
  return judgement(look_at(tool, words, [](const Reading& reading) {
    if (reading.name != "find") return find_reach(reading);
    return arguments::find_list_of_files(reading);
  }));
}

std::vector<bool> text_words(std::string_view tool, const std::vector<std::string>& words) {
  std::vector<bool> text(words.size(), false);
  if (words.empty()) return text;
  text[0] = true;
  if (!has_argument_table(tool)) return text;
  if (is_tar(tool)) {
    const arguments::Expanded expanded = arguments::expand_tar(words);
    const Reading reading = arguments::read(tool, expanded.words);
    for (std::size_t i = 0; i < expanded.words.size(); ++i) text[expanded.from[i]] = reading.text[i];
    return text;
  }
  Reading reading = arguments::read(tool, words);
  text = reading.text;
  if (tool == "find") arguments::mark_find_text(words, text);
  if (tool == "test" || tool == "[") {
    for (std::size_t i = 1; i < words.size(); ++i) text[i] = is_test_operator(words[i]);
  }
  if (tool == "git" && reading.complete) {
    for (std::size_t i = 0; i < std::min(reading.operands.size(), reading.first_operand_behind_dashes); ++i) {
      if (is_range(words[reading.operands[i]])) text[reading.operands[i]] = true;
    }
  }
  return text;
}

bool may_run_programs(std::string_view tool) {
  if (!is_known_program(tool)) return true;
  if (is_wrapper(tool) && !hands_words_on(tool)) return true;
  if (!has_argument_table(tool)) return false;
  if (tool == "find" || tool == "git" || tool == "make" || tool == "zip" || tool == "less" || is_tar(tool)) return true;
  const arguments::Compiled& table = *arguments::find_tool(tool);
  return table.tool().response_files || table.tool().check == arguments::check_sed ||
         table.tool().check == arguments::check_awk || table.tool().never == names_program ||
         table.has_option_that(names_program);
}

bool takes_more_arguments(std::string_view tool, const std::vector<std::string>& words) {
  if (words.empty() || !has_argument_table(tool) || is_tar(tool)) return false;
  const Reading reading = arguments::read(tool, words);
  const arguments::Tool& table = reading.tool->tool();
  if (reading.problem || !reading.complete || table.most != static_cast<std::size_t>(-1)) return false;
  if (table.operands != arguments::Operands::any && table.operands != arguments::Operands::text &&
      table.operands != arguments::Operands::first_text) {
    return false;
  }
  // Behind -- there are operands only; elsewhere an argument may be an option.
  const bool options_ended = reading.first_operand_behind_dashes != static_cast<std::size_t>(-1);
  return options_ended ? table.check == nullptr || !reading.operands.empty()
                       : table.check == nullptr && !reading.tool->has_unsafe();
}

}  // namespace wtool::policy
