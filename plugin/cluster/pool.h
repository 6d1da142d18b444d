// The pilots of one configuration, and their free slots.
//
// - A free slot is a connection. It waits in the queue of the listening socket, or is idle in this pool. The threads
//   that wait for a slot do all the work: they accept, finish handshakes, submit and look after pilots. There is no
//   other thread.
// - A slot that a session keeps is parked here between its commands. Its end is noticed in the same way as the end of a
//   free slot.
// - A pilot is one job on one node. As many pilots are submitted as the calls need, up to cluster.nodes. A pilot whose
//   connections have all ended is gone, and is replaced when calls need another one.
// - A pilot reports how long its job will last. A call gets a slot of a pilot whose job lasts long enough for it. If no
//   job does, the pool submits a new one. To make room for it, the pool may end an idle pilot that no waiting call can
//   use.
// - While a job waits in Slurm's queue, or if a limit of the site keeps it out of the queue, the other pools of the
//   plugin end their pilots that have no call: the job may be waiting for just those nodes, or may fit within the limit
//   only when other jobs have ended.
// - A running pilot is known by its connections. Slurm is asked only about jobs whose pilots have not connected yet:
//   why they wait, which of them have already ended and must be replaced, and which jobs sbatch submitted without
//   reporting them.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/pilot/channel.h"
#include "base/pilot/munge.h"
#include "base/wake_up.h"
#include "cluster/options.h"

namespace wtool::cluster {

using Clock = std::chrono::steady_clock;

// How long a call may take. If `exact`, its pilot must last that long. Otherwise, at most half of what a new job offers
// is demanded, so that a long default timeout does not make each call wait for a new job.
struct Need {
  std::chrono::milliseconds time{0};
  bool exact = false;  // the caller named the time, so a shorter time will not do
};

// Why a call got no slot.
struct Refusal {
  enum class Reason { no_node, unshared };  // unshared: the nodes do not have our folders
  Reason reason = Reason::no_node;
  std::string why{};
};

struct Slot {
  std::unique_ptr<pilot::Channel> channel;
  std::string node;
  std::string job;                                     // empty: the pilot is not a job of Slurm
  Clock::time_point until = Clock::time_point::max();  // when the pilot ends its calls
  // Bytes of events and logs that came over the connection in all its calls, and how many of them were acknowledged to
  // the pilot.
  std::uint64_t taken = 0, told = 0;
  std::size_t window = pilot::smallest_window;  // how many bytes may be sent before they are acknowledged
  bool leaving = false;  // Its pilot takes no more orders, ends those that it has, and then closes the connection.
};

class Pools;

class Pool {
 public:
  // `others` are asked to make room when a job of this pool waits in Slurm's queue; may be nullptr.
  explicit Pool(Options options, Pools* others = nullptr);
  // Closes all connections, so that the pilots end. Then cancels their jobs, and removes the ticket. In a forked child,
  // only closes the child's descriptors.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Waits for a free slot of a pilot that lasts long enough. Returns a slot without a channel if `cancel` (a
  // descriptor) became readable, if no slot was free in time, or if no slot can become free. In the last two cases,
  // `refusal` says why.
  Slot take(int cancel, Clock::time_point until, Refusal& refusal, const Need& need = {});
  void give_back(Slot slot);
  // Call this when the slot's connection has ended or is silent.
  void lost(Slot slot);
  // Keeps a session's slot between two commands, so that the end of its connection is noticed. Returns the slot's
  // number in the pool, which is never 0. A slot whose pilot leaves is kept until its connection ends: until then the
  // pilot is ending what the session keeps.
  std::uint64_t park(Slot slot);
  // Returns the parked slot, whose connection may have ended. A slot without a channel: no slot is parked under this
  // number.
  Slot unpark(std::uint64_t number);
  // True if the connection of the parked slot is alive, as far as is known without waiting.
  bool is_parked(std::uint64_t number);
  // Immediately ends a job that does not answer. Returns why that failed; empty: Slurm has accepted the signal, the job
  // has already ended, or `job` is empty.
  static std::string end_job(const std::string& job);
  // Ends the pilots that have no call and belong to no session, unless a call waits in this pool. Slurm's programs may
  // take at most `seconds`.
  void end_unused(int seconds);

  const Options& options() const { return options_; }
  // How pilots get the key: "munge" or "key". Asks munged, unless the answer is already known.
  const char* authentication();

 private:
  struct Pilot {
    Clock::time_point submitted{};
    int connections = 0;
    int busy = 0;                                        // how many of them have a call, or are kept by a session
    bool leaving = false;                                // one of its connections has ended
    Clock::time_point until = Clock::time_point::max();  // when the pilot ends its calls; known once it has connected
    std::string state{};                                 // what Slurm says while the pilot has not connected
  };
  struct Newcomer {
    std::unique_ptr<pilot::Channel> channel;
    Clock::time_point since;
  };

  using Lock = std::unique_lock<std::mutex>;

  bool start(std::string& why);
  bool find_key_by_munge(std::string& why);
  void leave_to_parent();
  void advance();
  void accept_all();
  void greet(int descriptor);
  void came(const Slot& slot, std::int64_t full);
  void drop_idle(int descriptor);
  void drop_parked(int descriptor);
  void forget_connection(const Slot& slot);
  void taken_no_more(const Slot& slot);
  void tell_waiting();
  std::vector<Slot>::iterator find_idle(std::chrono::milliseconds needed);
  Refusal situation() const;
  void watch(int descriptor) const;
  void unwatch(int descriptor) const;

  // The jobs of the pilots, in pool_jobs.cc.
  using States = std::map<std::string, std::string>;
  // A waiting call, for which programs of Slurm run.
  struct Caller {
    int cancel;               // a descriptor
    Clock::time_point until;  // when the call stops waiting
    int seconds() const;      // how long a program may take, at least 1
  };
  void look_after_pilots(Lock& lock, const Caller& caller);
  std::size_t without_hope() const;
  using Pilots = std::map<std::string, Pilot>;
  Pilots::iterator retire(Pilots::iterator pilot);
  bool retire_one();
  void submit(Lock& lock, const Caller& caller);
  void failed(const std::string& why, Refusal::Reason reason = Refusal::Reason::no_node);
  void ask_slurm(Lock& lock, const Caller& caller);
  void not_listed(Lock& lock, const std::string& job, const Caller& caller);
  void clear_queue(Lock& lock);
  void cancel_all_jobs();
  static bool is_job(std::string_view text);
  std::optional<States> jobs_in_slurm(int seconds, int cancel) const;
  static bool cancel_jobs(const std::set<std::string>& jobs, const std::string& option, int seconds);
  std::string log_of(const std::string& job) const;

  const Options options_;
  Pools* const others_;
  const std::string here_;
  std::mutex mutex_;
  pid_t owner_ = ::getpid();  // a forked child starts with an empty pool
  bool started_ = false;
  std::string folder_, ticket_, token_, name_, comment_;
  std::string program_;  // the path of wtool on the nodes
  pilot::Key key_{};
  std::optional<pilot::Munge> munge_;  // hands out the key
  Descriptor listener_, epoll_;
  std::optional<WakeUp> idle_event_;  // set by start()
  bool told_ = false;                 // idle_event_ is readable: an idle slot fits a waiting call
  std::map<int, Newcomer> newcomers_;
  std::vector<Slot> idle_;  // the most recently used one is taken first
  std::map<std::uint64_t, Slot> parked_;
  std::uint64_t last_parked_ = 0;
  Pilots pilots_;
  std::set<std::string> known_;                       // all jobs that were ever in pilots_
  std::set<std::string> given_up_;                    // jobs whose pilots get no more calls; new connections are closed
  std::multiset<std::chrono::milliseconds> waiting_;  // what each waiting call needs
  bool accepting_ = true;
  bool asking_ = false;  // a thread submits or asks Slurm
  Clock::time_point next_submission_{}, next_question_{}, next_accept_{};
  bool uncertain_ = false;  // sbatch ended in a way that does not show whether a job exists
  int failures_ = 0;        // since a pilot last connected
  Refusal failure_;
  std::string
      untold_;        // a failure that a waiting call still has to log; a failure like the last one is not logged again
  int unshared_ = 0;  // how often a node did not have our folders
};

// The pools of one plugin: one for each set of options.
class Pools {
 public:
  std::shared_ptr<Pool> of(Options options);
  // Ends the pilots that the other pools do not use: a waiting job of `wanting` may need their nodes.
  void make_room(const Pool& wanting, int seconds);
  void clear();

 private:
  std::mutex mutex_;
  std::list<std::shared_ptr<Pool>> pools_;
};

}  // namespace wtool::cluster
