// The action `Shell "command"`.
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/json.h"
#include "runner/actions/action_runner.h"
#include "runner/shell_arguments.h"
#include "workflow/model/parameters.h"
#include "workflow/quoting/command_template.h"

namespace wtool::host::workflow {

void ShellAction::perform(const ShellAction& action, runner::ActionRunner& runner) {
  const expressions::Scope& values = runner.context.variables;
  std::string mistake;
  const auto command = runner::shell_command(action, runner.invocation, values, mistake);
  if (!command) return runner.mistaken(std::move(mistake));
  runner.result.command = *command;
  std::optional<std::chrono::milliseconds> timeout;
  if (!runner.take_timeout(timeout)) return;
  auto arguments = runner::shell_arguments(*command, action, runner.invocation, values, mistake);
  if (!arguments) return runner.mistaken(std::move(mistake));
  if (timeout) (*arguments)["timeout"] = as_seconds(*timeout);
  runner.call(std::string(shell_tool), *arguments, shell_of(action, runner.invocation.workflow));
}

}  // namespace wtool::host::workflow
