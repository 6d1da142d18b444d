#include "runner/shell_arguments.h"

#include <cstddef>
#include <variant>

#include "base/json.h"
#include "base/secrets/secrets.h"
#include "runner/actions.h"
#include "workflow/quoting/command_template.h"

namespace wtool::host::runner {
namespace {

constexpr std::size_t max_environment_value = 100UL * 1024;  // bytes; the kernel limits each variable

}  // namespace

std::optional<std::string> shell_command(const workflow::ShellAction& action, const WorkflowInvocation& invocation,
                                         const expressions::Scope& values, std::string& mistake) {
  auto command = render_command(action.command, values);
  if (const auto* error = std::get_if<expressions::ExpressionError>(&command)) {
    mistake = with_place(invocation, action.command.written.locate(error->offset), error->message);
    return std::nullopt;
  }
  return first_line_of(action, invocation.workflow) + std::get<std::string>(command);
}

std::optional<nlohmann::json> shell_arguments(const std::string& command, const workflow::ShellAction& action,
                                              const WorkflowInvocation& invocation, const expressions::Scope& values,
                                              std::string& mistake) {
  nlohmann::json arguments = {{"command", command}};
  if (action.working_directory) {
    const auto directory = rendered_text(*action.working_directory, invocation, values, mistake);
    if (!directory) return std::nullopt;
    arguments["working_directory"] = *directory;
  }
  for (const auto& [name, text] : action.environment) {
    const auto value = rendered_text(text, invocation, values, mistake);
    if (!value) return std::nullopt;
    if (value->size() > max_environment_value) {
      mistake = with_place(invocation, text.written.locate(0),
                           "the environment variable " + name + " is " + std::to_string(value->size()) +
                               " bytes long; at most " + std::to_string(max_environment_value) + " can be passed");
      return std::nullopt;
    }
    // People keep secrets in environment files, where only a variable's name shows that its value is secret.
    if (text.from_file && secrets::is_secret_name(name)) invocation.run.hide(*value);
    arguments["environment"][name] = *value;
  }
  return arguments;
}

}  // namespace wtool::host::runner
