#include "workflow/check/checker.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "workflow/check/checks.h"
#include "workflow/check/older_rule.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {
namespace {

// Reports a workflow without any action, if nothing else is wrong: another mistake may be why no action was found.
void check_that_it_acts(const Workflow& workflow, bool is_to_run, Diagnostics& diagnostics) {
  if (!diagnostics.empty() || std::any_of(workflow.states.begin(), workflow.states.end(),
                                          [](const State& state) { return state.action || state.action_unread; })) {
    return;
  }
  const std::size_t at = workflow.states[workflow.start == no_state ? 0 : workflow.start].offset;
  const std::string message =
      "no state of this workflow has an action, so a run would do nothing; write actions as list items `- " +
      workflow.states[workflow.start == no_state ? 0 : workflow.start].id +
      ": Shell \"command\"` under a heading `## Actions`";
  if (is_to_run) {
    diagnostics.add(at, message);
  } else {
    diagnostics.warn(at, message);
  }
}

}  // namespace

void check_workflow(const Workflow& workflow, const std::vector<std::string>& given, const CheckContext& check_context,
                    Diagnostics& diagnostics) {
  if (workflow.states.empty()) return;  // the parser has reported the missing states
  check_diagram(workflow, diagnostics);
  check_older_rule(workflow, check_context.file, diagnostics);
  check_actions(workflow, given, check_context, diagnostics);
  check_condition_types(workflow, diagnostics);
  check_names(workflow, given, check_context, diagnostics);
  check_unread_states(workflow, diagnostics);
  check_that_it_acts(workflow, check_context.must_exist, diagnostics);
  check_loops(workflow, diagnostics);
  check_forks(workflow, diagnostics);
  check_parallel_steps(workflow, diagnostics);
}

void check_workflow(const Workflow& workflow, const std::vector<std::string>& given, const ToolCaller* tools,
                    Diagnostics& diagnostics) {
  CheckContext check_context;
  check_context.tools = tools;
  check_workflow(workflow, given, check_context, diagnostics);
}

std::vector<CalledWorkflow> check_called_workflows(const Workflow& workflow, const CheckContext& check_context) {
  struct Caller {
    const Workflow* workflow;
    std::string file;
  };
  std::vector<const Library::Entry*> order;
  std::map<const Library::Entry*, std::set<std::string>> given;
  std::vector<Caller> todo = {{&workflow, check_context.file}};
  while (!todo.empty()) {
    const Caller caller = todo.back();
    todo.pop_back();
    for (const State& state : caller.workflow->states) {
      const auto* call = state.action ? std::get_if<WorkflowAction>(&state.action->kind) : nullptr;
      if (call == nullptr || !is_literal(call->workflow)) continue;
      std::string error;
      const Library::Entry* entry = check_context.library->find(call->workflow.written.text(), caller.file, error);
      if (entry == nullptr) continue;
      const auto [found, is_new] = given.try_emplace(entry);
      for (const Argument& argument : call->arguments) found->second.insert(argument.name);
      if (!is_new) continue;
      order.push_back(entry);
      todo.push_back({&entry->workflow, entry->source.name()});
    }
  }
  std::vector<CalledWorkflow> checked;
  for (const Library::Entry* entry : order) {
    CalledWorkflow made{entry, {}};
    CheckContext around = check_context;
    around.file = entry->source.name();
    around.find_loops = false;  // a search from the first workflow finds all loops
    const std::vector<std::string> names(given[entry].begin(), given[entry].end());
    check_workflow(entry->workflow, names, around, made.diagnostics);
    checked.push_back(std::move(made));
  }
  return checked;
}

}  // namespace wtool::host::workflow
