// Opens and closes terminal sessions for the tools. A session's directory and variables are judged like those of a
// command, and opening and closing are recorded.
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
  std::optional<std::string> directory;  // relative to the host's working directory; absent: that directory
  policy::Variables environment;         // for each of its commands
  std::shared_ptr<const EnvironmentSnapshot> host_environment = snapshot_environment();  // as for a CommandRequest
};

// Judges the directory and the variables. Opens nothing.
CommandPlan plan_session(const SessionRequest& request, const Configuration& configuration);

// Opens the session and records that. Any thread may call this.
std::variant<CallError, std::shared_ptr<Session>> open_session(const SessionRequest& request, CallContext& context);

struct ClosedSession {
  engine::ProcessesLeft unkillable;  // processes that the kernel would not let us kill
  std::string audit_error;           // why the end of the session could not be recorded
};

// Waits until the session's processes have ended or cannot be killed. Any thread may call this.
std::variant<CallError, ClosedSession> close_session(std::string_view id, CallContext& context);

// The error of every call that names a session that does not exist.
CallError no_such_session(std::string_view id);

// The labels that all lines of a session have.
Labels labels_of(const Session& session);

// Records that the status of a session was asked for. Returns the result of write_to_trail(), or an empty text if no
// audit trail is configured.
std::string record_look(const Session& session, const CallContext& context);

// Records a call that was refused before its command could be judged.
void record_refusal(const CallError& error, const Labels& labels, const CallContext& context);

}  // namespace wtool
