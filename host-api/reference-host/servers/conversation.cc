#include "servers/conversation.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/escape.h"
#include "base/json_members.h"
#include "base/json_reader.h"

namespace wtool::host::servers {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 4> session_versions{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
constexpr std::string_view modern_version = "2026-07-28";
constexpr int call_id = 1000000;  // always the id of tools/call, so that cancellation() needs no state
constexpr int max_pages = 100;
constexpr std::size_t max_depth = 90;  // a workflow's value has at most 100 levels; the answer is a part of one
constexpr std::size_t max_text = 200;

json client_info() { return {{"name", "wtool"}, {"version", WTOOL_VERSION}}; }

// Why `result` is not a valid result of a call; empty: it is valid.
std::string result_mistake(const json& result) {
  const auto content = result.find("content");
  const auto structured = result.find("structuredContent");
  const bool has_content = content != result.end() && content->is_array();
  const bool has_structured = structured != result.end() && structured->is_object();
  if (!has_content && !has_structured) return "the server's answer has no content";
  const auto is_error = result.find("isError");
  if (is_error != result.end() && !is_error->is_boolean()) return "isError of the server's answer is not a boolean";
  return {};
}

std::string short_text(const std::string& text) {
  return text.size() <= max_text
             ? escaped(text)
             : escaped(text.substr(0, max_text)) + "... (" + std::to_string(text.size()) + " bytes)";
}

}  // namespace

Conversation::Conversation(std::optional<Call> call, const Offer* pinned, Send send)
    : call_(std::move(call)), pinned_(pinned), send_(std::move(send)) {}

std::string Conversation::cancellation() {
  return dumped(json{{"jsonrpc", "2.0"},
                     {"method", "notifications/cancelled"},
                     {"params", {{"requestId", call_id}, {"reason", "the step was stopped"}}}});
}

void Conversation::begin() {
  if (pinned_ != nullptr && pinned_->protocol == modern_version) return request(Waits::discover, "server/discover", {});
  request(
      Waits::initialize, "initialize",
      {{"protocolVersion", session_versions.front()}, {"capabilities", json::object()}, {"clientInfo", client_info()}});
}

void Conversation::request(Waits waits, const char* method, json params) {
  waits_ = waits;
  method_ = method;
  id_ = waits == Waits::call ? call_id : id_ + 1;
  if (params.is_null()) params = json::object();
  if (modern_ || waits == Waits::discover) {
    params["_meta"] = {{"io.modelcontextprotocol/protocolVersion", modern_version},
                       {"io.modelcontextprotocol/clientInfo", client_info()},
                       {"io.modelcontextprotocol/clientCapabilities", json::object()}};
  }
  send_(dumped(json{{"jsonrpc", "2.0"}, {"id", id_}, {"method", method}, {"params", std::move(params)}}));
}

void Conversation::fail(std::string why) {
  over_ = true;
  problem_ = std::move(why);
}

std::string Conversation::awaited() const {
  return method_ + (initialize_error_.empty() ? "" : ", after it refused initialize: " + initialize_error_);
}

Conversation::Other Conversation::take(std::string_view line) {
  if (over_) return {};
  if (nests_deeper(line, max_depth)) return fail("the server's answer is nested too deeply"), Other();
  const json message = parse_json(line);
  const auto is_message = [](const json& one) { return one.is_object() && text_member(one, "jsonrpc") == "2.0"; };
  if (message.is_array() && std::all_of(message.begin(), message.end(), is_message)) {
    for (const json& one : message) answer(one);
    return {};
  }
  if (!is_message(message)) return {std::string(line), false};
  if (text_member(message, "method") == "notifications/message") {
    const json params = object_member(message, "params");
    const auto data = params.find("data");
    if (data == params.end()) return {};
    return {data->is_string() ? data->get<std::string>() : dumped(*data)};
  }
  answer(message);
  return {};
}

void Conversation::answer(const json& message) {
  if (over_) return;
  if (message.contains("method")) return asked(message);
  const auto id = message.find("id");
  if (waits_ == Waits::nothing || id == message.end() || *id != id_) return;
  const Waits waited = std::exchange(waits_, Waits::nothing);
  if (const auto error = message.find("error"); error != message.end()) {
    const std::string text = text_member(*error, "message");
    const std::string said = short_text(text.empty() ? dumped(*error) : text);
    if (waited == Waits::initialize) {
      initialize_error_ = said;
      return request(Waits::discover, "server/discover", {});
    }
    const std::string what = waited == Waits::call   ? "the server refuses the call: "
                             : waited == Waits::list ? "the server does not list its tools: "
                             : !initialize_error_.empty()
                                 ? "the server refuses initialize (" + initialize_error_ + ") and server/discover: "
                                 : "the server does not support server/discover: ";
    return fail(what + said);
  }
  const json result = object_member(message, "result");
  switch (waited) {
    case Waits::initialize:
      return initialized(result);
    case Waits::discover:
      return discovered(result);
    case Waits::list:
      return listed(result);
    case Waits::call:
      if (const std::string type = text_member(result, "resultType"); !type.empty() && type != "complete") {
        return fail("the server asks for something (" + short_text(type) + "), but wtool cannot answer such requests");
      }
      if (const std::string why = result_mistake(result); !why.empty()) return fail(why);
      result_ = result;
      over_ = true;
      return;
    case Waits::nothing:
      return;
  }
}

// Answers the server's requests. The server's notifications are ignored.
void Conversation::asked(const json& message) {
  const auto id = message.find("id");
  if (id == message.end()) return;
  json reply = {{"jsonrpc", "2.0"}, {"id", *id}};
  if (text_member(message, "method") == "ping") {
    reply["result"] = json::object();
  } else {
    reply["error"] = {{"code", -32601}, {"message", "this client answers only ping"}};
  }
  if (!send_(dumped(reply))) fail("the server keeps sending requests, but reads none of the answers");
}

void Conversation::initialized(const json& result) {
  const std::string version = text_member(result, "protocolVersion");
  if (std::find(session_versions.begin(), session_versions.end(), version) == session_versions.end()) {
    return fail("the server uses version \"" + short_text(version) +
                "\" of the protocol, which wtool does not support");
  }
  const json info = object_member(result, "serverInfo");
  send_(dumped(json{{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}}));
  introduced(text_member(info, "name"), text_member(info, "version"), version);
}

void Conversation::discovered(const json& result) {
  const auto versions = result.find("supportedVersions");
  if (versions == result.end() || !versions->is_array() ||
      std::find(versions->begin(), versions->end(), modern_version) == versions->end()) {
    return fail("the server and wtool have no version of the protocol in common");
  }
  modern_ = true;
  json info = object_member(result, "serverInfo");
  if (info.empty()) info = object_member(object_member(result, "_meta"), "io.modelcontextprotocol/serverInfo");
  introduced(text_member(info, "name"), text_member(info, "version"), std::string(modern_version));
}

void Conversation::introduced(std::string name, std::string version, std::string protocol) {
  offer_.name = std::move(name);
  offer_.version = std::move(version);
  offer_.protocol = std::move(protocol);
  if (pinned_ != nullptr && (pinned_->name != offer_.name || pinned_->version != offer_.version)) {
    other_server_ = true;
    return fail("the server is " + short_text(offer_.name + " " + offer_.version) + ", but the pinned server is " +
                short_text(pinned_->name + " " + pinned_->version) +
                "; `wtool servers lock` shows what has changed, and pins it");
  }
  if (!call_) return request(Waits::list, "tools/list", {});
  request(Waits::call, "tools/call", {{"name", call_->tool}, {"arguments", call_->arguments}});
}

void Conversation::listed(const json& result) {
  const auto tools = result.find("tools");
  if (tools == result.end() || !tools->is_array()) return fail("the server's list of tools is missing");
  for (const json& tool : *tools) {
    const std::string name = text_member(tool, "name");
    if (name.empty()) return fail("the server has a tool without a name");
    offer_.tools[name] = {.description = text_member(tool, "description"),
                          .input_schema = object_member(tool, "inputSchema")};
  }
  const std::string next = text_member(result, "nextCursor");
  if (next.empty()) {
    over_ = true;
    return;
  }
  if (++pages_ >= max_pages) return fail("the server's list of tools does not end");
  request(Waits::list, "tools/list", {{"cursor", next}});
}

}  // namespace wtool::host::servers
