#include <utility>

#include "runner/actions.h"
#include "runner/secrets.h"
#include "workflow/actions/action_type.h"
#include "workflow/quoting/command_template.h"

namespace wtool::host::runner {
namespace {

class ValuesNow final : public workflow::Describer {
 public:
  explicit ValuesNow(const Variables& values) : values_(values) { mask = Secrets::mask; }

  std::string text(const workflow::TemplateText& text) const override {
    auto rendered = expressions::render_text(text.parsed, values_);
    auto* made = std::get_if<std::string>(&rendered);
    return made == nullptr ? text.written.text() : std::move(*made);
  }

 private:
  const Variables& values_;
};

std::string command_now(const workflow::ShellAction& shell, const Variables& values) {
  auto command = render_command(shell.command, values);
  auto* made = std::get_if<std::string>(&command);
  return made == nullptr ? shell.command.written.text() : std::move(*made);
}

std::string described(const workflow::Action& action, const Variables& values) {
  if (const auto* shell = std::get_if<workflow::ShellAction>(&action.kind))
    return "runs: " + command_now(*shell, values);
  if (const auto* service = std::get_if<workflow::ServiceAction>(&action.kind)) {
    // A free port is chosen only when the service begins, so `${port}` is shown unchanged.
    std::string text = "starts the service: " + command_now(service->run, values);
    if (service->ready) text += "; it is ready when this succeeds: " + command_now(*service->ready, values);
    return text;
  }
  return type_of(action.kind).describe(action.kind, ValuesNow(values));
}

}  // namespace

std::string step_text(const Step& step, const ActionContext& context) {
  std::string text = described(*step.of().action, context.variables);
  const Secrets* const secrets = context.invocation.run.request().secrets;
  return secrets == nullptr ? text : secrets->masked(text);
}

}  // namespace wtool::host::runner
