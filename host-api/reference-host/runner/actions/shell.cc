// The action `Shell "command"`.
#include <chrono>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/secrets/secrets.h"
#include "runner/actions/action_runner.h"
#include "workflow/model/parameters.h"
#include "workflow/quoting/command_template.h"

namespace wtool::host::workflow {
namespace {

constexpr std::size_t max_environment_value = 100 * 1024;  // bytes; the kernel limits each variable

}  // namespace

void ShellAction::perform(const ShellAction& action, runner::ActionRunner& runner) {
  auto command = render_command(action.command, runner.context.variables);
  if (const auto* error = std::get_if<expressions::ExpressionError>(&command)) {
    return runner.mistake(action.command.written.locate(error->offset), error->message);
  }
  runner.result.command = first_line_of(action, runner.invocation.workflow) + std::get<std::string>(command);
  nlohmann::json arguments = {{"command", runner.result.command}};
  std::optional<std::chrono::milliseconds> timeout;
  if (!runner.take_timeout(timeout)) return;
  if (timeout) arguments["timeout"] = as_seconds(*timeout);
  if (action.working_directory) {
    const auto directory = runner.render(*action.working_directory);
    if (!directory) return;
    arguments["working_directory"] = *directory;
  }
  for (const auto& [name, text] : action.environment) {
    const auto value = runner.render(text);
    if (!value) return;
    if (value->size() > max_environment_value) {
      return runner.mistake(text.written.locate(0), "the environment variable " + name + " is " +
                                                        std::to_string(value->size()) + " bytes long; at most " +
                                                        std::to_string(max_environment_value) + " can be passed");
    }
    // People keep secrets in environment files, where only a variable's name shows that its value is secret.
    if (text.from_file && secrets::is_secret_name(name)) runner.invocation.run.hide(*value);
    arguments["environment"][name] = *value;
  }
  runner.call(std::string(shell_tool), arguments, shell_of(action, runner.invocation.workflow));
}

}  // namespace wtool::host::workflow
