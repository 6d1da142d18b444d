// journal/events_file.h and run_collector.h, report/formats.h: what is made of a run.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "journal/events_file.h"
#include "journal/journal.h"
#include "journal/journal_reader.h"
#include "journal/observers.h"
#include "journal/run_collector.h"
#include "journal/run_record.h"
#include "markup_check.h"
#include "report/formats.h"
#include "reporting_support.h"
#include "support/program.h"
#include "support/text.h"

namespace reports_test {

using namespace wtool::host::journal;
using namespace wtool::host::report;
using namespace wtool::host::runner;
using namespace wtool::host::workflow;
using namespace wtool::test;
using nlohmann::json;

namespace {

void tell_failed_run(ToldRun& run, RunObserver& observer) {
  run.inputs.emplace("who<", wtool::host::expressions::Value("a & b"));
  run.start("20261121-231502-3f9a");
  run.visit("Build", "fine\x01\xff\n");
  Step tell = run.enter("Tell");
  observer.logged(tell, LogAction::Level::info, "<told>");
  run.end(tell);
  run.visit("Pass", "", "/2:A");
  Step tolerated = run.enter("Build", "/2:A");
  StepEnd end;
  end.outcome.is_error = true;
  end.outcome.exit_code = 1;
  end.outcome.message = "not \"found\"";
  run.end(tolerated, end, true);
  observer.noticed("look <here>");
  run.fail("Build", "Command failed with exit code 3");
  run.enter("Deploy", "/2:B");
  run.finish(RunReport::Status::failed, "the state 'Build' failed & more");
}

RunRecord failed_run(const Workflow& workflow) {
  RunCollector collector;
  ToldRun run(workflow, collector);
  tell_failed_run(run, collector);
  return collector.record();
}

}  // namespace

BOOST_AUTO_TEST_CASE(junit_says_what_failed_and_why) {
  const Workflow workflow = made_workflow();
  const std::string xml = junit_xml(failed_run(workflow));
  BOOST_TEST(MarkupCheck::problem(xml) == "");
  BOOST_TEST(holds(xml, R"(<testsuites name="release" tests="6" failures="1" errors="1" skipped="1" time="2.500">)"));
  BOOST_TEST(holds(xml, R"(<testcase name="Build" classname="release" time="1.500">)"));
  BOOST_TEST(holds(xml, R"(<testcase name="Build #2" classname="release" time="1.500">)"));
  BOOST_TEST(
      holds(xml, R"(<failure message="Command failed with exit code 3" type="exit_code">$ make &quot;all&quot;)"));
  BOOST_TEST(holds(xml, R"(<skipped message="failed, and the workflow continued: not &quot;found&quot;"/>)"));
  BOOST_TEST(holds(xml, R"(<error message="it has not ended" type="running">)"));
  BOOST_TEST(holds(xml, "<system-out>some &lt;output&gt; &amp; more\n</system-out>"));
  BOOST_TEST(holds(xml, "<system-err>it broke\n</system-err>"));
  BOOST_TEST(holds(xml, R"(<testsuite name="release /2:A" tests="2")"));
  BOOST_TEST(holds(xml, "<system-err>notice: look &lt;here&gt;\n</system-err>"));
}

BOOST_AUTO_TEST_CASE(junit_never_looks_green_when_the_run_did_not_complete) {
  const Workflow workflow = made_workflow();
  RunCollector collector;
  ToldRun run(workflow, collector);
  run.start();
  run.visit("Build");
  BOOST_TEST(holds(junit_xml(collector.record()), R"(<error message="the run has not ended" type="interrupted"/>)"));
  run.finish(RunReport::Status::failed, "no exit is open");
  const std::string xml = junit_xml(collector.record());
  BOOST_TEST(MarkupCheck::problem(xml) == "");
  BOOST_TEST(holds(xml, R"(errors="1")"));
  BOOST_TEST(holds(xml, R"(<error message="no exit is open" type="failed"/>)"));
  BOOST_TEST(MarkupCheck::problem(junit_xml(RunRecord{})) == "");
}

BOOST_AUTO_TEST_CASE(outputs_in_reports_are_bounded) {
  const Workflow workflow = made_workflow();
  RunCollector collector;
  ToldRun run(workflow, collector);
  run.start();
  run.visit("Build", std::string(1'000'000, 'x') + "ü the end");
  run.finish();
  for (const std::string& report : {junit_xml(collector.record()), html_report(collector.record(), nullptr)}) {
    BOOST_TEST(MarkupCheck::problem(report) == "");
    BOOST_TEST(report.size() < 100'000U);
    BOOST_TEST(holds(report, "bytes before this are left out]"));
    BOOST_TEST(holds(report, "ü the end"));
  }
}

// GitHub accepts 1 MiB.
BOOST_AUTO_TEST_CASE(the_page_for_github_is_bounded) {
  RunRecord run;
  run.status = RunReport::Status::failed;
  run.name = std::string(2'000'000, '#');
  run.reason = std::string(2'000'000, '*') + "the end";
  for (int i = 0; i < 700; ++i) {
    StepRecord& step = run.steps.emplace_back();
    step.state = std::string(3000, '_') + std::to_string(i);
    step.action = "Shell";
    step.status = Step::Status::failed;
  }
  const std::string page = github_page(run);
  BOOST_TEST(page.size() < (1U << 20));
  BOOST_TEST(holds(page, "the end"));
  BOOST_TEST(holds(page, " more steps\n"));
}

BOOST_AUTO_TEST_CASE(the_page_is_whole_and_needs_nothing_else) {
  Workflow workflow = made_workflow();
  workflow.start = 0;
  workflow.states[0].exits.resize(1);
  workflow.states[0].exits[0].target = no_state;
  workflow.states[0].exits[0].label = "exit_code < 2 && \"x\"";
  const std::string page = html_report(failed_run(workflow), &workflow);
  BOOST_TEST(MarkupCheck::problem(page) == "");
  for (const char* foreign : {"<script", "<img", "<link", "src=", "@import", "url(http"}) {
    BOOST_TEST(!holds(page, foreign));
  }
  for (const char* part : {"<svg ", "<details open=\"open\"><summary>stdout, ", "<h2>Failed</h2>", "<a href=\"#step-",
                           "Run 20261121-231502-3f9a of release.md", "some &lt;output&gt; &amp; more", "who&lt;",
                           "a &amp; b", "the state &#39;Build&#39; failed &amp; more", "look &lt;here&gt;",
                           "&lt;told&gt;", "prefers-color-scheme: dark", "class=\"node failed\""}) {
    BOOST_TEST(holds(page, part), part);
  }
  BOOST_TEST(!holds(page, "<told>"));
  BOOST_TEST(MarkupCheck::problem(html_report(RunRecord{}, nullptr)) == "");
}

BOOST_AUTO_TEST_CASE(failures_that_ended_the_run_stand_before_those_that_did_not) {
  const Workflow workflow = made_workflow();
  RunRecord run = failed_run(workflow);
  const auto is_failed = [](const StepRecord& step) { return step.status == Step::Status::failed; };
  const auto first = std::find_if(run.steps.begin(), run.steps.end(), is_failed);
  BOOST_REQUIRE(std::count_if(run.steps.begin(), run.steps.end(), is_failed) > 1);
  first->end.transitioned = true;
  const std::string page = html_report(run, nullptr);
  BOOST_TEST(holds(page, "The diagram is left out"));
  const std::size_t unhandled = page.find("<h2>Failed</h2>");
  const std::size_t handled = page.find("<h2>Failed, and the workflow continued</h2>");
  BOOST_TEST(unhandled < handled);
  BOOST_TEST(handled != std::string::npos);
  const std::string link = "<a href=\"#step-" + std::to_string(first->number) + "\">";
  BOOST_TEST(page.find(link, handled) != std::string::npos);
  first->place.branch.clear();
  first->end.next = {"[*]"};
  const std::string ended = html_report(run, nullptr);
  BOOST_TEST(!holds(ended, "the workflow continued"));
  const std::size_t title = ended.find("<h2>Failed, and the workflow ended there</h2>");
  BOOST_REQUIRE(title != std::string::npos);
  BOOST_TEST(ended.find(link, title) != std::string::npos);
  BOOST_TEST(MarkupCheck::problem(page) == "");
}

BOOST_AUTO_TEST_CASE(reports_name_the_node_of_a_step) {
  const Workflow workflow = made_workflow();
  RunCollector collector;
  ToldRun run(workflow, collector);
  run.start("r1");
  Step step = run.enter("Build");
  collector.call_state(step, {.state = "queued"});
  collector.call_state(step, {.state = "started", .node = "node<7>", .job = "1"});
  run.end(step);
  run.finish();
  const std::string page = html_report(collector.record(), nullptr);
  BOOST_TEST(page.find("on node&lt;7&gt;") != std::string::npos, page);
  BOOST_TEST(MarkupCheck::problem(page) == "");
  BOOST_TEST(run_json(collector.record(), "completed", true).find(R"("node": "node<7>")") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_collector_and_a_journal_agree) {
  const ScratchFolder scratch;
  const Workflow workflow = made_workflow();
  RunCollector collector;
  std::string error;
  auto journal = Journal::create(scratch.path(), {}, error);
  BOOST_REQUIRE_MESSAGE(journal, error);
  Observers both({&collector, journal.get()});
  ToldRun run(workflow, both);
  tell_failed_run(run, both);
  const auto read = read_journal(journal->file(), error);
  BOOST_REQUIRE_MESSAGE(read, error);
  const RunRecord live = collector.record();
  // The times at which steps began are not compared: the two observers are called one after the other.
  BOOST_REQUIRE(read->run.steps.size() == live.steps.size());
  for (std::size_t i = 0; i < live.steps.size(); ++i) {
    BOOST_TEST((read->run.steps[i].place == live.steps[i].place));
    BOOST_TEST(read->run.steps[i].state == live.steps[i].state);
    BOOST_TEST(read->run.steps[i].action == live.steps[i].action);
    BOOST_TEST((read->run.steps[i].status == live.steps[i].status));
    BOOST_TEST((read->run.steps[i].took == live.steps[i].took));
  }
  BOOST_TEST(read->run.reason == live.reason);
  BOOST_TEST(read->run.logs.size() == live.logs.size());
}

BOOST_AUTO_TEST_CASE(events_come_as_they_happen) {
  const ScratchFolder scratch;
  const std::string file = scratch.path() + "/events.jsonl";
  const Workflow workflow = made_workflow();
  std::string error;
  auto events = EventsFile::open(file, nullptr, error);
  BOOST_REQUIRE_MESSAGE(events, error);
  ToldRun run(workflow, *events);
  run.start("r");
  Step step = run.enter("Build");
  events->output(step, false, "one\xc3");
  events->output(step, false, "\xbc two\xe2\x82");
  BOOST_TEST(holds(content_of(file), "ü two"));
  Outcome failed;
  failed.message = "again";
  events->retrying(step, failed, std::chrono::milliseconds(1500));
  run.end(step);
  run.finish();
  std::vector<json> records;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) records.push_back(json::parse(line));
  std::string types;
  for (const json& record : records) {
    BOOST_TEST(record["v"] == 1);
    types += record["type"].get<std::string>() + " ";
  }
  BOOST_TEST(types == "run_started state_started output output output retry state_ended run_ended ");
  BOOST_TEST(records[2]["text"] == "one");
  BOOST_TEST(records[4]["text"] == "\xef\xbf\xbd");
  BOOST_TEST(records[5]["wait_ms"] == 1500);
  BOOST_TEST(records[5]["message"] == "again");
  BOOST_TEST(EventsFile::open(scratch.path() + "/none/x", nullptr, error) == nullptr);
  BOOST_TEST(holds(error, "cannot open"));
}

BOOST_AUTO_TEST_CASE(events_that_cannot_be_written_are_reported_once) {
  const Workflow workflow = made_workflow();
  std::string error;
  std::vector<std::string> notices;
  auto events = EventsFile::open(
      "/dev/full", [&](const std::string& text) { notices.push_back(text); }, error);
  BOOST_REQUIRE_MESSAGE(events, error);
  ToldRun run(workflow, *events);
  run.start();
  run.visit("Build");
  BOOST_REQUIRE(notices.size() == 1U);
  BOOST_TEST(notices[0] == "the events end here, because /dev/full cannot be written: No space left on device");
}

BOOST_AUTO_TEST_CASE(what_a_secret_action_gives_is_nowhere) {
  const ScratchFolder scratch;
  Workflow workflow = made_workflow();
  workflow.states[0].action->options.secret = true;
  std::get<SetAction>(workflow.states[2].action->kind).secret = true;
  std::string error;
  auto journal = Journal::create(scratch.path(), {}, error);
  auto events = EventsFile::open(scratch.path() + "/events.jsonl", nullptr, error);
  BOOST_REQUIRE_MESSAGE(journal && events, error);
  RunCollector collector;
  const Secrets secrets;
  Masking masking(secrets, *events);
  Observers all({journal.get(), &masking, &collector});
  ToldRun run(workflow, all);
  run.start(journal->run());
  Step build = run.enter("Build");
  all.output(build, false, "hunter2");
  StepEnd end;
  end.outcome.is_error = true;
  end.outcome.standard_output = end.outcome.message = "hunter2";
  all.retrying(build, end.outcome, {});
  run.end(build, end);
  Step keep = run.enter("Keep");
  StepEnd set;
  set.assigned.emplace_back("password", wtool::host::expressions::Value("hunter2"));
  run.end(keep, set);
  run.finish();
  const RunRecord live = collector.record();
  for (const std::string& text : {content_of(journal->file()), content_of(scratch.path() + "/events.jsonl"),
                                  junit_xml(live), html_report(live, &workflow)}) {
    BOOST_TEST(holds(text, "Build"));
    BOOST_TEST(!holds(text, "hunter2"));
  }
}

}  // namespace reports_test
