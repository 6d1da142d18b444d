#include "servers/server_tools.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "base/escape.h"
#include "base/json.h"
#include "base/json_members.h"
#include "base/json_reader.h"
#include "base/json_schema.h"
#include "base/shell_quote.h"
#include "base/utf8.h"
#include "loader/stdin_parameter.h"
#include "servers/conversation.h"
#include "servers/input_pipe.h"

namespace wtool::host::servers {
namespace {

using nlohmann::json;

// The longest line that a server may answer with.
constexpr std::size_t max_line = 16UL << 20;
constexpr std::size_t max_shown = 200;  // bytes of a line in a message
// How long a server may take to end by itself after its input has ended.
constexpr std::chrono::milliseconds time_to_end{2000};

json error_envelope(const std::string& code, const std::string& message, const std::string& hint = "") {
  json error = {{"code", code}, {"message", message}};
  if (!hint.empty()) error["hint"] = hint;
  return {{"content", json::array({{{"type", "text"}, {"text", message}}})},
          {"is_error", true},
          {"metadata", {{"error", std::move(error)}}}};
}

ToolOutcome failed(const std::string& code, const std::string& message) {
  return {ToolOutcome::Kind::finished, error_envelope(code, message), ""};
}

// The command with its standard input redirected to the pipe. A command with an operator or a comment becomes a group,
// so that the redirection applies to all of it.
std::string command_reading(const std::string& command, const std::string& pipe) {
  const std::string from = " < " + shell_quoted(pipe);
  return command.find_first_of("#|&;") == std::string::npos ? command + from : "{ " + command + "\n}" + from;
}

json call_reading(const Settings& settings, const std::string& pipe) {
  json call = {{"command", command_reading(settings.command, pipe)}};
  if (!settings.env.empty()) call["environment"] = settings.env;
  if (settings.timeout > 0) call["timeout"] = settings.timeout;
  return call;
}

// Cuts the server's output into lines, and passes them to the conversation.
class Lines {
 public:
  Lines(Conversation& conversation, const ToolCaller::OutputSink& output)
      : conversation_(conversation), output_(output) {}

  void add(std::string_view bytes) {
    while (!bytes.empty() && !is_over()) {
      const std::size_t end = bytes.find('\n');
      rest_ += bytes.substr(0, end);
      if (rest_.size() > max_line) {
        too_long_ = true;
        return;
      }
      if (end == std::string_view::npos) return;
      bytes.remove_prefix(end + 1);
      if (rest_.ends_with('\r')) rest_.pop_back();
      const auto other = rest_.empty() ? Conversation::Other() : conversation_.take(rest_);
      if (!other.text.empty() && output_) output_(OutputStream::standard_error, other.text + '\n');
      if (!other.is_message && !other.text.empty())
        last_other_ = other.text.substr(0, cut_before(other.text, max_shown));
      rest_.clear();
    }
  }
  bool is_over() const { return too_long_ || conversation_.is_over(); }
  // The last line that was not a message of the protocol; empty: there was none.
  const std::string& last_other() const { return last_other_; }
  std::string problem() const {
    return too_long_ ? "the server answers with a line of more than " + std::to_string(max_line >> 20) + " MiB"
                     : conversation_.problem();
  }

 private:
  Conversation& conversation_;
  const ToolCaller::OutputSink& output_;
  std::string rest_;
  std::string last_other_;
  bool too_long_ = false;
};

// NOLINTNEXTLINE(bugprone-exception-escape): moving JSON is noexcept; the check does not know that
struct Talk {
  ToolOutcome command;  // how the server's command ended
  bool is_over = false;
  std::string problem;
  std::string unanswered;  // what the server has not answered, in words
};

// Starts the server, runs the conversation to its end, and ends the server.
Talk talk(ToolCaller& plugin, const Settings& settings, const CallPlace& place, std::optional<Conversation::Call> what,
          const Offer* pinned, Stop& stop, const ToolCaller::OutputSink& output, const ToolCaller::StateSink& state,
          std::optional<Conversation>& conversation) {
  Talk made;
  Stop own;  // outlives the pipe, which uses it
  std::string error;
  const std::unique_ptr<InputPipe> pipe = InputPipe::make(error);
  if (!pipe) {
    made.command.error = error;
    return made;
  }
  const bool calls = what.has_value();
  conversation.emplace(std::move(what), pinned, [&pipe](const std::string& line) { return pipe->write(line); });
  const Stop::Subscription from_run = stop.subscribe([&](const StopRequest& request) {
    if (calls) pipe->write(Conversation::cancellation());
    own.request(request.how, request.reason);
  });
  Lines lines(*conversation, output);
  conversation->begin();
  made.command = plugin.call_at(
      place_of(settings, place), stdin_tool, call_reading(settings, pipe->path()), own,
      [&](OutputStream stream, std::string_view bytes) {
        if (stream == OutputStream::standard_error) {
          if (output) output(stream, bytes);
          return;
        }
        lines.add(bytes);
        if (lines.is_over()) {
          pipe->finish(time_to_end, [&own] { own.request(StopHow::graceful, "the server has answered"); });
        }
      },
      state);
  made.is_over = lines.is_over();
  made.problem = lines.problem();
  made.unanswered = conversation->awaited();
  if (!lines.last_other().empty()) {
    made.unanswered += "; it last wrote a line that is not a message of MCP: " + escaped(lines.last_other());
  }
  return made;
}

// The outcome of a call whose server ended without an answer.
ToolOutcome unanswered(const std::string& server, Talk& said) {
  ToolOutcome& command = said.command;
  if (command.kind == ToolOutcome::Kind::not_made || !command.result.is_object()) return command;
  json& metadata = command.result["metadata"];
  if (!metadata.is_object()) metadata = json::object();
  // The output is left out, because it consists of messages of the protocol.
  for (const char* name : {"stdout_bytes", "stdout_truncated"}) metadata.erase(name);
  for (const char* name : {"stdout", "partial_stdout"}) {
    if (metadata.contains(name)) metadata[name] = "";
  }
  const std::string code = text_member(object_member(metadata, "error"), "code");
  const bool by_itself = code.empty() || code == "exit_nonzero" || code == "killed_by_signal";
  const auto seconds = metadata.find("timeout_seconds");
  const bool timed_out = code == "timed_out" || seconds != metadata.end();
  if (command.kind == ToolOutcome::Kind::cancelled || !(by_itself || timed_out)) return std::move(command);
  std::string message;
  if (timed_out) {
    message = "the server " + escaped(server) + " has not answered " + said.unanswered;
    if (seconds != metadata.end() && seconds->is_number()) message += " (timeout: " + seconds->dump() + " s)";
  } else {
    message = "the server " + escaped(server) + " ended before it answered " + said.unanswered;
    if (const auto status = metadata.find("exit_code"); status != metadata.end() && status->is_number_integer()) {
      message += " (exit code " + status->dump() + ")";
    }
  }
  command.result["is_error"] = true;
  command.result["content"] = json::array({{{"type", "text"}, {"text", message}}});
  metadata["error"] = {{"code", timed_out ? "timed_out" : "server_ended"}, {"message", message}};
  return std::move(command);
}

// The texts of an answer, with those of embedded resources. `left_out` names the other parts.
std::string text_of_parts(const json& content, std::vector<std::string>& left_out) {
  std::string text;
  for (const json& part : content) {
    const std::string type = text_member(part, "type");
    const json resource = type == "resource" ? object_member(part, "resource") : json();
    const json& holder = type == "resource" ? resource : part;
    const auto found = holder.is_object() ? holder.find("text") : holder.end();
    if ((type == "text" || type == "resource") && holder.is_object() && found != holder.end() && found->is_string()) {
      if (!text.empty()) text += '\n';
      text += found->get<std::string>();
      continue;
    }
    std::string shown = type.empty() ? "a part without a type" : type;
    for (const char* member : {"mimeType", "uri"}) {
      if (const std::string more = text_member(holder, member); !more.empty()) shown += " " + more;
    }
    left_out.push_back(escaped(shown));
  }
  return text;
}

std::string text_of_parts(const json& content) {
  std::vector<std::string> ignored;
  return text_of_parts(content, ignored);
}

json envelope_of(const json& result, const Catalog::Found& found, const json& command) {
  const auto content = result.find("content");
  json parts = content != result.end() && content->is_array() ? *content : json::array();
  const json structured = object_member(result, "structuredContent");
  std::vector<std::string> left_out;
  std::string text = text_of_parts(parts, left_out);
  if (text.empty() && !structured.empty()) text = dumped(structured);
  json metadata = {{"server", found.server}, {"tool", found.tool}, {"stdout", text}, {"stdout_bytes", text.size()}};
  for (const char* name : {"stderr", "stderr_bytes", "stderr_truncated"}) {
    if (command.contains(name)) metadata[name] = command[name];
  }
  if (!structured.empty()) metadata["structured"] = structured;
  if (!left_out.empty()) metadata["left_out"] = left_out;
  const auto is_error = result.find("isError");
  const bool bad = is_error != result.end() && is_error->is_boolean() && is_error->get<bool>();
  if (bad) metadata["error"] = {{"code", "tool_error"}, {"message", text}};
  return {{"content", std::move(parts)}, {"is_error", bad}, {"metadata", std::move(metadata)}};
}

}  // namespace

CallPlace place_of(const Settings& settings, CallPlace place) {
  place.shell.clear();
  place.on = "local";
  place.slot.clear();
  json limits = place.limits.empty() ? json::object() : parse_json(place.limits);
  if (!limits.is_object()) return place;  // the plugin refuses such limits
  for (const auto& [name, value] : settings.limits.items()) {
    const auto there = limits.find(name);
    const bool is_stricter = there == limits.end() || (value.is_number() && there->is_number() && value < *there);
    if (is_stricter) limits[name] = value;
  }
  place.limits = limits.empty() ? "" : limits.dump();
  return place;
}

json call_of(const Settings& settings) { return call_reading(settings, InputPipe::example()); }

std::string refusal(const Catalog::Found& found) {
  if (found.allowed) return {};
  return "mcp_servers." + found.server + ".tools does not allow the tool " + escaped(found.tool);
}

bool ServerTools::has_tool(std::string_view id) const {
  const auto found = catalog_.find(id);
  return found ? catalog_.problem(*found).empty() : plugin_.has_tool(id);
}

std::string ServerTools::unknown_tool(std::string_view id) const {
  const auto found = catalog_.find(id);
  if (found) return catalog_.problem(*found);
  const std::size_t slash = id.find('/');
  if (slash == std::string_view::npos) return plugin_.unknown_tool(id);
  return "there is no server " + escaped(id.substr(0, slash)) + " in mcp_servers of the configuration";
}

std::string ServerTools::input_schema(std::string_view id) const {
  const auto found = catalog_.find(id);
  if (!found) return plugin_.input_schema(id);
  const bool known = found->offered != nullptr && found->offered->unreadable().empty();
  return known ? found->offered->input_schema.dump() : "";
}

std::string ServerTools::unreadable_schema(std::string_view id) const {
  const auto found = catalog_.find(id);
  return found && found->offered != nullptr ? found->offered->unreadable() : "";
}

ToolOutcome ServerTools::call(std::string_view id, const json& arguments, Stop& stop, const OutputSink& output) {
  return call_at({}, id, arguments, stop, output, nullptr);
}

ToolOutcome ServerTools::call_lasting(const CallPlace& place, std::string_view id, const json& arguments, Stop& stop,
                                      const OutputSink& output, const StateSink& state) {
  return plugin_.call_lasting(place, id, arguments, stop, output, state);
}

ToolOutcome ServerTools::call_at(const CallPlace& place, std::string_view id, const json& arguments, Stop& stop,
                                 const OutputSink& output, const StateSink& state) {
  const auto found = catalog_.find(id);
  if (!found) return plugin_.call_at(place, id, arguments, stop, output, state);
  if (const std::string why = refusal(*found); !why.empty()) return failed("policy_denied", why);
  if (const std::string why = catalog_.problem(*found); !why.empty()) {
    return {ToolOutcome::Kind::not_made, nullptr, why};
  }
  if (place.on == "cluster") return {ToolOutcome::Kind::not_made, nullptr, "servers run only on this machine"};
  // A schema that cannot be read does not keep anybody from calling the tool: the server checks the arguments itself.
  const json& schema = found->offered->input_schema;
  const std::string why = found->offered->unreadable().empty() ? instance_mistake(arguments, schema) : "";
  if (!why.empty()) {
    return failed("invalid_parameters", "the arguments for " + escaped(id) + " are not valid: " + why);
  }
  std::optional<Conversation> conversation;
  Talk said = talk(plugin_, *found->settings, place, Conversation::Call{found->tool, arguments}, found->pinned, stop,
                   output, state, conversation);
  if (!said.is_over || stop.requested()) return unanswered(found->server, said);
  if (!said.problem.empty()) {
    const bool other = conversation->is_other_server();
    return failed(other ? "server_changed" : "server_failed", "server " + escaped(found->server) + ": " + said.problem);
  }
  json envelope = envelope_of(conversation->result(), *found, object_member(said.command.result, "metadata"));
  // The text of the answer is passed on in the same way as the output of a command.
  if (const std::string text = text_member(envelope["metadata"], "stdout"); output && !text.empty()) {
    output(OutputStream::standard_output, text);
  }
  if (const auto left_out = envelope["metadata"].find("left_out"); output && left_out != envelope["metadata"].end()) {
    for (const json& part : *left_out) {
      output(OutputStream::standard_error,
             "left out of the answer, because it is not text: " + part.get<std::string>() + "\n");
    }
  }
  return {ToolOutcome::Kind::finished, std::move(envelope), ""};
}

std::optional<Offer> offer_of(ToolCaller& plugin, const std::string& server, const Settings& settings, Stop& stop,
                              const ToolCaller::OutputSink& output, std::string& problem) {
  std::optional<Conversation> conversation;
  Talk said = talk(plugin, settings, {}, std::nullopt, nullptr, stop, output, nullptr, conversation);
  if (said.is_over && said.problem.empty()) return conversation->offer();
  if (said.is_over) {
    problem = said.problem;
    return std::nullopt;
  }
  const ToolOutcome why = unanswered(server, said);
  problem =
      why.kind == ToolOutcome::Kind::not_made ? why.error : text_of_parts(why.result.value("content", json::array()));
  return std::nullopt;
}

}  // namespace wtool::host::servers
