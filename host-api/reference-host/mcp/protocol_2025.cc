#include "mcp/protocol_2025.h"

#include <algorithm>
#include <utility>

#include "mcp/elicitation.h"

namespace wtool::host::mcp {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json server_info(const About& about) {
  return {{"name", "wtool"}, {"title", "Shell tools of wtool"}, {"version", about.version}};
}

std::string instructions(const About& about, const ToolMethods& tools, bool client_shows_forms) {
  const std::string approval = about.questions_wait && !client_shows_forms
                                   ? " A call that needs an approval waits until the person runs `wtool approve` in "
                                     "another terminal: tell them so."
                                   : "";
  const bool has_jobs = tools.has("job_poll");
  if (about.workflows_alone) {
    return "Each tool runs a workflow, which a person has reviewed, on this machine from its beginning to its end. " +
           std::string(has_jobs ? "If a call takes long, the answer names the job that it has become. " : "") +
           "If a run did not complete, the answer says how another call continues it. " + about.policy + approval;
  }
  return "Tools that run commands on this machine. A call returns when its command has ended" +
         std::string(has_jobs ? ", or says which job it has become" : "") +
         "; nothing that a command has started is left afterwards. Long output keeps its beginning and its end" +
         (tools.has("output_read") ? ", and the result says how to read the rest" : "") +
         ": narrow down long output with the command itself. " +
         (about.policy.empty() ? "The person who runs this server may have restricted what is allowed; a refusal says "
                                 "what is allowed."
                               : about.policy) +
         approval;
}

std::string client_name(const json& parent, std::string_view key) {
  const json* info = member(parent, key);
  const json* name = info == nullptr ? nullptr : member(*info, "name");
  return name != nullptr && name->is_string() ? name->get<std::string>() : std::string();
}

Protocol2025::Protocol2025(const ToolMethods& tools, Jobs& jobs, LogNotifications& logs, About about)
    : tools_(tools), jobs_(jobs), logs_(logs), about_(std::move(about)) {}

Reply Protocol2025::answer(const Message& request) {
  const auto refused = [&](Error error) { return Reply{error_line(request.id, error), nullptr}; };
  if (request.method == "ping") return {result_line(request.id, ordered_json::object()), nullptr};
  if (request.method == "initialize") return {initialize(request), nullptr};
  if (!initialized_) {
    // Either the session or the version in _meta is missing. The code is the one that the newer protocol prescribes for
    // a missing version (2026-07-28, basic, "_meta").
    return refused({invalid_params,
                    "the request names no version of the protocol: begin with initialize, or give one in _meta "
                    "(io.modelcontextprotocol/protocolVersion)"});
  }
  Error error;
  if (request.method == "tools/list") {
    const auto list = tools_.list(request.body, error, lists_tasks_);
    return list ? Reply{result_line(request.id, *list), nullptr} : refused(error);
  }
  if (request.method == "tools/call") {
    auto call = tools_.call(request, error);
    if (!call || !take_task(request, *call, error)) return refused(error);
    if (can_be_asked_) call->asks = ClientCall::Asks::client;
    call->client = client_;
    return {{}, std::move(call)};
  }
  if (request.method == "logging/setLevel") return {set_level(request), nullptr};
  if (has_tasks_ && Jobs::is_task_method(request.method)) return {jobs_.answer_task_method(request), nullptr};
  return refused({method_not_found, "there is no method " + dumped(json(request.method))});
}

std::string Protocol2025::initialize(const Message& request) {
  if (initialized_) return error_line(request.id, {invalid_request, "the session has already begun"});
  const json* wanted = member(request.body, "protocolVersion");
  const json* capabilities = member(request.body, "capabilities");
  if (wanted == nullptr || !wanted->is_string()) {
    return error_line(request.id, {invalid_params, "initialize needs a protocolVersion, as a string"});
  }
  if (capabilities == nullptr || !capabilities->is_object()) {
    return error_line(request.id, {invalid_params, "initialize needs the client's capabilities, as an object"});
  }
  const auto known = std::find_if(session_versions.begin(), session_versions.end(),
                                  [&](std::string_view version) { return *wanted == version; });
  const std::string_view version = known == session_versions.end() ? session_versions.front() : *known;
  initialized_ = true;
  takes_batches_ = version == "2025-03-26" || version == "2024-11-05";
  has_tasks_ = version == "2025-11-25" && tools_.has_lasting_tool();
  lists_tasks_ = has_tasks_ && capabilities->contains("tasks");
  can_be_asked_ = shows_forms(*capabilities);
  client_ = client_name(request.body, "clientInfo");
  ordered_json own{{"tools", {{"listChanged", false}}}, {"logging", ordered_json::object()}};
  if (has_tasks_) {
    const ordered_json yes = ordered_json::object();
    own["tasks"] = {{"list", yes}, {"cancel", yes}, {"requests", {{"tools", {{"call", yes}}}}}};
  }
  const ordered_json result{{"protocolVersion", version},
                            {"capabilities", std::move(own)},
                            {"serverInfo", server_info(about_)},
                            {"instructions", instructions(about_, tools_, can_be_asked_)}};
  return result_line(request.id, result);
}

// Copies the request's `task` into the call; versions of the protocol without tasks ignore it. False: `error` says what
// is wrong with it.
bool Protocol2025::take_task(const Message& request, ClientCall& call, Error& error) const {
  const json* task = member(request.body, "task");
  if (task == nullptr || !has_tasks_) return true;
  const json* ttl = member(*task, "ttl");
  if (!task->is_object() || (ttl != nullptr && (!ttl->is_number_integer() || *ttl < 0))) {
    error = {invalid_params, "task must be an object, and its ttl a whole number of milliseconds, from 0"};
    return false;
  }
  if (!may_ask_for_job(*call.tool, call.server_tool)) {
    error = {method_not_found, "a call of " + call.tool->id + " cannot be a task: call it without `task`"};
    return false;
  }
  call.wants_task = true;
  if (ttl != nullptr) {
    call.task_ttl = std::min<std::uint64_t>(ttl->get<std::uint64_t>(), Jobs::max_ttl.count());
  }
  return true;
}

std::string Protocol2025::set_level(const Message& request) {
  const json* name = member(request.body, "level");
  LogLevel level = LogLevel::off;
  if (name == nullptr || !name->is_string() ||
      !LogNotifications::parse_level(name->get_ref<const std::string&>(), level)) {
    return error_line(request.id, {invalid_params,
                                   "the level must be debug, info, notice, warning, error, critical, alert or "
                                   "emergency"});
  }
  logs_.send_from(level);
  return result_line(request.id, ordered_json::object());
}

}  // namespace wtool::host::mcp
