// Turns SIGINT, SIGTERM and SIGHUP into a request to stop, for as long as this object lives:
//
// - the first signal stops gracefully, the second immediately;
// - the third ends the program by the signal's default action (the warden then ends all commands), so that a person can
//   always get out;
// - a signal that `wtool stop` has marked requests a graceful or an immediate stop. It is ignored if that kind of stop
//   has already been requested, so several such signals neither shorten a grace period nor end the program;
// - a signal that was ignored when the program started (nohup, a background job) stays ignored.
//
// At most one object exists in a process. The handlers only write to a pipe; a thread of this object makes the request.
#pragma once

#include <signal.h>

#include <array>
#include <atomic>
#include <thread>

#include "base/stop.h"

namespace wtool::host {

// The values with which `wtool stop` queues a signal.
inline constexpr int mark_of_stop = 0x57535450;
inline constexpr int mark_of_stop_now = mark_of_stop + 1;

class Interrupts {
 public:
  // `stop` must outlive this object. Throws std::system_error if no descriptors or threads are left. If `first` is not
  // null, it is set to signal() when this object ends, so that the caller also learns of a signal that came after its
  // last check.
  explicit Interrupts(Stop& stop, int* first = nullptr);
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();  // Restores the earlier dispositions. A signal that came just before still requests its stop.

  // The first signal that came, or 0. Any thread may call this.
  int signal() const { return first_.load(); }

  // 128 plus signal(), as in a shell: 130 after Ctrl-C. Call it only after a signal.
  int exit_status() const { return 128 + signal(); }

 private:
  void listen();

  static constexpr std::array<int, 3> signals{SIGINT, SIGTERM, SIGHUP};
  Stop& stop_;
  int* const told_;
  std::array<int, 2> pipe_{-1, -1};
  std::array<struct sigaction, 3> earlier_{};
  std::atomic<int> first_{0};
  std::thread thread_;
};

}  // namespace wtool::host
