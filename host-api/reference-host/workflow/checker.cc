#include "workflow/checker.h"

#include <algorithm>
#include <functional>
#include <set>

#include "loader/nearest.h"
#include "workflow/action_checks.h"
#include "workflow/condition_types.h"
#include "workflow/diagram_checks.h"
#include "workflow/outcome.h"
#include "workflow/suggestion.h"
#include "workflow/variables.h"

namespace wtool::host::workflow {
namespace {

using Names = std::set<std::string, std::less<>>;

class NameChecker {
 public:
  NameChecker(const Workflow& workflow, const std::vector<std::string>& given, Findings& findings)
      : workflow_(workflow), findings_(findings) {
    for (const Parameter& parameter : workflow_.parameters) {
      variables_.insert(parameter.name);
      check_own_name(parameter.name, parameter.offset, findings_);
    }
    variables_.insert(given.begin(), given.end());
    variables_.insert(workflow_.doubtful_names.begin(), workflow_.doubtful_names.end());
    for (const State& state : workflow_.states) {
      if (!state.hidden) outcomes_.insert(state.id);
      if (!state.action) continue;
      if (const auto* set = std::get_if<SetAction>(&state.action->kind)) {
        for (const Assignment& assignment : set->assignments) variables_.insert(assignment.name);
      }
      const NamedPlace& result = state.action->options.result;
      if (!result.name.empty()) outcomes_.insert(result.name);
    }
    outcomes_.insert("result");
    outcomes_.insert("last_action_result");
    known_.assign(variables_.begin(), variables_.end());
    known_.insert(known_.end(), outcomes_.begin(), outcomes_.end());
    known_.insert(known_.end(), run_names().begin(), run_names().end());
  }

  void run() {
    for (const NameRead& use : name_uses(workflow_, &findings_)) check(use);
  }

 private:
  void check(const NameRead& use) {
    if (variables_.contains(use.name)) return;
    if (use.name == "matrix") return matrix(use);
    const bool is_own = is_run_name(use.name);
    if (outcomes_.contains(use.name)) {
      // One of the run's own wins over a state of the same name.
      if (!is_own || use.name == "result" || use.name == "last_action_result") return field(use);
    }
    if (!is_own) {
      if (!use.may_be_missing) findings_.add(use.offset, undefined(use));
    } else if (!use.field.empty()) {
      findings_.add(use.offset, "'" + use.name + "' has no fields; the outcome of the last action is 'result'");
    }
  }

  void matrix(const NameRead& use) {
    const State& state = workflow_.states[use.state];
    if (use.in_action && state.action->options.matrix) return;
    if (!use.may_be_missing) {
      findings_.add(use.offset, "'matrix' has a value only in the action of a state that has the option matrix={...}");
    }
  }

  void field(const NameRead& use) {
    if (use.field.empty()) return;
    const auto& fields = outcome_fields();
    if (std::find(fields.begin(), fields.end(), use.field) != fields.end()) return;
    findings_.add(use.offset, "the outcome '" + use.name + "' has no field '" + use.field + "'" +
                                  did_you_mean(use.field, fields) + "; there are " + joined(fields));
  }

  std::string undefined(const NameRead& use) const {
    std::string text = "the variable '" + use.name + "' is not defined";
    if (findings_.size() <= most_findings_shown) text += did_you_mean(use.name, known_);
    if (use.in_command) {
      text += "; a variable of the shell is written $" + use.name + ", or $${" + use.name + "}";
    } else if (use.whole_condition) {
      text += "; a condition is always, default, success, failure, or an expression such as exit_code == 0";
    }
    return text;
  }

  const Workflow& workflow_;
  Findings& findings_;
  Names variables_;
  Names outcomes_;
  std::vector<std::string> known_;
};

}  // namespace

void check_workflow(const Workflow& workflow, const std::vector<std::string>& given, const Surroundings& surroundings,
                    Findings& findings) {
  if (workflow.states.empty()) return;  // that was a finding of the parser's
  check_diagram(workflow, findings);
  check_actions(workflow, surroundings, findings);
  check_condition_types(workflow, findings);
  NameChecker(workflow, given, findings).run();
}

void check_workflow(const Workflow& workflow, const std::vector<std::string>& given, const ToolCaller* tools,
                    Findings& findings) {
  Surroundings surroundings;
  surroundings.tools = tools;
  check_workflow(workflow, given, surroundings, findings);
}

}  // namespace wtool::host::workflow
