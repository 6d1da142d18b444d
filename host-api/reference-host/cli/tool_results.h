// What a run of a workflow answers as a call of a tool: few words for a model, and the same as structure.
//
//   2 files were changed
//   [completed, 3 steps, 812 ms]
//
//   [Test: Command failed with exit code 1]
//   1 of 12 tests failed
//   [failed, 2 steps, 640 ms; "resume": "20261121-231502-3f9a" continues it]
//
// - The text is the last output of the main path, and of each step that failed the end of what it wrote.
// - The structure has the states with what became of them, the run's id, and the same texts: there are clients that
//   show a model nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/failed_steps.h"
#include "report/step_label.h"
#include "runner/run_observer.h"

namespace wtool::host {

// Stands behind a mask over secrets. The members of the observer: any thread.
class ToolResult final : public workflow::RunObserver {
 public:
  void combination_begun(const std::string& branch, const expressions::Value& values) override;
  void state_ended(const workflow::Step& step, const workflow::StepEnd& end) override;
  void noticed(std::string_view text) override;

  // When the run is over. `run`: its id; empty: it cannot be resumed. Of an output `most` bytes are kept, half of its
  // beginning and half of its end.
  nlohmann::ordered_json of(const workflow::RunReport& report, const workflow::FailedSteps& failed,
                            const std::string& run, std::vector<std::string> notices, std::size_t most) const;

 private:
  mutable std::mutex mutex_;
  workflow::CombinationNames combinations_;
  nlohmann::ordered_json states_ = nlohmann::ordered_json::object();  // what became of each at last, by its label
  std::size_t states_left_out_ = 0;
  std::uint64_t steps_ = 0;  // that did something
  std::string output_;
  std::vector<std::string> notices_;
};

}  // namespace wtool::host
