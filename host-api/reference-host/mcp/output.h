// The lines for the client, in order. A line is written immediately if the client accepts it, and by a separate thread
// if not.
//
// - Sending never waits for the client: a slow client, or one that does not read at all, delays only itself.
// - Answers are kept until they are written. Notifications (progress, logs) are dropped while much is waiting. While
//   even more is waiting, nothing more should be read from the client, and no call should begin (`is_full`), or a client
//   that asks without reading would cost unbounded memory.
// - A client that is gone is reported once; from then on everything is dropped.
// - The descriptor's flags are not changed, since other processes may share it. A pipe is opened a second time, and
//   written there without blocking. Where that is not possible, no write is larger than what the descriptor takes
//   without blocking.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/descriptor.h"
#include "base/wake_up.h"

namespace wtool::host::mcp {

class Output {
 public:
  // Borrows the descriptor. `gone` is called on the writing thread when a write fails for good, or when finish() gives
  // up. Throws std::system_error if a thread or a descriptor cannot be made.
  Output(int descriptor, std::function<void()> gone);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();  // Does the same as finish() with a patience of 0.

  // Sends a line that must not be lost. Any thread may call this.
  void send(std::string line);
  // Sends a line that may be dropped. False: it was dropped. Any thread may call this.
  bool send_notification(std::string line);

  // True if no more requests should be read, and no call should begin. Once that has changed, or the client is gone,
  // room() is readable. Any thread may call this; only one may wait for room().
  bool is_full();
  int room() const { return room_.descriptor(); }
  // `on_room` is called when room() becomes readable, on the writing thread. When this returns, no call of an earlier
  // function is under way. An empty function: nobody is called.
  void set_on_room(std::function<void()> on_room);

  // The errno of the write that failed for another reason than that the client is gone; 0: none. Any thread may call
  // this.
  int failure() const { return failure_.load(); }

  // Writes what is waiting and ends the thread. Gives up when the client has taken nothing for as long as `patience`.
  void finish(std::chrono::milliseconds patience);

 private:
  // The caller of these two holds mutex_.
  void take(std::string line);
  std::size_t cost() const;

  void tell_room();
  void write_all();
  bool write_line(std::string_view line);
  bool wait_for_room() const;
  bool has_room() const;
  std::size_t write_some(std::string_view bytes, bool& failed);
  ssize_t write_without_waiting(std::string_view bytes) const;

  const int descriptor_;
  const bool is_socket_;
  const std::function<void()> gone_;
  const WakeUp room_;
  const WakeUp hurry_;  // signalled: `patience_` now limits the waiting
  std::atomic<int> patience_{-1};
  std::atomic<int> failure_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;  // in lines_ and in the line that is being written
  bool writing_ = false;   // the thread is writing
  bool finishing_ = false;
  bool gone_already_ = false;
  bool full_ = false;
  std::mutex room_mutex_;  // held while on_room_ is called; never locked under mutex_
  std::function<void()> on_room_;
  Descriptor pipe_;  // the same pipe as descriptor_, if it could be opened again
  std::thread thread_;
};

}  // namespace wtool::host::mcp
