// Shells: the text of -c, a here-document, or any other standard input.
#include <algorithm>

#include "policy/wrappers/family.h"

namespace wtool::policy {

namespace {

using programs::OptionTable;
using programs::ProgramSpec;

const OptionTable* find_shell(std::string_view tool) {
  const OptionTable* const found = programs::find_program(tool);
  return found != nullptr && found->spec().runs == programs::Runs::shell ? found : nullptr;
}

// zsh runs commands in words that other shells take literally: =name, and glob qualifiers. It reads <1-9> as a pattern,
// and runs a pager for a redirection without a command.
bool may_be_foreign(const ProgramSpec& shell, std::string_view tool, const Word& text) {
  return shell.foreign || (tool.ends_with("zsh") && text.text.find_first_of("=(<") != std::string::npos);
}

void judge_text(const Judgement& judgement, const ProgramSpec& shell, const Word& text) {
  judgement.runs_script(text);
  if (text.literal && may_be_foreign(shell, judgement.tool, text)) {
    judgement.runs_code(text, std::string(judgement.tool) + " may read its script differently from a POSIX shell");
  }
}

// bash also accepts its long options with a single dash, as long as no other option comes before them.
std::vector<Word> with_double_dashes(std::vector<Word> words, const OptionTable& shell) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (!words[i].literal || text.size() < 3 || text[0] != '-') break;
    if (text[1] == '-') continue;
    const std::string name = text.substr(1);
    const programs::Option* const option = shell.exact("--" + name);
    if (option == nullptr) break;
    words[i].text = "--" + name;
    i += option->values;
  }
  return words;
}

void judge_input(const Judgement& judgement, const ProgramSpec& shell) {
  const StandardInput input = standard_input(judgement.command);
  if (input.kind == StandardInput::Kind::text) return judge_text(judgement, shell, input.word);
  if (input.kind == StandardInput::Kind::unknown) {
    judgement.is_unclear(input.word, std::string(judgement.tool) +
                                         " runs its standard input, which is known only when the command runs");
  }
}

}  // namespace

bool judge_shell(const Judgement& judgement) {
  const OptionTable* const program = find_shell(judgement.tool);
  if (program == nullptr) return false;
  const ProgramSpec& shell = program->spec();
  const std::vector<Word> words = with_double_dashes(judgement.words(), *program);
  const ParsedCommand reading = read_options(words, 1, *program);
  if (judgement.has_obstacle(reading)) return true;
  if (reading.find("version help") != nullptr && reading.find("c e commands execute command") == nullptr) return true;
  if (const Given* option = reading.find(shell.code)) {
    judgement.runs_code(words[option->word],
                        "an option names a file of commands that " + std::string(judgement.tool) + " runs first");
  }
  // Shells differ in what -o takes. In bash and dash, it is the next word, even if further letters follow the o. In ksh
  // and mksh, it may also be the rest of the same word, but the next word only if that is not an option.
  for (const Given& option : reading.given) {
    if (option.option == nullptr || option.option->values == 0 || !option.value ||
        !is_listed("o O +o +O", option.name)) {
      continue;
    }
    const bool same_word = option.value_word == option.word;
    if ((same_word && !judgement.tool.ends_with("zsh")) || option.value->starts_with('-') ||
        option.value->starts_with('+')) {
      judgement.is_unclear(words[option.word], "it is not clear which word is the value of -" + option.name);
      return true;
    }
  }
  // If -c takes a value, this value is the text. If -c takes none, the first operand is the text.
  bool with_text = false;
  for (const Given& option : reading.given) {
    if (!is_listed("c C e command commands execute init-command", option.name) || !option.value) continue;
    judge_text(judgement, shell, judgement.value_of(option));
    with_text = true;
  }
  if (with_text) return true;
  // A lone dash ends a shell's options, as "--" does.
  std::size_t first = 0;
  if (!reading.operands.empty() && words[reading.operands[0]].literal && words[reading.operands[0]].text == "-")
    ++first;
  const bool has_operand = first < reading.operands.size();
  if (reading.find("c +c") != nullptr) {
    if (has_operand) judge_text(judgement, shell, words[reading.operands[first]]);
    return true;
  }
  if (!has_operand || reading.find("s") != nullptr) {
    judge_input(judgement, shell);
    return true;
  }
  const Word& file = words[reading.operands[first]];
  if (reading.passed_over) {
    judgement.is_unclear(file, "an option of " + std::string(judgement.tool) + " is not known here");
    return true;
  }
  if (!file.literal && !judgement.is_named_file(file)) {
    judgement.is_unclear(file, "what " + std::string(judgement.tool) + " runs is known only when the command runs");
  } else if (file.literal && judgement.is_descriptor_file(file.text)) {
    judge_input(judgement, shell);
    if (judgement.inners.empty())
      judgement.is_unclear(file, "the content of a descriptor is known only when the command runs");
  }
  return true;
}

}  // namespace wtool::policy
