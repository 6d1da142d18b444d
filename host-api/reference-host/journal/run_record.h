// A run as it was, or is until now: what reports and `wtool show` are made of. A RunCollector makes it while a run
// continues, the reader of a journal from what was left behind. Plain data that depends on no workflow.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "journal/json_value.h"
#include "runner/run_observer.h"

namespace wtool::host::workflow {

struct StepPlace {
  std::string branch;
  std::uint64_t sequence = 0;

  bool operator==(const StepPlace&) const = default;
};

// The step that a branch runs below, or beside; nothing: it is the main path.
std::optional<StepPlace> parent_of(std::string_view branch);

// What follows the last `:` of a branch: the state that it began with, the workflow, the number of a combination.
std::string_view branch_name(std::string_view branch);

// Whether what happened at `place` comes from what happened at `from`: the step itself and all later ones of its
// branch, whatever ran below those, and in each branch above, the step that leads down and all later ones. What ran
// beside it does not.
bool follows(const StepPlace& from, const StepPlace& place);

struct StepRecord {
  std::uint64_t number = 0;
  StepPlace place;
  std::string workflow;  // its name; empty: the one that was started
  std::string state;
  Step::Status status = Step::Status::running;  // running: it has not ended
  std::int64_t exit_code = 0;
  int tries = 1;
  bool replayed = false;  // kept from before the run was resumed
  bool masked = false;    // a secret in what it gave has been replaced
  bool lost = false;      // a file with what it wrote is gone or has changed, and the workflow reads it
  bool hidden = false;    // no file names its state; the language has made it
  std::string action;     // shell, tool, log, ...; empty: the state has none, and only passes
  Moment began;
  std::chrono::steady_clock::duration took{};
  std::vector<Outcome> earlier_tries;  // that failed and were followed by another one; none of a secret step
  StepEnd end;
};

struct LogRecord {
  Moment at;
  std::uint64_t step = 0;  // its number; 0: of none, a notice
  LogAction::Level level = LogAction::Level::info;
  std::string text;
};

struct RunRecord {
  std::string run;
  std::string name;
  std::string file;
  std::string directory;
  std::string sha256;  // of the file's text when the run was started, or last resumed
  std::string host;
  std::int64_t pid = 0;
  std::map<std::string, expressions::Value> inputs;
  std::vector<std::string> secret_inputs;  // names of those that were left out
  std::vector<std::string> masked_inputs;  // names of those in which a secret was replaced, so that they are incomplete
  Moment began;
  std::chrono::steady_clock::duration took{};
  int resumed = 0;                          // so many times
  std::optional<RunReport::Status> status;  // nothing: it has not ended, as far as is known
  std::string reason;
  bool refused = false;
  std::vector<StepRecord> steps;  // each place once, in the order in which they began
  std::vector<LogRecord> logs;
};

inline const char* word(Step::Status status) {
  switch (status) {
    case Step::Status::succeeded:
      return "succeeded";
    case Step::Status::failed:
      return "failed";
    case Step::Status::aborted:
      return "aborted";
    case Step::Status::running:
      break;
  }
  return "running";
}

// A state without an action has not succeeded at anything: the run passed through it. A join that has failed has
// failed.
inline const char* status_word(Step::Status status, bool acts) {
  return status == Step::Status::succeeded && !acts ? "passed" : word(status);
}
inline const char* status_word(const StepRecord& step) { return status_word(step.status, !step.action.empty()); }

inline const char* word(RunReport::Status status) {
  switch (status) {
    case RunReport::Status::completed:
      return "completed";
    case RunReport::Status::failed:
      return "failed";
    case RunReport::Status::aborted:
      break;
  }
  return "aborted";
}

inline const char* word(LogAction::Level level) {
  switch (level) {
    case LogAction::Level::info:
      return "info";
    case LogAction::Level::warning:
      return "warning";
    case LogAction::Level::error:
      break;
  }
  return "error";
}

// All members: any thread.
class RunCollector final : public RunObserver {
 public:
  // What there is until now.
  RunRecord record() const;

  void run_started(const RunStart& start) override;
  void state_entered(const Step& step) override;
  void logged(const Step& step, LogAction::Level level, std::string_view text) override;
  void retrying(const Step& step, const Outcome& outcome, std::chrono::milliseconds wait) override;
  void state_ended(const Step& step, const StepEnd& end) override;
  void noticed(std::string_view text) override;
  void run_ended(const RunReport& report) override;

 private:
  mutable std::mutex mutex_;
  const Workflow* root_ = nullptr;
  RunRecord run_;
  std::map<std::uint64_t, std::size_t> index_;  // of run_.steps by number
};

}  // namespace wtool::host::workflow
