#include "runner/actions.h"

#include "runner/actions/action_runner.h"
#include "workflow/model/model.h"

namespace wtool::host::runner {

using expressions::ExpressionError;

void ActionResult::fail(std::string message, std::int64_t exit_code) {
  outcome.is_error = true;
  outcome.exit_code = exit_code;
  outcome.message = std::move(message);
}

void ActionResult::fail_by_mistake(std::string message) {
  mistake = message;
  fail(std::move(message));
}

void ActionResult::end_by(Stop& stop) {
  const auto request = stop.requested();
  fail(request ? request->reason : "stopped", 130);
  outcome.aborted = true;
}

ActionResult exhausted_result(std::string why) {
  ActionResult result;
  result.fail(std::move(why));
  result.fatal = true;
  result.outcome.error = exhausted_error;
  return result;
}

ActionResult run_action(const Step& step, const ActionContext& context) { return ActionRunner(step, context).run(); }

std::optional<std::string> rendered_text(const workflow::TemplateText& text, const WorkflowInvocation& invocation,
                                         const expressions::Scope& values, std::string& mistake) {
  auto rendered = expressions::render_text(text.parsed, values);
  if (const auto* error = std::get_if<ExpressionError>(&rendered)) {
    mistake = with_place(invocation, text.written.locate(error->offset), error->message);
    return std::nullopt;
  }
  return std::get<std::string>(std::move(rendered));
}

std::string with_place(const WorkflowInvocation& invocation, std::size_t offset, const std::string& message) {
  const workflow::Position position = invocation.source.position(offset);
  return invocation.source.name() + ":" + std::to_string(position.line) + ":" + std::to_string(position.column) + ": " +
         message;
}

}  // namespace wtool::host::runner
