// Starts programs in terminals for the tools (sessions/pty.h). A program is executed like any command: planned,
// approved, recorded, run, and recorded again at its end, on the thread of its terminal. Typed text may be a password,
// so only its number of bytes is recorded.
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
  // Why nothing was started; absent: the program was started, and ended again if the call was cancelled.
  std::optional<CallResult> not_run;
};

// The host's deadline for a call that begins now; far in the future if the host sets none.
Pty::Clock::time_point deadline_of(const CallContext& context);

// Waits until the program has started, has been refused, or has ended. Sets the terminal of `request`. If nothing was
// started, or the call was cancelled, the terminal is removed again. The host's deadline cancels the call. Any thread
// may call this.
std::variant<CallError, StartedPty> start_pty(CommandRequest request, screen::Size size, CallContext& context);

// Ends the program and everything that it has started, waits for their end, and removes the terminal. Nothing: the
// terminal does not exist. Processes that are left at the host's deadline are killed immediately.
std::optional<PtyEnd> stop_pty(std::string_view id, CallContext& context);

// The error of every call that names a terminal that does not exist.
CallError no_such_pty(std::string_view id);

// Records that `bytes` bytes are about to be typed. Returns why they must not be typed; empty: they may.
std::string record_typing(const Pty& pty, std::size_t bytes, const CallContext& context);

}  // namespace wtool
