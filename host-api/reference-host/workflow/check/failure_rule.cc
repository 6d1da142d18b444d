#include "workflow/check/failure_rule.h"

#include <algorithm>

#include "workflow/actions/action_type.h"

namespace wtool::host::workflow {
using Kind = Transition::Kind;

bool is_outcome_name(std::string_view name) {
  return name == "success" || name == "failure" || name == "exit_code" || name == "is_error";
}

bool is_unconditional(const Transition& exit) {
  return exit.kind == Kind::unconditional || exit.kind == Kind::fallback;
}

bool tests_outcome(const Transition& exit) {
  if (exit.kind == Kind::success || exit.kind == Kind::failure) return true;
  const auto& names = exit.condition.names;
  return std::any_of(names.begin(), names.end(), [](const expressions::NameUse& use) {
    return is_outcome_name(use.field.empty() ? use.name : use.field);
  });
}

bool can_fail(const State& state) {
  if (state.kind == State::Kind::join) return true;
  return state.action && type_of(state.action->kind).can_fail;
}

bool takes_failure(const Workflow& workflow, const State& state, const Transition& exit) {
  if (exit.always || workflow.continues) return true;
  if (exit.target != no_state && workflow.states[exit.target].kind == State::Kind::choice) return true;
  return std::any_of(state.exits.begin(), state.exits.end(), tests_outcome);
}

bool hands_failure_on(const Workflow& workflow, const State& state, const Transition& exit) {
  if (exit.always || exit.target == no_state) return false;
  const State& target = workflow.states[exit.target];
  if (target.kind == State::Kind::join) return true;
  if (target.hidden) return !workflow.continues;
  if (target.kind != State::Kind::choice || !is_unconditional(exit)) return false;
  return std::none_of(state.exits.begin(), state.exits.end(), tests_outcome);
}

bool has_failure_exit(const State& state) {
  return std::any_of(state.exits.begin(), state.exits.end(),
                     [](const Transition& exit) { return exit.kind == Kind::failure; });
}

std::string shown_name(const Workflow& workflow, std::size_t state) {
  if (state == no_state) return "[*]";
  const State& named = workflow.states[state];
  return named.hidden ? workflow.states[named.other_half].id : named.id;
}

}  // namespace wtool::host::workflow
