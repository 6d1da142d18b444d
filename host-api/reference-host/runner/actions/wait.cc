// The actions `Wait 5 seconds` and `Wait for user confirmation "question"`.
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>

#include "runner/actions/action_runner.h"
#include "runner/waiting.h"

namespace wtool::host::workflow {

void WaitAction::perform(const WaitAction& action, runner::ActionRunner& runner) {
  const auto text = runner.render(action.amount);
  if (!text) return;
  double amount = 0;
  const char* end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, amount, std::chars_format::fixed);
  const double wait_ms = amount * static_cast<double>(action.unit.count());
  if (text->empty() || parsed.ec != std::errc() || parsed.ptr != end || !(amount >= 0) ||
      wait_ms > static_cast<double>(max_wait) * 1000) {
    return runner.mistake(action.amount.written.locate(0), "a wait must be a number, and at most " +
                                                               std::to_string(max_wait / 3600) + " hours, but is " +
                                                               expressions::quoted_for_message(*text));
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(std::llround(wait_ms));
  if (!runner::wait_until(until, runner.context.stop)) runner.stopped();
}

void ConfirmAction::perform(const ConfirmAction& action, runner::ActionRunner& runner) {
  std::string question = "Continue after '" + runner.step.of().id + "'?";
  if (action.question) {
    const auto text = runner.render(*action.question);
    if (!text) return;
    question = *text;
  }
  const runner::RunServices& services = runner.invocation.run.request().services;
  const std::optional<bool> answer = services.confirm ? services.confirm(question, runner.context.stop) : std::nullopt;
  if (runner.context.stop.requested()) return runner.stopped();
  if (!answer) {
    runner.fails(
        "nobody could be asked to confirm: this run is not in the foreground of a terminal, or nobody answered there, "
        "and no client shows forms; `wtool run --yes` confirms in advance");
  } else if (!*answer) {
    runner.fails("not confirmed");
  }
}

}  // namespace wtool::host::workflow
