#include "runner/branch.h"

#include <algorithm>

#include "runner/fork.h"
#include "runner/matrix.h"
#include "runner/tries.h"

namespace wtool::host::workflow {

using std::chrono::steady_clock;

namespace {

std::string name_of(const Workflow& workflow, std::size_t state) {
  return state == no_state ? "[*]" : workflow.states[state].id;
}

}  // namespace

PathEnd Branch::failed(std::string reason) const {
  PathEnd end;
  end.kind = PathEnd::Kind::failed;
  end.reason = std::move(reason);
  end.last = last_;
  end.refused = last_ && is_refusal(last_->outcome);
  return end;
}

PathEnd Branch::aborted() const {
  PathEnd end;
  end.kind = PathEnd::Kind::aborted;
  const auto stop = stop_.requested();
  end.reason = stop ? stop->reason : last_ ? last_->outcome.message : "";
  end.last = last_;
  return end;
}

std::string Branch::what_failed() const {
  const std::string& message = last_->outcome.message;
  return message.empty() ? "exit code " + std::to_string(last_->outcome.exit_code) : message;
}

PathEnd Branch::go(std::size_t start, std::size_t until) {
  const Workflow& workflow = frame_.workflow;
  const std::int64_t limit =
      workflow.max_steps.value_or(std::max(default_max_steps, static_cast<std::int64_t>(workflow.states.size())));
  std::size_t current = start;
  while (current != no_state) {
    if (current == until) {
      if (failed_fork_) return *failed_fork_;
      PathEnd end;
      end.kind = PathEnd::Kind::joined;
      return end;
    }
    if (stop_.requested()) return aborted();
    // It was stopped here, because a branch beside it had failed.
    if (lineage_.over && run_.past_ended_before(name_, sequence_ + 1)) return aborted();
    if (frame_.entered.fetch_add(1) >= limit) {
      return failed("the run has entered " + std::to_string(limit) +
                    " states, which is its limit; if this is no endless loop, set max_steps in the front matter");
    }
    if (auto end = visit(current)) return *end;
  }
  if (failed_fork_) return *failed_fork_;
  return {};
}

// --- one state ---

std::optional<PathEnd> Branch::visit(std::size_t& current) {
  const State& state = frame_.workflow.states[current];
  if (current == frame_.finally) frame_.finally_entered = true;
  Step step = run_.begin_step(frame_.workflow, current, name_, ++sequence_);
  const PastStep* past = run_.past(name_, sequence_, state);
  // What was secret is not in the journal, so there is nothing to go on with.
  if (past != nullptr && past->end.secret) past = nullptr;
  step.replayed = past != nullptr;
  run_.observer().state_entered(step);

  ActionResult result;
  StepEnd end;
  if (past != nullptr) {
    end = past->end;
    result.outcome = end.outcome;
    result.assigned = end.assigned;
    result.command = end.command;
    step.tries = past->tries;
    step.took = past->took;
  } else if (state.action) {
    result = perform(state, step);
    step.took = steady_clock::now() - step.began;
    result.outcome.duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(step.took).count();
  }
  step.exit_code = result.outcome.exit_code;
  step.status = status_of(result.outcome);
  if (state.action) store(state, result, end);

  const auto stays = [&](PathEnd path_end) {
    end.went_on = false;
    run_.end_step(step, end);
    return path_end;
  };
  if (result.abort) {
    PathEnd path_end = aborted();
    path_end.reason = end.outcome.message;
    path_end.by_action = true;
    run_.abort(end.outcome.message);
    return stays(std::move(path_end));
  }
  if (!result.mistake.empty()) return stays(failed(result.mistake));
  if (step.status == Step::Status::aborted) return stays(aborted());

  const bool action_failed = state.action && step.status == Step::Status::failed;
  if (past != nullptr && !past->end.went_on) {
    // The branch ended here, and the join has judged that.
    const auto choice = choose(state, action_failed);
    if (const auto* reason = std::get_if<std::string>(&choice)) return stays(failed(*reason));
    return stays(failed("the state '" + state.id + "' failed: " + (last_ ? what_failed() : "")));
  }
  if (action_failed && !state.action->options.on_failure.name.empty()) {
    const std::size_t target = frame_.workflow.index_of(state.action->options.on_failure.name);
    return go_on(step, end, {target}, current);
  }
  if (state.kind == State::Kind::fork) {
    if (action_failed) return stays(failed("the state '" + state.id + "' failed: " + what_failed()));
    if (lineage_.forks == deepest_forks) {
      return stays(failed("the fork '" + state.id + "' is within " + std::to_string(deepest_forks) +
                          " others, which is the limit; if a branch leads back to its own fork, let it do so behind " +
                          "the join"));
    }
    return take_fork(state, step, end, current);
  }
  const auto choice = choose(state, action_failed);
  if (const auto* reason = std::get_if<std::string>(&choice)) return stays(failed(*reason));
  const auto& chosen = std::get<Choice>(choice);
  if (failed_fork_) {
    if (chosen.unjudged) return stays(*failed_fork_);
    failed_fork_.reset();  // the join has judged it
  }
  // A join has no action, and what its branches ended with in the place of one.
  const bool has_failed = action_failed || (state.kind == State::Kind::join && last_ && last_->outcome.is_error);
  if (chosen.target == no_state && has_failed && chosen.unjudged) {
    return stays(failed("the last state '" + state.id + "' failed: " + what_failed()));
  }
  return go_on(step, end, {chosen.target}, current);
}

std::optional<PathEnd> Branch::go_on(Step& step, StepEnd& end, const std::vector<std::size_t>& targets,
                                     std::size_t& current) {
  end.went_on = true;
  end.next.clear();
  for (const std::size_t target : targets) end.next.push_back(name_of(frame_.workflow, target));
  run_.end_step(step, end);
  if (targets.size() == 1) current = targets[0];
  return std::nullopt;
}

ActionResult Branch::perform(const State& state, Step& step) {
  const ActionContext context{frame_, variables_, stop_};
  if (state.action->options.matrix) return run_matrix(step, context);
  return run_tries(step, context);
}

void Branch::store(const State& state, ActionResult& result, StepEnd& end) {
  const Options& options = state.action->options;
  const auto* set = std::get_if<SetAction>(&state.action->kind);
  end.secret = options.secret || (set != nullptr && set->secret);
  if (end.secret) {
    run_.hide(result.outcome.standard_output);
    run_.hide(result.outcome.standard_error);
    for (const auto& [name, value] : result.assigned) run_.hide(expressions::to_text(value));
  }
  for (const auto& [name, value] : result.assigned) variables_.set(name, value);
  keep_output_files(result.outcome);
  variables_.record(state.id, options.result.name, result.outcome);
  end.outcome = result.outcome;
  end.command = result.command;
  end.assigned = std::move(result.assigned);
  end.result_name = options.result.name;
  last_ = LastStep{state.id, std::move(result.command), std::move(result.outcome)};
}

void Branch::keep_output_files(Outcome& outcome) {
  if (!frame_.reads_output_files || !run_.request().world.output_file) return;
  const std::string place = (name_.empty() ? "main" : name_) + "-" + std::to_string(sequence_);
  for (auto [stream, content, file] : {std::tuple("stdout", &outcome.standard_output, &outcome.standard_output_file),
                                       std::tuple("stderr", &outcome.standard_error, &outcome.standard_error_file)}) {
    std::string error;
    *file = run_.request().world.output_file(place + "." + stream, *content, error);
    if (!error.empty()) run_.observer().noticed(error);
  }
}

// --- exits ---

std::optional<PathEnd> Branch::take_fork(const State& state, Step& step, StepEnd& end, std::size_t& current) {
  std::vector<std::size_t> targets;
  for (const Transition& exit : state.exits) targets.push_back(exit.target);
  go_on(step, end, targets, current);
  ForkEnd fork = run_fork(frame_, name_, sequence_, state, variables_, stop_, lineage_);
  last_ = std::move(fork.last);
  if (fork.path_end.kind == PathEnd::Kind::aborted) return fork.path_end;
  if (fork.path_end.kind == PathEnd::Kind::failed) {
    if (fork.join == no_state) return fork.path_end;
    failed_fork_ = std::move(fork.path_end);
  }
  current = fork.join;
  return std::nullopt;
}

std::variant<Branch::Choice, std::string> Branch::choose(const State& state, bool action_failed) const {
  const Transition* taken = nullptr;
  const Transition* last_resort = nullptr;
  for (const Transition& exit : state.exits) {
    bool open = false;
    switch (exit.kind) {
      case Transition::Kind::unconditional:
      case Transition::Kind::fallback:
        last_resort = &exit;
        break;
      case Transition::Kind::success:
        open = flag("success");
        break;
      case Transition::Kind::failure:
        open = flag("failure");
        break;
      case Transition::Kind::expression: {
        const auto judged = judge(exit);
        if (const auto* why = std::get_if<std::string>(&judged)) return *why;
        open = std::get<bool>(judged);
        break;
      }
    }
    if (open) {
      taken = &exit;
      break;
    }
  }
  if (taken == nullptr) taken = last_resort;
  if (taken != nullptr) return Choice{taken->target, state.exits.size() == 1 && taken == last_resort};
  if (action_failed) {
    return "the state '" + state.id + "' failed, and none of its exits is open: " + what_failed();
  }
  return "none of the exits of the state '" + state.id + "' is open (success is " +
         (flag("success") ? "true" : "false") + ", exit_code is " +
         expressions::to_text(*variables_.find("exit_code")) + "); add a line " + state.id + " --> ...: default";
}

std::variant<bool, std::string> Branch::judge(const Transition& exit) const {
  const auto value = expressions::evaluate(exit.condition, variables_);
  std::string message;
  std::size_t offset = exit.label_offset;
  if (const auto* error = std::get_if<expressions::ExpressionError>(&value)) {
    message = error->message;
    offset += error->offset;
  } else if (const bool* truth = std::get<expressions::Value>(value).as_bool()) {
    return *truth;
  } else {
    message = "a condition must be true or false, and this is a " +
              std::string(std::get<expressions::Value>(value).type_name());
  }
  const Position position = frame_.source.position(offset);
  return frame_.source.name() + ":" + std::to_string(position.line) + ":" + std::to_string(position.column) +
         ": the condition `" + exit.label + "` cannot be judged: " + message;
}

}  // namespace wtool::host::workflow
