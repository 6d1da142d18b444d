#include "report/failed_steps.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "terminal/text.h"
#include "workflow/check/failure_rule.h"

namespace wtool::host::report {
namespace {

using journal::StepRecord;
using runner::Outcome;
using runner::Step;

constexpr std::size_t max_failed_steps = 20;
constexpr std::size_t max_command_lines = 12;
constexpr std::size_t max_names = 10;
constexpr std::size_t max_failed_output = 16UL * 1024;  // bytes of a stream

std::string end_of(const std::string& text) {
  return text.size() <= max_failed_output ? text : text.substr(text.size() - max_failed_output);
}

void fill(FailedStep& failed, const runner::StepEnd& end) {
  const Outcome& outcome = end.outcome;
  failed.message = end.message();
  failed.hint = hint_of(outcome);
  failed.standard_output = end_of(outcome.standard_output);
  failed.standard_error = end_of(outcome.standard_error);
}

void append_one(std::string& out, const FailedStep& step, const std::string& reason) {
  const char* const what = step.aborted   ? "Aborted: "
                           : step.ended   ? "Failed, and the workflow ended there: "
                           : step.handled ? "Failed, and the workflow continued: "
                                          : "Failed: ";
  out += std::string("\n  ") + what + step.label + "\n";
  // The reason for the end of the run may already contain this message.
  if (reason.find(step.message) == std::string::npos) out += "  " + cleaned_for_terminal(step.message, false) + "\n";
  if (!step.hint.empty() && !step.aborted) out += "  Hint: " + cleaned_for_terminal(step.hint, false) + "\n";
  if (step.secret) out += "  Its results are secret.\n";
  if (step.command.empty()) return;
  append_excerpt(out, "Command", step.command, max_command_lines, false);
  if (step.not_run) {
    out += "  It was not run.\n";
    return;
  }
  out += "  Exit code: " + std::to_string(step.exit_code) + "\n";
  const std::string kind = step.aborted ? "Partial " : "";
  append_excerpt(out, kind + "stderr", step.standard_error, max_excerpt_lines, true);
  append_excerpt(out, kind + "stdout", step.standard_output, max_excerpt_lines, true);
}

// The exit code of the command. That of the step is another one if the command succeeded, but left out an output.
std::int64_t exit_code_of(const Outcome& outcome, std::int64_t of_step) {
  if (outcome.error != runner::missing_output_error && outcome.error != runner::invalid_output_error) return of_step;
  const expressions::Value* code = expressions::field_of(&outcome.metadata, "exit_code");
  const std::int64_t* known = code == nullptr ? nullptr : code->as_int();
  return known == nullptr ? of_step : *known;
}

// Adds the names and a newline; if there are many, only the first ones.
void append_names(std::string& out, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < std::min(names.size(), max_names); ++i) out += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > max_names) out += " and " + std::to_string(names.size() - max_names) + " more";
  out += "\n";
}

}  // namespace

bool ended_the_run(const std::string& branch, const runner::StepEnd& end) {
  return end.transitioned && branch.empty() && end.next.size() == 1 && end.next[0] == "[*]";
}

std::string hint_of(const Outcome& outcome) {
  const expressions::Value* hint = expressions::field_of(expressions::field_of(&outcome.metadata, "error"), "hint");
  const std::string* text = hint == nullptr ? nullptr : hint->as_text();
  return text == nullptr ? std::string() : *text;
}

void FailedSteps::combination_begun(const std::string& branch, const expressions::Value& values) {
  const std::lock_guard lock(mutex_);
  combinations_.insert_or_assign(branch, combination_name(values));
}

void FailedList::add(FailedStep step, bool stands_for_others, const std::string& below) {
  for (FailedStep& inner : steps) {
    if (!step.handled || !inner.branch.starts_with(below)) continue;
    inner.handled = true;
    inner.ended = step.ended;
  }
  const bool is_said =
      stands_for_others && (left_out > 0 || std::any_of(steps.begin(), steps.end(), [&](const FailedStep& other) {
                              return !other.aborted && other.branch.starts_with(below);
                            }));
  if (is_said) return;
  std::erase_if(steps, [&](const FailedStep& earlier) { return earlier.label == step.label; });
  steps.push_back(std::move(step));
  if (steps.size() <= max_failed_steps) return;
  steps.pop_front();
  ++left_out;
}

FailedList failed_in(const journal::RunRecord& run) {
  using Status = Step::Status;
  FailedList failed;
  const CombinationNames names = combination_names(run);
  std::vector<const StepRecord*> ended;
  for (const StepRecord& step : run.steps) {
    const bool badly = step.status == Status::failed || (step.status == Status::aborted && run.status);
    if (badly && !step.hidden && !step.action.empty()) ended.push_back(&step);
  }
  std::stable_sort(ended.begin(), ended.end(), [](const StepRecord* left, const StepRecord* right) {
    return left->began + left->took < right->began + right->took;
  });
  const auto stands_for_others = [](const StepRecord& step) {
    return step.action == "workflow" || !step.end.outcome.matrix.is_null();
  };
  // A step that contains other steps is added after them, because it is left out if one of them is listed.
  for (const bool others : {false, true}) {
    for (const StepRecord* step : ended) {
      if (stands_for_others(*step) != others) continue;
      FailedStep one;
      one.label = step_label(step->place.branch, step->state, names);
      one.branch = step->place.branch;
      one.aborted = step->status == Status::aborted;
      one.aborts = step->action == "abort";
      one.handled = step->status == Status::failed && step->end.transitioned;
      one.ended = one.handled && ended_the_run(step->place.branch, step->end);
      one.secret = step->end.secret;
      one.not_run = runner::was_not_run(step->end.outcome);
      one.exit_code = exit_code_of(step->end.outcome, step->exit_code);
      one.command = step->end.command;
      if (!one.secret) fill(one, step->end);
      failed.add(std::move(one), others, beginning_inside(step->place));
    }
  }
  return failed;
}

std::string continued_after(const FailedList& failed) {
  std::string text;
  for (const bool ended : {false, true}) {
    std::size_t count = ended ? 0 : failed.left_out;
    std::string names = count > 0 ? "..." : "";
    for (const FailedStep& step : failed.steps) {
      if (step.aborted || step.ended != ended) continue;
      ++count;
      names += (names.empty() ? "" : ", ") + step.label;
    }
    if (count == 0) continue;
    text += (text.empty() ? " (" : "; ") + counted(count, "step") + " failed, and the workflow " +
            (ended ? "ended there: " : "continued: ") + names;
  }
  return text.empty() ? "" : text + ")";
}

void append_failed(std::string& out, const FailedList& failed, bool aborted, const std::string& reason) {
  const FailedStep* blamed = nullptr;
  std::vector<std::string> stopped;
  for (const bool handled : {false, true}) {
    for (const FailedStep& step : failed.steps) {
      if (!step.aborted && step.handled == handled) append_one(out, step, reason);
    }
  }
  for (const FailedStep& step : failed.steps) {
    if (!step.aborted) continue;
    if (blamed == nullptr || !blamed->aborts) blamed = &step;
    stopped.push_back(step.label);
  }
  if (aborted && blamed != nullptr) {
    append_one(out, *blamed, reason);
    std::erase(stopped, blamed->label);
  }
  if (failed.left_out > 0) {
    out += "\n  ... and " + std::to_string(failed.left_out) + " more steps failed, or were stopped, before these\n";
  }
  if (stopped.empty()) return;
  out += "\n  Also stopped: ";
  append_names(out, stopped);
}

void append_interrupted(std::string& out, const journal::RunRecord& run) {
  const CombinationNames names = combination_names(run);
  std::vector<std::string> labels;
  bool had_output = false;
  for (const StepRecord& step : run.steps) {
    if (step.status != Step::Status::running || step.hidden || step.action.empty()) continue;
    // The steps that it contains are named instead of it.
    const std::string inner = beginning_inside(step.place);
    if (std::any_of(run.steps.begin(), run.steps.end(), [&](const StepRecord& other) {
          return other.status == Step::Status::running && other.place.branch.starts_with(inner);
        })) {
      continue;
    }
    labels.push_back(step_label(step.place.branch, step.state, names));
    had_output = had_output || step.action == "shell" || step.action == "tool" || step.action == "prompt";
  }
  if (labels.empty()) return;
  out += "\n  Interrupted: ";
  append_names(out, labels);
  if (had_output) {
    out += std::string("  What ") + (labels.size() == 1 ? "this step" : "these steps") +
           " had written until then is lost.\n";
  }
}

void FailedSteps::state_ended(const Step& step, const runner::StepEnd& end) {
  if (!step.of().action || (step.status != Step::Status::failed && step.status != Step::Status::aborted)) return;
  FailedStep failed;
  failed.branch = step.branch;
  failed.aborted = step.status == Step::Status::aborted;
  failed.aborts = workflow::ends_run(step.of());
  failed.handled = step.status == Step::Status::failed && end.transitioned;
  failed.ended = failed.handled && ended_the_run(step.branch, end);
  failed.secret = end.secret || gives_secrets(step);
  failed.not_run = runner::was_not_run(end.outcome);
  failed.exit_code = exit_code_of(end.outcome, step.exit_code);
  failed.command = end.command;
  if (!failed.secret) fill(failed, end);
  const bool stands_for_others =
      std::holds_alternative<workflow::WorkflowAction>(step.of().action->kind) || !end.outcome.matrix.is_null();
  const std::lock_guard lock(mutex_);
  failed.label = step_label(step, combinations_);
  failed_.add(std::move(failed), stands_for_others, beginning_inside(step.place()));
}

}  // namespace wtool::host::report
