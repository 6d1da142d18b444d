// Starts programs in terminals for the tools (sessions/pty.h). A program is executed like any command: planned,
// approved, recorded, run, and recorded again at its end, on the thread of its terminal. Of what is typed, only the
// number of bytes is recorded: the text may be a password.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "call/call.h"
#include "screen/screen.h"

namespace wtool {

struct StartedPty {
  std::shared_ptr<Pty> pty;
  // Set if nothing was started: why.
  std::optional<CallResult> not_run;
};

// The host's deadline for a call that begins now; far in the future if the host sets none.
Pty::Clock::time_point deadline_of(const CallContext& context);

// Waits until the program is executed, is refused, or has ended. Sets the terminal of `request`. If nothing was
// started, the terminal is gone again. The host's deadline cancels the call. Any thread.
std::variant<CallError, StartedPty> start_pty(CommandRequest request, screen::Size size, CallContext& context);

// Ends the program and everything that it has started, waits for that, and forgets the terminal. Nothing: no such
// terminal. At the host's deadline, what is left is ended at once.
std::optional<PtyEnd> stop_pty(std::string_view id, CallContext& context);

// The error of every call that names a terminal that does not exist.
CallError no_such_pty(std::string_view id);

// Records that `bytes` bytes were typed. Returns what went wrong; empty: nothing.
std::string record_typing(const Pty& pty, std::size_t bytes, const CallContext& context);

}  // namespace wtool
