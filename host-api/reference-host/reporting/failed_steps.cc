#include "reporting/failed_steps.h"

#include <algorithm>

#include "reporting/record.h"

namespace wtool::host::workflow {
namespace {

constexpr std::size_t most_steps = 20;
constexpr std::size_t most_output = 16UL * 1024;  // bytes of a stream

std::string end_of(const std::string& text) {
  return text.size() <= most_output ? text : text.substr(text.size() - most_output);
}

bool stands_for_others(const Step& step, const StepEnd& end) {
  return std::holds_alternative<WorkflowAction>(step.of().action->kind) || !end.outcome.matrix.is_null();
}

}  // namespace

std::string hint_of(const Outcome& outcome) {
  const expressions::Map* metadata = outcome.metadata.as_map();
  if (metadata == nullptr) return {};
  const auto error = metadata->fields.find("error");
  const expressions::Map* fields = error == metadata->fields.end() ? nullptr : error->second.as_map();
  if (fields == nullptr) return {};
  const auto hint = fields->fields.find("hint");
  const std::string* text = hint == fields->fields.end() ? nullptr : hint->second.as_text();
  return text == nullptr ? std::string() : *text;
}

void FailedSteps::combination_begun(const std::string& branch, const expressions::Value& values) {
  const std::lock_guard lock(mutex_);
  combinations_.insert_or_assign(branch, combination_name(values));
}

void FailedSteps::state_ended(const Step& step, const StepEnd& end) {
  if (!step.of().action || (step.status != Step::Status::failed && step.status != Step::Status::aborted)) return;
  if (stands_for_others(step, end)) return;
  FailedStep failed;
  failed.aborted = step.status == Step::Status::aborted;
  failed.secret = end.secret || gives_secrets(step);
  failed.exit_code = step.exit_code;
  failed.command = end.command;
  if (!failed.secret) {
    failed.message = end.outcome.message;
    failed.hint = hint_of(end.outcome);
    failed.standard_output = end_of(end.outcome.standard_output);
    failed.standard_error = end_of(end.outcome.standard_error);
  }
  const std::lock_guard lock(mutex_);
  failed.label = step_label(step, combinations_);
  std::erase_if(steps_, [&](const FailedStep& earlier) { return earlier.label == failed.label; });
  steps_.push_back(std::move(failed));
  if (steps_.size() <= most_steps) return;
  steps_.pop_front();
  ++left_out_;
}

}  // namespace wtool::host::workflow
