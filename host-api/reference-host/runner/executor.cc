#include "runner/executor.h"

#include <algorithm>

#include "runner/actions.h"
#include "workflow/variables.h"

namespace wtool::host::workflow {
namespace {

using std::chrono::steady_clock;

// One path through the diagram. Parallel branches are to be several of these, each on a thread of its own.
class Branch {
 public:
  Branch(RunRequest& request, Variables& variables, RunReport& report)
      : request_(request), workflow_(request.workflow), variables_(variables), report_(report) {}

  void run(std::size_t start) {
    const std::int64_t limit =
        workflow_.max_steps.value_or(std::max(default_max_steps, static_cast<std::int64_t>(workflow_.states.size())));
    std::size_t current = start;
    for (std::int64_t steps = 0; current != no_state; ++steps) {
      if (const auto stop = request_.stop.requested()) return finish(RunReport::Status::aborted, stop->reason);
      if (steps == limit) {
        return finish(RunReport::Status::failed, "the run has entered " + std::to_string(limit) +
                                                     " states, which is its limit; if this is no endless loop, set "
                                                     "max_steps in the front matter");
      }
      const State& state = workflow_.states[current];
      if (!perform(state, current)) return;
      const Transition* exit = choose(state);
      if (exit == nullptr) return;
      const bool failed = state.action && report_.steps.back().status == Step::Status::failed;
      const bool unjudged = state.exits.size() == 1 &&
                            (exit->kind == Transition::Kind::unconditional || exit->kind == Transition::Kind::fallback);
      if (exit->target == no_state && failed && unjudged) {
        return finish(RunReport::Status::failed, "the last state '" + state.id + "' failed: " + what_failed());
      }
      current = exit->target;
    }
    report_.last.reset();
  }

 private:
  void finish(RunReport::Status status, std::string reason) {
    report_.status = status;
    report_.reason = std::move(reason);
  }

  // False when the run is over.
  bool perform(const State& state, std::size_t index) {
    Step& step = report_.steps.emplace_back();
    step.number = step.sequence = report_.steps.size();
    step.workflow = &workflow_;
    step.state = index;
    step.began = steady_clock::now();
    request_.observer.state_entered(step);
    ActionResult result;
    if (state.action) {
      std::vector<std::pair<std::string, expressions::Value>> assigned;
      result =
          run_action(step, {request_.source, variables_, request_.tools, request_.stop, request_.observer}, assigned);
      for (auto& [name, value] : assigned) variables_.set(name, std::move(value));
      variables_.record(state.id, state.action->options.result.name, result.outcome);
    }
    step.took = steady_clock::now() - step.began;
    step.exit_code = result.outcome.exit_code;
    step.status = result.outcome.aborted    ? Step::Status::aborted
                  : result.outcome.is_error ? Step::Status::failed
                                            : Step::Status::succeeded;
    request_.observer.state_ended(step, {result.outcome, result.command, {}, "", false, true, {}});
    const bool abort = result.abort;
    const bool mistake = !result.mistake.empty();
    if (state.action) report_.last = LastStep{state.id, std::move(result.command), std::move(result.outcome)};
    if (mistake) {
      finish(RunReport::Status::failed, result.mistake);
      return false;
    }
    if (step.status == Step::Status::aborted) {
      const auto stop = request_.stop.requested();
      finish(RunReport::Status::aborted, !abort && stop ? stop->reason : report_.last->outcome.message);
      return false;
    }
    return true;
  }

  std::string what_failed() const {
    const std::string& message = report_.last->outcome.message;
    return message.empty() ? "exit code " + std::to_string(report_.last->outcome.exit_code) : message;
  }

  bool flag(const char* name) const { return *variables_.find(name)->as_bool(); }

  // Null when no exit is open; then the run is over.
  const Transition* choose(const State& state) {
    const Transition* last_resort = nullptr;
    for (const Transition& exit : state.exits) {
      switch (exit.kind) {
        case Transition::Kind::unconditional:
        case Transition::Kind::fallback:
          last_resort = &exit;
          break;
        case Transition::Kind::success:
          if (flag("success")) return &exit;
          break;
        case Transition::Kind::failure:
          if (flag("failure")) return &exit;
          break;
        case Transition::Kind::expression: {
          const auto open = judge(exit);
          if (!open) return nullptr;
          if (*open) return &exit;
          break;
        }
      }
    }
    if (last_resort != nullptr) return last_resort;
    if (state.action && report_.steps.back().status == Step::Status::failed) {
      finish(RunReport::Status::failed,
             "the state '" + state.id + "' failed, and none of its exits is open: " + what_failed());
    } else {
      finish(RunReport::Status::failed, "none of the exits of the state '" + state.id + "' is open (success is " +
                                            (flag("success") ? "true" : "false") + ", exit_code is " +
                                            expressions::to_text(*variables_.find("exit_code")) + "); add a line " +
                                            state.id + " --> ...: default");
    }
    return nullptr;
  }

  // Nothing when it cannot be judged; then the run is over.
  std::optional<bool> judge(const Transition& exit) {
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
    const Position position = request_.source.position(offset);
    finish(RunReport::Status::failed, request_.source.name() + ":" + std::to_string(position.line) + ":" +
                                          std::to_string(position.column) + ": the condition `" + exit.label +
                                          "` cannot be judged: " + message);
    return std::nullopt;
  }

  RunRequest& request_;
  const Workflow& workflow_;
  Variables& variables_;
  RunReport& report_;
};

}  // namespace

RunReport run_workflow(RunRequest request) {
  RunReport report;
  const auto began = steady_clock::now();
  Variables variables(request.workflow, std::move(request.inputs));
  Branch(request, variables, report).run(request.workflow.start);
  report.took = steady_clock::now() - began;
  request.observer.run_ended(report);
  return report;
}

}  // namespace wtool::host::workflow
