// Execute prompt "name" with name="value", and Prompt "text": the configured command (prompts.command) gets a text.
#include <set>
#include <string>
#include <utility>

#include "workflow/actions/action_type.h"
#include "workflow/check/checker.h"
#include "workflow/model/model.h"
#include "workflow/parse/action_options.h"

namespace wtool::host::workflow {
namespace {

ActionKind read_prompt(ActionReading& in) {
  PromptAction made;
  const bool is_inline = in.word == "prompt";
  made.is_inline = is_inline;
  if (!is_inline && !in.expect_word("prompt", "Execute prompt \"name\" with name=\"value\"")) return made;
  if (!in.quoted_template(is_inline ? "the text of the prompt" : "the name of the prompt", made.prompt)) return made;
  OptionReader options(in.cursor, in.diagnostics);
  take_arguments(in.cursor, options, in.options, made.arguments, in.diagnostics);
  return made;
}

void check_prompt(const PromptAction& prompt, const Action& action, ActionCheck& check) {
  // Reported once for each file, since the problem is the same for all prompts.
  if (check.around.prompt_command_problem && !std::exchange(check.told_of_command, true)) {
    if (std::string why = check.around.prompt_command_problem(); !why.empty())
      check.missing(action.offset, std::move(why));
  }
  if (!check.around.prompt_problems || prompt.is_inline || !is_literal(prompt.prompt)) return;
  std::set<std::string, std::less<>> known = names_defined(check.workflow, check.given);
  for (const Argument& argument : prompt.arguments) known.insert(argument.name);
  if (action.options.matrix) known.insert("matrix");
  for (std::string& why : check.around.prompt_problems(prompt.prompt.written.text(), check.around.file, known)) {
    check.missing(prompt.prompt.written.locate(0), std::move(why));
  }
}

}  // namespace

ActionType PromptAction::type() {
  ActionType type;
  type.name = "prompt";
  type.words = {"execute", "prompt"};
  type.forms = {"Execute prompt \"name\"", "Prompt \"text\""};
  type.is_one_call = true;
  type.read = read_prompt;
  type.texts = texts_of<PromptAction>([](const PromptAction& prompt, TextVisitor& visit) {
    visit.text(prompt.prompt);
    visit.arguments(prompt.arguments);
  });
  type.check = check_of<PromptAction, check_prompt>;
  type.describe = describe_of<PromptAction>([](const PromptAction& prompt, const Describer& describer) {
    return (prompt.is_inline ? "gives the prompt " : "gives the prompt file ") + describer.quoted(prompt.prompt) +
           " to prompts.command" + describer.arguments(prompt.arguments);
  });
  return type;
}

}  // namespace wtool::host::workflow
