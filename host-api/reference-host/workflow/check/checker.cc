#include "workflow/check/checker.h"

#include <algorithm>

#include "workflow/check/action_checks.h"
#include "workflow/check/condition_types.h"
#include "workflow/check/diagram_checks.h"
#include "workflow/check/name_checks.h"
#include "workflow/check/older_rule.h"
#include "workflow/check/unread_states.h"

namespace wtool::host::workflow {
namespace {

// Only where nothing else is wrong: a mistake elsewhere may be why no action was found.
void check_that_it_acts(const Workflow& workflow, bool is_to_run, Findings& findings) {
  if (!findings.empty() || std::any_of(workflow.states.begin(), workflow.states.end(),
                                       [](const State& state) { return state.action || state.action_unread; })) {
    return;
  }
  const std::size_t at = workflow.states[workflow.start == no_state ? 0 : workflow.start].offset;
  const std::string message =
      "no state of this workflow has an action, so a run would do nothing; write actions as list items `- " +
      workflow.states[workflow.start == no_state ? 0 : workflow.start].id +
      ": Shell \"command\"` under a heading `## Actions`";
  if (is_to_run) {
    findings.add(at, message);
  } else {
    findings.warn(at, message);
  }
}

}  // namespace

void check_workflow(const Workflow& workflow, const std::vector<std::string>& given, const Surroundings& surroundings,
                    Findings& findings) {
  if (workflow.states.empty()) return;  // that was a finding of the parser's
  check_diagram(workflow, findings);
  check_older_rule(workflow, surroundings.file, findings);
  check_actions(workflow, given, surroundings, findings);
  check_condition_types(workflow, findings);
  check_names(workflow, given, surroundings, findings);
  check_unread_states(workflow, findings);
  check_that_it_acts(workflow, surroundings.must_exist, findings);
}

void check_workflow(const Workflow& workflow, const std::vector<std::string>& given, const ToolCaller* tools,
                    Findings& findings) {
  Surroundings surroundings;
  surroundings.tools = tools;
  check_workflow(workflow, given, surroundings, findings);
}

}  // namespace wtool::host::workflow
