// Keeps secrets from whoever watches a run.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "runner/run_observer.h"
#include "runner/secrets.h"

namespace wtool::host::workflow {

// What is told, with every secret in it replaced. `changed` becomes true where there was one in what a step gave (its
// outcome, or what it set): then it is not what the step gave any more.
RunStart masked(const RunStart& start, const Secrets& secrets);
Outcome masked(const Outcome& outcome, const Secrets& secrets, bool& changed);
StepEnd masked(const StepEnd& end, const Secrets& secrets, bool& changed);
RunReport masked(const RunReport& report, const Secrets& secrets);

// Stands before other observers. While there are no secrets, all is passed on as it is. A stream's last bytes are held
// back as long as they may be the beginning of a secret.
class Masking final : public RunObserver {
 public:
  // Both must outlive this object.
  Masking(const Secrets& secrets, RunObserver& next) : secrets_(secrets), next_(next) {}

  void run_started(const RunStart& start) override;
  void combination_begun(const std::string& branch, const expressions::Value& values) override;
  void state_entered(const Step& step) override { next_.state_entered(step); }
  void output(const Step& step, bool is_error_stream, std::string_view bytes) override;
  void logged(const Step& step, LogAction::Level level, std::string_view text) override;
  void retrying(const Step& step, const Outcome& outcome, std::chrono::milliseconds wait) override;
  void state_ended(const Step& step, const StepEnd& end) override;
  void noticed(std::string_view text) override;
  void run_ended(const RunReport& report) override;

 private:
  // Up to where a text can be passed on, whatever comes behind it.
  std::size_t safe_cut(const std::string& text) const;
  // What was held back of the step's streams goes on.
  void release(const Step& step);

  const Secrets& secrets_;
  RunObserver& next_;
  std::mutex mutex_;
  std::map<std::pair<std::uint64_t, bool>, std::string> held_;  // by step and stream; those that hold something
};

}  // namespace wtool::host::workflow
