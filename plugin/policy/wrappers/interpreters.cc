// Interpreters of other languages, which get code in their arguments or on their standard input, and programs that are
// controlled in ways that cannot be judged: editors, terminal multiplexers, spoolers.
#include <algorithm>

#include "base/text.h"
#include "policy/wrappers/family.h"

namespace wtool::policy {

namespace {

using programs::OptionTable;
using programs::ProgramSpec;

// With one of these options, even a program that otherwise always runs code does nothing but print information.
constexpr std::string_view only_telling = "--version --help -version -help -V -ls -list";

// Modules for python -m that take code, or run other programs.
constexpr std::string_view code_modules = "timeit pdb code asyncio idlelib cProfile profile trace runpy bdb";

// With -i, these interpreters read standard input even if a file or -c is given.
constexpr std::string_view interactive =
    "python python2 python3 pypy pypy3 ipython jython micropython bpython node nodejs lua luajit texlua julia";

void judge_input(const Judgement& judgement) {
  const StandardInput input = standard_input(judgement.command);
  if (input.kind == StandardInput::Kind::none) return;
  judgement.runs_code(input.word, std::string(judgement.tool) + " runs its standard input as code");
}

// `file` is the file that the interpreter runs.
void judge_file(const Judgement& judgement, const Word& file) {
  if (file.literal && (file.text == "-" || judgement.is_descriptor_file(file.text))) {
    judge_input(judgement);
    if (file.text != "-" && judgement.inners.empty()) {
      judgement.runs_code(file, "the content of a descriptor is known only when the command runs");
    }
  } else if (!file.literal && !judgement.is_named_file(file)) {
    judgement.is_unclear(file, "a word of " + std::string(judgement.tool) +
                                   " is known only when the command runs, and may be an option that passes code");
  }
}

// An unknown option may take the apparent file as its value, so the options after that file are judged as well. The
// value of a letter may be in the same word as the letter.
void judge_hidden_code(const Judgement& judgement, const ProgramSpec& interpreter, std::size_t from) {
  for (std::size_t i = from; i < judgement.words().size(); ++i) {
    const Word& word = judgement.word(i);
    if (!word.literal || word.text.size() < 2 || word.text[0] != '-') continue;
    std::string name = word.text.substr(word.text[1] == '-' ? 2 : 1);
    if ((interpreter.manner & programs::underscores) != 0) std::replace(name.begin(), name.end(), '_', '-');
    const bool is_letter = word.text[1] != '-' && (interpreter.manner & programs::single_dash) == 0;
    if (is_listed(interpreter.code, name.substr(0, name.find('='))) ||
        (is_letter && is_listed(interpreter.code, name.substr(0, 1)))) {
      return judgement.runs_code(word, word.text + " may give " + std::string(judgement.tool) + " code");
    }
  }
}

// True if letters follow the option's value in the same word. In perl, a blank ends a value. In ruby, the value of -W
// is a digit, or a category that takes the rest of the word: -W:no-deprecated.
bool has_letters_after_value(const Judgement& judgement, const Given& option) {
  if (!option.value || option.value_word != option.word) return false;
  if (judgement.tool == "perl") return option.value->find_first_of(" \t\n\v\f\r") != option.value->npos;
  if (!is_listed("ruby irb jruby truffleruby mruby", judgement.tool) || option.name != "W") return false;
  return !option.value->starts_with(':') && option.value->find_first_not_of("012") != option.value->npos;
}

void judge_interpreter_words(const Judgement& judgement, const OptionTable& program) {
  const ProgramSpec& interpreter = program.spec();
  const ParsedCommand reading = read_options(judgement.words(), 1, program);
  // With -i, the interpreter reads its standard input after whatever it runs first.
  if (is_listed(interactive, judgement.tool) && reading.find("i interactive") != nullptr) {
    judge_input(judgement);
  }
  for (const Given& option : reading.given) {
    const bool module = option.name == "m" && judgement.tool.starts_with("py");
    if (module) {
      const Word value = judgement.value_of(option);
      if (!value.literal) {
        judgement.is_unclear(value, "which module runs is known only when the command runs");
      } else if (is_listed(code_modules, value.text)) {
        judgement.runs_code(value, "the module " + value.text + " takes code, or a program to run");
      }
      return;  // the remaining words belong to the module
    }
    if (has_letters_after_value(judgement, option)) {
      const Word& word = judgement.word(option.word);
      return judgement.runs_code(word, word.text + " may give " + std::string(judgement.tool) + " code");
    }
    const bool abbreviates =
        option.option == nullptr && option.name.size() > 1 &&
        programs::any_listed(interpreter.code, [&](std::string_view name) { return name.starts_with(option.name); });
    if (is_listed(interpreter.code, option.name) || abbreviates) {
      const Word& word = judgement.word(option.word);
      return judgement.runs_code(word, (option.name.size() > 1 ? "--" : "-") + option.name + " gives " +
                                           std::string(judgement.tool) + " code");
    }
  }
  if (reading.passed_over && !reading.operands.empty()) {
    judge_hidden_code(judgement, interpreter, reading.operands.front());
  }
  // erl reads options after its plain arguments and after "--", too. The plain arguments are not files, so erl also
  // reads its standard input.
  if (judgement.tool == "erl") {
    judge_hidden_code(judgement, interpreter, 1);
    return judge_input(judgement);
  }
  // An option may name the file: php -f FILE.
  if (const Given* const file = reading.find("f file");
      file != nullptr && file->value && is_listed(interpreter.idle, file->name)) {
    return judge_file(judgement, judgement.value_of(*file));
  }
  if (reading.find(interpreter.idle) != nullptr) return;
  if (judgement.tool == "R" && !reading.operands.empty() && judgement.word(reading.operands.front()).text == "CMD") {
    judgement.runs(reading.operands.front() + 1);
    return;
  }
  if (!reading.operands.empty()) return judge_file(judgement, judgement.word(reading.operands.front()));
  judge_input(judgement);
}

// deno eval TEXT, bun -e TEXT: the code follows a subcommand or an option.
void judge_script_runtime(const Judgement& judgement) {
  const OptionTable& program = *programs::find_program(judgement.tool);
  for (std::size_t i = 1; i < judgement.words().size(); ++i) {
    const Word& word = judgement.word(i);
    if (!word.literal) {
      return judgement.is_unclear(
          word, "a word of " + std::string(judgement.tool) + " is known only when the command runs, and may pass code");
    }
    if (is_listed("eval -e --eval -p --print -r --preload repl", word.text.substr(0, word.text.find('=')))) {
      return judgement.runs_code(word, word.text + " gives " + std::string(judgement.tool) + " code");
    }
    if (word.text == "-") return judge_input(judgement);
    if (is_listed("x create", word.text) && judgement.tool == "bun") {
      return judgement.runs_code(word, "bun " + word.text + " runs a package");
    }
    if (!word.text.starts_with('-') && word.text != "run") return;
    // A value that is known only when the command runs may become several words, so the loop looks at it.
    const bool takes_next =
        word.text.starts_with('-') && programs::what_takes(program, word.text) == programs::Takes::value;
    if (takes_next && i + 1 < judgement.words().size() && judgement.word(i + 1).literal) ++i;
  }
  judge_input(judgement);
}

// at and batch read shell text; crontab takes a file that contains shell text.
void judge_spooler(const Judgement& judgement) {
  const ParsedCommand reading = read_options(judgement.words(), 1, *programs::find_program("at"));
  if (const Given* file = reading.find("f e")) {
    return judgement.runs_code(judgement.word(file->word),
                               std::string(judgement.tool) + " schedules commands that are not in the line");
  }
  if (reading.find("l r d c V") != nullptr) return;
  const StandardInput input = standard_input(judgement.command);
  if (judgement.tool == "crontab" && !reading.operands.empty() &&
      judgement.word(reading.operands.front()).text != "-") {
    return judgement.runs_code(judgement.word(reading.operands.front()), "crontab schedules the commands in a file");
  }
  if (input.kind == StandardInput::Kind::none) return;
  if (input.kind == StandardInput::Kind::text && judgement.tool != "crontab") return judgement.runs_script(input.word);
  judgement.runs_code(input.word, std::string(judgement.tool) + " schedules the commands on its standard input");
}

// True if the text may contain a command with which a database client runs a program.
bool runs_programs(std::string_view text, bool sqlite) {
  const auto has = [&](std::string_view part) { return text.find(part) != text.npos; };
  if (!sqlite) return programs::any_listed("\\!,\\o |,\\o|,\\g |,\\g|,PROGRAM,program,system ,\\copy", has, ',');
  if (has("load_extension") || has("edit(")) return true;
  const auto is_loud = [](std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line.starts_with('.') &&
           !programs::any_listed(
               ".tab .sche .head .mode .dump .ind .data .show .help .quit .exit .vers .stat .width .sep "
               ".null .tim .bail",
               [&](std::string_view quiet) { return line.starts_with(quiet); });
  };
  return programs::any_listed(text, is_loud, '\n');
}

// True if a database client reads its commands from standard input, or may do so.
bool reads_commands(const Judgement& judgement, bool sqlite) {
  constexpr std::string_view asks = "-V -? --version --help -version -help";
  const auto& words = judgement.words();
  if (std::any_of(words.begin() + 1, words.end(), [&](const Word& word) {
        const std::string_view text = std::string_view(word.text).substr(word.text.find('=') + 1);
        return text == "-" || text == "-f-" || judgement.is_descriptor_file(text);
      })) {
    return true;
  }
  if (words.size() == 2 && is_listed(asks, words[1].text)) return false;
  const auto is_option = [&](std::size_t i) { return i >= words.size() || words[i].text.starts_with('-'); };
  std::size_t at = 1;
  if (sqlite) {
    // sqlite's form is FILE COMMAND.
    constexpr std::string_view flags =
        "-ascii -bail -batch -box -column -csv -header -noheader -html -json -line -list -markdown -quote -readonly "
        "-safe -table -tabs";
    while (at < words.size() && is_listed(flags, words[at].text)) ++at;
    return is_option(at) || is_option(at + 1);
  }
  // The form is DATABASE -c COMMAND. Other options before -c might take -c as their value.
  if (!is_option(at)) ++at;
  if (at >= words.size()) return true;
  const std::string_view option = std::string_view(words[at].text).substr(0, words[at].text.find('='));
  return judgement.tool == "psql" ? !option.starts_with("-c") && !is_listed("--command -f --file", option)
                                  : !option.starts_with("-e") && option != "--execute";
}

void judge_database(const Judgement& judgement) {
  const bool sqlite = judgement.tool.starts_with("sqlite");
  for (std::size_t i = 1; i < judgement.words().size(); ++i) {
    const Word& word = judgement.word(i);
    if (runs_programs(word.text, sqlite)) {
      return judgement.runs_code(word, std::string(judgement.tool) + " may run a program of the system");
    }
    if (sqlite && is_listed("-init --init", word.text)) {
      return judgement.runs_code(word, word.text + " names a file of commands");
    }
  }
  const StandardInput input = standard_input(judgement.command);
  if (input.kind == StandardInput::Kind::text && runs_programs(input.word.text, sqlite)) {
    judgement.runs_code(input.word, std::string(judgement.tool) + " may run a program of the system");
  }
  if (input.kind == StandardInput::Kind::unknown && reads_commands(judgement, sqlite)) {
    judgement.runs_code(input.word, std::string(judgement.tool) + " reads commands from its standard input");
  }
}

// True if the spec says that this word makes the program run something.
bool tells(const ProgramSpec& telling, const std::string& text) {
  const std::string capitals = in_capitals(text);
  const bool is_bundle = text.size() > 1 && text[0] == '-' && text[1] != '-';
  return is_listed(telling.words, text) ||
         (is_bundle && !telling.letters.empty() && text.find(telling.letters) != text.npos) ||
         programs::any_listed(telling.beginnings, [&](std::string_view part) { return text.starts_with(part); }) ||
         programs::any_listed(telling.parts,
                              [&](std::string_view part) { return capitals.find(part) != std::string::npos; });
}

// True if the word sets a variable of make that changes what runs, or sets one with the output of a command:
// SHELL=FILE, MAKEFLAGS=TEXT, NAME!=COMMAND.
bool is_telling_assignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (text.starts_with('-') || equals == text.npos) return false;
  std::string_view name = text.substr(0, equals);
  if (name.ends_with('!')) return true;
  const std::size_t first = name.find_first_not_of(" \t\n"), last = name.find_last_not_of(" \t\n:?+");
  if (first == name.npos || last == name.npos || first > last) return false;
  return is_listed("SHELL .SHELLFLAGS MAKEFLAGS", name.substr(first, last - first + 1));
}

void judge_telling_words(const Judgement& judgement, const OptionTable& program) {
  const ProgramSpec& telling = program.spec();
  const ParsedCommand reading = read_options(judgement.words(), 1, program);
  if (const Given* const option = reading.find(telling.code)) {
    const Word& word = judgement.word(option->word);
    return judgement.runs_code(word, word.text + " gives " + std::string(judgement.tool) + " code");
  }
  const bool is_make = is_listed("make gmake", judgement.tool);
  for (std::size_t i = 1; i < judgement.words().size(); ++i) {
    const Word& word = judgement.word(i);
    if (tells(telling, word.text) || (is_make && is_telling_assignment(word.text))) {
      return judgement.runs_code(word, std::string(judgement.tool) + " runs what one of its arguments names");
    }
  }
  if (!telling.reads_input) return;
  // In make, the file of -f may be in any word, even at the end of a bundle.
  const auto is_input = [&](std::string_view text) { return text == "-" || judgement.is_descriptor_file(text); };
  const bool reads_input =
      std::any_of(reading.given.begin(), reading.given.end(),
                  [&](const Given& option) { return option.value && is_input(*option.value); }) ||
      std::any_of(judgement.words().begin() + 1, judgement.words().end(), [&](const Word& word) {
        return is_input(word.text) || is_input(std::string_view(word.text).substr(word.text.find('=') + 1));
      });
  if (reads_input) judge_input(judgement);
}

void judge_steered(const Judgement& judgement, const OptionTable& program) {
  const auto& words = judgement.words();
  if (words.size() == 2 && words[1].literal && is_listed(only_telling, words[1].text)) return;
  const ParsedCommand reading = read_options(words, 1, program);
  if (reading.find(program.spec().idle) != nullptr) return;
  const bool known = !reading.operands.empty() && reading.find(program.spec().code) == nullptr &&
                     words[reading.operands[0]].literal &&
                     is_listed(program.spec().words, words[reading.operands[0]].text);
  // False if there is a second command of tmux, or a format that runs a command.
  const bool alone = std::none_of(words.begin(), words.end(), [](const Word& word) {
    return word.text == ";" || word.text.find("#(") != std::string::npos;
  });
  if (!known || !alone) judgement.runs_code(words[0], std::string(judgement.tool) + " can run any command from within");
}

// Programs that no other function covers, and whose language can run programs or write files.
struct CodeReader {
  std::string_view names;
  std::string_view options;  // options whose value is a file of code
  bool always;               // standard input is code even if no word names it
};

constexpr CodeReader code_readers[] = {
    {"awk gawk mawk nawk original-awk", "-f --file -E --exec -i --include", false},
    {"sed gsed", "-f --file", false},
    {"m4 gs ghostscript dc sftp", "", true},
    {"swift", "", false},
};

}  // namespace

void judge_code_in_input(const Judgement& judgement) {
  if (standard_input(judgement.command).kind == StandardInput::Kind::none) return;
  const auto& words = judgement.words();
  const auto is_input = [&](std::string_view text) { return text == "-" || judgement.is_descriptor_file(text); };
  const auto reader = std::find_if(std::begin(code_readers), std::end(code_readers),
                                   [&](const CodeReader& each) { return is_listed(each.names, judgement.tool); });
  if (reader == std::end(code_readers)) {
    // A build file on standard input: cmake -P -, ninja -f/dev/stdin.
    const OptionTable* const program = programs::find_program(judgement.tool);
    const bool named =
        program != nullptr && program->spec().reads_input &&
        std::any_of(words.begin() + 1, words.end(), [&](const Word& word) {
          const std::string_view text = word.text;
          const bool is_letter = text.size() > 2 && text[0] == '-' && text[1] != '-';
          return is_input(text) || is_input(text.substr(text.find('=') + 1)) || (is_letter && is_input(text.substr(2)));
        });
    if (named) judge_input(judgement);
    return;
  }
  bool reads = false;
  if (!reader->options.empty()) {
    const programs::Words texts = texts_of(words);
    const ParsedCommand reading = programs::read_safe(judgement.tool, texts);
    reads = std::any_of(reading.given.begin(), reading.given.end(), [&](const Given& option) {
      return option.option != nullptr && option.value && is_listed(reader->options, option.option->name) &&
             is_input(*option.value);
    });
  } else if (reader->always) {
    const bool tells = words.size() == 2 && is_listed("-h --help --version -V", words[1].text);
    // With -e, dc runs the text and then stops.
    const bool has_text =
        judgement.tool == "dc" && words.size() > 1 &&
        (words[1].text.starts_with("-e") || words[1].text.starts_with("--expression=")) &&
        std::none_of(words.begin(), words.end(), [&](const Word& word) { return is_input(word.text); });
    reads = !tells && !has_text;
  } else {
    reads = words.size() == 1 || std::any_of(words.begin() + 1, words.end(), [&](const Word& word) {
              return word.text == "repl" || is_input(word.text);
            });
  }
  if (reads) judge_input(judgement);
}

bool judge_interpreter(const Judgement& judgement) {
  const std::string_view tool = judgement.tool;
  const OptionTable* const found = programs::find_program(tool);
  const programs::Runs runs = found == nullptr ? programs::Runs::nothing : found->spec().runs;
  if (runs == programs::Runs::words) {
    judge_telling_words(judgement, *found);
    return true;
  }
  if (runs == programs::Runs::steered) {
    judge_steered(judgement, *found);
  } else if (is_listed("deno bun", tool)) {
    judge_script_runtime(judgement);
  } else if (is_listed("at batch crontab", tool)) {
    judge_spooler(judgement);
  } else if (is_listed("sqlite3 sqlite psql mysql mariadb", tool)) {
    judge_database(judgement);
  } else {
    if (runs != programs::Runs::interpreter) return false;
    judge_interpreter_words(judgement, *found);
  }
  return true;
}

}  // namespace wtool::policy
