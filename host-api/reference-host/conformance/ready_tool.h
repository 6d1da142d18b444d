// What the tests of one tool share: the tool itself, calls that must succeed, and the findings if they do not.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "conformance/tests.h"

namespace wtool::host::conformance {

// The plugin and one of its tools, for the length of a test.
class ReadyTool {
 public:
  explicit ReadyTool(Trial& trial) : trial_(trial), plugin_(trial) {
    if (plugin_.good()) tool_.emplace(trial, plugin_, trial.tool.id);
  }
  explicit operator bool() const { return tool_ && tool_->good(); }
  const wtool_tool& tool() const { return **tool_; }
  const wtool_entry& entry() const { return *plugin_.entry(); }
  void end() {
    if (tool_) tool_->end();
    plugin_.end();
  }
  Trial& trial() { return trial_; }

 private:
  Trial& trial_;
  Started plugin_;
  std::optional<MadeTool> tool_;
};

// The envelope of the result that a call must have; null after a finding.
nlohmann::json result_of(Trial& trial, const CallOutcome& outcome, const std::string& doing);

// Makes a call that must end with WTOOL_OK and a result. Returns the envelope; null after a finding.
nlohmann::json good_result(Trial& trial, const wtool_tool& tool, const CallPlan& plan);

// Checks a call that was stopped: it must have completed or report the cancellation.
void check_stopped(Trial& trial, const CallOutcome& outcome, const char* rule, const std::string& doing);

void must_be_invalid(Trial& trial, wtool_status status, const char* rule, const std::string& doing);

// Makes a call with call_new, for tests that use the interface directly. nullptr: after a finding.
wtool_call* new_call(Trial& trial, const wtool_tool& tool, const wtool_request& request, const char* rule,
                     const std::string& doing);

}  // namespace wtool::host::conformance
