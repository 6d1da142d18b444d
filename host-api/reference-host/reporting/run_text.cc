#include "reporting/run_text.h"

#include "reporting/display.h"
#include "reporting/excerpt.h"
#include "reporting/failed_steps.h"
#include "reporting/state_table.h"
#include "reporting/stored_output.h"

namespace wtool::host::workflow {
namespace {

constexpr std::size_t most_notices = 20;

std::string line(const std::string& text) { return cleaned_for_terminal(text, false); }

// What steps that succeeded wrote to standard error: nothing else of a run shows it.
void append_standard_errors(std::string& out, const RunRecord& run) {
  constexpr std::size_t most_steps = 10;
  constexpr std::size_t most_lines = 5;
  std::size_t count = 0;
  for (const StepRecord& step : run.steps) {
    const std::string& text = step.end.outcome.standard_error;
    const bool is_silent = step.end.secret || text.find_first_not_of(" \n") == std::string::npos;
    if (step.status != Step::Status::succeeded || step.hidden || is_silent || ++count > most_steps) continue;
    if (count == 1) out += "\n  Standard error of steps that succeeded:\n";
    append_excerpt(out, step_label(step.place.branch, step.state), text, most_lines, true);
  }
  if (count > most_steps) {
    out += "  ... and of " + std::to_string(count - most_steps) + " more; wtool logs " + line(run.run) +
           " --stderr shows all\n";
  }
}

void append_notices(std::string& out, const RunRecord& run) {
  std::size_t count = 0;
  for (const LogRecord& log : run.logs) {
    if (log.step != 0 || ++count > most_notices) continue;
    out += (count == 1 ? "\n  Notices:\n    " : "    ") + line(log.text) + "\n";
  }
  if (count > most_notices) out += "    ... and " + std::to_string(count - most_notices) + " more\n";
}

}  // namespace

std::string time_text(Moment at) {
  std::string text;
  append_json_time(text, at);
  return text.substr(1, 10) + " " + text.substr(12, 8);
}

std::string status_text(const RunRecord& run, bool being_written) {
  if (being_written) return "running";
  return run.status ? word(*run.status) : "interrupted";
}

std::string run_text(const RunRecord& run, bool being_written) {
  const std::string status = status_text(run, being_written);
  const bool is_completed = run.status == RunReport::Status::completed;
  const FailedList failed = failed_in(run);
  std::string out = line(run.name.empty() ? run.file : run.name) + ": " + status +
                    (status == "running"       ? " for "
                     : status == "interrupted" ? " after "
                                               : " in ") +
                    duration_text(run.took) + (is_completed ? continued_after(failed) : "") +
                    "\n  Run: " + line(run.run) + ", started " + time_text(run.began) + " UTC";
  if (run.resumed > 0) {
    out += run.resumed == 1 ? ", resumed once" : ", resumed " + std::to_string(run.resumed) + " times";
  }
  out += "\n  File: " + line(run.file) + "\n";
  if (!run.reason.empty()) out += "  Reason: " + line(run.reason) + "\n";
  StateTable table;
  for (const StepRecord& step : run.steps) {
    if (step.hidden) continue;
    table.add({step.workflow, step.state, step.place.branch, step.status, step.tries, !step.action.empty(),
               step.replayed, step.took, !step.end.outcome.matrix.is_null()});
  }
  out += "\n" + table.text();
  append_cut_lines(out, cut_lines(run));
  append_notices(out, run);
  append_standard_errors(out, run);
  if (is_completed || being_written) return out;
  append_failed(out, failed, run.status == RunReport::Status::aborted, run.reason);
  return out + "\n  To resume where it ended: wtool resume " + line(run.run) + "\n";
}

}  // namespace wtool::host::workflow
