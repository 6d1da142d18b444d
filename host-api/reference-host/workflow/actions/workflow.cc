// Run workflow "name" with name="value", and Delegate to "name": runs another workflow with the given values.
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/edit_distance.h"
#include "workflow/actions/action_type.h"
#include "workflow/check/checker.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/model/parameters.h"
#include "workflow/parse/action_options.h"

namespace wtool::host::workflow {
namespace {

ActionKind read_workflow(ActionReading& in) {
  WorkflowAction made;
  if (in.word == "run") {
    if (!in.expect_word("workflow", std::string("Run workflow \"name\" with name=\"value\"") +
                                        (in.cursor.sees_text() ? "; a command is run by Shell \"command\"" : ""))) {
      return made;
    }
  } else {
    in.cursor.take_word("to");
  }
  if (!in.quoted_template("the name of the workflow", made.workflow)) return made;
  OptionReader options(in.cursor, in.diagnostics);
  take_arguments(in.cursor, options, in.options, made.arguments, in.diagnostics);
  return made;
}

// The value of the argument, if it is known before a run and always given.
std::optional<expressions::Value> literal_value(const Argument& argument) {
  if (argument.guard) return std::nullopt;
  if (const auto* value = std::get_if<expressions::Value>(&argument.value)) return *value;
  const auto& text = std::get<TemplateText>(argument.value);
  return is_literal(text) ? std::optional(expressions::Value(text.written.text())) : std::nullopt;
}

void check_arguments(const WorkflowAction& action, const Workflow& called, std::size_t at, ActionCheck& check) {
  std::vector<std::string> known;
  std::unordered_map<std::string, const Argument*> given;
  for (const Parameter& parameter : called.parameters) known.push_back(parameter.name);
  const std::vector<std::string> read = names_read(called);
  for (const Argument& argument : action.arguments) {
    given.insert_or_assign(argument.name, &argument);
    if (std::find(known.begin(), known.end(), argument.name) != known.end()) continue;
    if (std::binary_search(read.begin(), read.end(), argument.name)) continue;
    check.missing(argument.offset, "the workflow '" + action.workflow.written.text() + "' has no parameter '" +
                                       argument.name + "'" + did_you_mean(argument.name, known));
  }
  for (const Parameter& parameter : called.parameters) {
    if (const auto found = given.find(parameter.name); found != given.end()) {
      const auto value = literal_value(*found->second);
      const std::string problem = value ? argument_problem(parameter, *value) : "";
      if (problem.empty()) continue;
      check.missing(found->second->offset, "the workflow '" + action.workflow.written.text() +
                                               "' does not take this value for its parameter '" + parameter.name +
                                               "': " + problem);
      continue;
    }
    if (!parameter.required || parameter.fallback) continue;
    check.missing(at, "the workflow '" + action.workflow.written.text() + "' needs the parameter '" + parameter.name +
                          "'; give it as " + parameter.name + "=\"value\"");
  }
}

// The state, in `called` or in a workflow that it runs, whose step takes the lock, as "'State' of FILE"; empty: none is
// known.
std::string who_takes(const std::string& lock, const Library::Entry& called, Library& library) {
  std::vector<const Library::Entry*> all = {&called};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const State& state : all[i]->workflow.states) {
      if (!state.action) continue;
      const std::optional<TemplateText>& other = state.action->options.lock;
      if (other && is_literal(*other) && other->written.text() == lock) {
        return "'" + state.id + "' of " + all[i]->source.name();
      }
      const auto* call = std::get_if<WorkflowAction>(&state.action->kind);
      if (call == nullptr || !is_literal(call->workflow)) continue;
      std::string ignored;
      const Library::Entry* entry = library.find(call->workflow.written.text(), all[i]->source.name(), ignored);
      if (entry != nullptr && std::find(all.begin(), all.end(), entry) == all.end()) all.push_back(entry);
    }
  }
  return {};
}

void check_workflow_action(const WorkflowAction& action, const Action& whole, ActionCheck& check) {
  if (check.around.library == nullptr || !is_literal(action.workflow)) return;
  const std::size_t at = action.workflow.written.locate(0);
  std::string why;
  const Library::Entry* entry = check.around.library->find(action.workflow.written.text(), check.around.file, why);
  if (entry == nullptr) return check.missing(at, std::move(why));
  if (!entry->diagnostics.empty()) {
    check.missing(at, "the workflow '" + action.workflow.written.text() + "' has errors; `wtool lint " +
                          entry->source.name() + "` shows them");
  }
  check_arguments(action, entry->workflow, at, check);
  const std::optional<TemplateText>& lock = whole.options.lock;
  if (!lock || !is_literal(*lock)) return;
  const std::string other = who_takes(lock->written.text(), *entry, *check.around.library);
  if (other.empty()) return;
  check.diagnostics.add(lock->written.locate(0), "this step holds the lock \"" + lock->written.text() + "\" while " +
                                                     other +
                                                     " waits for it, and that step runs inside of this one; "
                                                     "take the lock in only one of them");
}

}  // namespace

ActionType WorkflowAction::type() {
  ActionType type;
  type.name = "workflow";
  type.words = {"run", "delegate"};
  type.forms = {"Run workflow \"name\""};
  type.read = read_workflow;
  type.texts = texts_of<WorkflowAction>([](const WorkflowAction& workflow, TextVisitor& visit) {
    visit.text(workflow.workflow);
    visit.arguments(workflow.arguments);
  });
  type.check = check_of<WorkflowAction, check_workflow_action>;
  type.describe = describe_of<WorkflowAction>([](const WorkflowAction& workflow, const Describer& describer) {
    return "runs the workflow " + describer.quoted(workflow.workflow) + describer.arguments(workflow.arguments);
  });
  return type;
}

}  // namespace wtool::host::workflow
