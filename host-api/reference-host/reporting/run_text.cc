#include "reporting/run_text.h"

#include "reporting/display.h"
#include "reporting/excerpt.h"
#include "reporting/state_table.h"
#include "reporting/stored_output.h"

namespace wtool::host::workflow {
namespace {

constexpr std::size_t most_notices = 20;

std::string line(const std::string& text) { return cleaned_for_terminal(text, false); }

// The step that a run ended in: the last one that has failed or was stopped and did not go on.
const StepRecord* last_of(const RunRecord& run) {
  const StepRecord* last = nullptr;
  for (const StepRecord& step : run.steps) {
    const bool ended_badly = step.status == Step::Status::failed || step.status == Step::Status::aborted;
    if (ended_badly && !step.end.went_on && !step.end.command.empty()) last = &step;
  }
  return last;
}

void append_step(std::string& out, const StepRecord& step) {
  const Outcome& outcome = step.end.outcome;
  out += "\n  " + std::string(step.status == Step::Status::failed ? "Failed" : "Aborted") +
         " state: " + line(step.state) +
         (step.place.branch.empty() ? "" : "  in the branch " + line(step.place.branch)) + "\n";
  append_excerpt(out, "Command", step.end.command, 12, false);
  out += "  Exit code: " + std::to_string(step.exit_code) + "\n";
  if (step.end.secret) out += "  What it gave is secret, and was not kept.\n";
  append_excerpt(out, "stderr", outcome.standard_error, most_excerpt_lines, true);
  append_excerpt(out, "stdout", outcome.standard_output, most_excerpt_lines, true);
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
  std::string out = line(run.name.empty() ? run.file : run.name) + ": " + status +
                    (status == "running"       ? " for "
                     : status == "interrupted" ? " after "
                                               : " in ") +
                    duration_text(run.took) + "\n  Run: " + line(run.run) + ", started " + time_text(run.began) +
                    " UTC";
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
  if (run.status == RunReport::Status::completed || being_written) return out;
  if (const StepRecord* last = last_of(run)) append_step(out, *last);
  return out + "\n  To resume where it ended: wtool resume " + line(run.run) + "\n";
}

}  // namespace wtool::host::workflow
