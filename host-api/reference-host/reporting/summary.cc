#include "reporting/summary.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "reporting/display.h"
#include "reporting/excerpt.h"
#include "reporting/record.h"
#include "reporting/run_record.h"
#include "reporting/state_table.h"
#include "reporting/step_place.h"
#include "reporting/stored_output.h"

namespace wtool::host::workflow {
namespace {

constexpr std::size_t most_command_lines = 12;
constexpr std::size_t most_names = 10;

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

void append_failed(std::string& out, const FailedStep& step, const std::string& reason) {
  out += "\n  " + std::string(step.aborted ? "Aborted: " : "Failed: ") + step.label + "\n";
  // Of a single failure, the reason of the run says it already.
  if (reason.find(step.message) == std::string::npos) out += "  " + cleaned_for_terminal(step.message, false) + "\n";
  if (!step.hint.empty() && !step.aborted) out += "  Hint: " + cleaned_for_terminal(step.hint, false) + "\n";
  if (step.secret) out += "  What it gave is secret.\n";
  if (step.command.empty()) return;
  append_excerpt(out, "Command", step.command, most_command_lines, false);
  out += "  Exit code: " + std::to_string(step.exit_code) + "\n";
  const std::string kind = step.aborted ? "Partial " : "";
  append_excerpt(out, kind + "stderr", step.standard_error, most_excerpt_lines, true);
  append_excerpt(out, kind + "stdout", step.standard_output, most_excerpt_lines, true);
}

// Those that failed tell why; those that were stopped are named, and of a run that was stopped the last one tells what
// it had written until then.
void append_all_failed(std::string& out, const FailedSteps& failed, const RunReport& report) {
  const bool aborted = report.status == RunReport::Status::aborted;
  const FailedStep* last = nullptr;
  std::vector<std::string> stopped;
  for (const FailedStep& step : failed.all()) {
    if (!step.aborted) {
      append_failed(out, step, report.reason);
    } else {
      last = &step;
      stopped.push_back(step.label);
    }
  }
  if (aborted && last != nullptr) {
    append_failed(out, *last, report.reason);
    stopped.pop_back();
  }
  if (failed.left_out() > 0) {
    out += "\n  ... and " + std::to_string(failed.left_out()) + " more steps failed, or were stopped, before these\n";
  }
  if (stopped.empty()) return;
  out += "\n  Stopped with it: ";
  for (std::size_t i = 0; i < std::min(stopped.size(), most_names); ++i) out += (i == 0 ? "" : ", ") + stopped[i];
  if (stopped.size() > most_names) out += " and " + std::to_string(stopped.size() - most_names) + " more";
  out += "\n";
}

std::string names_of(const FailedSteps& failed) {
  std::string names;
  for (const FailedStep& step : failed.all()) names += (names.empty() ? "" : ", ") + step.label;
  return (failed.left_out() > 0 ? "..., " : "") + names;
}

}  // namespace

std::string summary_text(const Workflow& workflow, const RunReport& report, const FailedSteps& failed,
                         const std::string& name, const std::string& run, SummaryStyle style) {
  const StateTable table = table_of(workflow, report);
  const bool completed = report.status == RunReport::Status::completed;
  std::string out =
      cleaned_for_terminal(name, false) + ": " + word(report.status) + " in " + duration_text(report.took);
  if (const std::size_t failures = table.failures(); completed && failures > 0) {
    out += " (" + std::to_string(failures) + (failures == 1 ? " step" : " steps") +
           " failed, and the workflow continued: " + names_of(failed) + ")";
  }
  out += "\n";
  if (!report.reason.empty()) out += "  Reason: " + cleaned_for_terminal(report.reason, false) + "\n";
  if (style.table && !style.quiet) out += "\n" + table.text();
  append_cut_lines(out, cut_lines(report.steps, run));
  if (completed) return out;
  append_all_failed(out, failed, report);
  if (!run.empty()) out += "\n  To resume where it ended: wtool resume " + run + "\n";
  return out;
}

}  // namespace wtool::host::workflow
