#include "runner/exits.h"

#include <algorithm>

#include "runner/actions.h"
#include "workflow/check/failure_rule.h"
#include "workflow/check/older_rule.h"

namespace wtool::host::runner {
namespace {

using workflow::no_state;
using workflow::State;
using workflow::Transition;

// Bounds how far a failure is followed through successive choices and nested composite states.
constexpr std::size_t max_way_depth = 200;

// False if nobody should be advised to take the exit after a failure, too: it would do what a person has refused, or
// pass over the conditions of the other exits, or nothing after it looks at the failure. Most runs should just fail.
bool is_advisable(const workflow::Workflow& workflow, const State& state, const Transition& exit) {
  if (!is_looked_at_after(workflow, static_cast<std::size_t>(&state - workflow.states.data()), exit)) return false;
  if (!state.action) return true;
  const workflow::ActionKind& kind = state.action->kind;
  return exit.kind != Transition::Kind::fallback && !std::holds_alternative<workflow::ConfirmAction>(kind) &&
         !std::holds_alternative<workflow::ApproveAction>(kind);
}

}  // namespace

Exits::Exits(const WorkflowInvocation& invocation, const Variables& variables, std::size_t fork)
    : invocation_(invocation), workflow_(invocation.workflow), variables_(variables) {
  if (fork == no_state) return;
  const State& state = workflow_.states[fork];
  outside_.push_back(state.other_half);
  for (std::size_t at = state.around; at != no_state && outside_.size() < max_way_depth;
       at = workflow_.states[at].around) {
    outside_.push_back(at);
  }
}

Choice Exits::choose(const State& state, Failed failed) const {
  Choice made;
  const Transition* last_resort = nullptr;
  const Transition* failure = nullptr;
  for (const Transition& exit : state.exits) {
    bool open = false;
    switch (exit.kind) {
      case Transition::Kind::unconditional:
      case Transition::Kind::fallback:
        // A second exit of these kinds is never taken here. It is allowed only from a prompt to [*], to show that the
        // agent may end the workflow.
        if (last_resort == nullptr) last_resort = &exit;
        break;
      case Transition::Kind::success:
        open = flag("success");
        break;
      case Transition::Kind::failure:
        open = flag("failure");
        failure = &exit;
        break;
      case Transition::Kind::expression: {
        if (!made.mistake.empty()) break;
        const auto judged = judge(exit);
        if (const auto* why = std::get_if<std::string>(&judged)) {
          // A failed step has no answer with the fields that its `output` names, and a failed prompt has set no
          // variable, so a condition that reads them is not a mistake.
          const bool answers = state.action && (state.action->options.output ||
                                                std::holds_alternative<workflow::PromptAction>(state.action->kind));
          if (failed != Failed::action || !answers) made.mistake = *why;
        } else {
          open = std::get<bool>(judged);
        }
        break;
      }
    }
    if (open && made.mistake.empty()) {
      made.taken = &exit;
      return made;
    }
  }
  if (!made.mistake.empty()) {
    made.taken = failure;
  } else if (last_resort != nullptr) {
    (leaves_out(state, *last_resort, failed) ? made.left_out : made.taken) = last_resort;
  }
  return made;
}

bool Exits::leaves_out(const State& state, const Transition& exit, Failed failed) const {
  if (failed == Failed::no || exit.always) return false;
  if (!workflow_.continues || failed == Failed::inside) return !takes_inner_failure(workflow_, state, exit);
  // Under `failures: continue`, an exit is left out only if it is the state's only exit and leads to the end or, after
  // the failure of a path, to any state except a choice.
  if (state.exits.size() != 1) return false;
  if (failed == Failed::action) return exit.target == no_state;
  return exit.target == no_state || workflow_.states[exit.target].kind != State::Kind::choice;
}

FailureWay Exits::way_from(std::size_t state, Failed failed, std::size_t depth) const {
  const State& at = workflow_.states[state];
  const Choice choice = choose(at, failed);
  FailureWay way;
  if (choice.taken == nullptr && !choice.mistake.empty()) {
    way.kind = FailureWay::Kind::mistake;
    way.mistake = choice.mistake;
    return way;
  }
  if (choice.taken == nullptr) {
    way = way_out(state, failed, depth);
    const bool tells = choice.left_out != nullptr && choice.left_out->target != no_state &&
                       choice.left_out->target != until_ && !workflow_.states[choice.left_out->target].hidden &&
                       is_advisable(workflow_, at, *choice.left_out);
    if (way.kind == FailureWay::Kind::unhandled && tells) way.left_out = arrow(at, *choice.left_out);
    return way;
  }
  const Transition& exit = *choice.taken;
  way.kind = FailureWay::Kind::leads_on;
  way.target = exit.target;
  way.always = exit.always;
  way.handed_on = hands_failure_on(workflow_, at, exit);
  if (way.handed_on && workflow_.continues) {
    const State& target = workflow_.states[exit.target];
    // Where failures continue, a choice may take any of its exits.
    if (failed == Failed::action) way.handed_on = target.kind == State::Kind::join || target.hidden;
    // The path took an exit, so it can go on, and a plain exit of the composite state may be taken as well.
    if (failed == Failed::path && target.hidden && target.kind != State::Kind::join) failed = Failed::action;
  }
  way.failed = failed;
  way.mistake = choice.mistake;
  if (!way.handed_on || depth == max_way_depth) return way;
  if (exit.target == until_) {
    // The branch is stuck, because a plain arrow of the join must not take this failure, either.
    way.kind = failed == Failed::inside ? FailureWay::Kind::unhandled : FailureWay::Kind::joins;
    return way;
  }
  FailureWay further = way_from(exit.target, failed, depth + 1);
  return further.kind == FailureWay::Kind::leads_on ? way : further;
}

FailureWay Exits::way_out(std::size_t state, Failed failed, std::size_t depth) const {
  FailureWay way;
  const State& at = workflow_.states[state];
  // The beginning of a composite state leads inwards. The exits of the composite state are those of its end.
  const std::size_t around = !at.hidden && at.other_half != no_state ? at.other_half : at.around;
  if (at.ends_part || around == no_state || around == until_ || depth == max_way_depth ||
      std::find(outside_.begin(), outside_.end(), around) != outside_.end()) {
    return way;
  }
  // Where failures continue, a plain arrow takes the failure of its own state, but not one that is left over inside.
  if (workflow_.continues) failed = Failed::inside;
  FailureWay further = way_from(around, failed, depth + 1);
  if (further.kind != FailureWay::Kind::leads_on) return further;
  way.kind = FailureWay::Kind::leads_on;
  way.failed = failed;
  way.target = around;
  way.handed_on = true;
  return way;
}

std::string Exits::arrow(const State& state, const Transition& exit) const {
  const std::size_t index = static_cast<std::size_t>(&state - workflow_.states.data());
  return shown_name(workflow_, index) + " --> " + shown_name(workflow_, exit.target);
}

std::variant<bool, std::string> Exits::judge(const Transition& exit) const {
  const auto value = expressions::evaluate(exit.condition, variables_);
  std::string message;
  std::size_t offset = exit.label_offset;
  if (const auto* error = std::get_if<expressions::ExpressionError>(&value)) {
    message = error->message;
    offset += error->offset;
  } else if (const bool* truth = std::get<expressions::Value>(value).as_bool()) {
    return *truth;
  } else {
    message = "a condition must be true or false, but this one is of type " +
              std::string(std::get<expressions::Value>(value).type_name());
  }
  return with_place(invocation_, offset, "the condition `" + exit.label + "` cannot be evaluated: " + message);
}

}  // namespace wtool::host::runner
