// A run as text: for a person, and in the formats that other programs read. Each format has a file that is named after
// it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "journal/run_record.h"
#include "report/failed_steps.h"
#include "runner/run_observer.h"
#include "runner/run_part.h"
#include "workflow/model/model.h"

namespace wtool::host::report {

// run_json.cc: an earlier run as one JSON object, which docs/guide/runs.md describes, without a newline at the end.
// With `steps`, the object includes the inputs, all steps and all logs.
std::string run_json(const journal::RunRecord& run, const std::string& status, bool steps);

// junit.cc: a run as JUnit XML, for programs that show results of tests. Each branch is a suite, and each visit of a
// state is a case. A failed step whose failure the workflow handled is reported as skipped, not as failed. If a run did
// not complete but has no failed case, an extra case says so, so that the run never looks green.
std::string junit_xml(const journal::RunRecord& run);

// html_report.cc: a run as one page, which contains its style and its diagram, needs no other file and has no script.
// It has the diagram only if `workflow` is not null. Nothing is masked here, so secrets must be masked in `run`. The
// page is also well-formed XML. `being_written`: the run still runs.
std::string html_report(const journal::RunRecord& run, const workflow::Workflow* workflow, bool being_written = false);

// ---- github.cc: a run for GitHub Actions.

// The line of each state's action in the file of the workflow that was started, from 1.
using StateLines = std::map<std::string, std::size_t>;

// Workflow commands for standard output, which GitHub shows as annotations: errors for what made the run fail, warnings
// for failures that the workflow handled. At most 10 of each kind. `file`: the workflow's file, as the repository names
// it. No text of the run can add a command of its own.
std::string github_commands(const journal::RunRecord& run, const std::string& file, const StateLines& lines);

// Markdown for the page of GitHub's step: a table of the run's steps, and the outputs of the steps that failed. No text
// of the run can become markup. The page is smaller than 1 MiB, which is GitHub's limit.
std::string github_page(const journal::RunRecord& run);

// ---- otlp.cc: a run for OpenTelemetry, as the bodies of requests to POST /v1/traces and /v1/logs, each on one line.
std::string otlp_traces(const journal::RunRecord& run);
std::string otlp_logs(const journal::RunRecord& run);

// ---- summary.cc: a run as text for a person: status, a table of the states with their times, and details of failures.
// summary_text is for a run that has just ended, run_text for an earlier one.

struct SummaryStyle {
  // True if the table of states is shown. It is not needed if each state has a line on the screen already.
  bool table = true;
  bool quiet = false;  // only the status, and what people must know about failures
  runner::RunPart part{};
};

// Text for people, with a newline at the end; safe for a terminal. `run`: the id by which the run can be resumed; empty
// if it cannot.
std::string summary_text(const workflow::Workflow& workflow, const runner::RunReport& report, const FailedSteps& failed,
                         const std::string& name, const std::string& run = "", const SummaryStyle& style = {});

inline constexpr const char* running_word = "running";
inline constexpr const char* interrupted_word = "interrupted";

// "completed", "failed", "aborted" or "suspended". For a run without an end: "running" if it is being written, and
// "interrupted" if not.
std::string status_text(const journal::RunRecord& run, bool being_written);
// All that status_text() may return.
std::vector<std::string> run_statuses();

// If only a part of the workflow ran, the text after the run's status: " (until Test)", " (only Test)". Empty: the
// whole workflow ran.
std::string part_text(const runner::RunPart& part);
inline std::string part_text(const journal::RunRecord& run) { return part_text(run.settings.part); }

// What prompts used: "2 calls in 3.10 s, 1200 tokens, cost 0.02".
std::string usage_text(const runner::Usage& used);

// What happened in a run, with the last lines of each failed step's outputs, and of the other steps' standard error;
// safe for a terminal. Times are in UTC or, with `local`, in this machine's time zone.
std::string run_text(const journal::RunRecord& run, bool being_written, bool local = false);

// time_text: "2026-11-21 23:15:02", in UTC or, with `local`, in this machine's time zone. zone_text: the name of that
// zone at that time, such as "UTC" or "CET".
std::string time_text(journal::Moment at, bool local);
std::string zone_text(journal::Moment at, bool local);

}  // namespace wtool::host::report
