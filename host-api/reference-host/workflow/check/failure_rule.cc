#include "workflow/check/failure_rule.h"

#include <algorithm>
#include <set>
#include <variant>

#include "expressions/expression.h"
#include "expressions/value.h"
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
  return workflow.continues || takes_inner_failure(workflow, state, exit);
}

bool takes_inner_failure(const Workflow& workflow, const State& state, const Transition& exit) {
  if (exit.always) return true;
  if (exit.target != no_state && workflow.states[exit.target].kind == State::Kind::choice) return true;
  return std::any_of(state.exits.begin(), state.exits.end(), tests_outcome);
}

bool may_take_failures(const Workflow& workflow, const State& state) {
  return std::any_of(state.exits.begin(), state.exits.end(), [&](const Transition& exit) {
    return is_unconditional(exit) ? takes_failure(workflow, state, exit) : exit.kind != Kind::success;
  });
}

bool may_take_inner_failure(const Workflow& workflow, const State& state, const Transition& exit) {
  return is_unconditional(exit) ? takes_inner_failure(workflow, state, exit) : exit.kind != Kind::success;
}

bool ends_run(const State& state) { return state.action && std::holds_alternative<AbortAction>(state.action->kind); }

namespace {

// What is certain once `done` has succeeded and nothing else has been done. Any other name is an error, so a condition
// whose result depends on it is undecided.
class SuccessScope final : public expressions::Scope {
  using Value = expressions::Value;

 public:
  SuccessScope(const std::set<std::string, std::less<>>& set, const State& done) : set_(set), done_(done) {}

  const Value* find(std::string_view name) const override {
    static const Value no(false);
    static const Value outcome = [] {
      expressions::Map map;
      map.fields = {{"success", Value(true)},
                    {"failure", Value(false)},
                    {"is_error", Value(false)},
                    {"exit_code", Value(std::int64_t{0})},
                    {"error", Value("")}};
      return Value(std::move(map));
    }();
    if (set_.contains(name)) return nullptr;
    if (name == "exhausted") return &no;
    if (is_outcome_name(name) || name == "error") return expressions::field_of(&outcome, name);
    const bool is_outcome = name == "result" || name == "last_action_result" || name == done_.id ||
                            (done_.action && name == done_.action->options.result.name && !name.empty());
    return is_outcome ? &outcome : nullptr;
  }
  std::string why_not(std::string_view /*name*/) const override { return "it is not known before the run"; }

 private:
  const std::set<std::string, std::less<>>& set_;
  const State& done_;
};

}  // namespace

AfterSuccess::AfterSuccess(const Workflow& workflow) {
  for (const State& state : workflow.states) {
    const auto* set = state.action ? std::get_if<SetAction>(&state.action->kind) : nullptr;
    if (set == nullptr) continue;
    for (const Assignment& assignment : set->assignments) set_.insert(assignment.name);
  }
}

std::vector<std::size_t> AfterSuccess::targets(const State& state, const State& done) const {
  const SuccessScope scope(set_, done);
  std::vector<std::size_t> targets;
  std::vector<std::size_t> last_resort;
  for (const Transition& exit : state.exits) {
    if (exit.kind == Kind::failure) continue;
    if (is_unconditional(exit)) {
      last_resort.push_back(exit.target);
      continue;
    }
    bool is_sure = exit.kind == Kind::success;
    if (exit.kind == Kind::expression && exit.condition.root) {
      const auto judged = expressions::evaluate(exit.condition, scope);
      const auto* value = std::get_if<expressions::Value>(&judged);
      const bool* truth = value == nullptr ? nullptr : value->as_bool();
      if (truth != nullptr && !*truth) continue;
      is_sure = truth != nullptr;
    }
    targets.push_back(exit.target);
    if (is_sure) return targets;  // it is always taken, and no later exit is
  }
  targets.insert(targets.end(), last_resort.begin(), last_resort.end());
  return targets;
}

bool hands_failure_on(const Workflow& workflow, const State& state, const Transition& exit) {
  if (exit.always || exit.target == no_state) return false;
  const State& target = workflow.states[exit.target];
  if (target.kind == State::Kind::join || target.hidden) return true;
  if (target.kind != State::Kind::choice || !is_unconditional(exit)) return false;
  return std::none_of(state.exits.begin(), state.exits.end(), tests_outcome);
}

bool has_failure_exit(const State& state) {
  return std::any_of(state.exits.begin(), state.exits.end(),
                     [](const Transition& exit) { return exit.kind == Kind::failure; });
}

bool has_exhausted_exit(const State& state) {
  return std::any_of(state.exits.begin(), state.exits.end(), [](const Transition& exit) {
    const auto& names = exit.condition.names;
    return std::any_of(names.begin(), names.end(),
                       [](const expressions::NameUse& use) { return use.name == "exhausted"; });
  });
}

std::string shown_name(const Workflow& workflow, std::size_t state) {
  if (state == no_state) return "[*]";
  const State& named = workflow.states[state];
  return named.hidden ? workflow.states[named.other_half].id : named.id;
}

}  // namespace wtool::host::workflow
