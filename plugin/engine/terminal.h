// A terminal for a command, in place of its pipes: its two descriptors, and the interface to which the run of the
// command passes what the command shows.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/descriptor.h"

namespace wtool::engine {

// The two ends of a pseudo-terminal. Both are close-on-exec, and reading and writing the master never waits.
struct TerminalPair {
  Descriptor master;  // for reading what the command shows, and for typing
  Descriptor slave;   // the command's standard streams
};

// Opens a terminal of this size. Returns 0, or the errno of what failed.
int open_terminal(int rows, int columns, TerminalPair& pair);

// Sets the size. The terminal's foreground processes get SIGWINCH. False, with errno, on failure.
bool resize_terminal(int master, int rows, int columns);

// All members are called on the thread of run() (engine/run.h). This thread reads the master until every process of the
// command has ended or the terminal was hung up, even if nobody looks at the screen, so that output never blocks the
// command.
class CommandTerminal {
 public:
  virtual ~CommandTerminal() = default;

  virtual int master() const = 0;  // -1: it was hung up
  virtual int slave() const = 0;

  // Called when the command's program has begun to run.
  virtual void started() = 0;
  // How many bytes take() accepts in one call, at most 16 KiB, so that the run soon returns to its other work.
  virtual std::size_t max_at_once() const = 0;
  // Takes what the command has shown. `bytes` is never empty.
  virtual void take(std::string_view bytes) = 0;
  // Called at least twice a second, for work that depends on time. May cancel the call.
  virtual void look() = 0;
  // Called when the command is to be ended. Closes the master, as happens when a terminal window is closed: the kernel
  // then sends SIGHUP, which ends shells that ignore SIGTERM.
  virtual void hang_up() = 0;
};

}  // namespace wtool::engine
