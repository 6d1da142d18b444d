// The action `Set name="value"`.
#include <string>
#include <utility>
#include <variant>

#include "runner/actions/action_runner.h"

namespace wtool::host::workflow {
namespace {

std::variant<expressions::Value, expressions::ExpressionError> value_of(const TemplateText& text,
                                                                        const expressions::Scope& values) {
  if (text.is_value) return runner::rendered_value(text.parsed, values);
  auto rendered = expressions::render_text(text.parsed, values);
  if (auto* error = std::get_if<expressions::ExpressionError>(&rendered)) return std::move(*error);
  return expressions::Value(std::get<std::string>(std::move(rendered)));
}

}  // namespace

void SetAction::perform(const SetAction& action, runner::ActionRunner& runner) {
  for (const Assignment& assignment : action.assignments) {
    if (const auto* value = std::get_if<expressions::Value>(&assignment.value)) {
      runner.result.assigned.emplace_back(assignment.name, *value);
    } else {
      const auto& text = std::get<TemplateText>(assignment.value);
      auto made = value_of(text, runner.context.variables);
      if (const auto* error = std::get_if<expressions::ExpressionError>(&made)) {
        return runner.mistake(text.written.locate(error->offset), error->message);
      }
      runner.result.assigned.emplace_back(assignment.name, std::get<expressions::Value>(std::move(made)));
    }
    runner.result.outcome.standard_output = expressions::to_text(runner.result.assigned.back().second);
  }
}

}  // namespace wtool::host::workflow
