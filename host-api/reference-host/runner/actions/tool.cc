// The action `Call tool "name" with {...}`.
#include <optional>
#include <string>

#include "base/json.h"
#include "runner/actions/action_runner.h"

namespace wtool::host::workflow {

void ToolAction::perform(const ToolAction& action, runner::ActionRunner& runner) {
  std::string why;
  std::optional<nlohmann::json> arguments =
      runner::rendered_arguments(*action.arguments, runner.context.variables, why);
  if (!arguments) return runner.mistake(action.arguments_offset, why);
  runner.result.command = runner::shown_call(action.tool, *arguments, runner.invocation.run.request().secrets);
  runner.call(action.tool, *arguments);
}

}  // namespace wtool::host::workflow
