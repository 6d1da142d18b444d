// The result of a workflow that runs as a tool call: a short text for a model, and the same as structured content.
//
//   2 files were changed
//   [completed, 3 steps, 812 ms]
//
//   [Test: Command failed with exit code 1]
//   1 of 12 tests failed
//   [failed, 2 steps, 640 ms; "resume": "20261121-231502-3f9a" continues it]
//
// - The text is the last output of the main path, and the end of the output of each step that failed or was stopped.
// - The structured content has the outcome of each state, the run's id, and the same texts: some clients show a model
//   nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/json.h"
#include "journal/run_record.h"
#include "report/failed_steps.h"
#include "report/text.h"
#include "runner/run_observer.h"

namespace wtool::host {

// Its events must come through journal::Masking (journal/observers.h), which masks secrets. Any thread may report an
// event to it.
class WorkflowToolResult final : public runner::RunObserver {
 public:
  void combination_begun(const std::string& branch, const expressions::Value& values) override;
  void state_ended(const runner::Step& step, const runner::StepEnd& end) override;
  void noticed(std::string_view text) override;

  // Call it when the run is over. `part`: of the workflow, which the run was limited to. `run`: its id; empty if it
  // cannot be resumed. At most `most` bytes of an output are
  // kept, half of them from its beginning and half from its end.
  nlohmann::ordered_json of(const runner::RunReport& report, const runner::RunPart& part,
                            const report::FailedSteps& failed, const std::string& run, std::vector<std::string> notices,
                            std::size_t most) const;

 private:
  mutable std::mutex mutex_;
  report::CombinationNames combinations_;
  nlohmann::ordered_json states_ = nlohmann::ordered_json::object();  // the last outcome of each state, by its label
  journal::WaitingSteps waiting_;
  std::size_t states_left_out_ = 0;
  std::uint64_t steps_ = 0;  // steps with an action, except hidden ones
  std::string output_;
  std::vector<std::string> notices_;
};

}  // namespace wtool::host
