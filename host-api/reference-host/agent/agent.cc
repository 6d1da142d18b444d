#include "agent/agent.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <list>
#include <map>
#include <mutex>
#include <thread>

#include "agent/node.h"
#include "agent/say.h"
#include "agent/slot.h"
#include "base/calm_poll.h"
#include "base/environment.h"
#include "base/json.h"
#include "base/pilot/munge.h"
#include "base/wake_up.h"

namespace wtool::host {

namespace {

using nlohmann::json;
using pilot::Channel;
using pilot::Type;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

std::int64_t seconds_until(Clock::time_point time) {
  return std::max<std::int64_t>(0, std::chrono::floor<std::chrono::seconds>(time - Clock::now()).count());
}

class Agent final : public SlotOwner {
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
      if (::strcmp(id, pilot::pilot_extension) == 0) return &log;  // any pointer except NULL will do
      return ::strcmp(id, WTOOL_EXT_LOG) == 0 ? &log : nullptr;
    };
  }

  int run();
  // Reports to the host why this node cannot run calls. Returns the exit status.
  int refuse(const std::string& problem);

  const wtool_tool* tool(const std::string& id, const std::string& config, std::string& error) override {
    const std::scoped_lock lock(mutex_);
    const wtool_tool*& tool = tools_[{id, config}];
    Blob reason;
    if (tool == nullptr && plugin_.entry().tool_new(view(id), view(config), &tool, reason.out()) != WTOOL_OK) {
      error = reason.text();
      tool = nullptr;
    }
    return tool;
  }

  bool leaving() const override { return leaving_; }
  int leave_event() const override { return leave_event_.descriptor(); }
  void host_is_gone() override {
    lost_ = true;
    leaving_ = true;
    const std::scoped_lock lock(mutex_);
    for (AgentSlot& slot : slots_) {
      slot.channel().close();
      slot.cancel(WTOOL_CANCEL_NOW, "the connection to the host is lost");
    }
    leave_event_.signal();
  }
  void called() override { last_call_ = Clock::now().time_since_epoch().count(); }

 private:
  static void emit(const wtool_host*, const wtool_log_record* record) noexcept { send_log(*record); }
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
  std::int64_t full_ = 0;  // seconds from the start of the pilot to leave_at_
  wtool_host host_{};
  std::mutex mutex_;
  std::string proven_;  // the address at which the host has answered before
  std::map<std::pair<std::string, std::string>, const wtool_tool*> tools_;
  std::list<AgentSlot> slots_;  // each thread adds its own, under mutex_; none is removed
  std::atomic<bool> leaving_{false}, lost_{false};
  std::atomic<int> serving_{0};
  std::atomic<Clock::rep> last_call_{Clock::now().time_since_epoch().count()};
  const WakeUp leave_event_;
};

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
    why = ::strerror(errno);
    return false;
  }
  std::string answer;
  const auto size = [&] {
    return answer.size() < 2 ? 2
                             : 2 + (static_cast<std::size_t>(static_cast<unsigned char>(answer[0])) << 8 |
                                    static_cast<unsigned char>(answer[1]));
  };
  while (answer.size() < 2 || answer.size() < size()) {
    if (!may_wait() || size() > pilot::max_credential + 2) {
      why = "the host sent no credential";
      return false;
    }
    char buffer[1024];
    const ssize_t n = ::recv(socket, buffer, std::min(sizeof buffer, size() - answer.size()), MSG_DONTWAIT);
    if (n > 0) answer.append(buffer, static_cast<std::size_t>(n));
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
      why = "the host sent no credential";
      return false;
    }
    if (n >= 0) continue;
    pollfd ready[2] = {{socket, POLLIN, 0}, {leave_event_.descriptor(), POLLIN, 0}};
    calm_poll(ready, 2, 1000);
  }
  const auto payload = munge->decode(answer.substr(2), why);
  if (!payload) return false;
  const auto key = pilot::key_of(*payload, nonce);
  if (!key) {
    why = "the host sent a credential that was made for another pilot";
    return false;
  }
  key_ = *key;
  has_key_ = true;
  return true;
}

std::unique_ptr<Channel> Agent::connect(std::string& problem, const std::string& refusal) {
  problem.clear();
  for (const std::string& address : ticket_.addresses) {
    std::string why;
    Descriptor socket = connect_to(address, ticket_.port, why);
    // The host answers when it has a call for this slot. Until the host has answered any slot of this pilot, the wait
    // is limited to the idle time. From then on, this slot waits for as long as the pilot lives.
    const auto until = Clock::now() + std::chrono::seconds(ticket_.idle_seconds);
    const auto may_wait = [&] { return !leaving_ && (is_proven(address) || Clock::now() < until); };
    if (socket) pilot::watch_other_machine(socket.get(), pilot::pilot_patience);
    if (socket && introduce(socket.get(), may_wait, why)) {
      auto channel = std::make_unique<Channel>(std::move(socket), Channel::Side::pilot, key_);
      if (channel->begin(ticket_.aes && pilot::has_aes() ? pilot::Suite::aes : pilot::Suite::chacha)) {
        while (may_wait() && channel->take_in() && channel->state() == Channel::State::begun) {
          pollfd ready[2] = {{channel->descriptor(), POLLIN, 0}, {leave_event_.descriptor(), POLLIN, 0}};
          calm_poll(ready, 2, 1000);
        }
      }
      const std::string job = variable("SLURM_JOB_ID"), node = variable("SLURMD_NODENAME");
      json hello = {{"version", pilot::protocol_version},
                    {"job", job},
                    {"node", node.empty() ? host_name() : node},
                    {"pid", ::getpid()}};
      if (!refusal.empty()) hello["problem"] = refusal.substr(0, pilot::max_hello / 4);
      if (leave_at_ != Clock::time_point::max()) {
        hello["full"] = full_;
        hello["left"] = seconds_until(leave_at_);
      }
      if (channel->state() == Channel::State::open && channel->send(Type::hello, dumped(hello))) {
        const std::scoped_lock lock(mutex_);
        proven_ = address;
        return channel;
      }
      why = "the host did not prove that it has the same key as this pilot";
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
  const auto cannot_serve = [&](const std::string& problem) {
    const std::scoped_lock lock(connecting);
    if (first_problem.empty()) first_problem = problem;
  };
  const auto serve = [&](std::size_t number) {
    try {
      std::string problem;
      std::unique_ptr<Channel> channel = connect(problem);
      if (channel == nullptr) return cannot_serve(problem);
      AgentSlot* slot = nullptr;
      {
        const std::scoped_lock lock(mutex_);
        slot = &slots_.emplace_back(*this, std::move(channel),
                                    processors_.empty() ? std::vector<int>() : processors_[number]);
      }
      slot->serve();
    } catch (const std::exception& problem) {
      cannot_serve(problem.what());
    }
  };
  for (int i = 0; i < ticket_.slots; ++i) {
    ++serving_;
    try {
      threads.emplace_back([&, number = static_cast<std::size_t>(i)] {
        serve(number);
        --serving_;
      });
    } catch (const std::system_error& problem) {
      cannot_serve(std::string("no thread could be started for a slot: ") + problem.what());
      --serving_;
    }
  }
  while (serving_ > 0) {
    const timespec patience{0, 200'000'000};
    const int signal = ::sigtimedwait(&signals, nullptr, &patience);
    const std::scoped_lock lock(mutex_);
    const bool over = Clock::now() >= leave_at_;
    if (leaving_ || (signal <= 0 && !over && !is_idle())) continue;
    const std::string why = signal > 0 ? "the job was cancelled or preempted"
                            : over     ? "the job's time is nearly over"
                                       : "no call came for " + std::to_string(ticket_.idle_seconds) + " seconds";
    say(why);
    leaving_ = true;
    // The free slots leave first, so that the host does not try a cancelled call again on one of them.
    leave_event_.signal();
    for (AgentSlot& slot : slots_) slot.cancel(WTOOL_CANCEL_GRACEFUL, why.c_str());
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
