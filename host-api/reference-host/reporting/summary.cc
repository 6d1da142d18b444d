#include "reporting/summary.h"

#include <algorithm>

#include "reporting/display.h"
#include "reporting/excerpt.h"
#include "reporting/record.h"
#include "reporting/run_record.h"
#include "reporting/state_table.h"

namespace wtool::host::workflow {
namespace {

constexpr std::size_t most_command_lines = 12;

StateTable table_of(const Workflow& workflow, const RunReport& report) {
  StateTable table;
  for (const Step& step : report.steps) {
    const State& state = step.of();
    if (state.hidden) continue;
    table.add({workflow_of(step, &workflow), state.id, step.branch, step.status, step.tries, state.action.has_value(),
               step.replayed, step.took});
  }
  return table;
}

// The outputs of the last step of that state must not be shown.
bool is_secret(const RunReport& report, const std::string& state) {
  const auto last =
      std::find_if(report.steps.rbegin(), report.steps.rend(), [&](const Step& step) { return step.of().id == state; });
  return last != report.steps.rend() && gives_secrets(*last);
}

void append_last(std::string& out, const RunReport& report) {
  const LastStep& last = *report.last;
  out += "\n  Last state: " + cleaned_for_terminal(last.state, false) + "\n";
  if (last.command.empty()) return;
  append_excerpt(out, "Command", last.command, most_command_lines, false);
  out += "  Exit code: " + std::to_string(last.outcome.exit_code) + "\n";
  if (is_secret(report, last.state)) {
    out += "  What it gave is secret.\n";
    return;
  }
  const std::string kind = last.outcome.aborted ? "Partial " : "";
  append_excerpt(out, kind + "stderr", last.outcome.standard_error, most_excerpt_lines, true);
  append_excerpt(out, kind + "stdout", last.outcome.standard_output, most_excerpt_lines, true);
}

}  // namespace

std::string summary_text(const Workflow& workflow, const RunReport& report, const std::string& name,
                         const std::string& run) {
  const StateTable table = table_of(workflow, report);
  const bool completed = report.status == RunReport::Status::completed;
  std::string out =
      cleaned_for_terminal(name, false) + ": " + word(report.status) + " in " + duration_text(report.took);
  if (const std::size_t failures = table.failures(); completed && failures > 0) {
    out +=
        " (" + std::to_string(failures) + (failures == 1 ? " step" : " steps") + " failed, and the workflow went on)";
  }
  out += "\n";
  if (!report.reason.empty()) out += "  Reason: " + cleaned_for_terminal(report.reason, false) + "\n";
  out += "\n" + table.text();
  if (completed) return out;
  if (report.last) append_last(out, report);
  if (!run.empty()) out += "\n  To go on from where it ended: wtool resume " + run + "\n";
  return out;
}

}  // namespace wtool::host::workflow
