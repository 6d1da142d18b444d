#include "workflow/actions.h"

#include <charconv>

#include "loader/stop.h"
#include "loader/tool_caller.h"
#include "workflow/command_template.h"

namespace wtool::host::workflow {
namespace {

using expressions::ExpressionError;
using expressions::Value;
using nlohmann::json;

constexpr std::size_t longest_environment_value = 100 * 1024;  // bytes; the kernel has the same bound as for arguments

json to_json_value(const Value& value) {
  if (const std::string* text = value.as_text()) return *text;
  return json::parse(expressions::to_json(value));
}

class ActionRunner {
 public:
  ActionRunner(const State& state, const ActionContext& context, std::vector<std::pair<std::string, Value>>& assigned)
      : state_(state), context_(context), assigned_(assigned) {}

  ActionResult run() {
    std::visit([this](const auto& action) { perform(action); }, state_.action->kind);
    return std::move(result_);
  }

 private:
  // --- errors that are the workflow's own ---

  void mistake(std::size_t offset, const std::string& message) {
    const Position position = context_.source.position(offset);
    result_.mistake = context_.source.name() + ":" + std::to_string(position.line) + ":" +
                      std::to_string(position.column) + ": " + message;
    result_.outcome.is_error = true;
    result_.outcome.exit_code = 1;
    result_.outcome.message = result_.mistake;
  }

  std::optional<std::string> render(const TemplateText& text) {
    auto rendered = expressions::render_text(text.parsed, context_.variables);
    if (const auto* error = std::get_if<ExpressionError>(&rendered)) {
      mistake(text.written.locate(error->offset), error->message);
      return std::nullopt;
    }
    return std::get<std::string>(std::move(rendered));
  }

  // --- actions ---

  void perform(const ShellAction& action) {
    auto command = render_command(action.command, context_.variables);
    if (const auto* error = std::get_if<ExpressionError>(&command)) {
      return mistake(action.command.written.locate(error->offset), error->message);
    }
    result_.command = std::get<std::string>(std::move(command));
    json arguments = {{"command", result_.command}};
    if (action.timeout) {
      const auto text = render(*action.timeout);
      if (!text) return;
      std::string why;
      const auto seconds = timeout_value(*text, why);
      if (!seconds) return mistake(action.timeout->written.locate(0), why);
      arguments["timeout"] = *seconds;
    }
    if (action.working_directory) {
      const auto directory = render(*action.working_directory);
      if (!directory) return;
      arguments["working_directory"] = *directory;
    }
    for (const auto& [name, text] : action.environment) {
      const auto value = render(text);
      if (!value) return;
      if (value->size() > longest_environment_value) {
        return mistake(text.written.locate(0), "the environment variable " + name + " is " +
                                                   std::to_string(value->size()) + " bytes long; at most " +
                                                   std::to_string(longest_environment_value) + " can be passed");
      }
      arguments["environment"][name] = *value;
    }
    call(std::string(shell_tool), arguments);
  }

  void perform(const ToolAction& action) {
    std::optional<json> arguments = render_json(*action.arguments, action.arguments_offset);
    if (!arguments) return;
    result_.command = action.tool + " " + arguments->dump(-1, ' ', false, json::error_handler_t::replace);
    call(action.tool, *arguments);
  }

  void perform(const LogAction& action) {
    const auto text = render(action.message);
    if (!text) return;
    result_.outcome.standard_output = *text;
    context_.observer.logged(state_, action.level, *text);
  }

  void perform(const SetAction& action) {
    for (const Assignment& assignment : action.assignments) {
      if (const auto* value = std::get_if<Value>(&assignment.value)) {
        assigned_.emplace_back(assignment.name, *value);
      } else {
        const auto text = render(std::get<TemplateText>(assignment.value));
        if (!text) return;
        assigned_.emplace_back(assignment.name, Value(*text));
      }
      result_.outcome.standard_output = expressions::to_text(assigned_.back().second);
    }
  }

  void perform(const AbortAction& action) {
    const auto text = render(action.message);
    if (!text) return;
    result_.abort = true;
    result_.outcome.message = *text;
    result_.outcome.is_error = true;
    result_.outcome.aborted = true;
    result_.outcome.exit_code = 130;
  }

  // --- tool calls ---

  void call(const std::string& tool, const json& arguments) {
    const ToolOutcome outcome =
        context_.tools.call(tool, arguments, context_.stop, [this](OutputStream stream, std::string_view bytes) {
          context_.observer.output(state_, stream == OutputStream::standard_error, bytes);
        });
    result_.outcome = to_outcome(outcome);
  }

  // The strings of the arguments are templates. One that is nothing but a placeholder becomes the value itself, so that
  // a number stays a number. The depth is bounded by the parser.
  std::optional<json> render_json(const json& value, std::size_t offset) {
    if (value.is_string()) {
      auto parsed = expressions::parse_template(value.get_ref<const std::string&>());
      const auto* text = std::get_if<expressions::Template>(&parsed);
      if (text == nullptr) return value;  // the checker has refused it
      if (!text->has_tags() && text->placeholders.size() == 1 && text->texts[0].empty() && text->texts[1].empty()) {
        auto single = expressions::resolve(text->placeholders[0], context_.variables);
        if (const auto* error = std::get_if<ExpressionError>(&single)) {
          mistake(offset, error->message);
          return std::nullopt;
        }
        const Value& found = std::get<Value>(single);
        if (text->placeholders[0].has(expressions::Filter::Kind::shell_quote)) {
          return json(expressions::shell_quoted(expressions::to_text(found)));
        }
        return to_json_value(found);
      }
      auto rendered = expressions::render_text(*text, context_.variables);
      if (const auto* error = std::get_if<ExpressionError>(&rendered)) {
        mistake(offset, error->message);
        return std::nullopt;
      }
      return json(std::get<std::string>(std::move(rendered)));
    }
    if (!value.is_structured()) return value;
    json made = value.is_object() ? json::object() : json::array();
    for (const auto& [key, entry] : value.items()) {
      auto rendered = render_json(entry, offset);
      if (!rendered) return std::nullopt;
      if (value.is_object()) {
        made[key] = std::move(*rendered);
      } else {
        made.push_back(std::move(*rendered));
      }
    }
    return made;
  }

  const State& state_;
  const ActionContext& context_;
  std::vector<std::pair<std::string, Value>>& assigned_;
  ActionResult result_;
};

}  // namespace

std::optional<std::int64_t> timeout_value(const std::string& text, std::string& why) {
  std::int64_t seconds = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, seconds);
  if (parsed.ec == std::errc() && parsed.ptr == end && seconds >= shortest_timeout && seconds <= longest_timeout) {
    return seconds;
  }
  why = "a timeout is a whole number of seconds from " + std::to_string(shortest_timeout) + " to " +
        std::to_string(longest_timeout) + ", and not " + expressions::quoted_for_message(text);
  return std::nullopt;
}

ActionResult run_action(const State& state, const ActionContext& context,
                        std::vector<std::pair<std::string, Value>>& assigned) {
  return ActionRunner(state, context, assigned).run();
}

}  // namespace wtool::host::workflow
