// The question of an `Approve` action, and its answer.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/stop.h"
#include "runner/outcome.h"
#include "runner/step_place.h"

namespace wtool::host::runner {

// The error code of an outcome whose question still waits for an answer. Such an outcome suspends the run.
inline constexpr const char* approval_pending = "approval_pending";

struct ApprovalRequest {
  StepPlace place;  // of the step
  std::string state;
  std::string question;
  std::string by;  // the user or the group who may answer; empty: the user who runs the workflow
  // How long the question waits, counted from when it was first asked in this run; nothing: forever.
  std::optional<std::chrono::milliseconds> timeout;
  // In a resumed run, a step before this one has run again. What was asked or answered earlier was about its old result.
  bool after_repeated_steps = false;
  // Something has failed before the state, which is one of `on failure` or `finally`. A resumed run would first do that
  // again, so a later answer would be about something else: the question cannot wait, and no earlier answer counts.
  bool after_failure = false;
  // The state is one of `finally`, and nothing failed before it. A resumed run begins `finally` again.
  bool in_finally = false;
};

struct ApprovalAnswer {
  enum class Kind {
    yes,
    no,
    expired,  // nobody has answered in time
    waits,    // nobody can answer here: the run ends as suspended
    nobody,   // nobody can answer here, and the run cannot be suspended
    stopped,  // the run was stopped meanwhile
  };
  Kind kind = Kind::nobody;
  std::string question{};                         // as it was shown: without secrets
  std::string who;                                // the user who answered
  std::string comment;                            // their comment on the answer
  std::string why;                                // why nobody can answer here; a sentence without its full stop
  std::chrono::system_clock::time_point asked{};  // when the question was first asked in this run
  std::optional<std::chrono::system_clock::time_point> until{};  // until when the question waits; nothing: forever
  std::chrono::system_clock::time_point answered{};
};

// The outcome of the step. A question that waits becomes an aborted outcome with the code approval_pending. Every other
// answer except yes becomes a refusal.
Outcome to_outcome(const ApprovalRequest& request, const ApprovalAnswer& answer);

// Asks for an approval. Any thread may call this. It returns immediately when a stop is requested.
using Approve = std::function<ApprovalAnswer(const ApprovalRequest& request, Stop& stop)>;

}  // namespace wtool::host::runner
