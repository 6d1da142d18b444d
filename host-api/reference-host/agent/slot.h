// One slot of a pilot: a connection to the host, and its current call.
#pragma once

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <wtool/ext/log.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <wtool/cpp/host.hpp>

#include "agent/window.h"
#include "base/descriptor.h"
#include "base/pilot/channel.h"

namespace wtool::host {

// What a slot asks of its pilot. Any thread may call any member.
class SlotOwner {
 public:
  // The tool with this configuration, made when it is first needed. nullptr: `error` says why.
  virtual const wtool_tool* tool(const std::string& id, const std::string& config, std::string& error) = 0;
  virtual bool leaving() const = 0;
  virtual int leave_event() const = 0;  // a descriptor, readable as soon as the pilot leaves
  // Ends the pilot, because nobody would receive the results of the calls that are still running.
  virtual void host_is_gone() = 0;
  virtual void called() = 0;  // a call has ended

 protected:
  ~SlotOwner() = default;
};

// serve() waits for orders and runs them. While a call runs, a watching thread receives the host's messages (a
// cancellation, acknowledgements of output), and notices if the host is lost. Between calls the watching thread sleeps,
// so that an order does not have to wake it.
class AgentSlot {
 public:
  AgentSlot(SlotOwner& owner, std::unique_ptr<pilot::Channel> channel, std::vector<int> processors)
      : owner_(owner), channel_(std::move(channel)), processors_(std::move(processors)) {}

  // Returns when the pilot leaves, when the connection is lost, or when the slot fails; the last two end the pilot.
  void serve();
  pilot::Channel& channel() { return *channel_; }
  // True while the slot runs a call, or while a session of the host keeps the slot.
  bool busy() const { return busy_; }
  void cancel(std::uint32_t how, const char* reason) {
    const std::scoped_lock lock(mutex_);
    if (call_ != nullptr) call_->cancel(how, reason);
  }

 private:
  class Watching;
  class Running;
  void serve_orders();
  void serve_one(const pilot::ChannelMessage& order);
  // The host's configuration, with the processors of this slot.
  const std::string& config_with_processors(const std::string& config);
  static int32_t on_event(void* self, const wtool_event* event) noexcept;
  bool tell_of_state(std::string_view state);
  void watch();
  void watch_call(Call& call);
  void watch_no_more();
  void set_timer(std::chrono::nanoseconds first) const;
  bool receive(Call& call);
  bool note_taken(const pilot::ChannelMessage& message);
  void beat();
  void await_taken(Call& call);

  SlotOwner& owner_;
  const std::unique_ptr<pilot::Channel> channel_;
  const std::vector<int> processors_;      // on which its commands run; empty: all
  std::string host_config_, slot_config_;  // those of the last call, because the next one usually has the same
  Window window_;
  std::atomic<bool> busy_{false};
  std::mutex mutex_;
  Call* call_ = nullptr;

  const Descriptor watched_{::epoll_create1(EPOLL_CLOEXEC)};
  const Descriptor timer_{::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)};
  // The watching thread holds this mutex while it receives. While a call is watched, the mutex guards the members
  // below.
  std::mutex receiving_;
  Call* watched_call_ = nullptr;
  std::atomic<bool> told_of_start_{false};
  bool beat_waits_ = false;  // the host has not answered the last heartbeat
  bool over_ = false;
};

// Sends a log record of the plugin to the host whose call this thread runs. Without a call, the record is dropped.
void send_log(const wtool_log_record& record) noexcept;

}  // namespace wtool::host
