// Opens and closes terminal sessions for the tools. A session's directory and variables are judged as those of a
// command are, and opening and closing are recorded.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "call/call.h"

namespace wtool {

struct SessionRequest {
  std::string task;
  std::string agent;
  std::optional<std::string> directory;  // relative to the host's current one; absent: that one
  policy::Variables environment;         // for each of its commands
};

// The directory and the variables, judged. Nothing is opened.
Plan plan_session(const SessionRequest& request, const Configuration& configuration);

// Any thread.
std::variant<CallError, std::shared_ptr<Session>> open_session(const SessionRequest& request, CallContext& context);

struct ClosedSession {
  std::vector<engine::ProcessName> unkillable;  // what the kernel would not let us kill
  std::string audit_error;                      // it could not be put on record: why
};

// Waits until nothing of it is left. Any thread.
std::variant<CallError, ClosedSession> close_session(std::string_view id, CallContext& context);

// The error of every call that names a session which there is not.
CallError no_such_session(std::string_view id);

// Keys and values for lines of the audit trail.
using Labels = std::vector<std::pair<std::string, std::string>>;

// What the lines of a session have in common.
Labels labels_of(const Session& session);

// Puts on record that the status of a session was asked for. What went wrong with that, or nothing.
std::string record_look(const Session& session, const CallContext& context);

// Puts on record what was refused before there was a command to judge.
void record_refusal(const CallError& error, const Labels& labels, const CallContext& context);

}  // namespace wtool
