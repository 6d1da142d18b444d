// Shell builtins that run text (eval, trap, alias), and builtins of bash that evaluate even quoted arguments:
// printf -v 'a[$(COMMAND)]' x runs COMMAND.
#include <algorithm>

#include "base/text.h"
#include "policy/wrappers/family.h"

namespace wtool::policy {

namespace {

using programs::OptionTable;

bool has_substitution(const Word& word) { return word.text.find_first_of("$`") != std::string::npos; }

// True for a name with a subscript that bash would evaluate: a[$(COMMAND)], and a[b], where b may be x[$(COMMAND)].
bool has_live_subscript(std::string_view text) {
  const std::size_t bracket = text.find('[');
  return bracket != std::string_view::npos && text.find_first_not_of("0123456789@*]", bracket + 1) != text.npos;
}

void is_unknown_name(const Judgement& judgement, const Word& word) {
  judgement.is_unclear(
      word, "the name of a variable is known only when the command runs, and bash may run commands in that name");
}

// `word` is at a position where bash expects the name of a variable, or NAME=value.
void judge_name(const Judgement& judgement, const Word& word) {
  const std::string_view name = std::string_view(word.text).substr(0, word.text.find('='));
  if (word.literal ? has_live_subscript(word.text) : has_live_subscript(name)) {
    judgement.runs_code(word, "bash expands the subscript of a name once more, and runs the commands in it");
  } else if (!word.literal && (name.empty() || has_live_subscript(name))) {
    is_unknown_name(judgement, word);
  }
}

void judge_eval(const Judgement& judgement) {
  std::size_t first = 1;
  if (judgement.words().size() > 1 && judgement.word(1).literal && judgement.word(1).text == "--") ++first;
  judgement.runs_joined(first);
}

void judge_trap(const Judgement& judgement) {
  const ParsedCommand reading = read_options(judgement.words(), 1, *programs::find_program(judgement.tool));
  if (judgement.has_obstacle(reading) || reading.find("l p P") != nullptr || reading.operands.size() < 2) return;
  const Word& action = judgement.word(reading.operands.front());
  const bool is_signal = action.text.find_first_not_of("0123456789") == std::string::npos;
  if (action.literal && (action.text == "-" || is_signal)) return;
  judgement.runs_script(action);
}

void judge_alias(const Judgement& judgement) {
  for (std::size_t i = 1; i < judgement.words().size(); ++i) {
    const Word& word = judgement.word(i);
    const std::size_t equals = word.text.find('=');
    if (!word.literal) {
      judgement.runs_script(word);
    } else if (equals != std::string::npos && equals > 0) {
      judgement.runs_script({word.text.substr(equals + 1), true, word.at});
    }
  }
}

// `.` and `source`: the contents of an ordinary file are not judged, just as the contents of a program are not.
void judge_source(const Judgement& judgement) {
  std::size_t at = 1;
  if (at < judgement.words().size() && judgement.word(at).literal && judgement.word(at).text == "--") ++at;
  if (at >= judgement.words().size()) return;
  const Word& file = judgement.word(at);
  if (!file.literal) {
    if (judgement.is_named_file(file)) return;
    judgement.is_unclear(file, "which file the shell reads is known only when the command runs");
  } else if (judgement.is_descriptor_file(file.text)) {
    const StandardInput input = standard_input(judgement.command);
    if (input.kind == StandardInput::Kind::text && file.text == "/dev/stdin") return judgement.runs_script(input.word);
    judgement.is_unclear(file, "the content of a descriptor is known only when the command runs");
  }
}

// test -v NAME, [ -R NAME ]: anything except a plain name may be evaluated. Some shells also evaluate the operands
// of -eq.
void judge_test(const Judgement& judgement) {
  const std::vector<Word>& words = judgement.words();
  const auto evaluates = [&](const Word& word) {
    judgement.runs_code(word, "some shells evaluate an operand of test, and run the commands in it");
  };
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    if (!words[i].literal) continue;
    const Word& next = words[i + 1];
    if (words[i].text == "-v" || words[i].text == "-R") {
      if (!next.literal) {
        is_unknown_name(judgement, next);
      } else if (!is_variable_name(next.text) && next.text != "]") {
        evaluates(next);
      }
    } else if (is_listed("-eq -ne -lt -le -gt -ge", words[i].text)) {
      for (const Word& number : {words[i - 1], next}) {
        if (number.literal && number.text.find('[') != std::string::npos && i > 1) evaluates(number);
      }
    }
  }
}

// Judges the name of the variable in printf -v NAME and in wait -p NAME.
void judge_named_option(const Judgement& judgement, std::string_view option) {
  for (std::size_t i = 1; i < judgement.words().size(); ++i) {
    const Word& word = judgement.word(i);
    if (word.text.starts_with(option) && word.text.size() > option.size() && judgement.tool == "printf") {
      judge_name(judgement, {word.text.substr(option.size()), word.literal, word.at});
    } else if (word.literal && word.text == option && i + 1 < judgement.words().size()) {
      const Word& name = judgement.word(i + 1);
      if (name.literal) {
        judge_name(judgement, name);
      } else {
        is_unknown_name(judgement, name);
      }
    }
    // printf takes -v as an option only if it is the first argument.
    if (judgement.tool == "printf" && !word.text.starts_with(option)) break;
  }
}

// Judges what the options and operands of a builtin make the shell run, as its spec says. The value of read's -a is the
// name of an array, so it is judged as a name.
void judge_options(const Judgement& judgement) {
  const OptionTable& builtin = *programs::find_program(judgement.tool);
  const ParsedCommand reading = read_options(judgement.words(), 1, builtin);
  if (judgement.has_obstacle(reading)) return;
  for (const Given& option : reading.given) {
    const Word value = judgement.value_of(option);
    if (is_listed(builtin.spec().script, option.name)) judgement.runs_script(value);
    if (is_listed(builtin.spec().code, option.name)) {
      judgement.runs_code(judgement.word(option.word),
                          "an option of " + std::string(judgement.tool) + " makes the shell run what the option names");
    }
    if (option.name == "W" && has_substitution(value)) {
      judgement.runs_code(value, "bash expands the list of -W, and runs the commands in it");
    }
    if (option.name == "a" && option.value) judge_name(judgement, value);
  }
  if (!builtin.spec().names_variables) return;
  for (const std::size_t operand : reading.operands) {
    const Word& word = judgement.word(operand);
    const bool is_arithmetic = judgement.tool == "let";
    if (is_arithmetic && !word.literal) {
      judgement.is_unclear(
          word, "an arithmetic expression is known only when the command runs, and bash may run commands in it");
    } else if (is_arithmetic && has_substitution(word)) {
      judgement.runs_code(word, "bash expands arithmetic once more, and runs the commands in it");
    } else {
      judge_name(judgement, word);
    }
  }
}

struct Builtin {
  std::string_view names;
  void (*judge)(const Judgement&);
};

constexpr Builtin builtins[] = {
    {"eval", judge_eval},
    {"trap", judge_trap},
    {"alias", judge_alias},
    {". source", judge_source},
    {"test [ [[", judge_test},
    {"printf", [](const Judgement& judgement) { judge_named_option(judgement, "-v"); }},
    {"wait", [](const Judgement& judgement) { judge_named_option(judgement, "-p"); }},
    {"mapfile readarray complete compgen enable hash let declare typeset local export readonly read unset getopts",
     judge_options},
    {"fc bind",
     [](const Judgement& judgement) {
       const bool shows =
           judgement.words().size() > 1 && judgement.word(1).literal &&
           is_listed(judgement.tool == "fc" ? "-l -ln -lr" : "-l -p -P -s -S -v -V", judgement.word(1).text);
       if (!shows)
         judgement.runs_code(judgement.word(0), std::string(judgement.tool) + " makes the shell run other commands");
     }},
};

}  // namespace

bool judge_builtin(const Judgement& judgement) {
  for (const Builtin& builtin : builtins) {
    if (!is_listed(builtin.names, judgement.tool)) continue;
    builtin.judge(judgement);
    return true;
  }
  return false;
}

}  // namespace wtool::policy
