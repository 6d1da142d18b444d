#include "agent/slot.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include <exception>
#include <optional>
#include <system_error>
#include <thread>

#include "agent/say.h"
#include "base/calm_poll.h"
#include "base/json.h"
#include "base/json_reader.h"

namespace wtool::host {

namespace {

using nlohmann::json;
using pilot::Channel;
using pilot::ChannelMessage;
using pilot::Type;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A call that lasts longer than this reports that it has begun. The time is longer than the kernel's usual tick (4 ms).
// For a timer that ends before the next tick, the kernel must set the processor's own timer. In a virtual machine, that
// takes some 20 µs, and as long again when the timer is stopped.
constexpr milliseconds start_told_after{5};

// The channel of the call that this thread runs. The plugin's log records during the call are sent there.
thread_local Channel* logging_to = nullptr;

thread_local Window* logging_window = nullptr;
thread_local std::uint32_t logging_from = WTOOL_LOG_WARN;

}  // namespace

// Runs the thread that watches the calls of a slot, for as long as this object lives.
class AgentSlot::Watching {
 public:
  explicit Watching(AgentSlot& slot) : slot_(slot) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = slot.timer_.get();
    if (::epoll_ctl(slot.watched_.get(), EPOLL_CTL_ADD, slot.timer_.get(), &event) != 0) {
      throw std::system_error(errno, std::generic_category(), "calls cannot be watched");
    }
    thread_ = std::thread([&slot] { slot.watch(); });
  }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;
  ~Watching() {
    {
      const std::scoped_lock lock(slot_.receiving_);
      slot_.over_ = true;
    }
    slot_.set_timer(std::chrono::nanoseconds(1));
    thread_.join();
  }

 private:
  AgentSlot& slot_;
  std::thread thread_;
};

// While this object exists, the pilot can cancel `call`, and the log records of this thread go to the host.
class AgentSlot::Running {
 public:
  Running(AgentSlot& slot, Call& call, std::uint32_t log_from) : slot_(slot) {
    set(&call);
    logging_to = slot.channel_.get();
    logging_window = &slot.window_;
    logging_from = log_from;
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    if (slot_.watched_call_ != nullptr) slot_.watch_no_more();  // only this thread sets it
    logging_to = nullptr;
    logging_window = nullptr;
    set(nullptr);
  }

 private:
  void set(Call* call) {
    const std::scoped_lock lock(slot_.mutex_);
    slot_.call_ = call;
  }

  AgentSlot& slot_;
};

void send_log(const wtool_log_record& record) noexcept {
  if (logging_to == nullptr || record.level < logging_from) return;
  try {
    json fields = json::object();
    for (std::uint32_t i = 0; i < record.n_fields; ++i) {
      fields[std::string(text(record.fields[i].key))] = parse_json(text(record.fields[i].json));
    }
    const std::string line = dumped(json{{"level", record.level},
                                         {"target", text(record.target)},
                                         {"message", text(record.message)},
                                         {"fields", fields}});
    if (logging_window->enter(line.size())) logging_to->send(Type::log, line);
  } catch (...) {  // The record is lost; an exception must not cross the interface.
  }
}

int32_t AgentSlot::on_event(void* self, const wtool_event* event) noexcept {
  auto& slot = *static_cast<AgentSlot*>(self);
  try {
    if (event->kind == WTOOL_EVENT_STATE) return slot.tell_of_state(text(event->payload)) ? 0 : 1;
    if (event->kind != WTOOL_EVENT_STDOUT && event->kind != WTOOL_EVENT_STDERR) return 0;
    const std::size_t most = slot.window_.max_event();
    std::string_view rest = text(event->payload);
    while (!rest.empty()) {
      const std::string_view piece = rest.substr(0, most);
      rest.remove_prefix(piece.size());
      const Type type = event->kind == WTOOL_EVENT_STDOUT ? Type::standard_output : Type::standard_error;
      if (!slot.window_.enter(piece.size())) return 1;
      if (slot.channel_->send(type, piece)) continue;
      slot.channel_->close();
      return 1;
    }
    return 0;
  } catch (...) {
    return 1;
  }
}

// Tells the host only that the command has started: the host reports the other states itself.
bool AgentSlot::tell_of_state(std::string_view state) {
  if (!state.starts_with(R"({"state":"started")")) return true;
  // The watching thread flushes only once, soon after the call has begun. If it already has, this thread must flush.
  return channel_->send_with_next(Type::running, {}) && (!told_of_start_ || channel_->flush());
}

void AgentSlot::serve() {
  try {
    const Watching watching(*this);
    serve_orders();
  } catch (const std::exception& problem) {
    say(std::string("the pilot ends, because a slot cannot continue: ") + problem.what());
    channel_->close();
    owner_.host_is_gone();
  }
}

void AgentSlot::serve_orders() {
  while (!owner_.leaving()) {
    if (std::optional<ChannelMessage> message = channel_->next()) {
      if (owner_.leaving()) break;  // `leaving`, sent below, shows the host that this call was not begun.
      if (message->type == Type::call) {
        serve_one(*message);
        owner_.called();
      } else if (message->type == Type::taken) {
        note_taken(*message);  // It is about the previous call; the window counts across calls.
      }
      continue;  // Anything else is a cancel of a call whose result was already sent.
    }
    if (channel_->state() == Channel::State::closed) break;
    channel_->rest();
    pollfd ready[2] = {{channel_->descriptor(), POLLIN, 0}, {owner_.leave_event(), POLLIN, 0}};
    calm_poll(ready, 2, -1);
  }
  channel_->send(Type::leaving, {});
  if (!owner_.leaving()) owner_.host_is_gone();
}

// Wakes the watching thread after `first`, and from then on for each heartbeat. If `first` is zero, never wakes it.
void AgentSlot::set_timer(std::chrono::nanoseconds first) const {
  itimerspec times{};
  times.it_value.tv_nsec = first.count();
  times.it_interval.tv_sec = pilot::beat_every.count();
  ::timerfd_settime(timer_.get(), 0, &times, nullptr);
}

void AgentSlot::watch() {
  for (;;) {
    epoll_event ready[2];
    ::epoll_wait(watched_.get(), ready, 2, -1);
    const std::scoped_lock lock(receiving_);
    if (over_) return;
    if (watched_call_ == nullptr) continue;  // The call has just ended, and nothing is watched.
    std::uint64_t times = 0;
    const bool due = ::read(timer_.get(), &times, sizeof times) == sizeof times;
    bool connected = false;
    try {
      connected = receive(*watched_call_);
    } catch (const std::exception& problem) {
      say(std::string("the pilot ends, because it cannot read what the host sends: ") + problem.what());
      window_.end();
      owner_.host_is_gone();
    }
    if (!connected) {
      ::epoll_ctl(watched_.get(), EPOLL_CTL_DEL, channel_->descriptor(), nullptr);
      set_timer({});
    } else if (due && !told_of_start_.exchange(true)) {
      channel_->flush();
    } else if (due) {
      beat();
    }
  }
}

void AgentSlot::watch_call(Call& call) {
  {
    const std::scoped_lock lock(receiving_);
    watched_call_ = &call;
    told_of_start_ = beat_waits_ = false;
  }
  set_timer(start_told_after);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = channel_->descriptor();
  ::epoll_ctl(watched_.get(), EPOLL_CTL_ADD, channel_->descriptor(), &event);
}

void AgentSlot::watch_no_more() {
  ::epoll_ctl(watched_.get(), EPOLL_CTL_DEL, channel_->descriptor(), nullptr);
  set_timer({});
  const std::scoped_lock lock(receiving_);
  watched_call_ = nullptr;
}

// Notes how many bytes the host has taken, as the message says. True: the message answers a heartbeat.
bool AgentSlot::note_taken(const ChannelMessage& message) {
  if (message.text.size() != 9) return false;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < 8; ++i) bytes = bytes << 8 | static_cast<unsigned char>(message.text[i]);
  window_.taken(bytes);
  return message.text[8] == 1;
}

// Receives the host's messages about a call. False: the connection is over, and all calls of the pilot are stopped.
bool AgentSlot::receive(Call& call) {
  while (std::optional<ChannelMessage> message = channel_->next()) {
    if (message->type == Type::cancel && !message->text.empty()) {
      call.cancel(static_cast<unsigned char>(message->text[0]), std::string_view(message->text).substr(1));
    } else if (message->type == Type::taken && note_taken(*message)) {
      beat_waits_ = false;
    }
  }
  if (channel_->state() != Channel::State::closed) return true;
  window_.end();
  owner_.host_is_gone();
  return false;
}

void AgentSlot::beat() {
  if (!beat_waits_) beat_waits_ = channel_->send(Type::beat, {});
}

// A large result waits until the host has taken all events, which it reports in its answers to heartbeats. Without the
// wait, the result would fill the kernel's buffers while the host's reader pauses.
void AgentSlot::await_taken(Call& call) {
  auto next_beat = Clock::now();
  while (receive(call) && !window_.all_taken()) {
    if (Clock::now() >= next_beat) {
      next_beat = Clock::now() + pilot::beat_every;
      beat();
    }
    const auto rest = std::chrono::ceil<milliseconds>(next_beat - Clock::now()).count();  // negative after a slow send
    pollfd ready{channel_->descriptor(), POLLIN, 0};
    calm_poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(0, rest)) + 1);
  }
}

const std::string& AgentSlot::config_with_processors(const std::string& config) {
  if (processors_.empty()) return config;
  if (config != host_config_) {
    host_config_ = slot_config_ = config;
    json all = parse_json(config);
    if (all.is_object() && (!all.contains("limits") || all["limits"].is_object())) {
      all["limits"]["processors"] = processors_;
      slot_config_ = dumped(all);
    }
  }
  return slot_config_;
}

void AgentSlot::serve_one(const ChannelMessage& order) {
  const bool was_busy = busy_.exchange(true);
  const std::size_t cut = order.text.find('\0');
  const json head = parse_json(order.text.substr(0, cut));
  const auto refuse = [&](const std::string& why) {
    channel_->send_with_next(Type::started, {});
    channel_->send(Type::failure, std::string(1, static_cast<char>(WTOOL_E_INVALID_ARGUMENT)) + why);
    busy_ = was_busy;
  };
  if (cut == std::string::npos || !head.is_object()) return refuse("the order of the call is malformed");
  std::string id, config, call_id, error;
  std::uint32_t log_from = WTOOL_LOG_WARN;
  bool hold = false;
  try {
    id = head.at("tool").get<std::string>();
    config = head.at("config").get<std::string>();
    call_id = head.at("call_id").get<std::string>();
    log_from = head.at("log_from").get<std::uint32_t>();
    hold = head.at("hold").get<bool>();
    window_.set_size(head.at("window").get<std::size_t>());
  } catch (const json::exception& e) {
    return refuse(std::string("the order of the call is malformed: ") + e.what());
  }
  if (id != pilot::run_tool) return refuse("a pilot runs only " + std::string(pilot::run_tool) + ", not " + id);
  const wtool_tool* tool = owner_.tool(id, config_with_processors(config), error);
  if (tool == nullptr) return refuse(error);

  wtool_request request = make_request(std::string_view(order.text).substr(cut + 1));
  request.call_id = view(call_id);
  request.sink_ctx = this;
  request.on_event = on_event;
  Call call(*tool, request);
  wtool_status status = WTOOL_E_INTERNAL;
  {
    const Running running(*this, call, log_from);
    // Most calls are short. Their start and their result then share one packet, so that the host wakes only once.
    channel_->send_with_next(Type::started, {});
    // If the pilot decided to leave before it could see this call, it has not cancelled the call.
    if (owner_.leaving()) call.cancel(WTOOL_CANCEL_GRACEFUL, "the pilot is leaving");
    watch_call(call);
    status = call.run();
    watch_no_more();
    if (call.result().size() >= pilot::small_result) await_taken(call);
  }
  const bool has_result =
      (status == WTOOL_OK || status == WTOOL_E_CANCELLED) && call.result().size() + 1 < pilot::max_message;
  if (has_result) {
    channel_->send(Type::result, std::string(1, static_cast<char>(status)).append(call.result()));
  } else {
    const bool large = call.error().empty();
    channel_->send(Type::failure,
                   std::string(1, static_cast<char>(large ? WTOOL_E_RESOURCE : status))
                       .append(large ? "the result is larger than 256 MiB; lower output.bytes" : call.error()));
  }
  busy_ = hold;
}

}  // namespace wtool::host
