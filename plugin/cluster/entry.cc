// The plugin cluster_tools: shell_execute of shell_tools, on the nodes of a Slurm cluster.
//
// - Its descriptor and what it explains come from shell_tools.so beside it. A call takes a free slot of a pilot (pool.h), which
//   is a connection, sends the call, and passes on events, logs and the result, all on the thread that the host lends.
// - The connection is the truth. When it ends or stays silent, the pilot has ended the call by itself before this side gives it
//   up (base/pilot/channel.h); then the job is ended as well, and the result says `node_lost`.
// - A call of which a pilot says that it was not begun goes to another one.
#include <dlfcn.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <wtool/ext/explain.h>
#include <wtool/ext/log.h>
#include <wtool/tool.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <list>
#include <mutex>
#include <nlohmann/json.hpp>
#include <wtool/cpp/host.hpp>

#include "cluster/local_tool.h"
#include "cluster/need.h"
#include "cluster/pool.h"

#ifndef WTOOL_VERSION
#error "the build defines WTOOL_VERSION"
#endif

using namespace wtool;           // NOLINT: this file stands between two namespaces
using namespace wtool::cluster;  // NOLINT

using Json = nlohmann::ordered_json;
using pilot::Channel;
using pilot::Message;
using pilot::Type;

namespace {
struct ToolObject {
  wtool_tool table{};
  std::shared_ptr<Pool> pool;
  std::string config;  // of the tool on the node
  Need usual;          // of a call without a timeout
  const wtool_tool* local = nullptr;
};
}  // namespace

// Opaque to the host.
struct wtool_call {
  const ToolObject* tool = nullptr;
  std::string arguments, call_id;
  std::uint64_t parent_span = 0, deadline_ms = 0;
  void* sink_ctx = nullptr;
  int32_t (*on_event)(void*, const wtool_event*) noexcept = nullptr;
  std::atomic<bool> run{false};
  Descriptor cancelled{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::mutex mutex;
  std::uint32_t how = 0;  // 0: nobody has asked to cancel
  std::string reason;
};

namespace {

constexpr std::string_view tool_id = "shell_execute";

// Only init, deinit and tool_new change these, and nothing runs at the same time.
const wtool_host* current_host = nullptr;
const wtool_host_log* host_log = nullptr;
std::list<std::shared_ptr<Pool>> pools;

// ---- Results that do not come from a node.

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string command_of(const std::string& arguments) {
  const Json parsed = Json::parse(arguments, nullptr, false);
  return parsed.is_object() && parsed.contains("command") && parsed["command"].is_string()
             ? parsed["command"].get<std::string>()
             : "";
}

std::string error_result(const wtool_call& call, const std::string& code, const std::string& message,
                         const std::string& hint, const std::string& node) {
  Json metadata = {{"command", command_of(call.arguments)}};
  if (!node.empty()) metadata["node"] = node;
  metadata["error"] = {{"code", code}, {"message", message}, {"hint", hint}};
  return dumped({{"content", Json::array({{{"type", "text"}, {"text", message}}})},
                 {"is_error", true},
                 {"metadata", std::move(metadata)}});
}

// The result of the node, with its name; what was cancelled there although nobody asked here is a lost node, with the output
// that came.
std::string node_result(std::string_view text, const Slot& slot, bool taken_away) {
  Json result = Json::parse(text, nullptr, false);
  if (!result.is_object() || !result.contains("metadata") || !result["metadata"].is_object()) return {};
  result["metadata"]["node"] = slot.node;
  if (taken_away) {
    const std::string message = "The node " + slot.node + " was taken away while the command ran; it was ended there";
    result["content"] = Json::array({{{"type", "text"}, {"text", message}}});
    result["is_error"] = true;
    result["metadata"]["error"] = {
        {"code", "node_lost"},
        {"message", message},
        {"hint", "run it again; cluster.time says how long Slurm leaves a node to its calls"}};
  }
  return dumped(result);
}

void log(std::uint32_t level, const std::string& message, std::uint64_t span) noexcept {
  if (host_log == nullptr || !WTOOL_HAS_FN(host_log, emit)) return;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  wtool_log_record record{};
  record.struct_size = sizeof record;
  record.level = level;
  record.unix_ns = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
  record.target = view("cluster_tools::call");
  record.message = view(message);
  record.span = span;
  host_log->emit(current_host, &record);
}

// ---- A call on a node.

class RemoteCall {
 public:
  RemoteCall(wtool_call& call, Slot slot) : call_(call), slot_(std::move(slot)) {}

  enum class End { result, not_begun, lost, refused };

  End run(std::string& text, wtool_status& status, Clock::time_point deadline);
  Slot& slot() { return slot_; }

 private:
  bool pass_on(const Message& message);
  void pass_on_log(const std::string& text) const;
  void send_cancel() const;
  bool stop_from_sink(std::uint32_t kind, const std::string& text);
  std::uint32_t wanted_level() const;

  wtool_call& call_;
  Slot slot_;
  std::uint64_t events_ = 0;
};

std::uint32_t RemoteCall::wanted_level() const {
  if (host_log == nullptr || !WTOOL_HAS_FN(host_log, emit)) return WTOOL_LOG_ERROR + 1;
  if (!WTOOL_HAS_FN(host_log, enabled)) return WTOOL_LOG_INFO;
  for (std::uint32_t level = WTOOL_LOG_TRACE; level <= WTOOL_LOG_ERROR; ++level) {
    if (host_log->enabled(current_host, level, view("shell_tools::call")) != 0) return level;
  }
  return WTOOL_LOG_ERROR + 1;
}

void RemoteCall::pass_on_log(const std::string& text) const {
  const Json record = Json::parse(text, nullptr, false);
  if (host_log == nullptr || !WTOOL_HAS_FN(host_log, emit) || !record.is_object()) return;
  const std::string target = record.value("target", ""), message = record.value("message", "");
  std::list<std::string> texts{"node", dumped(slot_.node)};
  const Json fields = record.value("fields", Json::object());
  for (const auto& [key, value] : fields.items()) {
    texts.push_back(key);
    texts.push_back(dumped(value));
  }
  std::vector<wtool_field> views;
  for (auto at = texts.begin(); at != texts.end();) {
    const std::string& key = *at++;
    views.push_back({view(key), view(*at++)});
  }
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  wtool_log_record out{};
  out.struct_size = sizeof out;
  out.level = record.value("level", WTOOL_LOG_WARN);
  out.unix_ns = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
  out.target = view(target);
  out.message = view(message);
  out.n_fields = static_cast<std::uint32_t>(views.size());
  out.fields = views.data();
  out.span = call_.parent_span;
  host_log->emit(current_host, &out);
}

void RemoteCall::send_cancel() const {
  std::string order;
  {
    const std::scoped_lock lock(call_.mutex);
    order = static_cast<char>(call_.how) + call_.reason;
  }
  slot_.channel->send(Type::cancel, order);
}

// Stops the call because the sink asks for it, just as call_cancel does.
bool RemoteCall::stop_from_sink(std::uint32_t kind, const std::string& text) {
  if (call_.on_event == nullptr) return false;
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  wtool_event event{};
  event.struct_size = sizeof event;
  event.kind = kind;
  event.seq = ++events_;
  event.mono_ns = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
  event.payload = view(text);
  if (call_.on_event(call_.sink_ctx, &event) == 0) return false;
  const std::scoped_lock lock(call_.mutex);
  if (call_.how != 0) return false;
  call_.how = WTOOL_CANCEL_GRACEFUL;
  call_.reason = "the host asked to stop";
  return true;
}

// Events, logs and beats. False: it is none of them.
bool RemoteCall::pass_on(const Message& message) {
  const bool output = message.type == Type::standard_output || message.type == Type::standard_error;
  if (!output && message.type != Type::log && message.type != Type::beat) return false;
  if (output &&
      stop_from_sink(message.type == Type::standard_output ? WTOOL_EVENT_STDOUT : WTOOL_EVENT_STDERR, message.text)) {
    send_cancel();
  }
  if (message.type == Type::log) pass_on_log(message.text);
  const bool beat = message.type == Type::beat;
  if (!beat) slot_.taken += pilot::cost(message.text.size());
  if (beat || slot_.taken - slot_.told >= pilot::window / 4) {
    slot_.told = slot_.taken;
    std::string text;
    for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>(slot_.taken >> shift & 0xff);
    slot_.channel->send(Type::taken, text + (beat ? '\1' : '\0'));
  }
  return true;
}

RemoteCall::End RemoteCall::run(std::string& text, wtool_status& status, Clock::time_point deadline) {
  Channel& channel = *slot_.channel;
  std::uint64_t left_ms = 0;
  if (call_.deadline_ms != 0) {
    left_ms = static_cast<std::uint64_t>(
        std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count()));
  }
  const std::string head = dumped({{"tool", tool_id},
                                   {"config", call_.tool->config},
                                   {"call_id", call_.call_id},
                                   {"deadline_ms", left_ms},
                                   {"log_from", wanted_level()}});
  // A message that could not be sent may have been sent in part; the pilot's answer, or its silence, decides.
  channel.send(Type::call, head + '\0' + call_.arguments);
  bool begun = false;
  auto heard = Clock::now();
  for (;;) {
    while (std::optional<Message> message = channel.next()) {
      if (pass_on(*message)) {
        heard = Clock::now();  // After the sink, which may have taken its time.
        continue;
      }
      heard = Clock::now();
      switch (message->type) {
        case Type::started:
          begun = true;
          break;
        case Type::leaving:
          if (!begun) return End::not_begun;
          break;
        case Type::result:
        case Type::failure:
          if (message->text.empty()) return text = "it sent something that is not a result", End::lost;
          status = static_cast<unsigned char>(message->text.front());
          if (message->type == Type::result && status != WTOOL_OK && status != WTOOL_E_CANCELLED) {
            return text = "it sent something that is not a result", End::lost;
          }
          text = message->text.substr(1);
          return message->type == Type::result ? End::result : End::refused;
        default:
          return text = "it sent what no pilot sends", End::lost;
      }
    }
    if (channel.state() == Channel::State::closed) return text = "its connection ended", End::lost;
    const auto silent = Clock::now() - heard;
    if (silent >= pilot::host_patience) {
      return text = "it has been silent for " + std::to_string(pilot::host_patience.count()) + " seconds", End::lost;
    }
    pollfd ready[2] = {{channel.descriptor(), POLLIN, 0}, {call_.cancelled.get(), POLLIN, 0}};
    ::poll(ready, 2,
           static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(pilot::host_patience - silent).count()));
    if (ready[1].revents != 0) {
      eventfd_t count = 0;
      eventfd_read(call_.cancelled.get(), &count);
      send_cancel();
    }
  }
}

bool is_cancelled(wtool_call& call) {
  const std::scoped_lock lock(call.mutex);
  return call.how != 0;
}

wtool_status without_node(wtool_call& call, const Refusal& refusal, wtool_blob* result) {
  std::string text;
  const bool cancelled = is_cancelled(call);
  if (cancelled) {
    const std::scoped_lock lock(call.mutex);
    text = error_result(call, "aborted", "Command aborted: " + call.reason,
                        "it was waiting for a node, and was not begun", "");
  } else {
    const bool unshared = refusal.code == "no_shared_directory";
    text = error_result(
        call, refusal.code,
        (unshared ? "The node does not have the directories of this machine: " : "No node was available: ") +
            refusal.why,
        unshared ? "work in a directory that all nodes see, and set cluster.directory to one"
                 : "look at the queue with squeue, and at the section cluster of the configuration",
        "");
  }
  if (!fill(result, std::move(text))) return WTOOL_E_RESOURCE;
  return cancelled ? WTOOL_E_CANCELLED : WTOOL_OK;
}

wtool_status run(wtool_call& call, wtool_blob* result, wtool_blob* error) {
  Pool& pool = *call.tool->pool;
  const auto began = Clock::now();
  const auto wait_until = began + pool.options().wait;
  const std::uint64_t longest = 1000ULL * 60 * 60 * 24 * 365;
  const auto deadline = call.deadline_ms == 0 || call.deadline_ms > longest
                            ? Clock::time_point::max()
                            : began + std::chrono::milliseconds(call.deadline_ms);
  for (;;) {
    std::string text;
    Refusal refusal;
    if (is_cancelled(call)) return without_node(call, refusal, result);
    Need need = need_of(call.arguments, call.tool->usual);
    if (deadline != Clock::time_point::max())
      need.time = std::min(need.time, std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()));
    Slot slot = pool.take(call.cancelled.get(), std::min(wait_until, deadline), refusal, need);
    if (slot.channel == nullptr) return without_node(call, refusal, result);

    RemoteCall remote(call, std::move(slot));
    wtool_status status = WTOOL_OK;
    RemoteCall::End end = RemoteCall::End::lost;
    try {
      end = remote.run(text, status, deadline);
    } catch (...) {
      pool.lost(std::move(remote.slot()));
      throw;
    }
    switch (end) {
      case RemoteCall::End::not_begun:
        pool.lost(std::move(remote.slot()));
        continue;
      case RemoteCall::End::refused:
        pool.give_back(std::move(remote.slot()));
        return fail(status == WTOOL_OK ? WTOOL_E_INTERNAL : status, error, text);
      case RemoteCall::End::result: {
        const bool taken_away = status == WTOOL_E_CANCELLED && !is_cancelled(call);
        std::string whole = node_result(text, remote.slot(), taken_away);
        const std::string node = remote.slot().node;
        pool.give_back(std::move(remote.slot()));
        if (whole.empty())
          return fail(WTOOL_E_INTERNAL, error, "the node " + node + " sent something that is not a result");
        if (!fill(result, std::move(whole))) return fail(WTOOL_E_RESOURCE, error, "out of memory");
        return taken_away ? WTOOL_OK : status;
      }
      case RemoteCall::End::lost:
        break;
    }
    const std::string node = remote.slot().node, job = remote.slot().job;
    pool.lost(std::move(remote.slot()));
    // Nothing of the call may live when the host hears of its end, because it may try again. A pilot that died has left its
    // commands to its warden, which needs a moment; one that hangs is ended by Slurm.
    const std::string message = "The node " + node + (job.empty() ? "" : " (job " + job + ')') + " was lost: " + text;
    log(WTOOL_LOG_WARN, message, call.parent_span);
    Pool::end_job(job);
    const auto settled = Clock::now() + std::chrono::seconds(1);
    while (Clock::now() < settled) {
      ::poll(nullptr, 0,
             static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(settled - Clock::now()).count()));
    }
    if (!fill(result, error_result(call, "node_lost", message,
                                   "what the command had done until then remains; run it again", node))) {
      return fail(WTOOL_E_RESOURCE, error, "out of memory");
    }
    return is_cancelled(call) ? WTOOL_E_CANCELLED : WTOOL_OK;
  }
}

// ---- The C interface.

wtool_status init(const wtool_host* host, wtool_blob* error) noexcept {
  return guarded(error, [&]() -> wtool_status {
    if (host == nullptr || !WTOOL_HAS(host, get_extension)) {
      return fail(WTOOL_E_INVALID_ARGUMENT, error, "init needs a wtool_host of interface 1.0 or later");
    }
    if (current_host != nullptr) return fail(WTOOL_E_BUSY, error, "init was called twice without deinit");
    std::string problem;
    const wtool_entry* local = local_plugin(&problem);
    if (local == nullptr) return fail(WTOOL_E_UNSUPPORTED, error, problem);
    if (const wtool_status status = local->init(host, error); status != WTOOL_OK) return status;
    if (const wtool_status status = open_client_tool(error); status != WTOOL_OK) {
      local->deinit();
      return status;
    }
    const void* log = host->get_extension != nullptr ? host->get_extension(host, WTOOL_EXT_LOG) : nullptr;
    host_log = static_cast<const wtool_host_log*>(log);
    current_host = host;
    return WTOOL_OK;
  });
}

void deinit() noexcept {
  if (current_host == nullptr) return;
  pools.clear();
  close_client_tool();
  local_plugin()->deinit();
  current_host = nullptr;
  host_log = nullptr;
}

const wtool_descriptor* descriptor() {
  static const wtool_descriptor* const found = []() -> const wtool_descriptor* {
    const wtool_entry* local = local_plugin();
    for (std::uint32_t i = 0; local != nullptr && i < local->tool_count(); ++i) {
      const wtool_descriptor* at = local->tool_at(i);
      if (at != nullptr && text(at->id) == tool_id) return at;
    }
    return nullptr;
  }();
  return found;
}

std::uint32_t tool_count() noexcept { return descriptor() == nullptr ? 0 : 1; }

const wtool_descriptor* tool_at(std::uint32_t index) noexcept { return index == 0 ? descriptor() : nullptr; }

wtool_status call_new(const wtool_tool* tool, const wtool_request* request, wtool_call** out,
                      wtool_blob* error) noexcept {
  return guarded(error, [&]() -> wtool_status {
    if (tool == nullptr || request == nullptr || out == nullptr) {
      return fail(WTOOL_E_INVALID_ARGUMENT, error, "call_new needs a tool, a request and a place for the call");
    }
    if (!WTOOL_HAS(request, arguments)) {
      return fail(WTOOL_E_INVALID_ARGUMENT, error, "struct_size of the request does not even cover its arguments");
    }
    if (request->arguments.size > std::size_t{16} << 20) {
      return fail(WTOOL_E_INVALID_ARGUMENT, error, "the arguments are larger than 16 MiB");
    }
    auto call = std::make_unique<wtool_call>();
    if (!call->cancelled) return fail(WTOOL_E_RESOURCE, error, "no descriptor is free");
    call->tool = static_cast<const ToolObject*>(tool->self);
    call->arguments = text(request->arguments);
    if (WTOOL_HAS(request, call_id)) call->call_id = text(request->call_id);
    if (WTOOL_HAS(request, parent_span)) call->parent_span = request->parent_span;
    if (WTOOL_HAS(request, deadline_ms)) call->deadline_ms = request->deadline_ms;
    if (WTOOL_HAS(request, on_event)) {
      call->sink_ctx = request->sink_ctx;
      call->on_event = request->on_event;
    }
    *out = call.release();
    return WTOOL_OK;
  });
}

wtool_status call_run(wtool_call* call, wtool_blob* result, wtool_blob* error) noexcept {
  return guarded(error, [&]() -> wtool_status {
    if (call == nullptr || result == nullptr || !WTOOL_HAS(result, release)) {
      return fail(WTOOL_E_INVALID_ARGUMENT, error, "call_run needs a call, and a blob of full size for the result");
    }
    if (current_host == nullptr)
      return fail(WTOOL_E_INVALID_ARGUMENT, error, "call_run needs a plugin between init and deinit");
    if (call->run.exchange(true)) return fail(WTOOL_E_INVALID_ARGUMENT, error, "this call was run already");
    return run(*call, result, error);
  });
}

void call_cancel(wtool_call* call, std::uint32_t how, wtool_view reason) noexcept {
  if (call == nullptr) return;
  const std::scoped_lock lock(call->mutex);
  if (call->how == 0) {
    try {
      call->reason = text(reason).substr(0, 4096);
    } catch (...) {  // No memory to copy the reason.
    }
  }
  call->how = how == WTOOL_CANCEL_GRACEFUL && call->how != WTOOL_CANCEL_NOW ? WTOOL_CANCEL_GRACEFUL : WTOOL_CANCEL_NOW;
  eventfd_write(call->cancelled.get(), 1);
}

void call_free(wtool_call* call) noexcept { delete call; }

wtool_status explain(const wtool_tool* tool, const wtool_request* request, wtool_blob* result,
                     wtool_blob* error) noexcept {
  if (tool == nullptr) return fail(WTOOL_E_INVALID_ARGUMENT, error, "explain needs a tool");
  const wtool_tool* local = static_cast<const ToolObject*>(tool->self)->local;
  const wtool_tool_explain* extension = explain_of(*local);
  if (extension == nullptr) return fail(WTOOL_E_UNSUPPORTED, error, "this tool cannot explain itself");
  return extension->explain(local, request, result, error);
}

const wtool_tool_explain explain_extension = {sizeof(wtool_tool_explain), 0, explain};

const void* tool_extension(const wtool_tool*, const char* id) noexcept {
  return id != nullptr && std::strcmp(id, WTOOL_EXT_EXPLAIN) == 0 ? &explain_extension : nullptr;
}

void tool_destroy(const wtool_tool* tool) noexcept {
  if (tool == nullptr) return;
  const std::unique_ptr<ToolObject> object(static_cast<ToolObject*>(tool->self));
  if (object->local != nullptr) object->local->destroy(object->local);
}

// Which configured feature a node does not support yet. Empty: it supports all that is configured.
std::string not_there_yet(const Json& config) {
  const auto has = [&](const char* section, const char* key) {
    const auto found = config.find(section);
    return found != config.end() && found->is_object() && found->contains(key);
  };
  if (has("audit", "file")) return "audit.file: calls on a cluster are not put on record yet";
  if (config.contains("background") && config["background"] != "end") {
    return "background: on a cluster, processes in the background can only be ended yet";
  }
  if (has("commands", "ask") && !config["commands"]["ask"].empty()) {
    return "commands.ask: nobody can be asked for a call on a cluster yet";
  }
  if (has("commands", "ask_network") && !config["commands"]["ask_network"].empty()) {
    return "commands.ask_network: nobody can be asked for a call on a cluster yet";
  }
  if (has("commands", "unlisted") && config["commands"]["unlisted"] == "ask") {
    return "commands.unlisted: nobody can be asked for a call on a cluster yet";
  }
  return {};
}

std::shared_ptr<Pool> pool_of(Options options) {
  for (const auto& pool : pools) {
    if (pool->options() == options) return pool;
  }
  return pools.emplace_back(std::make_shared<Pool>(std::move(options)));
}

wtool_status tool_new(wtool_view id, wtool_view config, const wtool_tool** out, wtool_blob* error) noexcept {
  return guarded(error, [&]() -> wtool_status {
    if (out == nullptr) return fail(WTOOL_E_INVALID_ARGUMENT, error, "tool_new needs a place for the tool");
    if (current_host == nullptr)
      return fail(WTOOL_E_INVALID_ARGUMENT, error, "tool_new needs a plugin between init and deinit");
    if (text(id) != tool_id) {
      return fail(WTOOL_E_UNSUPPORTED, error, "this plugin has no tool " + std::string(text(id)));
    }
    Json all = config.size == 0 ? Json::object() : Json::parse(text(config), nullptr, false);
    if (!all.is_object()) return fail(WTOOL_E_INVALID_ARGUMENT, error, "the configuration is not a JSON object");
    const nlohmann::json section = all.contains("cluster") ? nlohmann::json(all["cluster"]) : nlohmann::json::object();
    all.erase("cluster");
    if (const std::string missing = not_there_yet(all); !missing.empty()) {
      return fail(WTOOL_E_INVALID_ARGUMENT, error, missing);
    }
    std::string problem;
    std::optional<Options> options = read_options(section, std::filesystem::current_path(), problem);
    if (!options) return fail(WTOOL_E_INVALID_ARGUMENT, error, problem);
    auto object = std::make_unique<ToolObject>();
    object->config = all.dump();
    object->usual = usual_need(all);
    // This call reports what is wrong in the rest of the configuration.
    if (const wtool_status status = local_plugin()->tool_new(id, view(object->config), &object->local, error);
        status != WTOOL_OK) {
      return status;
    }
    object->pool = pool_of(std::move(*options));
    wtool_tool& table = object->table;
    table.struct_size = sizeof table;
    table.descriptor = descriptor();
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

}  // namespace

extern "C" WTOOL_EXPORT const wtool_entry wtool_entry_v1 = {
    sizeof(wtool_entry),
    WTOOL_ABI_MAJOR,
    WTOOL_ABI_MINOR,
    0,
    {"cluster_tools", 13},
    {WTOOL_VERSION, sizeof(WTOOL_VERSION) - 1},
    init,
    deinit,
    tool_count,
    tool_at,
    tool_new,
};
