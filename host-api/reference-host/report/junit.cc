#include "report/formats.h"

#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "base/time_text.h"
#include "report/failed_steps.h"
#include "report/text.h"
#include "report/times.h"

namespace wtool::host::report {
namespace {

using journal::RunRecord;
using journal::StepRecord;
using runner::Step;

constexpr std::size_t max_case_output = 64UL * 1024;  // bytes of each stream of a case

enum class CaseVerdict { passed, failure, error, skipped };

struct Counts {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
  std::chrono::steady_clock::duration took{};

  void add(CaseVerdict verdict, std::chrono::steady_clock::duration time) {
    ++tests;
    failures += verdict == CaseVerdict::failure ? 1 : 0;
    errors += verdict == CaseVerdict::error ? 1 : 0;
    skipped += verdict == CaseVerdict::skipped ? 1 : 0;
    took += time;
  }
};

struct JunitSuite {
  std::string name;
  Counts counts;
  std::string cases;
};

std::string seconds(std::chrono::steady_clock::duration took) {
  char text[48];
  std::snprintf(text, sizeof text, "%.3f", std::chrono::duration<double>(took).count());
  return text;
}

// Readers of XML turn a newline in an attribute into a blank, so newlines are escaped.
std::string attribute(const char* name, std::string_view text) {
  std::string value;
  for (const char c : markup_text(text)) value += c == '\n' ? std::string("&#10;") : std::string(1, c);
  return std::string(" ") + name + "=\"" + value + "\"";
}

std::string numbers(const Counts& counts) {
  return attribute("tests", std::to_string(counts.tests)) + attribute("failures", std::to_string(counts.failures)) +
         attribute("errors", std::to_string(counts.errors)) + attribute("skipped", std::to_string(counts.skipped));
}

std::string why(const StepRecord& step) {
  if (!step.end.message().empty()) return step.end.message();
  return step.end.secret ? "failed; its results are secret" : "exit code " + std::to_string(step.exit_code);
}

struct JunitCase {
  CaseVerdict verdict = CaseVerdict::passed;
  std::string skipped{};  // why the verdict is `skipped`
};

// Judges each step, so that one failure of a command is one failure in the file.
class Judge {
 public:
  explicit Judge(const RunRecord& run) : run_(run) {
    for (const StepRecord& step : run.steps) by_place_.insert_or_assign(step.place, &step);
    // A step that contains other steps begins before them.
    for (auto step = run.steps.rbegin(); step != run.steps.rend(); ++step) {
      if (!step->hidden) judge(*step);
    }
  }

  const JunitCase& of(const StepRecord& step) const { return cases_.at(&step); }

 private:
  void judge(const StepRecord& step) {
    JunitCase& made = cases_[&step];
    if (step.status == Step::Status::succeeded) return;
    const StepRecord* const handled = step.status == Step::Status::failed ? handled_by(step) : nullptr;
    if (handled != nullptr) {
      const bool ended = ended_the_run(handled->place.branch, handled->end);
      made = {CaseVerdict::skipped,
              std::string("failed, and the workflow ") + (ended ? "ended there: " : "continued: ") + why(step)};
    } else if (step.status == Step::Status::failed && (step.action.empty() || !step.end.failed_before.empty())) {
      made = {CaseVerdict::skipped, "failed, because a step before it failed: " + why(step)};
    } else if (containing_.contains(&step)) {
      made = {CaseVerdict::skipped, std::string(step.status == Step::Status::failed ? "failed" : "ended") +
                                        ", because a step inside it did: " + why(step)};
    } else if (step.status == Step::Status::aborted && is_over()) {
      made = {CaseVerdict::skipped, "stopped: " + why(step)};
    } else {
      made.verdict = step.status == Step::Status::failed ? CaseVerdict::failure : CaseVerdict::error;
      for (const StepRecord* above = container(step); above != nullptr; above = container(*above)) {
        containing_.insert(above);
      }
    }
  }

  // The step that contains this one; nullptr: no step does.
  const StepRecord* container(const StepRecord& step) const {
    const auto above = journal::parent_of(step.place.branch);
    return above ? at(*above) : nullptr;
  }

  const StepRecord* at(const journal::StepPlace& place) const {
    const auto found = by_place_.find(place);
    return found == by_place_.end() ? nullptr : found->second;
  }

  // The step whose exit has handled the failure: the step itself, one that contains it, or the join of its branch.
  // Null: nothing has.
  const StepRecord* handled_by(const StepRecord& step) const {
    if (step.end.transitioned) return &step;
    for (const StepRecord* above = container(step); above != nullptr; above = container(*above)) {
      if (went_on(*above)) return above;
      const StepRecord* join = above->action.empty() ? at({above->place.branch, above->place.sequence + 1}) : nullptr;
      if (join != nullptr && join->action.empty() && went_on(*join)) return join;
    }
    // A path that came to its end has handled every failure on it.
    const bool ended = run_.status == runner::RunReport::Status::completed || run_.missed_until;
    return ended ? &step : nullptr;
  }

  // False for a run that was stopped, has not ended, or waits for an approval.
  bool is_over() const {
    return run_.status == runner::RunReport::Status::completed || run_.status == runner::RunReport::Status::failed;
  }

  static bool went_on(const StepRecord& step) { return step.status == Step::Status::failed && step.end.transitioned; }

  const RunRecord& run_;
  runner::ByPlace<const StepRecord*> by_place_;
  std::map<const StepRecord*, JunitCase> cases_;
  std::set<const StepRecord*> containing_;  // steps that contain a failure or an error
};

std::string verdict_xml(const RunRecord& run, const StepRecord& step, const JunitCase& judged) {
  const std::string command =
      step.end.command.empty() ? "" : "$ " + bounded_text(step.end.command, max_case_output) + "\n";
  switch (judged.verdict) {
    case CaseVerdict::passed:
      return "";
    case CaseVerdict::skipped:
      return "      <skipped" + attribute("message", judged.skipped) + "/>\n";
    case CaseVerdict::failure:
      return "      <failure" + attribute("message", why(step)) +
             attribute("type", step.end.outcome.error.empty() ? "exit_code" : step.end.outcome.error) + ">" +
             markup_text(command + ending_of(step)) + "</failure>\n";
    case CaseVerdict::error:
      break;
  }
  const bool ended = step.status == Step::Status::aborted;
  const bool is_waiting = journal::waits(run, step);
  const std::string word = is_waiting ? "waits" : journal::word(step.status);
  return "      <error" +
         attribute("message", !ended       ? "it has not ended"
                              : is_waiting ? why(step)
                                           : word + ": " + why(step)) +
         attribute("type", word) + ">" + markup_text(command) + "</error>\n";
}

void append_stream(std::string& out, const char* tag, const std::string& text, const runner::WholeOutput& whole = {}) {
  if (text.empty()) return;
  out += std::string("      <") + tag + ">" + markup_text(bounded_output(text, whole, max_case_output)) + "</" + tag +
         ">\n";
}

// The notices that people got about the run as a whole.
std::string notices_of(const RunRecord& run) {
  std::string text;
  for (const journal::RunLogRecord& log : run.logs) {
    if (log.step == 0) text += "notice: " + log.text + '\n';
  }
  return text;
}

JunitSuite& suite_of(std::vector<JunitSuite>& suites, std::map<std::string, std::size_t>& index, const RunRecord& run,
                     const std::string& branch) {
  const auto [found, added] = index.emplace(branch, suites.size());
  if (added) suites.push_back({run.name + (branch.empty() ? "" : " " + branch), {}, {}});
  return suites[found->second];
}

}  // namespace

std::string junit_xml(const RunRecord& run) {
  std::vector<JunitSuite> suites;
  std::map<std::string, std::size_t> index;
  std::map<std::string, int> visits;  // by branch and state
  Counts all;
  const CombinationNames names = combination_names(run);
  const Judge judge(run);
  for (const StepRecord* const one : journal::in_workflow_order(run)) {
    const StepRecord& step = *one;
    if (step.hidden) continue;
    JunitSuite& suite = suite_of(suites, index, run, step.place.branch);
    const int visit = ++visits[step.place.branch + '#' + step.state];
    const JunitCase& judged = judge.of(step);
    const auto values = names.find(step.place.branch);
    const std::string combination = values == names.end() ? "" : " " + values->second;
    suite.counts.add(judged.verdict, step.took);
    all.add(judged.verdict, step.took);
    suite.cases += "    <testcase" +
                   attribute("name", step.state + combination + (visit > 1 ? " #" + std::to_string(visit) : "")) +
                   attribute("classname", step.workflow.empty() ? run.name : step.workflow) +
                   (is_time_known(step) ? attribute("time", seconds(step.took)) : "") + ">\n" +
                   verdict_xml(run, step, judged);
    append_stream(suite.cases, "system-out", step.end.outcome.standard_output, step.end.outcome.whole_output);
    append_stream(suite.cases, "system-err", step.end.outcome.standard_error, step.end.outcome.whole_error);
    suite.cases += "    </testcase>\n";
  }
  if (run.status != runner::RunReport::Status::completed && all.failures + all.errors == 0) {
    JunitSuite& suite = suite_of(suites, index, run, "");
    suite.counts.add(CaseVerdict::error, {});
    all.add(CaseVerdict::error, {});
    const std::string reason = run.status ? run.reason : "the run has not ended";
    suite.cases += "    <testcase" + attribute("name", "the run") + attribute("classname", run.name) +
                   attribute("time", "0.000") + ">\n      <error" + attribute("message", reason) +
                   attribute("type", run.missed_until ? "until_not_reached"
                                     : run.status     ? journal::word(*run.status)
                                                      : "interrupted") +
                   "/>\n    </testcase>\n";
  }
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + attribute("name", run.name) +
                    numbers(all) + attribute("time", seconds(run.took)) + ">\n";
  for (const JunitSuite& suite : suites) {
    out += "  <testsuite" + attribute("name", suite.name) + numbers(suite.counts) +
           attribute("time", seconds(suite.counts.took)) + attribute("timestamp", iso_time(run.began).substr(0, 19)) +
           ">\n" + suite.cases;
    // Notices belong to the run as a whole, and the first suite represents it.
    if (&suite == &suites.front()) append_stream(out, "system-err", notices_of(run));
    out += "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace wtool::host::report
