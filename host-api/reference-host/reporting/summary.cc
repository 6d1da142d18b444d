#include "reporting/summary.h"

#include <string_view>
#include <vector>

#include "reporting/display.h"
#include "reporting/record.h"
#include "reporting/run_record.h"
#include "reporting/state_table.h"
#include "reporting/step_place.h"
#include "reporting/stored_output.h"

namespace wtool::host::workflow {
namespace {

// Whether the step stands for the combinations of its matrix, which are steps of their own.
bool stands_for_combinations(const Step& step) {
  if (!step.of().action || !step.of().action->options.matrix) return false;
  const std::string_view name = branch_name(step.branch);
  return step.sequence != 1 || name.empty() || name.find_first_not_of("0123456789") != std::string_view::npos;
}

StateTable table_of(const Workflow& workflow, const RunReport& report) {
  StateTable table;
  for (const Step& step : report.steps) {
    const State& state = step.of();
    if (state.hidden) continue;
    table.add({workflow_of(step, &workflow), state.id, step.branch, step.status, step.tries, state.action.has_value(),
               step.replayed, step.took, stands_for_combinations(step)});
  }
  return table;
}

}  // namespace

std::string summary_text(const Workflow& workflow, const RunReport& report, const FailedSteps& failed,
                         const std::string& name, const std::string& run, SummaryStyle style) {
  const StateTable table = table_of(workflow, report);
  const bool completed = report.status == RunReport::Status::completed;
  std::string out =
      cleaned_for_terminal(name, false) + ": " + word(report.status) + " in " + duration_text(report.took);
  if (completed) out += continued_after(failed.all());
  out += "\n";
  if (!report.reason.empty()) out += "  Reason: " + cleaned_for_terminal(report.reason, false) + "\n";
  if (style.table && !style.quiet) out += "\n" + table.text();
  append_cut_lines(out, cut_lines(report.steps, run));
  if (completed) return out;
  append_failed(out, failed.all(), report.status == RunReport::Status::aborted, report.reason);
  if (!run.empty()) out += "\n  To resume where it ended: wtool resume " + run + "\n";
  return out;
}

}  // namespace wtool::host::workflow
