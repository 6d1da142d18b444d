#include "journal/run_collector.h"

#include <string>

#include "journal/record.h"
#include "terminal/text.h"

namespace wtool::host::journal {

using runner::Outcome;
using runner::Step;
using std::chrono::system_clock;
using workflow::LogAction;

RunRecord RunCollector::record() const {
  const std::lock_guard lock(mutex_);
  return run_;
}

void RunCollector::run_started(const runner::RunStart& start) {
  const std::lock_guard lock(mutex_);
  root_ = start.workflow;
  run_.run = start.run;
  run_.name = start.name;
  run_.file = start.file;
  run_.resumed = start.resumed ? 1 : 0;
  run_.began = system_clock::now();
  run_.settings.part = start.settings.part;
  run_.inputs = start.inputs;
  run_.masked_inputs = start.masked_inputs;
  if (start.workflow == nullptr) return;
  for (const workflow::Parameter& parameter : start.workflow->parameters) {
    const auto found = run_.inputs.find(parameter.name);
    if (!parameter.secret || found == run_.inputs.end()) continue;
    if (runner::must_be_given_again(parameter, found->second)) run_.secret_inputs.push_back(parameter.name);
    run_.inputs.erase(found);
  }
}

void RunCollector::state_entered(const Step& step) {
  const std::lock_guard lock(mutex_);
  index_[step.number] = run_.steps.size();
  StepRecord& kept = run_.steps.emplace_back();
  kept.number = step.number;
  kept.place = step.place();
  kept.workflow = workflow_of(step, root_);
  kept.state = step.of().id;
  kept.action = action_word(step.of());
  if (step.of().action) kept.action_sha256 = step.of().action->sha256;
  kept.hidden = step.of().hidden;
  kept.replayed = step.replayed;
  kept.began = system_clock::now();
}

void RunCollector::call_state(const Step& step, const CallState& state) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(step.number);
  if (found != index_.end() && !state.node.empty()) run_.steps[found->second].node = state.node;
}

void RunCollector::logged(const Step& step, LogAction::Level level, std::string_view text) {
  const std::lock_guard lock(mutex_);
  run_.logs.push_back({system_clock::now(), step.number, level, std::string(text)});
}

void RunCollector::service(const Step& step, const runner::ServiceEvent& event) {
  const std::lock_guard lock(mutex_);
  run_.logs.push_back(service_log(system_clock::now(), step.number, word(event.kind), event.failed,
                                  gives_secrets(step) ? "" : event.message));
}

void RunCollector::retrying(const Step& step, const Outcome& outcome, std::chrono::milliseconds wait) {
  const std::string why = outcome.message.empty() || gives_secrets(step)
                              ? "exit code " + std::to_string(outcome.exit_code)
                              : outcome.message;
  logged(step, LogAction::Level::warning,
         "try " + std::to_string(step.tries) + " failed: " + why + "; the next try begins in " + duration_text(wait));
}

void RunCollector::used(const Step& step, const runner::Usage& usage) {
  const std::lock_guard lock(mutex_);
  run_.usage.emplace_back(step.place(), usage);
}

void RunCollector::state_ended(const Step& step, const runner::StepEnd& end) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(step.number);
  if (found == index_.end()) return;
  StepRecord& kept = run_.steps[found->second];
  kept.status = step.status;
  kept.exit_code = step.exit_code;
  kept.tries = step.tries;
  kept.replayed = step.replayed;
  kept.up_to_date = step.up_to_date;
  kept.took = step.took;
  kept.kept_files = step.kept_files;
  kept.made_files = step.made_files;
  kept.end = end;
  kept.end.secret |= gives_secrets(step);
  if (!kept.end.secret) return;
  Outcome& outcome = kept.end.outcome;
  outcome.standard_output.clear();
  outcome.standard_error.clear();
  outcome.message.clear();
  outcome.metadata = outcome.variables = outcome.matrix = outcome.answer = {};
  kept.end.assigned.clear();
}

void RunCollector::noticed(std::string_view text) {
  const std::lock_guard lock(mutex_);
  run_.logs.push_back({system_clock::now(), 0, LogAction::Level::warning, std::string(text)});
}

void RunCollector::run_ended(const runner::RunReport& report) {
  const std::lock_guard lock(mutex_);
  run_.status = report.status;
  run_.reason = report.reason;
  run_.refused = report.refused;
  run_.missed_until = report.missed_until;
  run_.took = report.took;
}

}  // namespace wtool::host::journal
