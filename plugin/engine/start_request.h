// Sends a Command to a custodian, as the messages of warden/protocol.h.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "engine/command.h"
#include "engine/limits.h"
#include "warden/protocol.h"

namespace wtool::engine {

class StartRequest {
 public:
  // `sandbox` is borrowed; nullptr: none. `in_scope`: the custodian is in a session's scope, and that scope, not the
  // sandbox's ruleset, limits signals.
  StartRequest(const Command& command, const Limits& limits, const Confinement* sandbox = nullptr,
               bool in_scope = false);

  // Call it if the `input` of send() is a terminal, like stdout and stderr. The terminal then becomes the command's
  // controlling terminal.
  void set_terminal() {
    start_.has_terminal = 1;
    ask_for_start();
  }
  // Asks the custodian to report when the command's program has begun to run.
  void ask_for_start() { start_.tells_start = 1; }

  // Asks the custodian to look after the call whether a command has changed it (Custodian::alone).
  void let_inspect_itself(bool whether) { start_.inspects_itself = whether ? 1 : 0; }

  // When the custodian ends the call if nobody else has done so.
  void set_deadline(std::chrono::steady_clock::time_point deadline, std::chrono::milliseconds grace);

  enum class Sending { complete, waiting, failed };

  // Sends as much as the custodian's queue takes, and never waits. The first message carries the command's stdout,
  // stderr and directory, the ruleset of its sandbox, and `input`, its standard input (-1: empty). `waiting`: call
  // again when the socket is writable. `failed`, with errno: the custodian is gone, or the text is larger than any
  // command may be (E2BIG). A command that was not sent completely has not run.
  Sending send(int socket, const int (&descriptors)[3], int input = -1);

  // The number of the call, never 0.
  std::uint64_t call() const { return start_.header.call; }

 private:
  warden::Start start_{};
  int ruleset_ = -1;
  std::string text_;
  bool begun_ = false;
  std::size_t sent_ = 0;  // how many bytes of text_ were sent
};

}  // namespace wtool::engine
