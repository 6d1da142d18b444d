#include "policy/arguments.h"

#include <algorithm>

#include "base/lasting.h"
#include "policy/arguments/parts.h"
#include "policy/programs/names.h"
#include "policy/wrappers.h"

namespace wtool::policy {

namespace {

using programs::Effect;
using programs::Given;
using programs::ParsedCommand;
using programs::Problem;

bool is_tar(std::string_view tool) { return tool == "tar" || tool == "gtar" || tool == "bsdtar"; }

// The tool must be known.
bool is_awk(std::string_view tool) { return programs::find_rules(tool)->spec().check == programs::check_awk; }

// For tar's oldest notation: the first word has the options, without a dash; their values follow in the same order.
struct ExpandedWords {
  programs::Words words;
  std::vector<std::size_t> from;  // for each word, the index of the original word
};

// `tar cIf PROGRAM FILE` becomes `tar -c -I PROGRAM -f FILE`; other words stay as they are.
ExpandedWords expand_tar(const programs::Words& words) {
  ExpandedWords expanded;
  const auto add = [&](std::string word, std::size_t from) {
    expanded.words.push_back(std::move(word));
    expanded.from.push_back(from);
  };
  add(words[0], 0);
  std::size_t next = 1;
  if (words.size() > 1 && !words[1].starts_with('-')) {
    const programs::OptionTable& tar = *programs::find_rules("tar");
    next = 2;
    for (const char letter : words[1]) {
      add(std::string{'-', letter}, 1);
      const programs::Option* option = tar.letter(letter);
      if (option == nullptr || option->value != programs::OptionValue::required || next >= words.size()) continue;
      add(words[next], next);
      ++next;
    }
  }
  for (; next < words.size(); ++next) add(words[next], next);
  return expanded;
}

ArgumentJudgement judgement(std::optional<Problem> problem) {
  if (!problem) return {};
  return {ArgumentJudgement::Kind::unsafe, problem->word, std::move(problem->reason), std::move(problem->hint)};
}

const auto& without_rules = lasting<ArgumentJudgement>(ArgumentJudgement{ArgumentJudgement::Kind::no_rules, 0, {}, {}});

// Reads the words of a known tool, and returns what `look` finds in them.
template <typename Look>
std::optional<Problem> look_at(std::string_view tool, const std::vector<std::string>& words, Look look) {
  if (!is_tar(tool)) return look(programs::read_safe(tool, words));
  const ExpandedWords expanded = expand_tar(words);
  std::optional<Problem> problem = look(programs::read_safe(tool, expanded.words));
  if (problem) problem->word = problem->word < expanded.from.size() ? expanded.from[problem->word] : 0;
  return problem;
}

struct ReadScript {
  programs::ScriptFindings script;
  std::size_t word = 0;
};

// The script of sed or the program of awk, if it is in the words.
std::optional<ReadScript> read_script(const ParsedCommand& reading) {
  const bool is_sed = reading.tool->spec().check == programs::check_sed;
  const bool is_awk = reading.tool->spec().check == programs::check_awk;
  const auto located = is_sed || is_awk ? programs::find_script(reading) : std::nullopt;
  if (!located) return std::nullopt;
  return ReadScript{is_sed ? programs::read_sed(located->script) : programs::read_awk(located->script), located->word};
}

std::optional<Problem> find_program(std::string_view tool, const ParsedCommand& reading) {
  for (const Given& given : reading.given) {
    // An option whose value is a command does not count here: that command is judged elsewhere.
    const bool names_program = given.option->value != programs::OptionValue::none && !given.option->command;
    if (given.option->effect == Effect::runs_code || (given.option->effect == Effect::runs_program && names_program)) {
      return Problem{given.word, given.option->name + ' ' + std::string(given.option->why),
                     "leave " + given.option->name + " out"};
    }
  }
  // For a program that can only read, a file of further arguments is harmless.
  if (reading.response_file && (!reading.tool->spec().never.empty() || reading.tool->has_effects())) {
    return Problem{*reading.response_file,
                   std::string(reading.words[*reading.response_file]) + " names a file of further arguments",
                   "write the arguments out"};
  }
  if (tool == "git") return programs::find_git_program(reading);
  const auto located = read_script(reading);
  if (!located) return std::nullopt;
  const std::string& found = located->script.executes.empty() ? located->script.unclear : located->script.executes;
  if (found.empty()) return std::nullopt;
  return Problem{located->word, found, "a script that only prints and substitutes is safe"};
}

// Finds what makes the tool open files that no word names.
std::optional<Problem> find_reach(const ParsedCommand& reading) {
  if (reading.response_file) {
    return Problem{*reading.response_file,
                   std::string(reading.words[*reading.response_file]) + " names a file of further arguments",
                   "write the arguments out"};
  }
  if (reading.split) return reading.split;
  for (const Given& given : reading.given) {
    if (given.option->lists && !reading.operands.empty()) {
      return Problem{reading.operands[0],
                     "with " + given.option->name + ", the first operand is a file that names further files",
                     "name the files themselves"};
    }
    if (given.option->reads_names && !given.negated) {
      return Problem{given.word, "with " + given.option->name + ", " + reading.name + " opens files that no word names",
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
  return programs::find_reach_of_expression(reading);
}

// True for an operator of the program `test`, and for a number.
bool is_test_operator(std::string_view word) {
  for (const std::string_view known : {"=", "==", "!=", "<", ">", "!", "(", ")", "]", ""}) {
    if (word == known) return true;
  }
  return word.starts_with('-') || word.find_first_not_of("0123456789") == word.npos;
}

}  // namespace

bool has_argument_table(std::string_view tool) {
  // The tables also have names of subcommands ("git log") and of parts of tables ("git:diff"), which are not tools.
  return (tool == ":" || tool.find_first_of(" :") == tool.npos) && programs::find_rules(tool) != nullptr;
}

ArgumentJudgement judge_arguments(std::string_view tool, const std::vector<std::string>& words) {
  if (words.empty() || !has_argument_table(tool)) return without_rules;
  return judgement(look_at(tool, words, [&](ParsedCommand reading) {
    if (!reading.problem && tool == "git") reading.problem = programs::check_git_settings(reading);
    if (!reading.problem && is_awk(tool)) reading.problem = programs::find_awk_option(tool, words);
    return std::move(reading.problem);
  }));
}

Hardening hardening(std::string_view tool, const std::vector<std::string>& words) {
  Hardening made;
  if (words.empty() || !has_argument_table(tool)) return made;
  const auto add = [&](const programs::ProgramSpec& table, std::size_t behind) {
    if (!table.hardened.empty()) made.additions.push_back({behind + 1, programs::parts_of(table.hardened)});
  };
  const programs::ProgramSpec& program = programs::find_rules(tool)->spec();
  if (!program.launched.empty()) made.additions.push_back({0, programs::parts_of(program.launched)});
  add(program, 0);
  const ParsedCommand reading = programs::read_safe(tool, words);
  if (reading.begin > 0) add(reading.tool->spec(), reading.begin);
  if (tool != "git") return made;
  for (const Given& given : reading.given) {
    const bool of_git = given.word < reading.begin || reading.begin == 0;
    if (of_git && given.option->name == "-C" && given.value) made.directories.emplace_back(*given.value);
  }
  return made;
}

ArgumentJudgement judge_program_text(std::string_view given, const std::vector<std::string>& words) {
  const std::string_view tool = known_name(given);
  if (words.empty() || !has_argument_table(tool)) return without_rules;
  if (is_awk(tool)) {
    if (auto problem = programs::find_awk_option(tool, words)) return judgement(std::move(problem));
  }
  return judgement(look_at(tool, words, [&](const ParsedCommand& reading) { return find_program(tool, reading); }));
}

ArgumentJudgement judge_reach(std::string_view given, const std::vector<std::string>& words) {
  const std::string_view tool = known_name(given);
  if (words.empty() || !has_argument_table(tool)) return without_rules;
  return judgement(look_at(tool, words, [](const ParsedCommand& reading) {
    if (reading.name != "find") return find_reach(reading);
    return programs::find_list_of_files(reading);
  }));
}

std::vector<bool> text_words(std::string_view tool, const std::vector<std::string>& words) {
  std::vector<bool> text(words.size(), false);
  if (words.empty()) return text;
  text[0] = true;
  if (!has_argument_table(tool)) return text;
  if (is_tar(tool)) {
    const ExpandedWords expanded = expand_tar(words);
    const ParsedCommand reading = programs::read_safe(tool, expanded.words);
    for (std::size_t i = 0; i < expanded.words.size(); ++i) text[expanded.from[i]] = reading.text[i];
    return text;
  }
  ParsedCommand reading = programs::read_safe(tool, words);
  text = reading.text;
  if (tool == "find") programs::mark_find_text(words, text);
  if (tool == "test" || tool == "[") {
    for (std::size_t i = 1; i < words.size(); ++i) text[i] = is_test_operator(words[i]);
  }
  return text;
}

bool may_run_programs(std::string_view tool) {
  if (!is_known_program(tool)) return true;
  const bool hands_on = is_wrapper(tool) && hands_words_on(tool);
  if (is_wrapper(tool) && !hands_on) return true;
  if (!has_argument_table(tool)) return false;
  if (tool == "find" || tool == "git" || tool == "make" || tool == "zip" || tool == "less" || is_tar(tool)) return true;
  const programs::OptionTable& program = *programs::find_rules(tool);
  const programs::ProgramSpec& spec = program.spec();
  // A word may name a subcommand that is not in the table: go run.
  if (spec.operands == programs::Operands::choose || spec.operands == programs::Operands::may_choose) return true;
  const bool runs = spec.does == Effect::runs_program || spec.does == Effect::runs_code;
  return (runs && !hands_on) || spec.response_files || spec.check == programs::check_sed ||
         spec.check == programs::check_awk || program.has_option_that(Effect::runs_program) ||
         program.has_option_that(Effect::runs_code);
}

bool takes_more_arguments(std::string_view tool, const std::vector<std::string>& words) {
  if (words.empty() || !has_argument_table(tool) || is_tar(tool)) return false;
  const ParsedCommand reading = programs::read_safe(tool, words);
  const programs::ProgramSpec& table = reading.tool->spec();
  if (reading.problem || !reading.complete || table.most != static_cast<std::size_t>(-1)) return false;
  if (table.operands != programs::Operands::any && table.operands != programs::Operands::text &&
      table.operands != programs::Operands::first_text) {
    return false;
  }
  // After `--` there are only operands; before it, an argument may be an option.
  const bool options_ended = reading.first_operand_behind_dashes != static_cast<std::size_t>(-1);
  const bool checked = table.check != nullptr || !table.only_with.empty() || !table.unsafe_operands.empty();
  // A subcommand of git with a check may read options after `--`.
  if (options_ended) return !checked || (!reading.operands.empty() && table.style != programs::Style::git);
  // After a subcommand, an option may still belong to the program itself, and git accepts some options after many
  // subcommands: git blame --output=x. Only Style::exact rules both out.
  const auto has_others = [](const programs::OptionTable& program) {
    const auto& options = program.options();
    return program.has_effects() || std::any_of(options.begin(), options.end(), [](const programs::Option& option) {
             return option.unproven && !option.whole;
           });
  };
  const bool may_be_own = reading.begin > 0 && table.style != programs::Style::exact;
  return !checked && !has_others(*reading.tool) && !(may_be_own && has_others(*programs::find_rules(tool)));
}

bool takes_paths(std::string_view tool, const std::vector<Word>& words) {
  const std::vector<std::string> texts = texts_of(words);
  if (judge_arguments(tool, texts).kind != ArgumentJudgement::Kind::safe) return false;
  const std::vector<bool> is_text = text_words(tool, texts);
  const ParsedCommand reading = programs::read_safe(tool, texts);
  for (std::size_t i = 0; i < words.size(); ++i) {
    // Before the subcommand, a path may say where the subcommand works: git -C.
    if (words[i].is_path && (is_text[i] || i < reading.begin)) return false;
  }
  // A path that takes the place of a word may be a name without a slash. If an operand of this program may be a
  // subcommand, a command or an unsafe word, such a name could be taken for one.
  const programs::ProgramSpec& table = reading.tool->spec();
  const bool has_names = table.operands == programs::Operands::choose ||
                         table.operands == programs::Operands::may_choose ||
                         table.operands == programs::Operands::command || !table.unsafe_operands.empty();
  // A path never begins with a dash.
  const bool is_read = table.check == nullptr || is_tar(tool) || table.check == programs::check_sed ||
                       table.check == programs::check_awk || table.check == programs::check_dashes ||
                       table.check == programs::check_unzip;
  return is_read && !has_names;
}

}  // namespace wtool::policy
