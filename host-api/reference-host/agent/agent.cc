#include "agent/agent.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include <wtool/ext/log.h>

#include <atomic>
#include <charconv>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <mutex>
#include <thread>
#include <wtool/cpp/host.hpp>

#include "base/json.h"
#include "base/json_reader.h"
#include "base/pilot/channel.h"
#include "base/pilot/munge.h"

namespace wtool::host {

namespace {

using nlohmann::json;
using pilot::Channel;
using pilot::ChannelMessage;
using pilot::Type;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

void say(const std::string& text) { std::fprintf(stderr, "wtool agent: %s\n", text.c_str()); }

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// A number of the environment; nothing where it is not one.
std::optional<std::int64_t> number(const char* name) {
  const std::string text = variable(name);
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  return failed == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// When Slurm ends the job. Nothing: this process is not in a job.
std::optional<Clock::time_point> end_of_job(const pilot::Ticket& ticket) {
  if (variable("SLURM_JOB_ID").empty()) return std::nullopt;
  const auto end = number("SLURM_JOB_END_TIME");  // Slurm 22.05 does not set it
  return Clock::now() + std::chrono::seconds(end ? *end - ::time(nullptr) : ticket.job_seconds);
}

std::int64_t seconds_until(Clock::time_point time) {
  return std::max<std::int64_t>(0, std::chrono::floor<std::chrono::seconds>(time - Clock::now()).count());
}

// The processors of each slot; empty: every slot uses all of the job's. They are divided only if they belong to the job
// alone, that is, if Slurm has bound the job to exactly the processors that it allocated.
std::vector<std::vector<int>> processors_of(int slots) {
  cpu_set_t own;
  CPU_ZERO(&own);
  if (::sched_getaffinity(0, sizeof own, &own) != 0) return {};
  const auto given = number("SLURM_CPUS_ON_NODE");
  if (CPU_COUNT(&own) < slots || !given || CPU_COUNT(&own) > *given) return {};
  std::vector<int> all;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &own)) all.push_back(i);
  }
  std::vector<std::vector<int>> parts;
  for (std::size_t i = 0, count = static_cast<std::size_t>(slots); i < count; ++i) {
    const auto at = [&](std::size_t slot) {
      return all.begin() + static_cast<std::ptrdiff_t>(all.size() * slot / count);
    };
    parts.emplace_back(at(i), at(i + 1));
  }
  return parts;
}

// A connected socket; if it is empty, `problem` says why. Takes only numeric addresses, so that no name is looked up.
Descriptor connect_to(const std::string& address, int port, std::string& problem) {
  sockaddr_storage to{};
  socklen_t size = 0;
  if (auto* four = reinterpret_cast<sockaddr_in*>(&to); ::inet_pton(AF_INET, address.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(static_cast<std::uint16_t>(port));
    size = sizeof *four;
  } else if (auto* six = reinterpret_cast<sockaddr_in6*>(&to);
             ::inet_pton(AF_INET6, address.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(static_cast<std::uint16_t>(port));
    size = sizeof *six;
  } else {
    problem = "it is not a numeric address";
    return {};
  }
  Descriptor socket(::socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  int error = socket ? 0 : errno;
  if (socket && ::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), size) != 0) {
    error = errno;
    if (error == EINPROGRESS) {
      pollfd ready{socket.get(), POLLOUT, 0};
      socklen_t length = sizeof error;
      if (::poll(&ready, 1, 5000) <= 0) {
        error = ETIMEDOUT;
      } else {
        ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &length);
      }
    }
  }
  if (error == 0) return socket;
  problem = ::strerror(error);
  return {};
}

class Agent;

// A call that lasts longer tells at once that it has begun.
constexpr milliseconds start_told_after{2};

// The channel of the call that this thread runs: what the plugin logs meanwhile goes there.
thread_local Channel* logging_to = nullptr;

// Bounds the bytes that were sent to the host and that it has not taken yet: see channel.h.
class Window {
 public:
  void set_size(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    size_ = std::clamp(bytes, pilot::smallest_window, pilot::max_window);
  }
  std::size_t max_event() const { return std::min(size_ / 4, pilot::max_event); }
  // Waits until a text of this size may be sent. False: the connection is over.
  bool enter(std::size_t text) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return over_ || sent_ - taken_ < size_; });
    sent_ += pilot::cost(text);
    return !over_;
  }
  void taken(std::uint64_t bytes) {
    const std::scoped_lock lock(mutex_);
    taken_ = std::min(std::max(taken_, bytes), sent_);
    changed_.notify_all();
  }
  bool all_taken() {
    const std::scoped_lock lock(mutex_);
    return over_ || taken_ == sent_;
  }
  void end() {
    const std::scoped_lock lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t size_ = pilot::smallest_window;  // changes between calls
  std::uint64_t sent_ = 0, taken_ = 0;
  bool over_ = false;
};

thread_local Window* logging_window = nullptr;
thread_local std::uint32_t logging_from = WTOOL_LOG_WARN;

// A connection, and the call that it has. serve() waits for orders and runs them. While it runs one, another thread receives, since
// the host may cancel it, takes its output, and can be lost. That thread sleeps otherwise, and an order need not wake it.
class AgentSlot {
 public:
  AgentSlot(Agent& agent, std::unique_ptr<Channel> channel, std::vector<int> processors)
      : agent_(agent), channel_(std::move(channel)), processors_(std::move(processors)) {}

  void serve();
  Channel& channel() { return *channel_; }
  // True while it runs a call, or a session of the host keeps it.
  bool busy() const { return busy_; }
  void cancel(std::uint32_t how, const char* reason) {
    const std::scoped_lock lock(mutex_);
    if (call_ != nullptr) call_->cancel(how, reason);
  }

 private:
  void serve_one(const ChannelMessage& order);
  static int32_t on_event(void* self, const wtool_event* event) noexcept;
  bool tell_of_state(std::string_view state);
  void watch();
  void watch_call(Call& call);
  void watch_no_more();
  void set_timer(std::chrono::nanoseconds first) const;
  bool receive(Call& call);
  bool note_taken(const ChannelMessage& message);
  void beat();
  void await_taken(Call& call);

  Agent& agent_;
  const std::unique_ptr<Channel> channel_;
  const std::vector<int> processors_;  // on which its commands run; empty: all
  Window window_;
  std::atomic<bool> busy_{false};
  std::mutex mutex_;
  Call* call_ = nullptr;

  const Descriptor watched_{::epoll_create1(EPOLL_CLOEXEC)};
  const Descriptor timer_{::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)};
  std::mutex receiving_;  // held by who receives for a call, and for the following
  Call* watched_call_ = nullptr;
  std::atomic<bool> told_of_start_{false};
  bool beat_waits_ = false;  // the host has not answered
  bool over_ = false;
};

class Agent {
 public:
  Agent(const pilot::Ticket& ticket, Plugin& plugin)
      : ticket_(ticket),
        plugin_(plugin),
        key_(ticket.key),
        has_key_(!ticket.munge),
        processors_(processors_of(ticket.slots)) {
    if (const auto end = end_of_job(ticket)) {
      leave_at_ = *end - std::chrono::seconds(ticket.ending_seconds);
      full_ = seconds_until(leave_at_);
    }
    host_.struct_size = sizeof host_;
    host_.abi_minor = WTOOL_ABI_MINOR;
    host_.ctx = this;
    host_.name = view("wtool agent");
    host_.version = view("0.1.0");
    host_.get_extension = [](const wtool_host*, const char* id) noexcept -> const void* {
      static const wtool_host_log log{sizeof(wtool_host_log), 0, nullptr, emit, nullptr, nullptr};
      if (::strcmp(id, pilot::pilot_extension) == 0) return &log;  // any pointer says yes
      return ::strcmp(id, WTOOL_EXT_LOG) == 0 ? &log : nullptr;
    };
  }

  int run();
  // Tells the host why this node cannot run calls.
  int refuse(const std::string& problem);

  // The tool with that configuration, made once. NULL: `error`.
  const wtool_tool* tool(const std::string& id, const std::string& config, std::string& error) {
    const std::scoped_lock lock(mutex_);
    const wtool_tool*& tool = tools_[{id, config}];
    Blob reason;
    if (tool == nullptr && plugin_.entry().tool_new(view(id), view(config), &tool, reason.out()) != WTOOL_OK) {
      error = reason.text();
      tool = nullptr;
    }
    return tool;
  }

  bool leaving() const { return leaving_; }
  int leave_event() const { return leave_event_.get(); }
  // Ends the pilot: nobody would learn the results of what still runs here.
  void host_is_gone() {
    lost_ = true;
    leaving_ = true;
    const std::scoped_lock lock(mutex_);
    for (AgentSlot& slot : slots_) {
      slot.channel().close();
      slot.cancel(WTOOL_CANCEL_NOW, "the connection to the host is lost");
    }
    eventfd_write(leave_event_.get(), 1);
  }
  void called() { last_call_ = Clock::now().time_since_epoch().count(); }

 private:
  static void emit(const wtool_host*, const wtool_log_record* record) noexcept;
  std::unique_ptr<Channel> connect(std::string& problem, const std::string& refusal = {});
  template <typename MayWait>
  bool introduce(int socket, MayWait may_wait, std::string& why);
  bool is_idle() const {
    const Clock::time_point last{Clock::duration(last_call_.load())};
    for (const AgentSlot& slot : slots_) {
      if (slot.busy()) return false;
    }
    return Clock::now() - last > std::chrono::seconds(ticket_.idle_seconds);
  }

  bool is_proven(const std::string& address) {
    const std::scoped_lock lock(mutex_);
    return proven_ == address;
  }

  const pilot::Ticket& ticket_;
  Plugin& plugin_;
  std::mutex introducing_;  // held by the one slot that asks for the key
  pilot::Key key_;
  bool has_key_;
  const std::vector<std::vector<int>> processors_;
  Clock::time_point leave_at_ = Clock::time_point::max();
  std::int64_t full_ = 0;  // how many seconds were left until then when the pilot started
  wtool_host host_{};
  std::mutex mutex_;
  std::string proven_;  // the address at which the host has answered before
  std::map<std::pair<std::string, std::string>, const wtool_tool*> tools_;
  std::list<AgentSlot> slots_;  // does not change while their threads run
  std::atomic<bool> leaving_{false}, lost_{false};
  std::atomic<int> serving_{0};
  std::atomic<Clock::rep> last_call_{Clock::now().time_since_epoch().count()};
  Descriptor leave_event_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

void Agent::emit(const wtool_host*, const wtool_log_record* record) noexcept {
  if (logging_to == nullptr || record->level < logging_from) return;
  try {
    json fields = json::object();
    for (std::uint32_t i = 0; i < record->n_fields; ++i) {
      fields[std::string(text(record->fields[i].key))] = parse_json(text(record->fields[i].json));
    }
    const std::string line = json{
        {"level", record->level},
        {"target", text(record->target)},
        {"message", text(record->message)},
        {"fields", fields}}.dump(-1, ' ', false, json::error_handler_t::replace);
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

// The host tells the other states itself.
bool AgentSlot::tell_of_state(std::string_view state) {
  if (!state.starts_with(R"({"state":"started")")) return true;
  // The thread that watches flushes once, soon after the call has begun: it may have done so before this.
  return channel_->send_with_next(Type::running, {}) && (!told_of_start_ || channel_->flush());
}

void AgentSlot::serve() {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = timer_.get();
  const bool can_watch = ::epoll_ctl(watched_.get(), EPOLL_CTL_ADD, timer_.get(), &event) == 0;
  if (!can_watch) say(std::string("a slot has no descriptors to watch its calls by: ") + ::strerror(errno));
  std::thread watcher;
  if (can_watch) watcher = std::thread([this] { watch(); });
  while (can_watch && !agent_.leaving()) {
    if (std::optional<ChannelMessage> message = channel_->next()) {
      if (agent_.leaving()) break;  // The host learns that this call was not begun.
      if (message->type == Type::call) {
        serve_one(*message);
        agent_.called();
      } else if (message->type == Type::taken) {
        note_taken(*message);  // of the call before: the connection counts on
      }
      continue;  // otherwise a cancel that crossed the result on its way
    }
    if (channel_->state() == Channel::State::closed) break;
    channel_->rest();
    pollfd ready[2] = {{channel_->descriptor(), POLLIN, 0}, {agent_.leave_event(), POLLIN, 0}};
    ::poll(ready, 2, -1);
  }
  channel_->send(Type::leaving, {});
  if (!agent_.leaving()) agent_.host_is_gone();
  if (!can_watch) return;
  {
    const std::scoped_lock lock(receiving_);
    over_ = true;
  }
  set_timer(std::chrono::nanoseconds(1));
  watcher.join();
}

// When the watching thread wakes for the first time; then it does for each beat. Zero: not at all.
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
    if (watched_call_ == nullptr) continue;  // It ended just now, and nothing is watched any more.
    std::uint64_t times = 0;
    const bool due = ::read(timer_.get(), &times, sizeof times) == sizeof times;
    if (!receive(*watched_call_)) {
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

// True: it answers a beat.
bool AgentSlot::note_taken(const ChannelMessage& message) {
  if (message.text.size() != 9) return false;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < 8; ++i) bytes = bytes << 8 | static_cast<unsigned char>(message.text[i]);
  window_.taken(bytes);
  return message.text[8] == 1;
}

// What the host says of a call. False: the connection is over, and so is all that runs here.
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
  agent_.host_is_gone();
  return false;
}

void AgentSlot::beat() {
  if (!beat_waits_) beat_waits_ = channel_->send(Type::beat, {});
}

// A large result waits until the host has taken all events, which the answer to a beat says: it would fill the kernel's buffers
// while the host's reader pauses.
void AgentSlot::await_taken(Call& call) {
  auto next_beat = Clock::now();
  while (receive(call) && !window_.all_taken()) {
    if (Clock::now() >= next_beat) {
      next_beat = Clock::now() + pilot::beat_every;
      beat();
    }
    const auto rest = std::chrono::ceil<milliseconds>(next_beat - Clock::now()).count();  // negative after a slow send
    pollfd ready{channel_->descriptor(), POLLIN, 0};
    ::poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(0, rest)) + 1);
  }
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
  if (cut == std::string::npos || !head.is_object()) return refuse("the order of the call is not what a host sends");
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
    return refuse(std::string("the order of the call is not what a host sends: ") + e.what());
  }
  if (id != pilot::run_tool) return refuse("a pilot runs " + std::string(pilot::run_tool) + " only, not " + id);
  if (!processors_.empty()) {
    json all = parse_json(config);
    if (all.is_object() && (!all.contains("limits") || all["limits"].is_object())) {
      all["limits"]["processors"] = processors_;
      config = all.dump(-1, ' ', false, json::error_handler_t::replace);
    }
  }
  const wtool_tool* tool = agent_.tool(id, config, error);
  if (tool == nullptr) return refuse(error);

  wtool_request request = make_request(std::string_view(order.text).substr(cut + 1));
  request.call_id = view(call_id);
  request.sink_ctx = this;
  request.on_event = on_event;
  Call call(*tool, request);
  {
    const std::scoped_lock lock(mutex_);
    call_ = &call;
  }
  // Most calls are short: their start and their result are one packet, for which the host wakes once.
  channel_->send_with_next(Type::started, {});
  // The signal to leave came before this call could be seen.
  if (agent_.leaving()) call.cancel(WTOOL_CANCEL_GRACEFUL, "the node is taken away");

  logging_to = channel_.get();
  logging_window = &window_;
  logging_from = log_from;
  watch_call(call);
  const wtool_status status = call.run();
  watch_no_more();
  if (call.result().size() >= pilot::small_result) await_taken(call);
  logging_to = nullptr;
  logging_window = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    call_ = nullptr;
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

// Asks the host for the key, on a fresh connection. The other slots wait, and then use the same key.
template <typename MayWait>
bool Agent::introduce(int socket, MayWait may_wait, std::string& why) {
  const std::scoped_lock lock(introducing_);
  if (has_key_) return true;
  const auto munge = pilot::Munge::open(ticket_.munge_socket, why);
  if (!munge) return false;
  const pilot::Key nonce = pilot::random_key();
  const std::string begun = pilot::introduction(nonce);
  if (::send(socket, begun.data(), begun.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(begun.size())) {
    return why = ::strerror(errno), false;
  }
  std::string answer;
  const auto size = [&] {
    return answer.size() < 2 ? 2
                             : 2 + (static_cast<std::size_t>(static_cast<unsigned char>(answer[0])) << 8 |
                                    static_cast<unsigned char>(answer[1]));
  };
  while (answer.size() < 2 || answer.size() < size()) {
    if (!may_wait() || size() > pilot::max_credential + 2) return why = "it did not answer with a credential", false;
    char buffer[1024];
    const ssize_t n = ::recv(socket, buffer, std::min(sizeof buffer, size() - answer.size()), MSG_DONTWAIT);
    if (n > 0) answer.append(buffer, static_cast<std::size_t>(n));
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
      return why = "it did not answer with a credential", false;
    }
    if (n >= 0) continue;
    pollfd ready[2] = {{socket, POLLIN, 0}, {leave_event_.get(), POLLIN, 0}};
    ::poll(ready, 2, 1000);
  }
  const auto payload = munge->decode(answer.substr(2), why);
  if (!payload) return false;
  const auto key = pilot::key_of(*payload, nonce);
  if (!key) return why = "it answered with a credential that was made for another pilot", false;
  key_ = *key;
  has_key_ = true;
  return true;
}

std::unique_ptr<Channel> Agent::connect(std::string& problem, const std::string& refusal) {
  problem.clear();
  for (const std::string& address : ticket_.addresses) {
    std::string why;
    Descriptor socket = connect_to(address, ticket_.port, why);
    // The host answers once a call is waiting; until then this slot is in the host's queue. Once another slot has been
    // answered, this one waits for as long as the pilot lives.
    const auto until = Clock::now() + std::chrono::seconds(ticket_.idle_seconds);
    const auto may_wait = [&] { return !leaving_ && (is_proven(address) || Clock::now() < until); };
    if (socket) pilot::watch_other_machine(socket.get(), pilot::pilot_patience);
    if (socket && introduce(socket.get(), may_wait, why)) {
      auto channel = std::make_unique<Channel>(std::move(socket), Channel::Side::pilot, key_);
      if (channel->begin(ticket_.aes && pilot::has_aes() ? pilot::Suite::aes : pilot::Suite::chacha)) {
        while (may_wait() && channel->take_in() && channel->state() == Channel::State::begun) {
          pollfd ready[2] = {{channel->descriptor(), POLLIN, 0}, {leave_event_.get(), POLLIN, 0}};
          ::poll(ready, 2, 1000);
        }
      }
      const std::string job = variable("SLURM_JOB_ID"), node = variable("SLURMD_NODENAME");
      char name[256] = {};
      ::gethostname(name, sizeof name - 1);
      json hello = {{"version", pilot::protocol_version},
                    {"job", job},
                    {"node", node.empty() ? name : node},
                    {"pid", ::getpid()}};
      if (!refusal.empty()) hello["problem"] = refusal.substr(0, pilot::max_hello / 4);
      if (leave_at_ != Clock::time_point::max()) {
        hello["full"] = full_;
        hello["left"] = seconds_until(leave_at_);
      }
      if (channel->state() == Channel::State::open &&
          channel->send(Type::hello, hello.dump(-1, ' ', false, json::error_handler_t::replace))) {
        const std::scoped_lock lock(mutex_);
        proven_ = address;
        return channel;
      }
      why = "it did not answer with the key of the ticket";
    }
    problem.append(problem.empty() ? "" : "; ").append(address).append(": ").append(why);
  }
  return nullptr;
}

int Agent::refuse(const std::string& problem) {
  say(problem);
  std::string why;
  // The host closes the connection when it has read the problem.
  if (const std::unique_ptr<Channel> channel = connect(why, problem)) {
    const auto until = Clock::now() + std::chrono::seconds(ticket_.idle_seconds);
    while (Clock::now() < until && channel->state() != Channel::State::closed) channel->wait(milliseconds(1000));
  }
  return 2;
}

int Agent::run() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  Blob reason;
  if (plugin_.entry().init(&host_, reason.out()) != WTOOL_OK) {
    say("the plugin could not be initialised: " + std::string(reason.text()));
    return 2;
  }
  std::list<std::thread> threads;
  std::mutex connecting;
  std::string first_problem;
  serving_ = ticket_.slots;
  for (int i = 0; i < ticket_.slots; ++i) {
    threads.emplace_back([&, i] {
      std::string problem;
      if (std::unique_ptr<Channel> channel = connect(problem)) {
        AgentSlot* slot = nullptr;
        {
          const std::scoped_lock lock(mutex_);
          slot =
              &slots_.emplace_back(*this, std::move(channel),
                                   processors_.empty() ? std::vector<int>() : processors_[static_cast<std::size_t>(i)]);
        }
        slot->serve();
      } else {
        const std::scoped_lock lock(connecting);
        first_problem = problem;
      }
      --serving_;
    });
  }
  while (serving_ > 0) {
    const timespec patience{0, 200'000'000};
    const int signal = ::sigtimedwait(&signals, nullptr, &patience);
    const std::scoped_lock lock(mutex_);
    const bool over = Clock::now() >= leave_at_;
    if (leaving_ || (signal <= 0 && !over && !is_idle())) continue;
    say(signal > 0 ? "the node is taken away"
        : over     ? "the time of the job is over"
                   : "no call came for " + std::to_string(ticket_.idle_seconds) + " seconds");
    leaving_ = true;
    // The free slots go first, so that a call that is tried again does not come back here.
    eventfd_write(leave_event_.get(), 1);
    for (AgentSlot& slot : slots_) slot.cancel(WTOOL_CANCEL_GRACEFUL, "the node is taken away");
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& [name, tool] : tools_) {
    if (tool != nullptr) tool->destroy(tool);
  }
  plugin_.entry().deinit();
  if (slots_.empty() && !leaving_) {
    say("the host cannot be reached: " + first_problem);
    return 1;
  }
  return lost_ ? 1 : 0;
}

}  // namespace

int run_agent(const pilot::Ticket& ticket, Plugin& plugin, const std::string& problem) {
  Agent agent(ticket, plugin);
  return problem.empty() ? agent.run() : agent.refuse(problem);
}

}  // namespace wtool::host
