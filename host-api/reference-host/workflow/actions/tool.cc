// Call tool "name" with {...}: a call of any tool of the plugin, or of a server in `mcp_servers`.
#include <memory>
#include <string>

#include "base/edit_distance.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "workflow/actions/action_type.h"
#include "workflow/check/checks.h"
#include "workflow/model/diagnostics.h"
#include "workflow/parse/action_options.h"

namespace wtool::host::workflow {
namespace {

using expressions::quoted_for_message;

ActionKind read_tool(ActionReading& in) {
  ToolAction made;
  if (!in.expect_word("tool", "Call tool \"name\" with {...}")) return made;
  made.tool_offset = in.cursor.here();
  if (in.cursor.sees_text()) {
    if (auto name = in.cursor.take_text("the name of the tool")) made.tool = name->text();
  } else {
    made.tool = in.cursor.take_name();
    if (in.cursor.sees('/')) {
      in.diagnostics.add(made.tool_offset,
                         "the name of a tool of a server must be in double quotes, such as \"" + made.tool + "/TOOL\"");
      return made;
    }
  }
  if (made.tool.empty()) {
    in.diagnostics.add(made.tool_offset, "the name of the tool is missing");
    return made;
  }
  nlohmann::json arguments = nlohmann::json::object();
  made.arguments_offset = in.cursor.here();
  if (in.cursor.take_word("with")) {
    made.arguments_offset = in.cursor.here();
    if (in.cursor.sees('{')) {
      const auto object = in.cursor.take_json_object(&made.argument_places);
      if (!object) return made;
      arguments = *object;
    }
  }
  OptionReader options(in.cursor, in.diagnostics, false);
  while (!in.cursor.at_end()) {
    const auto outcome = options.take(in.options);
    if (outcome == OptionReader::Result::failed) return made;
    if (outcome == OptionReader::Result::taken) continue;
    const std::size_t at = in.cursor.here();
    const std::string key = in.cursor.take_name();
    if (key.empty() || !in.cursor.take_symbol('=')) {
      if (key.empty() && in.cursor.explain_quotes()) return made;
      in.diagnostics.add(at,
                         "after the tool, write `with` and a JSON object, or name=\"value\" pairs, or options such as "
                         "result=\"name\"" +
                             did_you_mean(lowered(key), options.names()));
      return made;
    }
    if (arguments.contains(key)) in.diagnostics.add(at, "the argument " + key + " is given twice");
    made.argument_places.try_emplace(key, at);
    if (const auto bare = in.cursor.take_bare_literal()) {
      arguments[key] = parse_json(*bare);
      if (!arguments[key].is_discarded()) continue;
      in.diagnostics.add(at, quoted_for_message(*bare) + " is not a number");
      return made;
    }
    auto text = in.cursor.take_placeholder();
    if (!text) text = in.cursor.take_text("the value of " + key);
    if (!text) return made;
    arguments[key] = text->text();
  }
  made.arguments = std::make_shared<const nlohmann::json>(std::move(arguments));
  return made;
}

void check_tool(const ToolAction& tool, const Action&, ActionCheck& check) {
  if (check.around.tools == nullptr || tool.tool.empty()) return;
  if (check.around.tools->has_tool(tool.tool)) {
    const std::string schema = check.around.tools->input_schema(tool.tool);
    if (!schema.empty()) check_tool_arguments(tool, schema, check.around.timeout_max, check.diagnostics);
    if (const std::string why = check.around.tools->unreadable_schema(tool.tool); !why.empty()) {
      check.diagnostics.warn(tool.tool_offset, "the arguments of the tool " + tool.tool +
                                                   " are not checked, because its schema cannot be read: " + why);
    }
    const auto verdict = check.around.tool_verdict ? check.around.tool_verdict(tool.tool) : CommandVerdict{};
    if (verdict.kind == CommandVerdict::Kind::deny) {
      check.diagnostics.warn(tool.tool_offset, "the call of this tool is refused: " + verdict.reason);
    }
    return;
  }
  std::string why = check.around.tools->unknown_tool(tool.tool);
  if (why.empty()) why = "there is no tool " + quoted_for_message(tool.tool) + "; see `wtool tools`";
  check.diagnostics.add(tool.tool_offset, std::move(why));
}

}  // namespace

ActionType ToolAction::type() {
  ActionType type;
  type.name = "tool";
  type.words = {"call"};
  type.forms = {"Call tool \"name\" with {...}"};
  type.is_one_call = true;
  type.read = read_tool;
  type.texts = texts_of<ToolAction>([](const ToolAction& tool, TextVisitor& visit) {
    if (tool.arguments) visit.json(*tool.arguments, tool.arguments_offset);
  });
  type.check = check_of<ToolAction, check_tool>;
  type.describe =
      describe_of<ToolAction>([](const ToolAction& tool, const Describer&) { return "calls the tool " + tool.tool; });
  return type;
}

}  // namespace wtool::host::workflow
