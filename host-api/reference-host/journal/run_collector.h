// Collects what happens in a run, as the record for the reports at its end.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>

#include "journal/run_record.h"
#include "runner/run_observer.h"

namespace wtool::host::journal {

// Any thread may call any member.
class RunCollector final : public runner::RunObserver {
 public:
  // The record so far.
  RunRecord record() const;

  void run_started(const runner::RunStart& start) override;
  void state_entered(const runner::Step& step) override;
  void call_state(const runner::Step& step, const CallState& state) override;
  void logged(const runner::Step& step, workflow::LogAction::Level level, std::string_view text) override;
  void service(const runner::Step& step, const runner::ServiceEvent& event) override;
  void retrying(const runner::Step& step, const runner::Outcome& outcome, std::chrono::milliseconds wait) override;
  void used(const runner::Step& step, const runner::Usage& usage) override;
  void state_ended(const runner::Step& step, const runner::StepEnd& end) override;
  void noticed(std::string_view text) override;
  void run_ended(const runner::RunReport& report) override;

 private:
  mutable std::mutex mutex_;
  const workflow::Workflow* root_ = nullptr;
  RunRecord run_;
  std::map<std::uint64_t, std::size_t> index_;  // the indexes of run_.steps, by the number of the step
};

}  // namespace wtool::host::journal
