#include "mcp/tool_methods.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "base/edit_distance.h"
#include "base/escape.h"
#include "base/trace_context.h"
#include "loader/stdin_parameter.h"
#include "mcp/jobs.h"

namespace wtool::host::mcp {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view cursor_begin = "tools-";

std::string cursor(std::size_t first) { return std::string(cursor_begin) + std::to_string(first); }

// The index of the first tool of a page. Nothing: this is not a valid cursor.
std::optional<std::size_t> first_of(const json& given, std::size_t page, std::size_t count) {
  if (!given.is_string()) return std::nullopt;
  const auto& text = given.get_ref<const std::string&>();
  if (!text.starts_with(cursor_begin)) return std::nullopt;
  std::size_t first = 0;
  std::from_chars(text.data() + cursor_begin.size(), text.data() + text.size(), first);
  const bool is_ours = first > 0 && first < count && first % page == 0 && text == cursor(first);
  return is_ours ? std::optional(first) : std::nullopt;
}

// Puts the configured shell into the plugin's own description, which names the default shell.
void name_shell(ordered_json& tool, const std::string& shell) {
  constexpr std::string_view usual = "(/bin/sh)";
  auto& description = tool["description"].get_ref<std::string&>();
  if (const std::size_t at = description.find(usual); at != std::string::npos) {
    description.replace(at, usual.size(), '(' + escaped(shell) + ')');
  }
}

// Sends a model to shell_execute for what execute_run asks a person about or refuses. Otherwise, the model would wait for
// an answer to a question that is not needed.
void name_other_tool(ordered_json& tool) {
  constexpr std::string_view asks = "a person is asked about other commands";
  auto& description = tool["description"].get_ref<std::string&>();
  if (const std::size_t at = description.find(asks); at != std::string::npos) {
    description.insert(at, "use " + std::string(command_tool) + " for everything else: here, ");
  }
}

}  // namespace

const json* member(const json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

ToolMethods::ToolMethods(const Plugin& plugin, const ServerTools& server_tools, Settings settings)
    : settings_(std::move(settings)) {
  for (const ToolDescription& tool : plugin.tools()) add({&tool, nullptr});
  for (const ServerTool& tool : server_tools) add({&tool.description, &tool});
}

void ToolMethods::add(const Tool& tool) {
  const auto names = [&](const std::vector<std::string>& list) {
    return std::find(list.begin(), list.end(), tool.description->id) != list.end();
  };
  const bool is_named = settings_.served.empty() || names(settings_.served);
  if (is_named && !names(settings_.not_served)) tools_.push_back(tool);
}

bool ToolMethods::has_lasting_tool() const {
  return std::any_of(tools_.begin(), tools_.end(),
                     [](const Tool& tool) { return may_ask_for_job(*tool.description, tool.server_tool); });
}

std::optional<ordered_json> ToolMethods::list(const json& params, Error& error, bool shows_tasks) const {
  std::size_t first = 0;
  if (const json* given = member(params, "cursor")) {
    const std::optional<std::size_t> known = first_of(*given, settings_.page, tools_.size());
    if (!known) {
      error = {invalid_params, "the cursor is not one that this server has given"};
      return std::nullopt;
    }
    first = *known;
  }
  ordered_json list = ordered_json::array();
  const std::size_t end = std::min(first + settings_.page, tools_.size());
  for (std::size_t i = first; i < end; ++i) {
    const Tool& tool = tools_[i];
    list.push_back(tool_object(*tool.description, tool.server_tool != nullptr || settings_.style != ResultStyle::text));
    if (tool.description->id == command_tool) name_shell(list.back(), settings_.shell);
    if (tool.description->id == "execute_run" && has(command_tool)) name_other_tool(list.back());
    if (tool.description->id == stdin_tool) add_stdin(list.back()["inputSchema"]);
    const bool may_last = may_ask_for_job(*tool.description, tool.server_tool);
    if (may_last && has("job_poll")) add_background(list.back());
    if (const auto schema = list.back().find("outputSchema");
        schema != list.back().end() && tool.server_tool == nullptr && has("job_poll") &&
        tool.description->id != command_tool && !ends_in_time(*tool.description)) {
      // A call that has become a job is answered with the number of the job.
      *schema = {{"type", "object"}, {"anyOf", {std::move(*schema), {{"required", {"job"}}}}}};
    }
    if (may_last && shows_tasks) list.back()["execution"] = {{"taskSupport", "optional"}};
  }
  ordered_json result{{"tools", std::move(list)}};
  if (end < tools_.size()) result["nextCursor"] = cursor(end);
  return result;
}

const ToolMethods::Tool* ToolMethods::find(std::string_view name) const {
  const auto found =
      std::find_if(tools_.begin(), tools_.end(), [&](const Tool& tool) { return tool.description->id == name; });
  return found == tools_.end() ? nullptr : &*found;
}

std::vector<std::string> ToolMethods::command_parameters() const {
  const Tool* const tool = find(command_tool);
  return tool == nullptr ? std::vector<std::string>() : parameters_with_background(*tool->description);
}

std::string ToolMethods::unknown_tool(const std::string& name) const {
  // For the client, tools that are not served do not exist. So that the message does not reveal them, it lists no names
  // at all.
  if (!settings_.served.empty()) return "there is no tool \"" + escaped(name) + "\" here";
  std::vector<std::string> names;
  for (const Tool& tool : tools_) names.push_back(tool.description->id);
  return "there is no tool \"" + escaped(name) + "\"" + known_names(name, "tools", names);
}

std::shared_ptr<ClientCall> ToolMethods::call(const Message& request, Error& error) const {
  const json* name = member(request.body, "name");
  const json* arguments = member(request.body, "arguments");
  const json* meta = member(request.body, "_meta");
  const auto refused = [&](std::string why) {
    error = {invalid_params, std::move(why)};
    return nullptr;
  };
  if (name == nullptr || !name->is_string()) return refused("tools/call needs the name of a tool, as a string");
  if (arguments != nullptr && !arguments->is_object()) return refused("the arguments of a tool must be an object");
  if (meta != nullptr && !meta->is_object()) return refused("_meta must be an object");
  auto call = std::make_shared<ClientCall>();
  const Tool* tool = find(name->get_ref<const std::string&>());
  if (tool == nullptr) return refused(unknown_tool(name->get_ref<const std::string&>()));
  call->tool = tool->description;
  call->server_tool = tool->server_tool;
  if (const json* token = meta == nullptr ? nullptr : member(*meta, "progressToken")) {
    const std::optional<std::string> text = token->is_number_float() ? std::nullopt : id_key(*token);
    if (!text) return refused("the progressToken must be a string or a whole number of at most 64 bits");
    call->progress_token = *text;
  }
  if (const json* trace = meta == nullptr ? nullptr : member(*meta, "traceparent")) {
    if (!trace->is_string() || !is_traceparent(trace->get_ref<const std::string&>())) {
      return refused("_meta.traceparent must be a W3C traceparent, such as 00-" + std::string(32, '1') + "-" +
                     std::string(16, '2') + "-01");
    }
    call->traceparent = trace->get<std::string>();
  }
  call->id = request.id;
  call->key = request.key;
  call->arguments = arguments == nullptr ? "{}" : dumped(*arguments);
  return call;
}

}  // namespace wtool::host::mcp
