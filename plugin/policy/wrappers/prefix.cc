// Programs that run the words after their own options and operands (env, timeout, sudo, docker exec), or a program that
// an option names.
#include <unordered_set>

#include "base/lasting.h"
#include "base/text.h"
#include "policy/wrappers/family.h"

namespace wtool::policy {

namespace {

using programs::find_program;
using programs::OptionTable;
using programs::ProgramSpec;
using programs::Runs;

// env -S may contain env -S again. The recursion would end even without this limit, because the text gets shorter each
// time, but nobody nests it more deeply than this.
constexpr int max_split_depth = 8;

// The program's spec, if the program runs what its words or options name. nullptr: it does not, or is not known.
const OptionTable* find_prefix(std::string_view name) {
  const OptionTable* const found = find_program(name);
  if (found == nullptr) return nullptr;
  const Runs runs = found->spec().runs;
  const bool is_prefix = runs == Runs::command || runs == Runs::joined || runs == Runs::scripts || runs == Runs::code ||
                         runs == Runs::options;
  return is_prefix ? found : nullptr;
}

bool is_assignment(const Word& word) { return word.text.find('=') != std::string::npos && word.text.front() != '='; }

// Runs the words from `at` on: NAME=value words, and then a command. A word that is known only when the line runs may
// be an assignment, belong to the command, or become several words.
void run_with_assignments(const Judgement& judgement, std::size_t at) {
  std::vector<Word> assignments;
  const auto& words = judgement.words();
  while (at < words.size() && words[at].literal && is_assignment(words[at])) assignments.push_back(words[at++]);
  if (at < words.size() && !words[at].literal && (at + 1 < words.size() || is_assignment(words[at]))) {
    return judgement.is_unclear(words[at],
                                "a word is known only when the command runs, so it is not clear where the command of " +
                                    std::string(judgement.tool) + " begins");
  }
  // Without a command, env only prints the variables.
  judgement.runs(at, std::move(assignments));
}

// The character that a backslash and `c` mean together; 0: env refuses the escape.
char escape_value(char c) {
  constexpr std::string_view names = "fnrtv#$\"'\\";
  constexpr std::string_view values = "\f\n\r\t\v#$\"'\\";
  const std::size_t known = names.find(c);
  return known == names.npos ? '\0' : values[known];
}

// Splits a text into words as env -S does, and appends them, each with the position of `text`. ${NAME} makes a word
// that is not literal. False: env refuses the text.
bool split_string(const Word& text, std::vector<Word>& words) {
  const std::string& from = text.text;
  Word word{{}, true, text.at};
  bool in_word = false;
  char quote = '\0';
  const auto end_word = [&] {
    if (in_word) words.push_back(word);
    word = {{}, true, text.at};
    in_word = false;
  };
  for (std::size_t i = 0; i < from.size(); ++i) {
    const char c = from[i];
    if (quote == '\0' && (c == ' ' || (c >= '\t' && c <= '\r'))) {
      end_word();
      continue;
    }
    if (quote == '\0' && c == '#' && !in_word) break;
    in_word = true;
    if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\') {
      if (++i == from.size()) return false;
      const char next = from[i];
      if (quote == '\'' && next != '\'' && next != '\\') {
        word.text.append({c, next});
      } else if (next == '_' && quote == '\0') {
        end_word();
      } else if (next == '_') {
        word.text.push_back(' ');
      } else if (next == 'c' && quote == '\0') {
        break;
      } else if (escape_value(next) != '\0') {
        word.text.push_back(escape_value(next));
      } else {
        return false;
      }
    } else if (c == '$' && quote != '\'') {
      const std::size_t close = from.find('}', i);
      if (i + 1 >= from.size() || from[i + 1] != '{' || close == std::string::npos) return false;
      word.literal = false;
      i = close;
    } else {
      word.text.push_back(c);
    }
  }
  if (quote != '\0') return false;
  end_word();
  return true;
}

void judge_env(const Judgement& judgement, int depth) {
  const ParsedCommand reading = read_options(judgement.words(), 1, *find_program("env"));
  if (const Given* split = reading.find("S split-string"); split != nullptr && split->value) {
    // The words in the text take the place of the option.
    std::vector<Word> rest;
    const Word text = judgement.value_of(*split);
    if (!text.literal || depth == max_split_depth || !split_string(text, rest)) {
      return judgement.is_unclear(text, "it is not clear how env splits the text of -S");
    }
    SimpleCommand command = judgement.command;
    const auto from = static_cast<std::ptrdiff_t>(split->next);
    rest.insert(rest.begin(), command.words.front());
    rest.insert(rest.end(), command.words.begin() + from, command.words.end());
    command.words = std::move(rest);
    return judge_env({judgement.tool, command, judgement.inners, judgement.where}, depth + 1);
  }
  if (judgement.has_obstacle(reading) || reading.find("help version") != nullptr || reading.operands.empty()) return;
  // A lone dash means -i.
  std::size_t at = reading.operands.front();
  if (judgement.word(at).literal && judgement.word(at).text == "-") ++at;
  run_with_assignments(judgement, at);
}

// The form of su is su [-] [USER [ARGUMENTS OF THE SHELL]]. runuser has the same form, but with -u it takes a command.
void judge_su(const Judgement& judgement) {
  const ParsedCommand reading = read_options(judgement.words(), 1, *find_program("su"));
  if (judgement.has_obstacle(reading) || reading.find("h V help version") != nullptr) return;
  if (const Given* shell = reading.find("s shell")) {
    judgement.runs_code(judgement.word(shell->word),
                        "an option of " + std::string(judgement.tool) + " names the program that runs as the shell");
  }
  if (reading.find("u user") != nullptr && judgement.tool == "runuser") {
    if (!reading.operands.empty()) judgement.runs(reading.operands.front());
    return;
  }
  if (reading.find("c command session-command") != nullptr) {
    // Only the text of the last one runs. All are judged, because on FreeBSD a -c may name a login class instead.
    for (const Given& option : reading.given) {
      if (is_listed("c command session-command", option.name)) judgement.runs_script(judgement.value_of(option));
    }
    return;
  }
  std::size_t user = 0;
  if (!reading.operands.empty() && judgement.word(reading.operands[0]).text == "-") ++user;
  std::vector<Word> shell = {{"sh", true, judgement.word(0).at}};
  for (std::size_t i = user + 1; i < reading.operands.size(); ++i) shell.push_back(judgement.word(reading.operands[i]));
  judgement.runs_words(std::move(shell));
}

// flock has three forms: flock FILE COMMAND, flock FILE -c TEXT, and flock DESCRIPTOR.
void judge_flock(const Judgement& judgement) {
  const ParsedCommand reading = read_options(judgement.words(), 1, *find_program("flock"));
  if (judgement.has_obstacle(reading) || reading.operands.empty()) return;
  const std::size_t file = reading.operands.front();
  if (!judgement.word(file).literal && file + 1 < judgement.words().size()) {
    // A word that looks like a file is taken as one file. Any other word may become several words.
    if (!looks_like_file(judgement.word(file))) {
      return judgement.is_unclear(judgement.word(file),
                                  "a word is known only when the command runs, and may become several words");
    }
  }
  if (file + 1 >= judgement.words().size()) return;
  const Word& next = judgement.word(file + 1);
  if (next.literal && (next.text == "-c" || next.text == "--command")) {
    if (file + 2 < judgement.words().size()) judgement.runs_script(judgement.word(file + 2));
    return;
  }
  judgement.runs(file + 1);
}

// setarch [ARCHITECTURE] [OPTIONS] [COMMAND]
void judge_setarch(const Judgement& judgement) {
  std::size_t from = 1;
  if (judgement.words().size() > 1 && judgement.word(1).literal && !judgement.word(1).text.starts_with("-")) ++from;
  const OptionTable& same = *find_program("linux64");
  const ParsedCommand reading = read_options(judgement.words(), from, same);
  if (judgement.has_obstacle(reading) || reading.find(same.spec().idle) != nullptr) return;
  if (reading.operands.empty()) {
    if (judgement.words().size() > 1) judgement.runs_shell();
  } else {
    judgement.runs(reading.operands.front());
  }
}

// In ssh -o, the values of ProxyCommand, LocalCommand and KnownHostsCommand are shell text, and those of some others
// name libraries or programs.
void judge_ssh_option(const Judgement& judgement, const Word& value) {
  const std::string option = lowered(value.text);
  const std::size_t name_begin = std::min(option.find_first_not_of(" \t\""), option.size());
  const std::string_view rest = std::string_view(option).substr(name_begin);
  if (const std::size_t equals = rest.find('='); !value.literal && (equals == rest.npos || equals == 0)) {
    return judgement.is_unclear(value, "the name of an option of ssh is known only when the command runs");
  }
  for (const std::string_view name : {"proxycommand", "localcommand", "knownhostscommand"}) {
    if (!rest.starts_with(name)) continue;
    const std::size_t begin = value.text.find_first_not_of(" =\t\"", name_begin + name.size());
    if (begin != std::string::npos) judgement.runs_script({value.text.substr(begin), value.literal, value.at});
  }
  for (const std::string_view name : {"pkcs11provider", "securitykeyprovider", "smartcarddevice", "xauthlocation"}) {
    if (rest.starts_with(name)) judgement.runs_code(value, "an option of ssh names code");
  }
}

// The options of ssh, and those of the programs that hand their options to ssh.
void judge_ssh_options(const Judgement& judgement, const ParsedCommand& reading) {
  for (const Given& option : reading.given) {
    const Word value = judgement.value_of(option);
    if (option.name == "o") judge_ssh_option(judgement, value);
    if (option.name == "F" && !(value.literal && is_listed("none /dev/null", value.text))) {
      judgement.runs_code(value, "a configuration of ssh may name programs");
    }
    if (option.name == "I" && is_listed("ssh autossh", judgement.tool)) {
      judgement.runs_code(value, "an option of ssh names code");
    }
  }
}

// ssh [OPTIONS] HOST [OPTIONS] [WORDS]. The words, joined by spaces, are shell text.
void judge_ssh(const Judgement& judgement) {
  std::size_t from = 1;
  bool no_command = false;
  for (const bool has_host : {false, true}) {
    // After the host, autossh is no longer there to take its own options.
    const std::string_view reader = has_host ? "ssh" : judgement.tool;
    const ParsedCommand reading = read_options(judgement.words(), from, *find_program(reader));
    judge_ssh_options(judgement, reading);
    if (judgement.has_obstacle(reading) || reading.find("G Q V O") != nullptr) return;
    no_command = no_command || reading.find("N W") != nullptr;
    if (reading.operands.empty()) {
      const StandardInput input = standard_input(judgement.command);
      if (has_host && !no_command && input.kind != StandardInput::Kind::none) {
        judgement.runs_code(input.word, "the shell of that host runs the standard input of ssh");
      }
      return;
    }
    from = reading.operands.front();
    if (has_host) return judgement.runs_joined(from);
    if (!judgement.word(from).literal && from + 1 < judgement.words().size()) {
      return judgement.is_unclear(judgement.word(from),
                                  "a word is known only when the command runs, and may become several words");
    }
    ++from;
  }
}

// entr has two forms: entr COMMAND, in which entr replaces /_ by the file that has changed, and entr -s TEXT.
void judge_entr(const Judgement& judgement) {
  const ParsedCommand reading = read_options(judgement.words(), 1, *find_program("entr"));
  if (judgement.has_obstacle(reading) || reading.operands.empty()) return;
  if (reading.find("s") != nullptr) return judgement.runs_script(judgement.word(reading.operands.front()));
  Inner* const inner = judgement.runs(reading.operands.front());
  inner->command.redirections.clear();
  inner->command.reads_pipe = false;
  for (Word& word : inner->command.words) {
    if (word.text == "/_") word = {"", false, word.at};
  }
}

// With its options for a shell, sudo passes the words to a shell. It escapes their special characters, but not the
// dollar sign.
void expand_dollars(Inner& inner) {
  for (Word& word : inner.command.words) {
    if (word.text.find('$') != std::string::npos) word.literal = false;
  }
}

void run_rest(const Judgement& judgement, const ProgramSpec& prefix, const ParsedCommand& reading, std::size_t first) {
  switch (prefix.runs) {
    case Runs::options:
      return;
    case Runs::code:
      return judgement.runs_code(judgement.word(first),
                                 std::string(judgement.tool) + " runs a program from elsewhere, or a file of commands");
    case Runs::joined:
      if (judgement.tool == "watch" && reading.find("x exec") != nullptr) break;
      return judgement.runs_joined(first);
    case Runs::scripts:
      for (const std::size_t operand : reading.operands) judgement.runs_script(judgement.word(operand));
      return;
    default:
      break;
  }
  if (prefix.assignments) return run_with_assignments(judgement, first);
  if (prefix.behind_dashes) {
    for (std::size_t i = first; i < judgement.words().size(); ++i) {
      if (!judgement.word(i).literal || judgement.word(i).text != "--") continue;
      judgement.runs(i + 1);
      return;
    }
  }
  judgement.runs(first);
}

// Adds the words of a COMMAND... option as a command.
void run_option(const Judgement& judgement, const ProgramSpec& spec, const Given& option) {
  const auto begin = judgement.words().begin();
  std::vector<Word> words{judgement.value_of(option)};
  words.insert(words.end(), begin + static_cast<std::ptrdiff_t>(option.value_word) + 1,
               begin + static_cast<std::ptrdiff_t>(option.next));
  if ((spec.manner & programs::semicolons) != 0 && words.back().text == ";") words.pop_back();
  if (words.empty()) return;
  Inner* const inner = judgement.runs_words(std::move(words));
  if (spec.placeholders.empty()) return;
  close_input(*inner);
  bool placed = false;
  for (const std::string_view each : programs::parts_of(spec.placeholders)) {
    placed = open_placeholder(inner->command.words, each) || placed;
  }
  inner->open_ended = true;
  if (!placed) append_unknown(*inner);
}

// The variables that options set for the command, as words NAME=value.
std::vector<Word> variables_in(const Judgement& judgement, const ProgramSpec& spec, const ParsedCommand& reading) {
  std::vector<Word> variables;
  for (const Given& option : reading.given) {
    if (!is_listed(spec.environment, option.name) || !option.value) continue;
    Word variable = judgement.value_of(option);
    if (option.option != nullptr && option.option->values == 2) {
      const Word& name = judgement.word(option.value_word - 1);
      variable.text.insert(0, name.text + '=');
      variable.literal = variable.literal && name.literal;
    }
    if (is_assignment(variable)) variables.push_back(std::move(variable));
  }
  return variables;
}

// Values that name code, although most values of the option do not.
void judge_value(const Judgement& judgement, const Given& option, const Word& value) {
  // strace pipes its output to a command if the output file's name begins with | or !.
  if (judgement.tool == "strace" && is_listed("o output", option.name) && value.text.size() > 1 &&
      (value.text[0] == '|' || value.text[0] == '!')) {
    judgement.runs_script({value.text.substr(1), value.literal, value.at});
  }
  // valgrind looks for a tool by this name in its own folder, and a name with a slash may lead out of the folder.
  if (judgement.tool == "valgrind" && option.name == "tool" && value.text.find('/') != std::string::npos) {
    judgement.runs_code(value, "the tool of valgrind is a program outside of its folder");
  }
  if (judgement.tool == "systemd-run" && is_listed("p property", option.name)) {
    for (const std::string_view name : {"Exec", "Environment", "Root", "OnFailure", "OnSuccess"}) {
      if (value.text.starts_with(name)) judgement.runs_code(value, "a property of the unit may name code");
    }
  }
}

// True if one of the options in `idle` is given. "--help=false" does not count.
bool is_idle(const ProgramSpec& spec, const ParsedCommand& reading) {
  return std::any_of(reading.given.begin(), reading.given.end(), [&](const Given& option) {
    const bool negates =
        option.value && (option.option == nullptr || option.option->value == programs::OptionValue::none);
    return !negates && is_listed(spec.idle, option.name);
  });
}

// How many operands come before the command. In newer versions of chrt, some policies need no priority.
std::size_t operands_before(const Judgement& judgement, const ProgramSpec& prefix, const ParsedCommand& reading) {
  if (judgement.tool != "chrt" || reading.operands.empty()) return prefix.before;
  const Word& first = judgement.word(reading.operands.front());
  const bool is_command = first.literal && first.text.find_first_not_of("0123456789") != std::string::npos;
  return is_command ? 0 : prefix.before;
}

// The commands in the values of options, and those on the prefix's own standard input.
void judge_options(const Judgement& judgement, const ProgramSpec& prefix, const ParsedCommand& reading) {
  for (const Given& option : reading.given) {
    const Word value = judgement.value_of(option);
    if (option.option != nullptr && option.option->command && option.value) run_option(judgement, prefix, option);
    if (is_listed(prefix.script, option.name) && option.value) judgement.runs_script(value);
    judge_value(judgement, option, value);
    if (is_listed(prefix.code, option.name)) {
      judgement.runs_code(judgement.word(option.word), "it gives " + std::string(judgement.tool) + " commands");
    }
  }
  if (const StandardInput input = standard_input(judgement.command);
      prefix.reads_input && input.kind != StandardInput::Kind::none) {
    judgement.runs_code(input.word, std::string(judgement.tool) + " reads commands from its standard input");
  }
}

// True if the prefix may take options out of the words of its command; this is then the verdict.
bool takes_options_of_command(const Judgement& judgement, const ProgramSpec& prefix, const ParsedCommand& reading) {
  if ((prefix.manner & programs::permutes) == 0 || prefix.runs != Runs::command || reading.operands.empty()) {
    return false;
  }
  for (const Given& option : reading.given) {
    if (option.word < reading.operands.front()) continue;
    judgement.is_unclear(judgement.word(option.word),
                         std::string(judgement.tool) + " takes this option out of the words of its command");
    return true;
  }
  return false;
}

// True if a word before the command may become several words; this is then the verdict.
bool has_open_word_before(const Judgement& judgement, const ProgramSpec& prefix, const ParsedCommand& reading) {
  for (std::size_t i = 0; i < prefix.before && i < reading.operands.size(); ++i) {
    const Word& operand = judgement.word(reading.operands[i]);
    if (operand.literal || reading.operands.size() <= 1) continue;
    judgement.is_unclear(operand, "a word is known only when the command runs, and may become several words, so what " +
                                      std::string(judgement.tool) + " runs is not clear");
    return true;
  }
  return false;
}

bool wants_shell(const Judgement& judgement, const ParsedCommand& reading) {
  return (judgement.tool == "sudo" && reading.find("s i shell login") != nullptr) ||
         (judgement.tool == "doas" && reading.find("s") != nullptr) ||
         (judgement.tool == "systemd-run" && reading.find("S shell") != nullptr);
}

// The command that begins after `before` operands.
void judge_command(const Judgement& judgement, const ProgramSpec& prefix, const ParsedCommand& reading,
                   std::size_t before) {
  const std::size_t known = judgement.inners.size();
  std::size_t first = reading.operands[before];
  if (before > 0 && !prefix.behind_dashes && judgement.word(first).literal && judgement.word(first).text == "--")
    ++first;
  if (first < judgement.words().size()) {
    run_rest(judgement, prefix, reading, first);
  } else if (prefix.bare_runs == programs::Bare::shell) {
    judgement.runs_shell();
  }
  const std::vector<Word> variables = variables_in(judgement, prefix, reading);
  for (std::size_t i = known; i < judgement.inners.size(); ++i) {
    std::vector<Word>& assignments = judgement.inners[i].command.assignments;
    assignments.insert(assignments.begin(), variables.begin(), variables.end());
  }
  if (wants_shell(judgement, reading) && !judgement.inners.empty()) expand_dollars(judgement.inners.back());
  // A skipped option may have taken the first word as its value.
  if (reading.passed_over && prefix.runs == Runs::command && reading.operands.size() > before + 1) {
    run_rest(judgement, prefix, reading, reading.operands[before + 1]);
  }
}

void judge_words(const Judgement& judgement, const OptionTable& program, std::size_t from) {
  const ProgramSpec& prefix = program.spec();
  const ParsedCommand reading = read_options(judgement.words(), from, program);
  judge_options(judgement, prefix, reading);
  if (is_idle(prefix, reading) || judgement.has_obstacle(reading)) return;
  if (takes_options_of_command(judgement, prefix, reading)) return;
  // script [FILE] -- COMMAND: the words of the command are joined.
  const bool has_words_behind_dashes = reading.first_operand_behind_dashes < reading.operands.size();
  if (judgement.tool == "script" && has_words_behind_dashes) {
    return judgement.runs_joined(reading.operands[reading.first_operand_behind_dashes]);
  }
  // vagrant ssh passes everything after `--` to ssh, as options and operands.
  if (judgement.tool == "vagrant" && has_words_behind_dashes) {
    judgement.runs_code(judgement.word(reading.operands[reading.first_operand_behind_dashes]),
                        "it gives options to ssh, and these can name programs");
  }
  const std::size_t before = operands_before(judgement, prefix, reading);
  const bool has_script = !prefix.script.empty() && reading.find(prefix.script) != nullptr;
  const bool has_command = prefix.runs == Runs::options ? has_script : reading.operands.size() > before;
  const bool hands_on = prefix.hands_input_on == "*" || reading.find(prefix.hands_input_on) != nullptr;
  if (const StandardInput input = standard_input(judgement.command);
      hands_on && !has_command && input.kind != StandardInput::Kind::none) {
    judgement.runs_code(input.word,
                        "the program to which " + std::string(judgement.tool) +
                            " passes its standard input may be a shell, which would run the input as commands");
  }
  if (has_open_word_before(judgement, prefix, reading)) return;
  if (reading.operands.size() > before) {
    judge_command(judgement, prefix, reading, before);
  } else if (wants_shell(judgement, reading) || (prefix.bare_runs == programs::Bare::shell && !has_script)) {
    judgement.runs_shell();
  } else if (prefix.bare_runs == programs::Bare::code && !has_script) {
    judgement.runs_code(judgement.word(0), std::string(judgement.tool) + " gets its commands from elsewhere");
  }
}

bool is_loader(std::string_view tool) {
  return tool == "ld.so" || tool.starts_with("ld-linux") || tool.starts_with("ld-musl") || tool.starts_with("ld64.so");
}

bool judge_special(const Judgement& judgement) {
  const std::string_view tool = judgement.tool;
  if (tool == "env" || tool == "genv") {
    judge_env(judgement, 0);
  } else if (tool == "su" || tool == "runuser") {
    judge_su(judgement);
  } else if (tool == "flock") {
    judge_flock(judgement);
  } else if (tool == "ssh" || tool == "autossh") {
    judge_ssh(judgement);
  } else if (tool == "setarch") {
    judge_setarch(judgement);
  } else if (tool == "entr") {
    judge_entr(judgement);
  } else if (is_loader(tool)) {
    judge_words(judgement, *find_program("ld.so"), 1);
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool hands_rest_on(std::string_view tool) {
  constexpr unsigned incomplete = programs::lenient | programs::any_long | programs::any_valued | programs::permutes;
  if (is_listed("env genv su runuser flock ssh setarch entr", tool) || is_loader(tool)) return true;
  const OptionTable* const prefix = find_prefix(tool);
  return prefix != nullptr && (prefix->spec().manner & incomplete) == 0 && prefix->spec().runs == Runs::command;
}

bool has_prefix_subcommands(std::string_view program) {
  static const auto& with_subcommands = lasting<std::unordered_set<std::string_view>>([] {
    std::unordered_set<std::string_view> made;
    for (const std::string_view name : programs::program_names()) {
      if (const std::size_t space = name.find(' '); space != name.npos && find_prefix(name) != nullptr) {
        made.insert(name.substr(0, space));
      }
    }
    return made;
  }());
  return with_subcommands.contains(program);
}

bool judge_prefix(const Judgement& judgement) {
  if (judge_special(judgement)) return true;
  if (const OptionTable* prefix = find_prefix(judgement.tool)) {
    judge_words(judgement, *prefix, 1);
    return true;
  }
  if (!has_prefix_subcommands(judgement.tool)) return false;
  const programs::Subcommand subcommand = programs::find_subcommand(
      judgement.tool, judgement.words(), [](std::string_view name) { return find_prefix(name) != nullptr; });
  if (subcommand.obstacle != nullptr) {
    judgement.is_unclear(*subcommand.obstacle,
                         "the subcommand of " + std::string(judgement.tool) + " is known only when the command runs");
    return true;
  }
  const OptionTable* const prefix = find_prefix(subcommand.name);
  if (prefix == nullptr) return false;
  judge_words(judgement, *prefix, subcommand.next);
  return true;
}

// Programs made for something else, but with an option that names a program to run: tar -I, rsync -e,
// sort --compress-program.
bool judge_program_option(const Judgement& judgement) {
  const programs::OptionTable* const found = programs::find_program(judgement.tool);
  if (found == nullptr || found->spec().runs != programs::Runs::option_value) return false;
  const ParsedCommand reading = read_options(judgement.words(), 1, *found);
  for (const Given& option : reading.given) {
    if (!option.value) continue;
    const Word value = judgement.value_of(option);
    if (is_listed(found->spec().script, option.name)) judgement.runs_script(value);
    if (is_listed(found->spec().code, option.name)) {
      judgement.runs_code(value, "it names code, or a file that names programs");
    }
    // In wget -e, a setting of the configuration may name a program.
    if (is_listed("wget wget2", judgement.tool) && is_listed("e execute", option.name)) {
      if (!value.literal || lowered(value.text).find("askpass") != std::string::npos) {
        judgement.runs_code(value, "the setting names a program");
      }
    }
    if (option.name == "checkpoint-action" && value.text.starts_with("exec=")) {
      judgement.runs_script({value.text.substr(5), value.literal, value.at});
    }
  }
  if (is_listed("scp sftp", judgement.tool)) judge_ssh_options(judgement, reading);
  if (const StandardInput input = standard_input(judgement.command);
      found->spec().reads_input && input.kind != StandardInput::Kind::none) {
    judgement.runs_code(input.word, std::string(judgement.tool) + " reads commands from its standard input");
  }
  // bsdtar's -W LONG=VALUE, which may be in a bundle, is --LONG=VALUE.
  if (is_listed("tar bsdtar", judgement.tool)) {
    constexpr std::string_view program = "use-compress-program=";
    for (const Word& word : judgement.words()) {
      const std::size_t at = word.text.find(program);
      if (at == std::string::npos || word.text.starts_with("--") || (at > 0 && !word.text.starts_with('-'))) continue;
      judgement.runs_script({word.text.substr(at + program.size()), word.literal, word.at});
    }
  }
  // tar's bundle without a dash: "tar cIf PROGRAM ARCHIVE"; the values follow in the order of their letters.
  if (is_listed("tar gtar", judgement.tool) && judgement.words().size() > 1 && judgement.word(1).literal &&
      !judgement.word(1).text.starts_with('-')) {
    std::size_t value = 2;
    for (const char letter : judgement.word(1).text) {
      if (value >= judgement.words().size()) break;
      if (letter == 'I' || letter == 'F') judgement.runs_script(judgement.word(value));
      if (std::string_view("bCfFgHIKLNTVX").find(letter) != std::string_view::npos) ++value;
    }
  }
  return true;
}

}  // namespace wtool::policy
