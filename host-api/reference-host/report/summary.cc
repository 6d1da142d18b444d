#include "report/formats.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "base/time_text.h"
#include "journal/journal_reader.h"
#include "journal/record.h"
#include "journal/run_record.h"
#include "report/failed_steps.h"
#include "terminal/text.h"

namespace wtool::host::report {
namespace {

using journal::RunRecord;
using journal::StepRecord;
using runner::RunReport;
using runner::Step;
using runner::WholeOutput;
using workflow::Workflow;

constexpr std::size_t max_rows = 200;

const char* word_for(Step::Status status) {
  if (status == Step::Status::running) return "not ended";
  return status == Step::Status::succeeded ? "ok" : journal::word(status);
}

// A table of the states of a run, one row for each state, with its outcome and the time that it took.
class StateTable {
 public:
  struct Visit {
    std::string_view workflow{};  // empty: the workflow that was started
    std::string_view state{};
    std::string_view branch{};
    Step::Status status = Step::Status::running;
    int tries = 1;     // 0: nothing was run, because the state has had its `max` visits
    bool acts = true;  // its state has an action
    bool replayed = false;
    bool up_to_date = false;
    std::chrono::steady_clock::duration took{};
    bool combinations = false;  // a step of a matrix state, whose combinations are separate visits
    bool interrupted = false;   // its run was killed before it ended, so its time is not known
  };
  // Must be called in the order in which the steps began.
  void add(const Visit& visit);
  // The hidden end of a composite state has ended: if it did not succeed, the row of the composite state says so.
  void add_end(std::string_view workflow, std::string_view hidden, Step::Status status);

  // Lines for people, safe for a terminal. `suspended`: the run is suspended, so its aborted steps wait for an answer.
  std::string text(bool suspended = false) const;

 private:
  struct Row {
    std::string name;
    bool acts = true;
    std::size_t visits = 0;
    std::size_t matrices = 0;  // steps of a matrix state; not counted in `visits`
    std::size_t kept_matrices = 0;
    std::size_t failures = 0;
    std::size_t kept = 0;
    std::size_t up_to_date = 0;
    std::size_t interrupted = 0;
    bool visits_used_up = false;
    int further_tries = 0;
    std::set<std::string, std::less<>> branches;
    Step::Status status = Step::Status::running;  // of the last visit
    std::chrono::steady_clock::duration took{};
    std::chrono::steady_clock::duration matrix_took{};  // of matrices
    std::chrono::steady_clock::duration longest{};
  };
  static std::string status_of(const Row& row, bool suspended);
  static std::string time_of(const Row& row);
  static std::string row_name(std::string_view workflow, std::string_view state);

  std::vector<Row> rows_;
  std::unordered_map<std::string, std::size_t> index_;  // by name
};

std::string StateTable::row_name(std::string_view workflow, std::string_view state) {
  std::string name(workflow);
  if (!name.empty()) name += " / ";
  return name.append(state);
}

void StateTable::add_end(std::string_view workflow, std::string_view hidden, Step::Status status) {
  const auto row = index_.find(row_name(workflow, composite_of(hidden)));
  if (row != index_.end() && status != Step::Status::succeeded) rows_[row->second].status = status;
}

void StateTable::add(const Visit& visit) {
  std::string name = row_name(visit.workflow, visit.state);
  const auto [found, added] = index_.emplace(name, rows_.size());
  if (added) rows_.emplace_back().name = name;
  Row& row = rows_[found->second];
  row.acts = visit.acts;
  row.interrupted += visit.interrupted ? 1 : 0;
  if (visit.combinations) {
    ++row.matrices;
    row.kept_matrices += visit.replayed ? 1 : 0;
    row.matrix_took += visit.took;
    row.status = visit.status;
    return;
  }
  if (!row.branches.contains(visit.branch)) row.branches.emplace(visit.branch);
  row.took += visit.took;
  if (row.matrices == 0) row.status = visit.status;
  if (visit.tries == 0) {
    row.visits_used_up = true;
    return;
  }
  ++row.visits;
  row.failures += visit.status == Step::Status::failed ? 1 : 0;
  row.kept += visit.replayed ? 1 : 0;
  row.up_to_date += visit.up_to_date ? 1 : 0;
  row.further_tries += visit.tries - 1;
  row.longest = std::max(row.longest, visit.took);
}

std::string StateTable::status_of(const Row& row, bool suspended) {
  // A state without an action has no status of its own, except a join of failed branches, which has failed.
  std::string text = row.acts || row.status != Step::Status::succeeded ? word_for(row.status) : "-";
  if (suspended && row.status == Step::Status::aborted) text = "waits";
  if (row.interrupted > 0 && row.status == Step::Status::running) text = "interrupted";
  std::vector<std::string> notes;
  if (row.visits == 0 && row.kept_matrices == 0 && row.matrices > 0) notes.emplace_back("0 combinations");
  if (row.visits > 1) {
    notes.push_back(std::to_string(row.visits) + (row.matrices > 0 ? " combinations" : " times"));
    if (row.branches.size() > 1 && row.matrices == 0) {
      notes.back() += " in " + std::to_string(row.branches.size()) + " branches";
    }
    if (row.failures > 0) notes.push_back(std::to_string(row.failures) + " failed");
  }
  if (row.further_tries > 0) {
    notes.push_back(std::to_string(static_cast<std::size_t>(row.further_tries) + row.visits) + " tries");
  }
  if (row.kept > 0) notes.push_back(row.kept == row.visits ? "kept" : std::to_string(row.kept) + " kept");
  // A resumed run keeps a matrix as one step, without visits for its combinations.
  if (row.visits == 0 && row.kept_matrices > 0) notes.emplace_back("kept");
  if (row.up_to_date > 0) {
    notes.push_back(row.up_to_date == row.visits ? "up to date" : std::to_string(row.up_to_date) + " up to date");
  }
  if (row.visits_used_up) notes.emplace_back("max visits reached");
  for (std::size_t i = 0; i < notes.size(); ++i) text += (i == 0 ? " (" : ", ") + notes[i];
  return text + (notes.empty() ? "" : ")");
}

std::string StateTable::time_of(const Row& row) {
  const auto took = row.matrices > 0 ? row.matrix_took : row.took;
  if (row.interrupted > 0) return took.count() == 0 ? "not known" : "more than " + duration_text(took);
  const bool several = row.visits > 1 && row.acts;
  return duration_text(took) + (several ? " (longest " + duration_text(row.longest) + ")" : "");
}

std::string StateTable::text(bool suspended) const {
  std::size_t name_width = 5;
  std::size_t status_width = 7;
  std::vector<std::string> names;
  std::vector<std::string> statuses;
  for (std::size_t i = 0; i < std::min(rows_.size(), max_rows); ++i) {
    names.push_back(cut_to_width(cleaned_for_terminal(rows_[i].name, false), 48));
    statuses.push_back(status_of(rows_[i], suspended));
    name_width = std::max(name_width, display_width(names.back()));
    status_width = std::max(status_width, display_width(statuses.back()));
  }
  std::string out = "  " + padded("State", name_width) + "  " + padded("Status", status_width) + "  Time\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += "  " + padded(names[i], name_width) + "  " + padded(statuses[i], status_width) + "  " + time_of(rows_[i]) +
           "\n";
  }
  if (rows_.size() > max_rows) out += "  ... and " + std::to_string(rows_.size() - max_rows) + " more states\n";
  return out;
}

// Whether the step is that of a matrix state, whose combinations are separate steps.
bool stands_for_combinations(const Step& step) {
  if (!step.of().action || !step.of().action->options.matrix) return false;
  const std::string_view name = journal::branch_name(step.branch);
  return step.sequence != 1 || name.empty() || name.find_first_not_of("0123456789") != std::string_view::npos;
}

StateTable table_of(const Workflow& workflow, const RunReport& report) {
  StateTable table;
  for (const Step& step : report.steps) {
    const workflow::State& state = step.of();
    if (state.hidden) {
      table.add_end(journal::workflow_of(step, &workflow), state.id, step.status);
      continue;
    }
    table.add({journal::workflow_of(step, &workflow), state.id, step.branch, step.status, step.tries,
               state.action.has_value(), step.replayed, step.up_to_date, step.took, stands_for_combinations(step)});
  }
  return table;
}

constexpr std::size_t max_notices = 20;

std::string line(const std::string& text) { return cleaned_for_terminal(text, false); }

// What steps that succeeded wrote to standard error, which nothing else in the text shows.
void append_standard_errors(std::string& out, const RunRecord& run) {
  constexpr std::size_t max_steps = 10;
  constexpr std::size_t max_lines = 5;
  std::size_t count = 0;
  for (const StepRecord& step : run.steps) {
    const std::string& text = step.end.outcome.standard_error;
    const bool is_silent = step.end.secret || text.find_first_not_of(" \n") == std::string::npos;
    if (step.status != Step::Status::succeeded || step.hidden || is_silent || ++count > max_steps) continue;
    if (count == 1) out += "\n  Standard error of steps that succeeded:\n";
    append_excerpt(out, step_label(step.place.branch, step.state), text, max_lines, true);
  }
  if (count > max_steps) {
    out += "  ... and of " + std::to_string(count - max_steps) + " more steps; wtool logs " + line(run.run) +
           " --stderr shows all\n";
  }
}

void append_notices(std::string& out, const RunRecord& run) {
  std::size_t count = 0;
  for (const journal::RunLogRecord& log : run.logs) {
    if (log.step != 0 || ++count > max_notices) continue;
    out += (count == 1 ? "\n  Notices:\n    " : "    ") + line(log.text) + "\n";
  }
  if (count > max_notices) out += "    ... and " + std::to_string(count - max_notices) + " more\n";
}

// Says that the text of an output is not everything that a command wrote: one line for each stream of a step, with the
// command that prints all of it. Without `run` there is no such command.
void add_cut_lines(std::vector<std::string>& lines, const std::string& state, const WholeOutput& output,
                   const WholeOutput& error, const std::string& run) {
  for (const bool is_error_stream : {false, true}) {
    const WholeOutput& whole = is_error_stream ? error : output;
    if (!whole.cut) continue;
    std::string line = state + ": only a part of the " + std::to_string(whole.bytes) + " bytes of standard " +
                       (is_error_stream ? "error" : "output") + " was kept as text";
    if (!whole.file.empty() && !run.empty()) {
      line.append("; the whole output: wtool show ").append(run).append(" --output '").append(state).append("'");
      if (is_error_stream) line += " --stderr";
    } else if (!whole.trouble.empty()) {
      line += "; " + whole.trouble;
    }
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
}

// The lines of add_cut_lines() for all steps of a run. For a matrix, these are the lines of its state, without those of
// its combinations.
std::vector<std::string> cut_lines(const std::vector<Step>& steps, const std::string& run) {
  std::vector<std::string> lines;
  for (const Step& step : steps) {
    if (!step.cut) continue;
    const auto above = journal::parent_of(step.branch);
    const bool combination =
        above && std::any_of(steps.begin(), steps.end(), [&](const Step& other) {
          return other.workflow == step.workflow && other.state == step.state && other.place() == *above;
        });
    if (!combination) add_cut_lines(lines, step.of().id, step.cut->first, step.cut->second, run);
  }
  return lines;
}

std::vector<std::string> cut_lines(const RunRecord& run) {
  std::vector<std::string> lines;
  for (const StepRecord& step : run.steps) {
    const runner::Outcome& outcome = step.end.outcome;
    if (step.end.secret || !(outcome.whole_output.cut || outcome.whole_error.cut) || is_combination(run, step))
      continue;
    add_cut_lines(lines, step.state, outcome.whole_output, outcome.whole_error, run.run);
  }
  return lines;
}

// Adds the lines to a summary for people, safe for a terminal. If there are many lines, adds only the first ones.
void append_cut_lines(std::string& out, const std::vector<std::string>& lines) {
  constexpr std::size_t most = 10;
  for (std::size_t i = 0; i < std::min(lines.size(), most); ++i) {
    out += (i == 0 ? "\n  Cut outputs:\n    " : "    ") + cleaned_for_terminal(lines[i], false) + "\n";
  }
  if (lines.size() > most) out += "    ... and " + std::to_string(lines.size() - most) + " more\n";
}

// How to continue a completed run after the state at which --until has ended it. Empty: --until has not ended it.
std::string continue_line(const std::string& run, const std::string& until) {
  return until.empty() || run.empty() ? "" : "\n  To continue after " + line(until) + ": wtool resume " + run + "\n";
}

// How to resume a run that did not complete. Empty: that cannot help. A run that has missed the state of --until would
// take the same path again; and if a step of --only failed before it had a command, a value of another state is missing,
// and would be missing again.
std::string resume_line(const std::string& run, const std::string& only, bool missed_until, const FailedList& failed) {
  if (missed_until) return "";
  const bool can_help = only.empty() || failed.steps.empty() ||
                        std::any_of(failed.steps.begin(), failed.steps.end(), [](const FailedStep& step) {
                          return step.aborted || step.secret || !step.command.empty();
                        });
  return can_help ? "\n  To resume where it ended: wtool resume " + run + "\n" : "";
}

std::string approve_line(const std::string& run) { return "\n  To answer and continue: wtool approve " + run + "\n"; }

}  // namespace

std::string summary_text(const Workflow& workflow, const RunReport& report, const FailedSteps& failed,
                         const std::string& name, const std::string& run, const SummaryStyle& style) {
  const StateTable table = table_of(workflow, report);
  const bool completed = report.status == RunReport::Status::completed;
  std::string out = cleaned_for_terminal(name, false) + ": " + journal::word(report.status) +
                    line(part_text(style.part)) + " in " + duration_text(report.took);
  if (completed) out += continued_after(failed.all());
  out += "\n";
  if (!report.reason.empty()) out += "  Reason: " + cleaned_for_terminal(report.reason, false) + "\n";
  if (style.table && !style.quiet) out += "\n" + table.text(report.status == RunReport::Status::suspended);
  append_cut_lines(out, cut_lines(report.steps, run));
  if (completed) return out + (style.quiet ? "" : continue_line(run, style.part.until));
  if (report.status == RunReport::Status::suspended) return out + (run.empty() ? "" : approve_line(run));
  append_failed(out, failed.all(), report.status == RunReport::Status::aborted, report.reason);
  return out + (run.empty() ? "" : resume_line(run, style.part.only, report.missed_until, failed.all()));
}

std::string time_text(journal::Moment at, bool local) {
  constexpr const char* format = "%Y-%m-%d %H:%M:%S";
  return local ? local_text(at, format) : utc_text(at, format);
}

std::string zone_text(journal::Moment at, bool local) { return local ? local_text(at, "%Z") : "UTC"; }

std::string status_text(const RunRecord& run, bool being_written) {
  if (being_written) return running_word;
  return run.status ? journal::word(*run.status) : interrupted_word;
}

std::vector<std::string> run_statuses() {
  using Status = runner::RunReport::Status;
  std::vector<std::string> all{running_word, interrupted_word};
  for (const Status status : {Status::completed, Status::failed, Status::aborted, Status::suspended}) {
    all.emplace_back(journal::word(status));
  }
  return all;
}

std::string part_text(const runner::RunPart& part) {
  if (part.is_whole()) return "";
  return part.only.empty() ? " (until " + part.until + ")" : " (only " + part.only + ")";
}

std::string usage_text(const runner::Usage& used) {
  std::string text = counted(used.calls, "call") + " in " + duration_text(used.time);
  if (used.tokens > 0) text += ", " + std::to_string(used.tokens) + " tokens";
  if (used.cost > 0) text += ", cost " + expressions::to_text(expressions::Value(used.cost));
  return text;
}

std::string run_text(const RunRecord& run, bool being_written, bool local) {
  const std::string status = status_text(run, being_written);
  const bool is_completed = run.status == RunReport::Status::completed;
  const FailedList failed = failed_in(run);
  std::string out = line(run.name.empty() ? run.file : run.name) + ": " + status + line(part_text(run)) +
                    (status == "running"          ? " for "
                     : status == interrupted_word ? " after at least "
                                                  : " in ") +
                    duration_text(run.took) + (is_completed ? continued_after(failed) : "") +
                    "\n  Run: " + line(run.run) + ", started " + time_text(run.began, local) + ' ' +
                    zone_text(run.began, local);
  if (run.resumed > 0) {
    out += run.resumed == 1 ? ", resumed once" : ", resumed " + std::to_string(run.resumed) + " times";
  }
  out += "\n  File: " + line(run.file) + "\n";
  if (!run.reason.empty()) out += "  Reason: " + line(run.reason) + "\n";
  if (const runner::Usage used = journal::total_usage(run); used.any()) {
    out += "  Prompts: " + usage_text(used) + "\n";
  }
  StateTable table;
  for (const StepRecord& step : run.steps) {
    if (step.hidden) {
      table.add_end(step.workflow, step.state, step.status);
      continue;
    }
    table.add({step.workflow, step.state, step.place.branch, step.status, step.tries, !step.action.empty(),
               step.replayed, step.up_to_date, step.took, !step.end.outcome.matrix.is_null(),
               step.status == Step::Status::running && !being_written});
  }
  out += "\n" + table.text(run.status == RunReport::Status::suspended);
  append_cut_lines(out, cut_lines(run));
  append_notices(out, run);
  append_standard_errors(out, run);
  if (being_written) return out;
  if (is_completed) return out + continue_line(line(run.run), run.settings.part.until);
  if (run.status == RunReport::Status::suspended) return out + approve_line(line(run.run));
  append_failed(out, failed, run.status == RunReport::Status::aborted, run.reason);
  append_interrupted(out, run);
  return out + resume_line(line(run.run), run.settings.part.only, run.missed_until, failed);
}

}  // namespace wtool::host::report
