// What a run tells whoever watches it (progress, tests, later a journal), and what it ends with.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/model.h"
#include "workflow/outcome.h"

namespace wtool::host::workflow {

// One visit of a state.
struct Step {
  enum class Status { running, succeeded, failed, aborted };
  std::size_t state = no_state;  // index into Workflow::states
  Status status = Status::running;
  std::int64_t exit_code = 0;
  std::chrono::steady_clock::time_point began;
  std::chrono::steady_clock::duration took{};
};

// The step that a failed or aborted run ended in.
struct LastStep {
  std::string state;
  std::string command;  // of a Shell action, with its values; of a tool call the name and arguments; else empty
  Outcome outcome;
};

struct RunReport {
  enum class Status { completed, failed, aborted };
  Status status = Status::completed;
  std::string reason;  // one sentence; empty when completed
  std::vector<Step> steps;
  std::optional<LastStep> last;
  std::chrono::steady_clock::duration took{};
};

// Called in order for each branch, and from the thread that runs it; with several branches, from several threads at
// once. What is passed is valid until the function returns. Functions must not throw.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void state_entered(const State& /*state*/, const Step& /*step*/) {}
  virtual void output(const State& /*state*/, bool /*is_error_stream*/, std::string_view /*bytes*/) {}
  virtual void logged(const State& /*state*/, LogAction::Level /*level*/, std::string_view /*text*/) {}
  virtual void state_ended(const State& /*state*/, const Step& /*step*/, const Outcome& /*outcome*/) {}
  virtual void run_ended(const RunReport& /*report*/) {}
};

}  // namespace wtool::host::workflow
