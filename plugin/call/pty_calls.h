// Starts programs in terminals of their own for the tools (sessions/pty.h). A program is carried through as any command
// is: planned, approved, put on record, run and recorded at its end, on the thread of its terminal. What is typed is
// counted on record, and never written there: it may be a password.
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
  // Set where the program was refused, or has ended already.
  std::optional<CallResult> result;
};

// Waits until the program is executed, or was refused, or has ended. `request` is completed: its terminal is set. Where
// nothing has been started, there is no terminal any more. Any thread.
std::variant<CallError, StartedPty> start_pty(CommandRequest request, screen::Size size, CallContext& context);

// Ends it and all that it has started, waits for that, and forgets it. Nothing: there is no such terminal.
std::optional<PtyEnd> stop_pty(std::string_view id, CallContext& context);

// The error of every call that names a terminal which there is not.
CallError no_such_pty(std::string_view id);

// Puts on record that so many bytes were typed. What went wrong with that, or nothing.
std::string record_typing(const Pty& pty, std::size_t bytes, const CallContext& context);

}  // namespace wtool
