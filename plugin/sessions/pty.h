// Programs in terminals of their own: callers type into the terminals and look at them. Pty is one terminal with its
// program, and Ptys owns all the terminals, from the plugin's init to its deinit. Like terminal sessions, they live on
// when the configuration changes.
//
//   const auto pty = ptys.create("htop", {24, 80}, 30min, 8);  // nullptr: 8 programs are already running
//   pty->run([&terminal = pty->terminal()] { return run_program(terminal); });
//   const Pty::Mark before = pty->mark();
//   pty->send(pty->bytes_of("q", {}), deadline, cancellation);
//   pty->wait({before, "", 100ms, deadline}, cancellation);
//   for (const std::string& line : pty->view(false, 0).lines) print(line);
//
// The thread that runs the program's command (engine/run.h) belongs to its Pty. It reads the program's output into the
// screen, whether anybody looks or not, so that the program never waits for a reader and unread output never
// accumulates.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/cancellation.h"
#include "engine/outcome.h"
#include "engine/terminal.h"
#include "screen/screen.h"

namespace wtool {

// How a program has ended.
struct PtyEnd {
  std::string how;               // "exited with 0", "was killed by SIGTERM", "timed out"
  std::optional<int> exit_code;  // if it has one
  std::string signal;            // "SIGKILL", if a signal has killed it
  engine::ProcessesLeft unkillable;
};

// What can be seen of the program at one moment.
struct PtyView {
  screen::Size size;
  std::vector<std::string> lines;
  std::vector<std::vector<screen::CellRun>>
      cells;                            // if asked for: the runs of each line; no further line after max_runs runs
  std::vector<std::string> scrollback;  // if asked for: the last lines that have left the screen
  std::uint64_t scrolled = 0;           // how many lines have left the screen
  screen::Cursor cursor;
  std::string title;
  bool alternate = false;
  std::optional<PtyEnd> end;
};

// Any thread may call any member, except those of engine::CommandTerminal.
class Pty : private engine::CommandTerminal {
 public:
  using Clock = std::chrono::steady_clock;

  // Throws std::system_error if no terminal is available.
  Pty(std::string id, std::string command, screen::Size size, std::chrono::milliseconds idle);
  // Ends the program, and waits for it.
  ~Pty() override;
  Pty(const Pty&) = delete;
  Pty& operator=(const Pty&) = delete;

  const std::string& id() const { return id_; }
  const std::string& command() const { return command_; }
  engine::CommandTerminal& terminal() { return *this; }
  engine::Cancellation& cancellation() { return cancellation_; }
  const engine::Cancellation& cancellation() const { return cancellation_; }

  // Runs `body` on a thread of its own. Call this only once.
  void run(std::function<PtyEnd()> body);
  // Call this instead of run(), or if run() has thrown: the terminal ends without a program, and waiting threads are
  // woken.
  void fail();
  // Waits a short time until the program has begun to run or has ended. False: neither has happened.
  bool wait_for_start();

  // ---- Typing.

  enum class Sent {
    all,
    ended,      // the program no longer runs
    not_taken,  // the program has not read all input in time
    cancelled
  };
  // What the terminal would send for the text and then the keys. A program chooses what some keys send.
  std::string bytes_of(std::string_view text, const std::vector<screen::Key>& keys);
  // Types `bytes`.
  Sent send(std::string_view bytes, Clock::time_point deadline, const engine::Cancellation& caller);

  // ---- Looking.

  // What the program had shown at some moment.
  struct Mark {
    std::uint64_t shown = 0;            // pieces of output
    std::uint64_t scrolled = 0;         // lines that have left the screen
    std::vector<std::string> before{};  // the lines of the screen as far as the cursor, without spaces at their ends
    bool alternate = false;             // the alternate screen was shown
    bool had_text = false;              // the awaited text was on the screen
  };
  // `text`: the text that will be awaited.
  Mark mark(std::string_view text = {}) const;

  // If something was typed, only text behind the place where the cursor was counts, and there the awaited text must
  // occur once more than in what was typed, which is usually echoed. So neither an old prompt nor the echo ends the wait.
  // For a program that draws on the whole screen, the place means nothing: on the alternate screen, and when anything
  // before the place has changed, any text on the screen counts.
  struct Wish {
    Mark since;                       // what had been shown before the awaited output
    std::string text;                 // awaited on the screen, or in a line that has left it since; may be empty
    std::chrono::milliseconds quiet;  // without a text: how long output must pause, once there was some
    Clock::time_point deadline;
    std::string typed{};  // since the mark; empty: nothing
  };
  enum class Seen {
    text,
    old_text,  // the text was on the screen before, and it may be the same one that was seen
    quiet,
    ended,
    time,
    cancelled
  };
  Seen wait(const Wish& wish, const engine::Cancellation& caller);

  PtyView view(bool cells, std::size_t scrollback);
  bool ended() const { return end().has_value(); }
  std::optional<PtyEnd> end() const;

  // False: the program has ended, or the kernel has refused.
  bool resize(screen::Size size);

  // Ends the program, and does not wait. If memory is short, the reason is dropped.
  void request_end(engine::Cancellation::Mode mode, std::string_view reason);
  // Waits for the end that was requested. Ends the program immediately if the caller is cancelled or its time is up.
  PtyEnd wait_end(const engine::Cancellation* caller = nullptr, Clock::time_point deadline = Clock::time_point::max());

 private:
  int master() const override;
  int slave() const override { return pair_.slave.get(); }
  void started() override;
  std::size_t max_at_once() const override {
    const std::lock_guard lock(mutex_);
    return screen::max_at_once(screen_.size());
  }
  void take(std::string_view bytes) override;
  void look() override;
  void hang_up() override;

  std::shared_ptr<const Descriptor> open_master() const;
  std::optional<std::string> answer(const Wish& wish) const;
  std::optional<Seen> seen(const Wish& wish) const;
  void finish(PtyEnd end);

  const std::string id_;
  const std::string command_;
  const std::chrono::milliseconds idle_;
  engine::Cancellation cancellation_;
  engine::TerminalPair pair_;  // without its master, which is in master_
  std::mutex send_mutex_;      // one text at a time

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<const Descriptor> master_;  // shared, so that it stays open while a thread writes to it
  screen::Screen screen_;
  bool started_ = false;
  std::optional<PtyEnd> end_;
  std::uint64_t taken_ = 0;                 // pieces of output
  Clock::time_point shown_ = Clock::now();  // when something was shown last
  Clock::time_point used_ = Clock::now();   // when somebody last looked or typed, or the program started

  std::thread thread_;
};

// Any thread may call any member.
class Ptys {
 public:
  // nullptr: `most` programs are already running.
  std::shared_ptr<Pty> create(std::string command, screen::Size size, std::chrono::milliseconds idle, std::size_t most);
  // nullptr: no terminal has this id.
  std::shared_ptr<Pty> find(std::string_view id) const;
  // Lists the terminals in the order in which they were made.
  std::vector<std::shared_ptr<Pty>> all() const;
  void remove(std::string_view id);
  // Removes terminals whose programs have ended, the oldest first, while there are more than `most` in all.
  void make_room(std::size_t most);
  // Ends all programs at the same time, and waits until they have ended.
  void end();

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<Pty>> all_;
  std::uint64_t last_ = 0;
};

}  // namespace wtool
