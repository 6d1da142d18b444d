// The pilots of one configuration, and their free slots.
//
// - A free slot is a connection: in the queue of the listening socket, or idle here. The threads that wait for one do
//   everything: they accept, finish handshakes, submit and look after pilots. There is no other thread.
// - A slot that a session keeps is parked here between its commands, and its end is seen as that of a free one.
// - A pilot is one job on one node. As many are submitted as the calls need, up to cluster.nodes; one whose connections have
//   all ended is gone, and is replaced when calls need it.
// - What is known of a running pilot is known from its connections. Slurm is asked only about jobs that have not come yet: for
//   the reason, and to replace those that ended before they came.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/pilot/channel.h"
#include "cluster/options.h"

namespace wtool::cluster {

using Clock = std::chrono::steady_clock;

struct Slot {
  std::unique_ptr<pilot::Channel> channel;
  std::string node;
  std::string job;  // empty: the pilot is not a job of Slurm
  // Bytes of events and logs that came over the connection in all its calls, and how many of them the pilot was told of.
  std::uint64_t taken = 0, told = 0;
  bool leaving = false;  // Its pilot takes no more orders: it ends what it has, and then the connection.
};

class Pool {
 public:
  explicit Pool(Options options);
  // Closes all connections, which ends the pilots, and removes their jobs from the queue and the ticket.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Waits for a free slot. A slot without a channel: `cancel` (a descriptor) became readable, or no slot was free in
  // time, and `why` says so.
  Slot take(int cancel, Clock::time_point until, std::string& why);
  void give_back(Slot slot);
  // Call it when the slot's connection has ended.
  void lost(Slot slot);
  // Keeps a slot that stays taken while nobody uses it, so that the end of its connection is seen. The number is never 0.
  // One whose pilot leaves is kept until its connection ends: until then the pilot is ending what it keeps.
  std::uint64_t park(Slot slot);
  // Gives it back to who parked it. A slot without a channel: its connection has ended.
  Slot unpark(std::uint64_t number);
  // Whether its connection lives, as far as is known without waiting.
  bool is_parked(std::uint64_t number);
  // Ends a job that does not answer, at once. Returns why it could not; empty: it is ended.
  static std::string end_job(const std::string& job);

  const Options& options() const { return options_; }

 private:
  struct Pilot {
    Clock::time_point submitted;
    int connections = 0;
    std::string state;  // what Slurm says while the pilot has not connected
  };
  struct Newcomer {
    std::unique_ptr<pilot::Channel> channel;
    Clock::time_point since;
  };

  bool start(std::string& why);
  void leave_to_parent();
  void advance();
  void accept_all();
  void greet(int descriptor);
  void drop_idle(int descriptor);
  void drop_parked(int descriptor);
  void forget_connection(const Slot& slot);
  void look_after_pilots(std::unique_lock<std::mutex>& lock);
  void submit(std::unique_lock<std::mutex>& lock);
  void ask_slurm(std::unique_lock<std::mutex>& lock);
  void failed(const std::string& why);
  std::string log_of(const std::string& job) const;
  std::string situation() const;
  void watch(int descriptor) const;
  void unwatch(int descriptor) const;

  const Options options_;
  const std::string here_;
  std::mutex mutex_;
  pid_t owner_ = ::getpid();  // a forked child starts with an empty pool
  bool started_ = false;
  std::string folder_, ticket_, name_;
  pilot::Key key_{};
  Descriptor listener_, epoll_, idle_event_;
  std::map<int, Newcomer> newcomers_;
  std::vector<Slot> idle_;  // the last one that was used is taken first
  std::map<std::uint64_t, Slot> parked_;
  std::uint64_t last_parked_ = 0;
  std::map<std::string, Pilot> pilots_;
  int waiting_ = 0, busy_ = 0;
  bool accepting_ = true;
  bool asking_ = false;  // a thread submits or asks Slurm
  Clock::time_point next_submission_{}, next_question_{}, next_accept_{};
  int failures_ = 0;  // since a pilot last connected
  std::string failure_;
};

}  // namespace wtool::cluster
