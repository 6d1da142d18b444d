// Keeps a whole run in memory while it goes on, for the reports at its end. Put it behind a Masking.
#pragma once

#include <map>
#include <mutex>

#include "reporting/run_record.h"

namespace wtool::host::workflow {

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
