#include "reporting/summary.h"

#include <algorithm>

#include "reporting/display.h"

namespace wtool::host::workflow {
namespace {

constexpr std::size_t most_rows = 200;
constexpr std::size_t most_lines = 20;        // of each stream of a failed command
constexpr std::size_t most_bytes = 8 * 1024;  // the same
constexpr std::size_t most_command_lines = 12;

const char* word(Step::Status status) {
  switch (status) {
    case Step::Status::succeeded:
      return "ok";
    case Step::Status::failed:
      return "failed";
    case Step::Status::aborted:
      return "aborted";
    case Step::Status::running:
      break;
  }
  return "running";
}

const char* word(RunReport::Status status) {
  switch (status) {
    case RunReport::Status::completed:
      return "completed";
    case RunReport::Status::failed:
      return "failed";
    case RunReport::Status::aborted:
      return "aborted";
  }
  return "";
}

struct Row {
  std::size_t state = no_state;
  std::size_t visits = 0;
  std::size_t failures = 0;
  Step::Status status = Step::Status::running;  // of the last visit
  std::chrono::steady_clock::duration took{};
};

// One row a state, in the order in which they were first entered.
std::vector<Row> rows_of(const Workflow& workflow, const RunReport& report) {
  std::vector<Row> rows;
  std::vector<std::size_t> row_of(workflow.states.size(), no_state);
  for (const Step& step : report.steps) {
    if (row_of[step.state] == no_state) {
      row_of[step.state] = rows.size();
      rows.push_back({step.state, 0, 0, {}, {}});
    }
    Row& row = rows[row_of[step.state]];
    ++row.visits;
    row.failures += step.status == Step::Status::failed ? 1 : 0;
    row.status = step.status;
    row.took += step.took;
  }
  return rows;
}

void append_table(std::string& out, const Workflow& workflow, const std::vector<Row>& rows) {
  std::size_t name_width = 5;
  std::size_t status_width = 7;
  std::vector<std::string> names;
  std::vector<std::string> statuses;
  for (std::size_t i = 0; i < std::min(rows.size(), most_rows); ++i) {
    const State& state = workflow.states[rows[i].state];
    names.push_back(cut_to_width(cleaned_for_terminal(state.id, false), 48));
    std::string status = state.action ? word(rows[i].status) : "-";
    if (rows[i].visits > 1) {
      status += " (" + std::to_string(rows[i].visits) + " times";
      if (rows[i].failures > 0) status += ", " + std::to_string(rows[i].failures) + " failed";
      status += ")";
    }
    statuses.push_back(status);
    name_width = std::max(name_width, display_width(names.back()));
    status_width = std::max(status_width, display_width(status));
  }
  out += "\n  " + padded("State", name_width) + "  " + padded("Status", status_width) + "  Time\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += "  " + padded(names[i], name_width) + "  " + padded(statuses[i], status_width) + "  " +
           duration_text(rows[i].took) + "\n";
  }
  if (rows.size() > most_rows) out += "  ... and " + std::to_string(rows.size() - most_rows) + " more states\n";
}

// Each line behind a mark; only the last ones where there are many.
void append_lines(std::string& out, const std::string& title, std::string_view text, std::size_t lines, bool tail) {
  if (text.find_first_not_of(" \n") == std::string_view::npos) return;
  std::string clean = cleaned_for_terminal(
      tail && text.size() > most_bytes ? text.substr(text.size() - most_bytes) : text.substr(0, most_bytes), true);
  while (clean.ends_with('\n')) clean.pop_back();
  bool cut = text.size() > most_bytes;
  std::vector<std::string_view> all;
  for (std::size_t begin = 0; begin <= clean.size();) {
    const std::size_t end = std::min(clean.find('\n', begin), clean.size());
    all.push_back(std::string_view(clean).substr(begin, end - begin));
    begin = end + 1;
  }
  if (all.size() > lines) {
    cut = true;
    if (tail) {
      all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(lines));
    } else {
      all.resize(lines);
    }
  }
  out += "  " + title + (cut ? (tail ? " (the end of it)" : " (the beginning of it)") : "") + ":\n";
  for (const std::string_view line : all) out += "    | " + std::string(line) + "\n";
}

}  // namespace

std::string summary_text(const Workflow& workflow, const RunReport& report, const std::string& name) {
  const std::vector<Row> rows = rows_of(workflow, report);
  std::string out =
      cleaned_for_terminal(name, false) + ": " + word(report.status) + " in " + duration_text(report.took);
  std::size_t failures = 0;
  for (const Row& row : rows) failures += row.failures;
  if (report.status == RunReport::Status::completed && failures > 0) {
    out +=
        " (" + std::to_string(failures) + (failures == 1 ? " step" : " steps") + " failed, and the workflow went on)";
  }
  out += "\n";
  if (!report.reason.empty()) out += "  Reason: " + cleaned_for_terminal(report.reason, false) + "\n";
  append_table(out, workflow, rows);
  if (report.status == RunReport::Status::completed || !report.last) return out;
  const LastStep& last = *report.last;
  out += "\n  Last state: " + cleaned_for_terminal(last.state, false) + "\n";
  if (last.command.empty()) return out;
  append_lines(out, "Command", last.command, most_command_lines, false);
  out += "  Exit code: " + std::to_string(last.outcome.exit_code) + "\n";
  const std::string kind = last.outcome.aborted ? "Partial " : "";
  append_lines(out, kind + "stderr", last.outcome.standard_error, most_lines, true);
  append_lines(out, kind + "stdout", last.outcome.standard_output, most_lines, true);
  return out;
}

}  // namespace wtool::host::workflow
