// The C interface of the plugins (entry.h): turns views into values, exceptions into statuses and the host's function
// tables into the plugin's own classes. It decides nothing itself.

#include "entry.h"

#include <dlfcn.h>
#include <unistd.h>
#include <wtool/ext/explain.h>
#include <wtool/tool.h>

#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>
#include <wtool/cpp/plugin.hpp>

#include "audit/tracing.h"
#include "base/json_text.h"
#include "base/lasting.h"
#include "base/trace_context.h"
#include "base/utf8.h"
#include "configuration/call_limits.h"
#include "configuration/configuration.h"
#include "engine/cancellation.h"
#include "engine/warden_client.h"
#include "engine/warden_file.h"
#include "entry_host.h"
#include "tools/tool.h"

using namespace wtool;  // NOLINT: this file connects the C interface with this namespace

// Opaque to the host.
struct wtool_call {
  std::unique_ptr<tools::PreparedCall> prepared;
  engine::Cancellation cancellation;
  std::shared_ptr<const Configuration> configuration;
  std::shared_ptr<engine::CommandRunner> runner;
  std::string tool, call_id;
  std::string traceparent, limits;
  std::uint64_t parent_span = 0;
  std::uint64_t ceiling_ms = 0;
  void* sink_ctx = nullptr;
  int32_t (*on_event)(void*, const wtool_event*) noexcept = nullptr;
  std::atomic<bool> run{false};
  std::uint64_t events = 0;  // given to the host so far
  CallApprover approver;

  wtool_call(const wtool_host* host, const wtool_host_approval* approval) : approver(host, approval, cancellation) {}
};

namespace {

// ---- The plugin's state between init and deinit.

// Only init and deinit change it, and the host calls nothing else while one of the two runs. Destroyed in the reverse
// order: sessions end their processes with the help of the backend and the warden client.
struct PluginState {
  std::unique_ptr<engine::WardenClient> warden_client;
  std::unique_ptr<entry::Backend> backend;
  std::unique_ptr<Sessions> sessions;
  std::unique_ptr<const FleetPolicy> fleet;  // read once, by init
  const wtool_host* host = nullptr;
  const wtool_host_approval* approval = nullptr;  // nullptr: the host asks nobody
  pid_t process = 0;                              // which called init
};

// Lasting, so that a host that exits without deinit waits for nothing. The warden then ends all processes, as it does
// when a host is killed.
PluginState& plugin = lasting<PluginState>();

// For the plugin build/lib/wtool/shell_tools.so, the warden is build/libexec/wtool/shell-warden. In an installation,
// the installation prefix takes the place of build/. Empty: `problem` says why.
std::string find_warden(std::string& problem) {
  Dl_info here{};
  if (::dladdr(&wtool_entry_v1, &here) == 0 || here.dli_fname == nullptr) {
    problem = "the dynamic linker does not know the plugin's own file, beside which the helper program shell-warden is";
    return {};
  }
  std::unique_ptr<char, decltype(&std::free)> real(::realpath(here.dli_fname, nullptr), &std::free);
  if (!real) {
    problem =
        std::string("the helper program shell-warden cannot be found, because the path of the plugin's own file ") +
        here.dli_fname + " cannot be resolved: " + std::strerror(errno);
    return {};
  }
  std::string path(real.get());
  for (int up = 0; up < 3; ++up) path.erase(std::min(path.rfind('/'), path.size()));
  return path + "/libexec/wtool/shell-warden";
}

}  // namespace

wtool_status entry::init(const wtool_host* host, wtool_blob* error) noexcept {
  return guarded(error, [&]() -> wtool_status {
    if (host == nullptr || !WTOOL_HAS(host, get_extension)) {
      return fail(WTOOL_E_INVALID_ARGUMENT, error, "init needs a wtool_host of interface 1.0 or later");
    }
    if (plugin.warden_client) return fail(WTOOL_E_BUSY, error, "init was called twice without deinit");
    std::string problem;
    std::string warden = find_warden(problem);
    if (problem.empty()) problem = engine::check_warden_file(warden);
    if (!problem.empty()) return fail(WTOOL_E_UNSUPPORTED, error, problem);
    std::optional<FleetPolicy> policy = read_fleet_policy(problem);
    if (!policy) return fail(WTOOL_E_UNSUPPORTED, error, problem);
    const void* log = host->get_extension != nullptr ? host->get_extension(host, WTOOL_EXT_LOG) : nullptr;
    // Everything that can throw comes first, so that a failed init leaves nothing behind.
    auto new_client = std::make_unique<engine::WardenClient>(std::move(warden));
    auto new_backend = make_backend(*host, *new_client);
    auto new_sessions = std::make_unique<Sessions>();
    auto new_fleet = std::make_unique<const FleetPolicy>(std::move(*policy));
    if (log != nullptr) {
      audit::attach(std::make_shared<LogExtension>(host, static_cast<const wtool_host_log*>(log)));
    }
    plugin.warden_client = std::move(new_client);
    plugin.backend = std::move(new_backend);
    plugin.sessions = std::move(new_sessions);
    plugin.fleet = std::move(new_fleet);
    plugin.host = host;
    plugin.process = ::getpid();
    const void* approval = host->get_extension != nullptr ? host->get_extension(host, WTOOL_EXT_APPROVAL) : nullptr;
    plugin.approval = static_cast<const wtool_host_approval*>(approval);
    return WTOOL_OK;
  });
}

void entry::deinit() noexcept {
  if (plugin.process != ::getpid()) {
    // A forked child: everything is its parent's, and the threads that serve it are not here. If it were destroyed, the
    // parent's processes would end, and this process would wait for threads that it does not have.
    static auto& of_parents = lasting<std::vector<PluginState>>();
    of_parents.push_back(std::exchange(plugin, {}));
    audit::forget();
    return;
  }
  // The records of the end still reach the host.
  plugin.sessions.reset();
  plugin.backend.reset();
  plugin.warden_client.reset();  // Waits until the warden and all custodians have ended.
  audit::detach();
  plugin = {};
}

// ---- Descriptors.

namespace {

wtool_descriptor descriptor_of(const tools::Tool& tool) {
  const tools::Description& from = tool.description;
  wtool_descriptor to{};
  to.struct_size = sizeof to;
  to.hints = (from.read_only ? WTOOL_HINT_READ_ONLY : 0U) | (from.destructive ? WTOOL_HINT_DESTRUCTIVE : 0U) |
             (from.idempotent ? WTOOL_HINT_IDEMPOTENT : 0U) | (from.open_world ? WTOOL_HINT_OPEN_WORLD : 0U) |
             (from.takes_limits ? WTOOL_HINT_LIMITS : 0U);
  to.id = view(from.id);
  to.title = view(from.title);
  to.version = view(from.version);
  to.description = view(from.description);
  to.input_schema = view(from.input_schema);
  to.output_schema = view(from.output_schema);
  return to;
}

const std::vector<wtool_descriptor>& descriptors() {
  static const auto& all = lasting<std::vector<wtool_descriptor>>([] {
    std::vector<wtool_descriptor> list;
    for (const tools::Tool& tool : entry::offered_tools()) list.push_back(descriptor_of(tool));
    return list;
  }());
  return all;
}

}  // namespace

std::uint32_t entry::tool_count() noexcept { return static_cast<std::uint32_t>(offered_tools().size()); }

const wtool_descriptor* entry::tool_at(std::uint32_t index) noexcept {
  try {
    return index < descriptors().size() ? &descriptors()[index] : nullptr;
  } catch (...) {
    return nullptr;
  }
}

// ---- Tools and calls.

namespace {

struct ToolObject {
  wtool_tool table{};
  wtool_descriptor own_descriptor{};  // of a tool that is not offered
  const tools::Tool* tool = nullptr;
  std::shared_ptr<const Configuration> configuration;
  std::shared_ptr<engine::CommandRunner> runner;
  std::unique_ptr<LimitedConfigurations> limited = std::make_unique<LimitedConfigurations>();
};

// The tool's configuration, tightened by the request's limits. nullptr: `problem` says why these limits are refused.
std::shared_ptr<const Configuration> configuration_for(const ToolObject& object, const wtool_request& request,
                                                       std::string& problem) {
  const std::string_view limits = WTOOL_HAS(&request, limits) ? text(request.limits) : std::string_view();
  if (limits.empty()) return object.configuration;
  if (!object.tool->description.takes_limits) {
    problem = "limits of the call: " + std::string(object.tool->description.id) +
              " starts no command that limits could apply to; call it without limits";
    return nullptr;
  }
  return object.limited->find(*object.configuration, limits, problem);
}

wtool_status call_new(const wtool_tool* tool, const wtool_request* request, wtool_call** out,
                      wtool_blob* error) noexcept {
  return guarded(error, [&]() -> wtool_status {
    if (tool == nullptr || request == nullptr || out == nullptr) {
      return fail(WTOOL_E_INVALID_ARGUMENT, error, "call_new needs a tool, a request and an 'out' that are not NULL");
    }
    if (!WTOOL_HAS(request, arguments)) {
      return fail(WTOOL_E_INVALID_ARGUMENT, error, "the struct_size of the request does not cover its arguments");
    }
    const auto& object = *static_cast<const ToolObject*>(tool->self);
    std::string problem;
    auto configuration = configuration_for(object, *request, problem);
    if (!configuration) return fail(WTOOL_E_INVALID_ARGUMENT, error, to_utf8(problem));
    auto call = std::make_unique<wtool_call>(plugin.host, plugin.approval);
    call->configuration = std::move(configuration);
    call->runner = object.runner;
    call->tool = object.tool->description.id;
    if (WTOOL_HAS(request, call_id)) call->call_id = text(request->call_id);
    if (WTOOL_HAS(request, traceparent)) call->traceparent = text(request->traceparent);
    if (WTOOL_HAS(request, limits)) call->limits = text(request->limits);
    if (WTOOL_HAS(request, parent_span)) call->parent_span = request->parent_span;
    if (WTOOL_HAS(request, deadline_ms)) call->ceiling_ms = request->deadline_ms;
    if (WTOOL_HAS(request, on_event)) {
      call->sink_ctx = request->sink_ctx;
      call->on_event = request->on_event;
    }
    call->prepared = object.tool->prepare(text(request->arguments), *call->configuration);
    *out = call.release();
    return WTOOL_OK;
  });
}

void stop(wtool_call& call, engine::Cancellation::Mode how, std::string_view reason) noexcept {
  try {
    call.cancellation.request(how, reason);
  } catch (...) {  // No memory is left to copy the reason.
    call.cancellation.request(how, {});
  }
  call.approver.cancelled();
}

// Numbers the events of a call and hands them to the host. False: the host wants the call stopped.
bool deliver(wtool_call& call, std::uint32_t kind, std::string_view payload) {
  wtool_event event{};
  event.struct_size = sizeof event;
  event.kind = kind;
  event.seq = ++call.events;
  event.mono_ns = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
  event.payload = view(payload);
  return call.on_event(call.sink_ctx, &event) == 0;
}

// The payload of WTOOL_EVENT_STATE.
std::string state_text(const engine::CommandState& state) {
  static constexpr const char* names[] = {"queued", "started", "stopping", "ended"};
  std::string text = std::string(R"({"state":")") + names[static_cast<int>(state.name)] + '"';
  const auto add = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    text.append(",\"").append(key).append("\":");
    append_json_string(text, value);
  };
  add("reason", state.reason);
  if (!state.argv.empty()) {
    text += R"(,"argv":[)";
    for (const std::string& argument : state.argv) {
      if (&argument != state.argv.data()) text += ',';
      append_json_string(text, argument);
    }
    text += ']';
  }
  if (state.pid != 0) text += ",\"pid\":" + std::to_string(state.pid);
  add("node", state.node);
  add("job", state.job);
  return text + '}';
}

// A host may set a ceiling of any size. A ceiling above this is treated as no ceiling.
constexpr std::uint64_t max_ceiling_ms = 1000ULL * 60 * 60 * 24 * 365;

wtool_status call_run(wtool_call* call, wtool_blob* result, wtool_blob* error) noexcept {
  return guarded(error, [&]() -> wtool_status {
    if (call == nullptr || result == nullptr || !WTOOL_HAS(result, release)) {
      return fail(WTOOL_E_INVALID_ARGUMENT, error, "call_run needs a call, and a blob of full size for the result");
    }
    if (!plugin.warden_client)
      return fail(WTOOL_E_INVALID_ARGUMENT, error, "call_run works only between init and deinit");
    if (call->run.exchange(true)) return fail(WTOOL_E_INVALID_ARGUMENT, error, "this call has already been run");
    CallContext context{
        .runner = call->runner,
        .sessions = *plugin.sessions,
        .configuration = *call->configuration,
        .cancellation = call->cancellation,
        .tool = call->tool,
        .call_id = call->call_id,
        .parent_span = call->parent_span,
        .approver = &call->approver,
        .abort = [call](std::string_view reason) { stop(*call, engine::Cancellation::Mode::now, reason); },
        .kept_configuration = call->configuration,
        .limits = call->limits};
    if (call->on_event != nullptr) {
      context.sink = [call](engine::Stream stream, std::string_view bytes) {
        return deliver(*call, stream == engine::Stream::standard_output ? WTOOL_EVENT_STDOUT : WTOOL_EVENT_STDERR,
                       bytes);
      };
      context.state = [call](const engine::CommandState& state) {
        return deliver(*call, WTOOL_EVENT_STATE, state_text(state));
      };
    }
    if (!call->traceparent.empty()) {
      context.traceparent = child_of_trace(call->traceparent);
      if (context.traceparent.empty()) {
        audit::log(audit::Level::warn, "shell_tools::call", "the host gave an invalid traceparent, which is ignored",
                   {audit::field("traceparent", call->traceparent)}, call->parent_span);
      }
    }
    if (call->ceiling_ms != 0 && call->ceiling_ms < max_ceiling_ms) {
      context.ceiling = std::chrono::milliseconds(call->ceiling_ms);
    }
    const bool begins =
        call->cancellation.mode() == engine::Cancellation::Mode::none || call->prepared->tells_cancellation();
    tools::ToolResult answer = begins ? call->prepared->run(context) : tools::not_begun(call->cancellation.reason());
    if (!fill(result, std::move(answer.envelope))) return fail(WTOOL_E_RESOURCE, error, "out of memory");
    return answer.cancelled ? WTOOL_E_CANCELLED : WTOOL_OK;
  });
}

void call_cancel(wtool_call* call, std::uint32_t how, wtool_view reason) noexcept {
  if (call == nullptr) return;
  using Mode = engine::Cancellation::Mode;
  stop(*call, how == WTOOL_CANCEL_GRACEFUL ? Mode::graceful : Mode::now, text(reason));
}

void call_free(wtool_call* call) noexcept { delete call; }

wtool_status explain(const wtool_tool* tool, const wtool_request* request, wtool_blob* result,
                     wtool_blob* error) noexcept {
  return guarded(error, [&]() -> wtool_status {
    if (tool == nullptr || request == nullptr || !WTOOL_HAS(request, arguments) || result == nullptr ||
        !WTOOL_HAS(result, release)) {
      return fail(WTOOL_E_INVALID_ARGUMENT, error,
                  "explain needs a tool, a request with arguments, and a blob of full size for the result");
    }
    if (!plugin.sessions) return fail(WTOOL_E_INVALID_ARGUMENT, error, "explain works only between init and deinit");
    const auto& object = *static_cast<const ToolObject*>(tool->self);
    std::string problem;
    const auto configuration = configuration_for(object, *request, problem);
    if (!configuration) return fail(WTOOL_E_INVALID_ARGUMENT, error, to_utf8(problem));
    const auto prepared = object.tool->prepare(text(request->arguments), *configuration);
    if (!fill(result, object.runner->explained(prepared->explain(*configuration, *plugin.sessions))))
      return fail(WTOOL_E_RESOURCE, error, "out of memory");
    return WTOOL_OK;
  });
}

const wtool_tool_explain explain_extension = {sizeof(wtool_tool_explain), 0, explain};

const void* tool_extension(const wtool_tool*, const char* id) noexcept {
  return id != nullptr && std::strcmp(id, WTOOL_EXT_EXPLAIN) == 0 ? &explain_extension : nullptr;
}

void tool_destroy(const wtool_tool* tool) noexcept {
  if (tool != nullptr) delete static_cast<ToolObject*>(tool->self);
}

// Returns the tool of this id, and sets the descriptor of `object`. nullptr: no tool has this id.
const tools::Tool* find_tool(std::string_view id, ToolObject& object) {
  const auto offered = entry::offered_tools();
  for (std::size_t i = 0; i < offered.size(); ++i) {
    if (offered[i].description.id != id) continue;
    object.table.descriptor = &descriptors()[i];
    return &offered[i];
  }
  const tools::Tool* hidden = plugin.backend->hidden_tool(id);
  if (hidden == nullptr) return nullptr;
  object.own_descriptor = descriptor_of(*hidden);
  object.table.descriptor = &object.own_descriptor;
  return hidden;
}

}  // namespace

wtool_status entry::tool_new(wtool_view id, wtool_view config, const wtool_tool** out, wtool_blob* error) noexcept {
  return guarded(error, [&]() -> wtool_status {
    if (out == nullptr) return fail(WTOOL_E_INVALID_ARGUMENT, error, "tool_new needs an 'out' that is not NULL");
    if (!plugin.warden_client)
      return fail(WTOOL_E_INVALID_ARGUMENT, error, "tool_new works only between init and deinit");
    auto object = std::make_unique<ToolObject>();
    object->tool = find_tool(text(id), *object);
    if (object->tool == nullptr) return fail(WTOOL_E_UNSUPPORTED, error, to_utf8(no_such_tool(text(id))));
    std::string problem, configuration(text(config));
    object->runner = plugin.backend->runner(configuration, *plugin.fleet, problem);
    if (object->runner) object->configuration = parse_configuration(configuration, problem, *plugin.fleet);
    if (!object->configuration) return fail(WTOOL_E_INVALID_ARGUMENT, error, to_utf8(problem));
    wtool_tool& table = object->table;
    table.struct_size = sizeof table;
    table.self = object.get();
    table.call_new = call_new;
    table.call_run = call_run;
    table.call_cancel = call_cancel;
    table.call_free = call_free;
    table.get_extension = tool_extension;
    table.destroy = tool_destroy;
    *out = &object.release()->table;
    return WTOOL_OK;
  });
}
