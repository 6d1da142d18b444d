// Executes one call, the same way for every tool: plan, approval, audit, run, log. A tool passes what to run, with the
// rules of its own specification, and gets the outcome. It never judges, runs or records a call itself: tests/layers
// refuses the headers that a tool would need for that.
//
//   CommandRequest request;
//   request.line = "git log --oneline";
//   const CallResult result = execute_call(request, context);
//   if (const auto* error = std::get_if<CallError>(&result.outcome)) return refusal(*error);
//   const auto& outcome = std::get<engine::CommandOutcome>(result.outcome);
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "call/approval.h"
#include "call/plan.h"
#include "configuration/configuration.h"
#include "engine/cancellation.h"
#include "engine/command_runner.h"
#include "engine/outcome.h"
#include "engine/run.h"
#include "sessions/sessions.h"

namespace wtool {

// What one call depends on.
struct CallContext {
  std::shared_ptr<engine::CommandRunner> runner;  // runs the command; shared with programs that outlive the call
  Sessions& sessions;
  const Configuration& configuration;
  engine::Cancellation& cancellation;
  engine::OutputSink sink = {};   // gets the output while the command runs; may be empty
  std::string tool;               // its id, for the log, the audit trail and approvals
  std::string call_id = {};       // the host's name for the call, for the same purposes; may be empty
  std::uint64_t parent_span = 0;  // the host's span, below which the call opens its own; 0: none
  std::optional<std::chrono::milliseconds> ceiling = {};  // the host's time limit, from the start of the call
  ApprovalAsker* approver = nullptr;                      // nullptr: nobody can be asked
  // Stops this call immediately. Any thread may use this function while the call runs.
  std::function<void(std::string_view reason)> abort = {};
  // Keeps `configuration` alive for a program (pty_start) that outlives the call.
  std::shared_ptr<const Configuration> kept_configuration = {};
  engine::StateSink state = {};  // gets the states of the command; may be empty
  // The call's own place in its caller's trace (base/trace_context.h), for the command, the log and the audit trail;
  // empty: the call is in no trace.
  std::string traceparent = {};
  // The limits of this call, as JSON, for a runner with its own configuration. `configuration` already includes them.
  std::string_view limits = {};
};

struct CallResult {
  std::variant<CallError, engine::CommandOutcome> outcome;
  policy::Verdict verdict;               // of the policy
  std::optional<CallApproval> approval;  // if one was needed
  std::string directory;                 // canonical; empty if it could not be opened
  std::string program;                   // argv[0], or the shell's path
  bool through_shell = false;
  engine::Limits limits;                         // the limits that applied
  std::optional<engine::SandboxReport> sandbox;  // if a sandbox is configured, and its effect is known
  // Why processes that the command left behind were ended, although this call usually keeps them; empty: none were.
  std::string not_kept_because;
  // Why the end, or the refusal, is not in the audit trail; empty also if audit.when_unwritable is `continue`.
  std::string audit_error;
  std::chrono::milliseconds time_limit{0};  // the timeout, or the host's ceiling if that is shorter
};

// Blocks until the call has ended and is recorded.
CallResult execute_call(const CommandRequest& request, CallContext& context);

}  // namespace wtool
