#include "conformance/ready_tool.h"

namespace wtool::host::conformance {

using nlohmann::json;

json result_of(Trial& trial, const CallOutcome& outcome, const std::string& doing) {
  json envelope;
  if (!outcome.filled) {
    trial.report.finding("result", doing + " returned " + status_name(outcome.ran) + ", but has no result");
    return {};
  }
  if (const std::string mistake = envelope_mistake(outcome.result, envelope); !mistake.empty()) {
    trial.report.finding("result", "of " + doing + ", " + mistake);
    return {};
  }
  return envelope;
}

json good_result(Trial& trial, const wtool_tool& tool, const CallPlan& plan) {
  const CallOutcome outcome = call(trial, tool, plan);
  const std::string doing(plan.doing);
  if (outcome.ran != WTOOL_OK) {
    trial.report.finding(plan.rule, doing + " returned " + status_name(outcome.ran) + ' ' + in_quotes(outcome.error));
    return {};
  }
  return result_of(trial, outcome, doing);
}

void check_stopped(Trial& trial, const CallOutcome& outcome, const char* rule, const std::string& doing) {
  if (outcome.ran != WTOOL_OK && outcome.ran != WTOOL_E_CANCELLED) {
    trial.report.finding(rule, doing + " returned " + status_name(outcome.ran) + ' ' + in_quotes(outcome.error));
  } else {
    result_of(trial, outcome, doing);
  }
}

void must_be_invalid(Trial& trial, wtool_status status, const char* rule, const std::string& doing) {
  if (status == WTOOL_E_INVALID_ARGUMENT) return;
  trial.report.finding(rule, doing + " returned " + status_name(status) + ", not WTOOL_E_INVALID_ARGUMENT");
}

wtool_call* new_call(Trial& trial, const wtool_tool& tool, const wtool_request& request, const char* rule,
                     const std::string& doing) {
  wtool_call* made = nullptr;
  trial.report.step(rule, "in call_new of " + doing);
  TestBlob error;
  const wtool_status status = tool.call_new(&tool, &request, &made, error.out());
  if (status == WTOOL_OK && made != nullptr) return made;
  trial.report.finding(rule, "call_new of " + doing + " returned " + status_name(status));
  return nullptr;
}

}  // namespace wtool::host::conformance
