#include "mcp/protocol_2026.h"

#include <utility>

#include "mcp/elicitation.h"

namespace wtool::host::mcp {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* version_key = "io.modelcontextprotocol/protocolVersion";
constexpr const char* capabilities_key = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* log_level_key = "io.modelcontextprotocol/logLevel";
constexpr const char* client_info_key = "io.modelcontextprotocol/clientInfo";
constexpr const char* server_info_key = "io.modelcontextprotocol/serverInfo";

constexpr std::string_view spoken = "2026-07-28";
constexpr const char* question_key = "approval";

constexpr int missing_capability = -32021;
constexpr int unsupported_version = -32022;

// How long a client may keep an answer. The list of tools does not change while the program runs.
constexpr int fresh_ms = 3'600'000;

json all_versions() {
  json all = {spoken};
  for (const std::string_view older : session_versions) all.push_back(older);
  return all;
}

void add_caching(ordered_json& result) {
  result["ttlMs"] = fresh_ms;
  result["cacheScope"] = "private";
}

}  // namespace

Protocol2026::Protocol2026(const ToolMethods& tools, LogNotifications& logs, About about)
    : tools_(tools), logs_(logs), about_(std::move(about)) {}

bool Protocol2026::is_spoken_by(const Message& request) {
  const json* meta = member(request.body, "_meta");
  return meta != nullptr && member(*meta, version_key) != nullptr;
}

std::string Protocol2026::complete(std::string_view id, ordered_json result) const {
  result["resultType"] = "complete";
  result["_meta"][server_info_key] = server_info(about_);
  return result_line(id, result);
}

Reply Protocol2026::answer(const Message& request) {
  const auto refused = [&](Error error) { return Reply{error_line(request.id, error), nullptr}; };
  const json& meta = request.body.at("_meta");
  const json& version = meta.at(version_key);
  if (!version.is_string()) return refused({invalid_params, std::string(version_key) + " must be a string"});
  if (version != spoken) {
    return refused({unsupported_version,
                    "a request cannot name this version of the protocol; a connection with an older version begins "
                    "with initialize",
                    {{"requested", version}, {"supported", all_versions()}}});
  }
  if (const json* capabilities = member(meta, capabilities_key);
      capabilities == nullptr || !capabilities->is_object()) {
    return refused({invalid_params, std::string("_meta needs ") + capabilities_key + ", an object"});
  }
  if (request.method == "server/discover") {
    ordered_json result{{"supportedVersions", all_versions()},
                        {"capabilities", {{"tools", {{"listChanged", false}}}, {"logging", ordered_json::object()}}},
                        {"instructions", instructions(about_, tools_, shows_forms(meta.at(capabilities_key)))}};
    add_caching(result);
    return {complete(request.id, std::move(result)), nullptr};
  }
  if (request.method == "tools/list") {
    Error error;
    auto list = tools_.list(request.body, error);
    if (!list) return refused(error);
    add_caching(*list);
    return {complete(request.id, std::move(*list)), nullptr};
  }
  if (request.method == "tools/call") return call_tool(request, meta);
  return refused({method_not_found, "there is no method " + dumped(json(request.method))});
}

Reply Protocol2026::call_tool(const Message& request, const json& meta) {
  Error error;
  std::shared_ptr<ClientCall> call = tools_.call(request, error);
  if (call && !take_answer(request, *call, error)) call = nullptr;
  if (const json* level = member(meta, log_level_key); call && level != nullptr) {
    if (!level->is_string() || !LogNotifications::parse_level(level->get_ref<const std::string&>(), call->logs_from)) {
      error = {invalid_params, std::string(log_level_key) + " must be one of the protocol's eight levels"};
      call = nullptr;
    }
  }
  if (!call) return {error_line(request.id, error), nullptr};
  call->speaks_2026 = true;
  call->client = client_name(meta, client_info_key);
  call->asks = shows_forms(meta.at(capabilities_key)) ? ClientCall::Asks::later : ClientCall::Asks::nobody;
  logs_.send_for_calls_from(call->logs_from);
  return {{}, std::move(call)};
}

// Takes the reply to the question with which an earlier call ended, if the request brings one. If no valid reply comes,
// the question is asked again; unexpected replies are ignored (2026-07-28, MRTR).
bool Protocol2026::take_answer(const Message& request, ClientCall& call, Error& error) {
  const json* state = member(request.body, "requestState");
  if (state == nullptr) return true;
  if (!state->is_string()) {
    error = {invalid_params, "requestState must be the string that the question came with"};
    return false;
  }
  const json* replies = member(request.body, "inputResponses");
  const json* reply = replies == nullptr ? nullptr : member(*replies, question_key);
  std::string why;
  auto question = request_states_.redeem(state->get_ref<const std::string&>(), call.tool->id, call.arguments, why);
  if (!question) {
    error = {invalid_params, why};
    return false;
  }
  call.continues = std::move(question->continues);
  call.given = std::move(question->unused);
  if (reply != nullptr && reply->is_object()) call.given.push_back({question->fingerprint, approval_of(*reply)});
  return true;
}

std::string Protocol2026::answer_call(const ClientCall& call, ordered_json result) {
  if (!call.question) return complete(call.id, std::move(result));
  if (call.asks == ClientCall::Asks::nobody) {
    return error_line(call.id, {missing_capability,
                                "the call needs an approval, and the client shows no forms: " + call.question->reason,
                                {{"requiredCapabilities", {{"elicitation", {{"form", json::object()}}}}}}});
  }
  ordered_json asking{{"resultType", "input_required"}};
  asking["inputRequests"][question_key] = {{"method", "elicitation/create"}, {"params", approval_form(*call.question)}};
  // When a run continues, it may ask another question before it needs the answers in `given`.
  asking["requestState"] =
      request_states_.issue(call.tool->id, call.arguments, call.question->fingerprint, call.continues,
                            call.continues.empty() ? std::vector<ClientCall::Given>() : call.given);
  asking["_meta"][server_info_key] = server_info(about_);
  return result_line(call.id, asking);
}

}  // namespace wtool::host::mcp
