#include "runner/actions/action_runner.h"

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/json.h"
#include "base/secrets/secrets.h"
#include "loader/tool_caller.h"
#include "runner/step_outputs.h"
#include "runner/typed_answer.h"
#include "workflow/model/model.h"

namespace wtool::host::runner {

using expressions::Value;
using nlohmann::json;

ActionResult ActionRunner::run() {
  std::visit([this](const auto& action) { action.perform(action, *this); }, step.of().action->kind);
  // A prompt does the rest itself: it checks its answer, asks again after a wrong one, and keeps the result of a right
  // one.
  if (std::holds_alternative<workflow::PromptAction>(step.of().action->kind)) return std::move(result);
  if (options.output && !result.outcome.is_error && result.mistake.empty()) {
    if (const std::string wrong = take_answer(); !wrong.empty()) no_answer("the output " + wrong_answer(wrong));
  }
  keep();
  return std::move(result);
}

void ActionRunner::mistake(std::size_t offset, const std::string& message) {
  mistaken(with_place(invocation, offset, message));
}

void ActionRunner::mistaken(std::string message) { result.fail_by_mistake(std::move(message)); }

void ActionRunner::fails(std::string message, std::int64_t exit_code) { result.fail(std::move(message), exit_code); }

void ActionRunner::no_answer(std::string message) {
  result.outcome.error = invalid_output_error;
  fails(std::move(message));
}

void ActionRunner::stopped() { result.end_by(context.stop); }

std::optional<std::string> ActionRunner::render(const workflow::TemplateText& text) {
  std::string why;
  auto rendered = rendered_text(text, invocation, context.variables, why);
  if (!rendered) mistaken(std::move(why));
  return rendered;
}

bool ActionRunner::take_timeout(std::optional<std::chrono::milliseconds>& timeout) {
  if (!options.timeout) return true;
  const auto text = render(*options.timeout);
  if (!text) return false;
  std::string why;
  timeout = workflow::timeout_value(*text, why);
  if (!timeout) mistake(options.timeout->written.locate(0), why);
  return timeout.has_value();
}

std::string ActionRunner::take_answer() {
  auto answer = typed_answer(result.outcome, *options.output);
  if (auto* wrong = std::get_if<std::string>(&answer)) return std::move(*wrong);
  result.outcome.answer = std::get<Value>(std::move(answer));
  return "";
}

std::string ActionRunner::wrong_answer(const std::string& wrong) const {
  return options.secret ? "does not match `output`" : wrong;
}

void ActionRunner::call(const std::string& tool, const json& arguments, const std::string& shell,
                        const PreparedPrompt* prompt, const std::function<bool()>& begin) {
  slot_.reset();
  slot_.emplace(invocation.run.semaphore(), context.stop, [this] { invocation.run.observer().work_begins(step); });
  if (!slot_->held()) return stopped();
  call_now(tool, arguments, shell, prompt, begin);
  // A prompt may be asked again, and must not keep others waiting until then.
  if (prompt != nullptr) slot_.reset();
}

void ActionRunner::call_now(const std::string& tool, const json& arguments, const std::string& shell,
                            const PreparedPrompt* prompt, const std::function<bool()>& begin) {
  Run& run = invocation.run;
  // A value that looks secret is hidden from observers like any other secret, even if it is written in the command.
  for (const std::string& value : secrets::Masker().found_in(result.command)) run.hide(value);
  workflow::Placement placed = workflow::place_of(invocation.workflow, step.state, invocation.place);
  CallPlace place{.shell = shell,
                  .on = std::move(placed.on),
                  .slot = std::move(placed.slot),
                  .limits = workflow::limits_text(placed.limits),
                  .traceparent = run.request().settings.traceparent,
                  .span = {"step", {{"run", run.request().run}, {"state", step.of().id}}}};
  // Only the first question makes the cache key: a repeated question contains the wrong answer, so its key would
  // differ.
  if (!kept_) {
    kept_.emplace(step, context, place, tool, arguments, prompt);
    if (!kept_->mistake().empty()) return mistake(options.cache.offset, kept_->mistake());
    if (kept_->take(result)) return;
  }
  if (const std::string why = kept_->confine(context, place, tool, arguments); !why.empty()) {
    return mistake(options.cache.offset, why);
  }
  if (begin && !begin()) return;
  run.observer().work_begins(step);
  CallRecorder recorder(invocation, step);
  const ToolOutcome outcome = run.request().tools.call_at(
      place, tool, arguments, context.stop,
      [&](OutputStream stream, std::string_view bytes) {
        recorder.add(stream == OutputStream::standard_error, bytes);
        run.observer().output(step, stream == OutputStream::standard_error, bytes);
      },
      [&](const CallState& state) { run.observer().call_state(step, state); });
  result.outcome = to_outcome(outcome);
  recorder.finish(result.outcome);
  result.refused = is_refusal(result.outcome);
  // The command has run, even if its end is missing in the audit trail, so the result of the step stays as it is.
  const Value* unrecorded = expressions::field_of(&result.outcome.metadata, "audit_error");
  if (const std::string* why = unrecorded == nullptr || result.refused ? nullptr : unrecorded->as_text()) {
    run.observer().noticed("the end of the step '" + step.of().id + "' is not in the audit trail: " + *why);
  }
  // Until a person repairs the configuration, every later call would fail in the same way.
  result.fatal = result.outcome.error == "configuration_invalid";
}

void ActionRunner::keep() {
  if (!kept_ || result.up_to_date) return;
  // A run must not end well with its work undone. An agent that ends the workflow has said that nothing more is to do.
  const bool should_be_done = !result.is_fatal() && !result.outcome.is_error && !result.ends_workflow;
  if (const std::string why = should_be_done ? kept_->missing_output() : ""; !why.empty()) {
    result.outcome.error = missing_output_error;
    fails(why);
  }
  kept_->keep(result);
}

}  // namespace wtool::host::runner
