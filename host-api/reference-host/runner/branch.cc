#include "runner/branch.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "runner/secrets.h"
#include "runner/services.h"
#include "runner/step_outputs.h"
#include "runner/steps.h"
#include "workflow/check/failure_rule.h"

namespace wtool::host::runner {

using workflow::no_state;
using workflow::State;
using workflow::Workflow;

namespace {

// Without this limit, a loop around a refused command or a mistake would repeat its other states until max_steps is
// reached.
constexpr int max_handled_in_a_row = 10;

std::string in_a_row() {
  return " (" + std::to_string(max_handled_in_a_row) + " times in a row; another round would fail in the same way)";
}

std::string name_of(const Workflow& workflow, std::size_t state) {
  return state == no_state ? "[*]" : workflow.states[state].id;
}

std::string why_fatal(const State& state, const ActionResult& result, const Outcome& outcome) {
  if (!result.mistake.empty()) return result.mistake;
  const std::string what = "step '" + state.id + "'";
  if (outcome.error == exhausted_error && !std::holds_alternative<workflow::WorkflowAction>(state.action->kind)) {
    return what + " was not completed: " + outcome.message + "; an exit `" + state.id +
           " --> ...: exhausted` handles this case";
  }
  if (std::holds_alternative<workflow::WorkflowAction>(state.action->kind)) {
    return "in the workflow that " + what + " runs: " + outcome.message;
  }
  return what + (result.refused ? " was refused: " : " failed: ") + outcome.message;
}

}  // namespace

BranchResult Branch::failed(std::string reason) const {
  BranchResult end;
  end.kind = BranchResult::Kind::failed;
  end.reason = std::move(reason);
  end.last = last_;
  return end;
}

BranchResult Branch::fatal(std::string reason, bool refused) const {
  BranchResult end = failed(std::move(reason));
  end.fatal = true;
  end.refused = refused;
  return end;
}

BranchResult Branch::aborted() const {
  BranchResult end;
  end.kind = BranchResult::Kind::aborted;
  const auto stop = stop_.requested();
  end.reason = stop ? stop->reason : last_ ? last_->outcome.message : "";
  end.suspended = !stop && last_ && last_->outcome.error == approval_pending;
  end.last = last_;
  return end;
}

// The path has reached its join. If an inner fork has failed at the same join, so has this path.
BranchResult Branch::joined() const {
  if (pending_ && pending_->failed == Failed::path) return pending_->end;
  BranchResult end;
  if (pending_) end = pending_->end;
  end.kind = BranchResult::Kind::joined;
  end.with_failure = pending_.has_value();
  return end;
}

std::string Branch::what_failed() const {
  const std::string& message = last_->outcome.message;
  return message.empty() ? "exit code " + std::to_string(last_->outcome.exit_code) : message;
}

BranchResult Branch::go(std::size_t start, std::size_t until) {
  const Workflow& workflow = invocation_.workflow;
  const std::int64_t limit = workflow.max_steps.value_or(
      std::max(workflow::default_max_steps, static_cast<std::int64_t>(workflow.states.size())));
  exits_.ends_at(until);
  std::size_t current = start;
  while (current != no_state) {
    if (current == until) return joined();
    if (const auto& before = invocation_.run.request().services.before_state) before();
    if (stop_.requested()) return aborted();
    // In the earlier run, the branch was stopped here, because another branch of the fork had failed.
    if (lineage_.over && run_.past_ended_before({place_.branch, place_.sequence + 1})) return aborted();
    if (invocation_.entered.fetch_add(1) >= limit) {
      return fatal("the workflow has entered " + std::to_string(limit) +
                       " states, which is its limit; if the loop is intended, set max_steps in the front matter",
                   false);
    }
    if (auto end = visit(current)) return *end;
  }
  return {};
}

// --- one state ---

std::optional<BranchResult> Branch::visit(std::size_t& current) {
  const State& state = invocation_.workflow.states[current];
  if (current == invocation_.finally) invocation_.finally_entered = true;
  run_.entered(state.id, place_.branch);
  const bool counts = state.action && state.action->options.max_visits;
  const std::int64_t visit = counts ? invocation_.visits[current].fetch_add(1) + 1 : 0;
  tell_budget();
  run_.services().enter(invocation_, place_.branch, current);
  ++place_.sequence;
  RanStep ran = run_step(
      invocation_, current, place_, variables_, [] {}, [&](Step& begun) { return perform(state, begun, visit); });
  auto& [step, end, result, replayed, was_left] = ran;
  if (state.action) store(step, result, end);
  if (replayed) count_replayed_usage(invocation_, place_);
  tell_budget();

  if (result.abort) {
    BranchResult branch_result = aborted();
    branch_result.reason = end.outcome.message;
    branch_result.by_action = true;
    run_.abort(end.outcome.message);
    return stay(step, end, std::move(branch_result));
  }
  if (!result.is_fatal()) {
    if (const auto handled = handled_.find(step.state); handled != handled_.end()) handled->second.results = 0;
  } else if (auto ends = fatal_end(step, end.outcome, result)) {
    return stay(step, end, *std::move(ends));
  }
  if (step.status == Step::Status::aborted) return stay(step, end, aborted());
  const bool action_failed = state.action && step.status == Step::Status::failed;
  if (action_failed) {
    pending_ =
        Pending{failed("step '" + state.id + "' failed, and no transition handles the failure: " + what_failed()),
                end.outcome, Failed::action};
    pending_->end.refused = is_refusal(end.outcome);
  } else if (pending_) {
    stand_for(*pending_, state, step, end);
  }
  if (end.ends_workflow) {
    if (!replayed) run_.observer().noticed("the agent of '" + state.id + "' ended the workflow");
    BranchResult branch_result;
    go_on(step, end, {no_state}, current);
    return branch_result;
  }
  return leave(step, end, action_failed, current);
}

// How a result of the state's action that the state itself must handle ends the path. Nothing: the state handles it.
std::optional<BranchResult> Branch::fatal_end(const Step& step, const Outcome& outcome, const ActionResult& result) {
  const State& state = step.of();
  const bool composite = !state.hidden && state.other_half != no_state;
  const State& exits_of = composite ? invocation_.workflow.states[state.other_half] : state;
  std::string why = why_fatal(state, result, outcome);
  const bool handled = !state.action->options.on_failure.name.empty() || has_failure_exit(exits_of) ||
                       (outcome.error == exhausted_error && has_exhausted_exit(exits_of));
  if (!handled) return fatal(std::move(why), result.refused);
  if (++handled_[step.state].results == max_handled_in_a_row) return fatal(why + in_a_row(), result.refused);
  return std::nullopt;
}

// Makes a join, or the end of a composite state, fail when the states that lead to it have failed. If it has an action,
// a success of that action does not handle their failure.
void Branch::stand_for(const Pending& failure, const State& state, Step& step, StepEnd& end) {
  if (state.kind == State::Kind::join || state.hidden) {
    step.status = Step::Status::failed;
    step.exit_code = failure.outcome.exit_code;
    if (state.action) {
      const std::string& message = failure.outcome.message;
      end.failed_before = message.empty() ? "exit code " + std::to_string(failure.outcome.exit_code) : message;
    } else {
      end.outcome = failure.outcome;
    }
  }
  if (state.action && !invocation_.workflow.continues) tell(failure.outcome);
}

// --- leaving a state ---

std::optional<BranchResult> Branch::leave(Step& step, StepEnd& end, bool action_failed, std::size_t& current) {
  const State& state = step.of();
  if (action_failed && !state.action->options.on_failure.name.empty()) {
    pending_.reset();
    return go_on(step, end, {invocation_.workflow.index_of(state.action->options.on_failure.name)}, current);
  }
  if (pending_) {
    const bool leads_inwards = state.kind == State::Kind::fork || (!state.hidden && state.other_half != no_state);
    return follow(
        leads_inwards ? exits_.way_out(step.state, pending_->failed) : exits_.way_from(step.state, pending_->failed),
        step, end, current);
  }
  if (state.kind == State::Kind::fork) {
    if (lineage_.forks == max_forks_depth) {
      return stay(
          step, end,
          fatal("the fork '" + state.id + "' is nested in " + std::to_string(max_forks_depth) +
                    " other forks, which is the limit; if a branch leads back to its own fork, let it do so after " +
                    "the join",
                false));
    }
    return take_fork(state, step, end, current);
  }
  const Choice choice = exits_.choose(state, Failed::no);
  if (!choice.mistake.empty()) return mistaken(state, choice, step, end, current);
  if (const auto handled = handled_.find(step.state); handled != handled_.end()) handled->second.mistakes = 0;
  if (choice.taken != nullptr) return go_on(step, end, {choice.taken->target}, current);
  Outcome stuck;
  stuck.is_error = true;
  stuck.exit_code = 1;
  stuck.message = "no transition of the state '" + state.id + "' applies (success is " +
                  expressions::to_text(*variables_.find("success")) + ", exit_code is " +
                  expressions::to_text(*variables_.find("exit_code")) + "); add a line " + state.id +
                  " --> ...: default";
  pending_ = Pending{failed(stuck.message), stuck, Failed::path};
  tell(stuck);
  return follow(exits_.way_out(step.state, Failed::path), step, end, current);
}

std::optional<BranchResult> Branch::follow(const FailureWay& way, Step& step, StepEnd& end, std::size_t& current) {
  if (way.kind == FailureWay::Kind::mistake) return stay(step, end, fatal(way.mistake, false));
  BranchResult failure = pending_->end;
  if (way.kind == FailureWay::Kind::unhandled) {
    if (!way.left_out.empty() && !failure.names_arrow) {
      failure.names_arrow = true;
      failure.reason += " (`" + way.left_out + "` is taken only after a success; write `" + way.left_out +
                        ": always` if it is right after a failure, too, or add an exit `" +
                        way.left_out.substr(0, way.left_out.find(" --> ")) + " --> STATE: failure` to another state)";
    }
    return stay(step, end, std::move(failure));
  }
  if (way.kind == FailureWay::Kind::joins) {
    failure.kind = BranchResult::Kind::joined;
    failure.with_failure = true;
    return stay(step, end, std::move(failure));
  }
  if (!way.mistake.empty()) run_.observer().noticed(way.mistake + "; the exit `failure` is taken instead");
  pending_->failed = way.failed;
  if (!way.handed_on) pending_.reset();
  if (way.always && last_) last_->handled = true;
  return go_on(step, end, {way.target}, current);
}

// Called if a condition cannot be evaluated, which is a mistake of the workflow. Only an exit `failure` of the same
// state, or the state's option `on failure`, handles such a mistake.
std::optional<BranchResult> Branch::mistaken(const State& state, const Choice& choice, Step& step, StepEnd& end,
                                             std::size_t& current) {
  std::size_t target = choice.taken == nullptr ? no_state : choice.taken->target;
  if (choice.taken == nullptr) {
    target = state.action ? invocation_.workflow.index_of(state.action->options.on_failure.name) : no_state;
    if (target == no_state) return stay(step, end, fatal(choice.mistake, false));
  }
  if (++handled_[step.state].mistakes == max_handled_in_a_row) {
    return stay(step, end, fatal(choice.mistake + in_a_row(), false));
  }
  Outcome outcome;
  outcome.is_error = true;
  outcome.exit_code = 1;
  outcome.message = choice.mistake;
  tell(outcome);
  run_.observer().noticed(choice.mistake + "; the run continues where a failure of the state leads");
  return go_on(step, end, {target}, current);
}

BranchResult Branch::stay(Step& step, StepEnd& end, BranchResult branch_result) {
  end.transitioned = false;
  end.next.clear();
  // Without a fork around it, nothing follows now. An aborted step runs again.
  const auto kind = branch_result.kind;
  if (lineage_.forks > 0 && (kind == BranchResult::Kind::failed || kind == BranchResult::Kind::joined)) {
    run_.compare_ways(step, {});
  }
  run_.end_step(step, end);
  return branch_result;
}

std::optional<BranchResult> Branch::go_on(Step& step, StepEnd& end, const std::vector<std::size_t>& targets,
                                          std::size_t& current) {
  end.transitioned = true;
  end.next.clear();
  for (const std::size_t target : targets) end.next.push_back(name_of(invocation_.workflow, target));
  run_.compare_ways(step, end.next);
  run_.end_step(step, end);
  if (targets.size() == 1) current = targets[0];
  return std::nullopt;
}

void Branch::tell_budget() {
  if (invocation_.counts_usage) variables_.set_budget(budget_value(invocation_));
}

ActionResult Branch::perform(const State& state, Step& step, std::int64_t visit) {
  if (const auto most = state.action->options.max_visits; most && visit > *most) {
    step.tries = 0;
    return exhausted_result("it has had its " + counted(*most, "visit") + " (max=" + std::to_string(*most) + ")");
  }
  const ActionContext context{invocation_, variables_, stop_, lineage_.forks > 0};
  if (state.action->options.matrix) return run_matrix(step, context);
  return run_tries(step, context);
}

void Branch::store(const Step& step, ActionResult& result, StepEnd& end) {
  const State& state = step.of();
  const workflow::ActionOptions& options = state.action->options;
  end.secret = gives_secrets(step);
  if (end.secret) {
    run_.hide(step, result.outcome);
    const std::size_t shortest = is_secret_itself(step) ? 0 : Secrets::shortest_part;
    for (const auto& [name, value] : result.assigned) {
      if (const std::string text = expressions::to_text(value); text.size() >= shortest) run_.hide(text);
    }
  }
  for (const auto& [name, value] : result.assigned) variables_.set(name, value);
  keep_outputs(invocation_, step, result.outcome);
  variables_.record(state.id, options.result.name, result.outcome);
  end.outcome = result.outcome;
  end.command = result.command;
  end.assigned = std::move(result.assigned);
  end.ends_workflow = result.ends_workflow;
  end.result_name = options.result.name;
  last_ = LastStep{state.id, std::move(result.command), std::move(result.outcome)};
}

// --- exits ---

std::optional<BranchResult> Branch::take_fork(const State& state, Step& step, StepEnd& end, std::size_t& current) {
  std::vector<std::size_t> targets;
  for (const workflow::Transition& exit : state.exits) targets.push_back(exit.target);
  go_on(step, end, targets, current);
  ForkResult fork = run_fork(invocation_, place_, state, variables_, stop_, lineage_);
  last_ = std::move(fork.last);
  if (fork.branch_result.kind == BranchResult::Kind::aborted || fork.branch_result.fatal) return fork.branch_result;
  const bool stuck = fork.branch_result.kind == BranchResult::Kind::failed;
  current = fork.join;
  if (!stuck && !last_->outcome.is_error) return std::nullopt;
  if (!stuck && fork.join == no_state) return std::nullopt;
  if (!stuck)
    fork.branch_result = failed("the join '" + shown_name(invocation_.workflow, fork.join) + "' failed, and no " +
                                "transition handles the failure: " + what_failed());
  pending_ = Pending{std::move(fork.branch_result), last_->outcome, stuck ? Failed::path : Failed::action};
  if (fork.join != no_state) return std::nullopt;
  const FailureWay way = exits_.way_out(step.state, Failed::path);
  if (way.kind == FailureWay::Kind::mistake) return fatal(way.mistake, false);
  if (way.kind != FailureWay::Kind::leads_on) return pending_->end;
  pending_->failed = way.failed;
  current = way.target;
  return std::nullopt;
}

}  // namespace wtool::host::runner
