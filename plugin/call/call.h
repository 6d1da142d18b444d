// Carries one call through, for every tool alike: plan, approval, audit, run, log. A tool passes what to run, with the
// rules of its own specification, and gets the outcome. It never judges, runs or records a call itself: tests/layers
// refuses the headers that it would need.
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
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "call/approval.h"
#include "call/plan.h"
#include "configuration/configuration.h"
#include "engine/cancellation.h"
#include "engine/outcome.h"
#include "engine/run.h"
#include "engine/warden_client.h"
#include "sessions/sessions.h"

namespace wtool {

// The surroundings of one call.
struct CallContext {
  engine::WardenClient& warden_client;
  Sessions& sessions;
  const Configuration& configuration;
  engine::Cancellation& cancellation;
  engine::OutputSink sink;
  std::string tool;
  std::string call_id;
  std::uint64_t parent_span = 0;
  std::optional<std::chrono::milliseconds> ceiling;  // the host's, from the start of the call
  Approver* approver = nullptr;                      // NULL: nobody can be asked
  // Stops this call now, from any thread, for as long as it runs.
  std::function<void(std::string_view reason)> abort;
  // The same as `configuration`, for what lives on after the call.
  std::shared_ptr<const Configuration> kept_configuration;
};

struct CallResult {
  std::variant<CallError, engine::CommandOutcome> outcome;
  policy::Verdict verdict;           // of the policy
  std::optional<Approval> approval;  // where one was needed
  std::string directory;             // canonical; empty when it could not be opened
  std::string program;               // argv[0], or the shell's path
  bool through_shell = false;
  engine::Limits limits;                         // that were in force
  std::optional<engine::SandboxReport> sandbox;  // where one is configured
  std::string audit_error;                       // the end could not be written to the audit trail: why
  std::chrono::milliseconds time_limit{0};  // that was in force: the timeout, or the host's ceiling where it is shorter
};

// Blocks until all is over.
CallResult execute_call(const CommandRequest& request, CallContext& context);

}  // namespace wtool
