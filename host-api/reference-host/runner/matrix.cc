
#include <algorithm>
#include <mutex>

#include "base/json.h"
#include "expressions/value.h"
#include "runner/actions.h"
#include "runner/step_outputs.h"
#include "runner/steps.h"
#include "runner/waiting.h"

namespace wtool::host::runner {

using expressions::Value;
using nlohmann::json;

std::variant<std::vector<Value>, std::string> combinations(const json& matrix, const expressions::Scope& values) {
  std::string why;
  const auto lists = rendered_arguments(matrix, values, why);
  if (!lists) return why;
  std::vector<expressions::Map> made(1);
  for (const auto& [name, list] : lists->items()) {
    if (!list.is_array()) {
      const std::string must = "matrix." + name + " must be a list, but is ";
      if (!list.is_string()) return must + expressions::quoted_json(list);
      return must + "the text " + expressions::quoted_for_message(list.get_ref<const std::string&>()) +
             "; `{{ NAME | lines }}` is the list of its lines";
    }
    std::vector<expressions::Map> next;
    if (made.size() * list.size() > workflow::max_combinations) {
      return "the matrix has more than " + std::to_string(workflow::max_combinations) + " combinations";
    }
    for (const expressions::Map& before : made) {
      for (const json& entry : list) {
        expressions::Map combination = before;
        combination.fields.insert_or_assign(name, expressions::from_json(entry).value_or(Value()));
        next.push_back(std::move(combination));
      }
    }
    made = std::move(next);
  }
  std::vector<Value> out;
  out.reserve(made.size());
  for (expressions::Map& combination : made) out.emplace_back(std::move(combination));
  return out;
}

namespace {

struct CombinationLane {
  Value combination;
  ActionResult result;
};

void run_lane(CombinationLane& lane, const Step& whole, std::size_t index, const ActionContext& context, Stop& stop) {
  Run& run = context.invocation.run;
  const std::string branch = branch_inside(whole.place(), std::to_string(index + 1));
  // The lists may have other entries than in the earlier run, so this place may have been that of another combination.
  if (run.has_past() && !run.request().past->was_combination(branch, lane.combination)) {
    run.forget_branches(branch + '/');
  }
  const auto announce = [&] { run.observer().combination_begun(branch, lane.combination); };
  Variables values = context.variables;
  values.set_local("matrix", lane.combination);
  RanStep ran = run_step(context.invocation, whole.state, {branch, 1}, values, announce, [&](Step& begun) {
    return run_tries(begun, {context.invocation, values, stop, context.in_fork});
  });
  Step& step = ran.step;
  StepEnd& end = ran.end;
  lane.result = std::move(ran.result);
  keep_outputs(context.invocation, step, lane.result.outcome);
  end.outcome = lane.result.outcome;
  end.command = lane.result.command;
  if (!ran.replayed) {
    end.secret = gives_secrets(step);
    if (end.secret) run.hide(step, end.outcome);
  }
  // Only combinations that succeeded are kept when the run is resumed in the middle of the matrix.
  end.transitioned = step.status == Step::Status::succeeded;
  end.assigned = {{"matrix", lane.combination}};
  run.end_step(step, end);
}

ActionResult together(const std::vector<CombinationLane>& lanes, Stop& stop) {
  ActionResult made;
  expressions::List outcomes;
  std::string names;
  std::size_t failures = 0;
  std::size_t ended = 0;  // stopped because of another combination, or with the run
  std::string ended_names;
  const CombinationLane* ended_all = nullptr;
  const CombinationLane* waiting = nullptr;  // for an approval
  bool has_failure = false;  // a combination has failed by itself, and was not ended because another one failed
  for (const CombinationLane& lane : lanes) {
    const Outcome& outcome = lane.result.outcome;
    outcomes.push_back(to_value(outcome));
    made.outcome.standard_output += outcome.standard_output;
    made.outcome.standard_error += outcome.standard_error;
    if (!outcome.is_error) continue;
    if (outcome.aborted) {
      ended_names += (ended++ == 0 ? "" : ", ") + expressions::to_json(lane.combination);
      if (waiting == nullptr && outcome.error == approval_pending) waiting = &lane;
    } else {
      names += (failures++ == 0 ? "" : ", ") + expressions::to_json(lane.combination);
    }
    if (made.mistake.empty()) made.mistake = lane.result.mistake;
    made.fatal = made.fatal || lane.result.fatal;
    if (lane.result.abort) {
      made.abort = made.outcome.aborted = true;
      made.outcome.message = outcome.message;
    }
    const bool first = !has_failure && !outcome.aborted;
    has_failure = has_failure || first;
    // A refusal ends the run, so the first refusal is reported rather than the first failure.
    if (first || (lane.result.refused && !made.refused)) {
      made.command = lane.result.command;
      made.outcome.exit_code = outcome.exit_code;
      made.outcome.error = outcome.error;
      made.refused = made.refused || lane.result.refused;
    }
    if (ended_all == nullptr && lane.result.is_fatal()) ended_all = &lane;
  }
  made.outcome.matrix = Value(std::move(outcomes));
  made.up_to_date = !lanes.empty() && std::all_of(lanes.begin(), lanes.end(),
                                                  [](const CombinationLane& lane) { return lane.result.up_to_date; });
  made.outcome.is_error = failures + ended > 0;
  if (made.outcome.is_error && made.outcome.exit_code == 0) made.outcome.exit_code = 1;
  if (const auto request = stop.requested()) {
    made.outcome.is_error = made.outcome.aborted = true;
    if (!made.abort) made.outcome.message = request->reason;
  } else if (waiting != nullptr && failures == 0) {
    made.outcome.aborted = true;
    made.outcome.exit_code = waiting->result.outcome.exit_code;
    made.outcome.error = waiting->result.outcome.error;
    made.outcome.message = waiting->result.outcome.message;
  } else if (made.outcome.is_error) {
    made.outcome.message =
        std::to_string(failures) + " of " + std::to_string(lanes.size()) + " combinations failed: " + names;
    if (ended_all != nullptr) made.outcome.message += ": " + ended_all->result.outcome.message;
    if (ended > 0) made.outcome.message += "; ended early: " + ended_names;
  }
  return made;
}

}  // namespace

ActionResult run_matrix(const Step& step, const ActionContext& context) {
  const workflow::ActionOptions& options = step.of().action->options;
  auto made = combinations(*options.matrix, context.variables);
  if (const auto* why = std::get_if<std::string>(&made)) {
    ActionResult result;
    result.fail_by_mistake(with_place(context.invocation, options.matrix_offset, *why));
    return result;
  }
  std::vector<CombinationLane> lanes;
  for (Value& combination : std::get<std::vector<Value>>(made)) lanes.push_back({std::move(combination), {}});
  const Run& run = context.invocation.run;
  if (lanes.empty()) {
    run.request().observer.noticed("the step '" + step.of().id + "' does nothing: a list of its matrix is empty");
  }
  const bool fail_fast = run.fails_fast(context.invocation.workflow);
  ChildStop group(context.stop);
  run_parallel(lanes.size(), [&](std::size_t index) {
    run_lane(lanes[index], step, index, context, group.stop());
    const ActionResult& result = lanes[index].result;
    if ((fail_fast || result.is_fatal()) && result.outcome.is_error && !result.outcome.aborted) {
      group.stop().request(StopHow::graceful, "another combination of the matrix has failed");
    }
  });
  ActionResult whole = together(lanes, context.stop);
  std::vector<const Outcome*> parts;
  parts.reserve(lanes.size());
  for (const CombinationLane& lane : lanes) parts.push_back(&lane.result.outcome);
  join_outputs(context.invocation, step, parts, whole.outcome);
  return whole;
}

}  // namespace wtool::host::runner
