// Performs the action of a step, and has what the kinds of actions need. Each kind of action has a file in this folder,
// with the name of its file in workflow/actions/:
//
//   void LogAction::perform(const LogAction& action, runner::ActionRunner& runner) {
//     const auto text = runner.render(action.message);
//     if (text) runner.result.outcome.standard_output = *text;
//   }
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "runner/actions.h"
#include "runner/run.h"
#include "runner/run_request.h"
#include "runner/steps.h"
#include "runner/up_to_date.h"
#include "workflow/model/model.h"

namespace wtool::host::runner {

// Runs the action of one step, once.
class ActionRunner {
 public:
  ActionRunner(const Step& of, const ActionContext& in)
      : step(of), context(in), invocation(in.invocation), options(of.of().action->options) {}

  ActionResult run();

  const Step& step;
  const ActionContext& context;
  const WorkflowInvocation& invocation;
  const workflow::ActionOptions& options;
  ActionResult result;

  // Ends the action because of a mistake in the workflow: at `offset`, or at the place that the message names.
  void mistake(std::size_t offset, const std::string& message);
  void mistaken(std::string message);
  // fails(): the action fails. no_answer(): it fails because its answer does not match `output`. stopped(): it ends
  // because the run stops.
  void fails(std::string message, std::int64_t exit_code = 1);
  void no_answer(std::string message);
  void stopped();

  // Renders a template. Nothing: it cannot be rendered, and mistaken() has been called.
  std::optional<std::string> render(const workflow::TemplateText& text);
  // Evaluates the option `timeout`; false after a mistake.
  bool take_timeout(std::optional<std::chrono::milliseconds>& timeout);
  // Reads the output as the option `output` demands. Returns what is wrong with the output; empty: it is valid.
  std::string take_answer();
  // What take_answer() returned, as messages may say it: nothing of the output of a step whose output is secret.
  std::string wrong_answer(const std::string& wrong) const;

  // Calls the tool. The caller keeps the result, with keep(). Unless the step is up to date, `begin` is called first;
  // if it returns false, the tool is not called.
  void call(const std::string& tool, const nlohmann::json& arguments, const std::string& shell = "",
            const PreparedPrompt* prompt = nullptr, const std::function<bool()>& begin = {});
  // Keeps the result for a later run, unless an output is missing, which makes the step fail. Call it when the whole
  // result is known and has been checked against `output`.
  void keep();

 private:
  void call_now(const std::string& tool, const nlohmann::json& arguments, const std::string& shell,
                const PreparedPrompt* prompt, const std::function<bool()>& begin);

  // Held until the result is kept: what runs next with --max-parallel 1 may write the same outputs.
  std::optional<SemaphoreHold> slot_;
  std::optional<KeptCall> kept_;  // made for the first call, and used for all calls
};

}  // namespace wtool::host::runner
