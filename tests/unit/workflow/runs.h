// Runs of workflows with fake tools, and what their observer receives.
#pragma once

#include <boost/test/unit_test.hpp>
#include <map>
#include <mutex>
#include <string>

#include "journal/observers.h"
#include "report/formats.h"
#include "support.h"

namespace wtool::test {

using namespace wtool::host;
using namespace wtool::host::journal;
using namespace wtool::host::report;
using namespace wtool::host::runner;
using namespace wtool::host::workflow;

// What happened, as one text. May be called on any thread.
class Recorder final : public RunObserver {
 public:
  void state_entered(const Step& step) override { add("+" + step.of().id + " "); }
  void output(const Step&, bool is_error, std::string_view bytes) override {
    add((is_error ? "2'" : "1'") + std::string(bytes) + "' ");
  }
  void logged(const Step&, LogAction::Level level, std::string_view text) override {
    add("log" + std::to_string(static_cast<int>(level)) + "'" + std::string(text) + "' ");
  }
  void combination_begun(const std::string& branch, const expressions::Value& values) override {
    const std::lock_guard lock(mutex_);
    past.note_combination(branch, values);
  }
  void state_ended(const Step& step, const StepEnd& end) override {
    const std::lock_guard lock(mutex_);
    if (end.transitioned) past.add(step.place(), {step.of().id, step.status, step.tries, step.took, end});
    const bool failed = step.status == Step::Status::failed;
    events += (failed ? "!" : step.status == Step::Status::aborted ? "x" : "-") + step.of().id + " ";
  }
  void retrying(const Step& step, const Outcome&, std::chrono::milliseconds wait) override {
    add("again" + std::to_string(step.tries) + "," + std::to_string(wait.count()) + " ");
  }
  void noticed(std::string_view text) override { add("notice'" + std::string(text) + "' "); }
  void run_ended(const RunReport&) override { add("end"); }

  // To be read when the run is over.
  std::string events;
  PastRun past;  // what a run that resumes this one would be given

 private:
  void add(const std::string& text) {
    const std::lock_guard lock(mutex_);
    events += text;
  }
  std::mutex mutex_;
};

// What a run has besides its file and its tools.
struct Around {
  RunSettings settings{};
  RunServices services{};
  Secrets* secrets = nullptr;
  const PastRun* past = nullptr;
};

struct Run {
  explicit Run(const std::string& text, FakeTools::Answer answer = nullptr,
               std::map<std::string, expressions::Value> inputs = {}, const Around& around = {})
      : source("w.md", text), tools(std::move(answer)) {
    Diagnostics diagnostics;
    workflow = parse_workflow(source, diagnostics);
    std::vector<std::string> given;
    for (const auto& [name, value] : inputs) given.push_back(name);
    check_workflow(workflow, given, &tools, diagnostics);
    BOOST_REQUIRE_MESSAGE(diagnostics.empty(), diagnostics.text(source));
    Observers all({&recorder, &failed});
    report = run_workflow({workflow, source, std::move(inputs), tools, stop, all, around.settings, around.services,
                           around.secrets, around.past, "", "w"});
  }
  std::string path() const {
    std::string out;
    for (const Step& step : report.steps) out += (out.empty() ? "" : " ") + workflow.states[step.state].id;
    return out;
  }
  std::string summary() const { return summary_text(workflow, report, failed, "w"); }

  Source source;
  Workflow workflow;
  FakeTools tools;
  Stop stop;
  Recorder recorder;
  FailedSteps failed;
  RunReport report;
};

inline FakeTools::Answer exits_with(int code, const std::string& standard_output = "",
                                    const std::string& standard_error = "") {
  return [=](const Json&, Stop&, const ToolCaller::OutputSink&) {
    return FakeTools::exited(code, standard_output, standard_error);
  };
}

}  // namespace wtool::test
