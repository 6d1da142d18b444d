#include "workflow/check/checker.h"

#include <algorithm>

#include "workflow/check/checks.h"
#include "workflow/check/older_rule.h"

namespace wtool::host::workflow {
namespace {

// Only where nothing else is wrong: a mistake elsewhere may be why no action was found.
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
  if (workflow.states.empty()) return;  // that was a diagnostic of the parser's
  check_diagram(workflow, diagnostics);
  check_older_rule(workflow, check_context.file, diagnostics);
  check_actions(workflow, given, check_context, diagnostics);
  check_condition_types(workflow, diagnostics);
  check_names(workflow, given, check_context, diagnostics);
  check_unread_states(workflow, diagnostics);
  check_that_it_acts(workflow, check_context.must_exist, diagnostics);
}

void check_workflow(const Workflow& workflow, const std::vector<std::string>& given, const ToolCaller* tools,
                    Diagnostics& diagnostics) {
  CheckContext check_context;
  check_context.tools = tools;
  check_workflow(workflow, given, check_context, diagnostics);
}

}  // namespace wtool::host::workflow
