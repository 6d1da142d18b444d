#include "workflow/check/called_workflows.h"

#include <map>
#include <set>
#include <string>

#include "workflow/check/checker.h"
#include "workflow/model/template_text.h"

namespace wtool::host::workflow {

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
    around.find_loops = false;  // they are found from the first workflow on
    const std::vector<std::string> names(given[entry].begin(), given[entry].end());
    check_workflow(entry->workflow, names, around, made.diagnostics);
    checked.push_back(std::move(made));
  }
  return checked;
}

}  // namespace wtool::host::workflow
