// report/formats.h: the whole text of a run, for people and for programs, from a record in which everything is set.
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "report/formats.h"
#include "support/text.h"

namespace run_texts_test {

using namespace wtool::host::journal;
using namespace wtool::host::report;
using namespace wtool::host::runner;
using namespace wtool::host::workflow;
using namespace wtool::test;
using nlohmann::json;
using wtool::host::expressions::List;
using wtool::host::expressions::Map;
using wtool::host::expressions::Value;

namespace {

const Moment some_time = Moment(std::chrono::milliseconds(1'795'302'902'045));

StepRecord& add(RunRecord& run, const std::string& state, const std::string& action, Step::Status status,
                const StepPlace& place) {
  StepRecord& step = run.steps.emplace_back();
  step.number = run.steps.size();
  step.place = place;
  step.state = state;
  step.action = action;
  step.status = status;
  step.began = some_time + std::chrono::seconds(run.steps.size());
  step.took = std::chrono::milliseconds(500);
  return step;
}

StepRecord& add_failed(RunRecord& run, const std::string& state, const std::string& message, std::int64_t exit_code,
                       const StepPlace& place) {
  StepRecord& step = add(run, state, "shell", Step::Status::failed, place);
  step.exit_code = exit_code;
  step.end.outcome.is_error = true;
  step.end.outcome.message = message;
  step.end.outcome.exit_code = exit_code;
  step.end.command = "run " + state;
  return step;
}

// Build succeeds; Test fails, and the workflow continues; Deploy runs another workflow, in which Upload fails; Ship is
// stopped.
RunRecord failed_run() {
  RunRecord run;
  run.run = "20261121-231502-3f9a";
  run.name = "release";
  run.file = "release.md";
  run.began = some_time;
  run.took = std::chrono::milliseconds(12'400);
  run.status = RunReport::Status::failed;
  run.reason = "the state 'Deploy' failed: no answer";
  run.usage.emplace_back(StepPlace{"", 1}, Usage{2, 1200, 0.02, std::chrono::milliseconds(3100)});
  StepRecord& build = add(run, "Build", "shell", Step::Status::succeeded, {"", 1});
  build.end.outcome.standard_output = "built\n";
  build.end.outcome.standard_error = "careful\n";
  build.end.outcome.whole_output = {.bytes = 9000, .cut = true, .file = "/runs/1.stdout"};
  build.end.outcome.whole_error = {.bytes = 8000, .cut = true, .trouble = "the disk was full"};
  build.end.transitioned = true;
  build.end.next = {"Test"};
  build.tries = 3;
  StepRecord& test = add_failed(run, "Test", "exit 3", 3, {"", 2});
  test.end.transitioned = true;
  test.end.outcome.standard_output = "one failed\n";
  Map error, metadata;
  error.fields.emplace("hint", Value("look at the log"));
  metadata.fields.emplace("error", Value(error));
  test.end.outcome.metadata = Value(metadata);
  StepRecord& deploy = add(run, "Deploy", "workflow", Step::Status::failed, {"", 3});
  deploy.exit_code = 1;
  deploy.took = std::chrono::seconds(5);
  deploy.end.outcome.message = "no answer";
  StepRecord& upload = add_failed(run, "Upload", "no answer", 7, {"/3:deploy", 1});
  upload.workflow = "deploy";
  upload.node = "node7";
  upload.end.outcome.standard_error = "refused\n";
  StepRecord& ship = add(run, "Ship", "shell", Step::Status::aborted, {"", 4});
  ship.end.command = "ship";
  run.logs.push_back({some_time, 0, LogAction::Level::warning, "look here"});
  run.logs.push_back({some_time, 1, LogAction::Level::info, "told"});
  run.logs.push_back({some_time, 1, LogAction::Level::warning, "careful"});
  run.logs.push_back({some_time, 1, LogAction::Level::error, "broken"});
  return run;
}

// The part of a text from the line that begins with `first`.
std::string from(const std::string& text, const std::string& first) {
  const std::size_t at = text.find('\n' + first);
  return at == std::string::npos ? "" : text.substr(at + 1);
}

// The row of a state in the table, after its name.
std::string row(const RunRecord& run, const std::string& state) {
  const std::string rest = from(run_text(run, false), "  " + state + " ");
  return rest.substr(0, rest.find('\n'));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_failed_run_is_told_in_full) {
  BOOST_TEST(
      run_text(failed_run(), false) ==
      "release: failed in 12.4 s\n"
      "  Run: 20261121-231502-3f9a, started 2026-11-21 23:15:02 UTC\n"
      "  File: release.md\n"
      "  Reason: the state 'Deploy' failed: no answer\n"
      "  Prompts: 2 calls in 3.10 s, 1200 tokens, cost 0.02\n"
      "\n"
      "  State            Status        Time\n"
      "  Build            ok (3 tries)  0.500 s\n"
      "  Test             failed        0.500 s\n"
      "  Deploy           failed        5.00 s\n"
      "  deploy / Upload  failed        0.500 s\n"
      "  Ship             aborted       0.500 s\n"
      "\n"
      "  Cut outputs:\n"
      "    Build: only a part of the 9000 bytes of standard output was kept as text; the whole output: wtool show "
      "20261121-231502-3f9a --output 'Build'\n"
      "    Build: only a part of the 8000 bytes of standard error was kept as text; the disk was full\n"
      "\n"
      "  Notices:\n"
      "    look here\n"
      "\n"
      "  Standard error of steps that succeeded:\n"
      "  Build:\n"
      "    | careful\n"
      "\n"
      "  Failed: deploy / Upload\n"
      "  Command:\n"
      "    | run Upload\n"
      "  Exit code: 7\n"
      "  stderr:\n"
      "    | refused\n"
      "\n"
      "  Failed, and the workflow continued: Test\n"
      "  exit 3\n"
      "  Hint: look at the log\n"
      "  Command:\n"
      "    | run Test\n"
      "  Exit code: 3\n"
      "  stdout:\n"
      "    | one failed\n"
      "\n"
      "  Also stopped: Ship\n"
      "\n"
      "  To resume where it ended: wtool resume 20261121-231502-3f9a\n");
}

BOOST_AUTO_TEST_CASE(what_was_cut_is_told_for_each_stream_with_the_command_that_shows_all_of_it) {
  RunRecord run = failed_run();
  run.steps[0].end.outcome.whole_error.file = "/runs/1.stderr";
  const std::string command = "the whole output: wtool show 20261121-231502-3f9a --output 'Build'";
  BOOST_TEST(holds(run_text(run, false), "standard output was kept as text; " + command + "\n"));
  BOOST_TEST(holds(run_text(run, false), "standard error was kept as text; " + command + " --stderr\n"));
  run.steps[0].end.secret = true;
  BOOST_TEST(!holds(run_text(run, false), "Cut outputs"));
}

BOOST_AUTO_TEST_CASE(how_a_run_ended_and_what_can_be_done_is_told) {
  RunRecord run;
  run.run = "r1";
  run.file = "release.md";
  run.began = some_time;
  add(run, "Build", "shell", Step::Status::succeeded, {"", 1});
  const std::string table = "\n\n  State  Status   Time\n  Build  ok       0.500 s\n";
  const std::string started = " 0.000 s\n  Run: r1, started 2026-11-21 23:15:02 UTC";
  const std::string file = "\n  File: release.md";
  BOOST_TEST(run_text(run, true) == "release.md: running for" + started + file + table);
  BOOST_TEST(run_text(run, false) == "release.md: interrupted after at least" + started + file + table +
                                         "\n  To resume where it ended: wtool resume r1\n");
  run.resumed = 1;
  run.status = RunReport::Status::completed;
  BOOST_TEST(run_text(run, false) == "release.md: completed in" + started + ", resumed once" + file + table);
  run.resumed = 2;
  run.settings.part.until = "Build";
  BOOST_TEST(run_text(run, false) == "release.md: completed (until Build) in" + started + ", resumed 2 times" + file +
                                         table + "\n  To continue after Build: wtool resume r1\n");
  run.settings.part.until = "Test";
  run.status = RunReport::Status::failed;
  run.missed_until = true;
  // A secret may have been masked in it.
  run.reason = "the run ended without reaching ***, which --until names";
  BOOST_TEST(run_text(run, false) == "release.md: failed (until Test) in" + started + ", resumed 2 times" + file +
                                         "\n  Reason: " + run.reason + table);
  run.status = RunReport::Status::completed;
  run.missed_until = false;
  run.reason = "";
  run.settings.part.until = "";
  run.settings.part.only = "Build";
  BOOST_TEST(run_text(run, false).starts_with("release.md: completed (only Build) in"));
  run.settings.part.only = "";
  run.status = RunReport::Status::suspended;
  BOOST_TEST(run_text(run, false).ends_with(table + "\n  To answer and continue: wtool approve r1\n"));
}

BOOST_AUTO_TEST_CASE(a_run_of_one_state_is_offered_to_be_resumed_only_if_that_may_help) {
  RunRecord run = failed_run();
  run.settings.part.only = "Test";
  BOOST_TEST(run_text(run, false).ends_with("wtool resume 20261121-231502-3f9a\n"));
  run.steps.resize(2);
  run.steps[1].end.transitioned = false;
  BOOST_TEST(run_text(run, false).ends_with("wtool resume 20261121-231502-3f9a\n"));
  run.steps[1].end.command = "";
  BOOST_TEST(!holds(run_text(run, false), "wtool resume"));
  run.steps[1].end.secret = true;
  BOOST_TEST(holds(run_text(run, false), "wtool resume"));
  run.steps[1].end.secret = false;
  run.steps[1].status = Step::Status::aborted;
  BOOST_TEST(holds(run_text(run, false), "wtool resume"));
}

BOOST_AUTO_TEST_CASE(a_run_that_was_stopped_tells_what_was_stopped_last) {
  RunRecord run;
  run.run = "r1";
  run.status = RunReport::Status::aborted;
  run.reason = "stopped by a signal";
  for (const char* state : {"A", "B", "C"}) {
    StepRecord& step = add(run, state, "shell", Step::Status::aborted, {"", run.steps.size() + 1});
    step.end.command = "run it";
    step.end.outcome.message = "stopped";
    step.exit_code = 130;
    step.end.outcome.standard_output = "half\n";
  }
  BOOST_TEST(from(run_text(run, false), "  Aborted: C") ==
             "  Aborted: C\n  Command:\n    | run it\n  Exit code: 130\n  Partial stdout:\n    | half\n"
             "\n  Also stopped: A, B\n\n  To resume where it ended: wtool resume r1\n");
  for (int i = 0; i < 12; ++i)
    add(run, "D" + std::to_string(i), "shell", Step::Status::aborted, {"", run.steps.size() + 1});
  BOOST_TEST(holds(run_text(run, false), "\n  Also stopped: A, B, C, D0, D1, D2, D3, D4, D5, D6 and 4 more\n"));
}

BOOST_AUTO_TEST_CASE(a_run_that_an_abort_has_stopped_blames_the_abort) {
  RunRecord run;
  run.run = "r1";
  run.status = RunReport::Status::aborted;
  run.reason = "the disk is full";
  for (const char* state : {"A", "B", "C", "D"}) {
    const bool aborts = state[0] == 'B' || state[0] == 'C';
    StepRecord& step = add(run, state, aborts ? "abort" : "shell", Step::Status::aborted, {"", run.steps.size() + 1});
    step.end.outcome.message = "the disk is full";
    step.exit_code = 130;
  }
  BOOST_TEST(from(run_text(run, false), "  Aborted: ") ==
             "  Aborted: B\n\n  Also stopped: A, C, D\n\n  To resume where it ended: wtool resume r1\n");
}

BOOST_AUTO_TEST_CASE(what_was_interrupted_is_named_without_the_steps_that_contain_it) {
  RunRecord run;
  run.run = "r1";
  add(run, "Build", "shell", Step::Status::succeeded, {"", 1});
  add(run, "Pass", "", Step::Status::running, {"", 2});
  add(run, "Deploy", "workflow", Step::Status::running, {"", 3});
  add(run, "Wait", "wait", Step::Status::running, {"/3:deploy", 1});
  const std::string end = "\n\n  To resume where it ended: wtool resume r1\n";
  const auto told = [&] { return from(run_text(run, false), "  Interrupted: "); };
  BOOST_TEST(told() == "  Interrupted: deploy / Wait" + end);
  add(run, "Upload", "tool", Step::Status::running, {"/3:other", 1});
  BOOST_TEST(told() ==
             "  Interrupted: deploy / Wait, other / Upload\n"
             "  What these steps had written until then is lost." +
                 end);
  run.steps.erase(run.steps.begin() + 3);
  BOOST_TEST(told() == "  Interrupted: other / Upload\n  What this step had written until then is lost." + end);
  BOOST_TEST(from(run_text(run, true), "  Interrupted: ") == "");
  BOOST_TEST(row(run, "Deploy") == "  Deploy  interrupted  more than 0.500 s");
  run.steps[2].took = {};
  BOOST_TEST(row(run, "Deploy") == "  Deploy  interrupted  not known");
}

BOOST_AUTO_TEST_CASE(the_row_of_a_state_counts_its_visits) {
  const auto told = [](auto... change) {
    RunRecord run;
    std::uint64_t sequence = 0;
    (change(add(run, "Build", "shell", Step::Status::succeeded, {"", ++sequence})), ...);
    return row(run, "Build").substr(9);
  };
  const auto plain = [](StepRecord&) {};
  const auto failed = [](StepRecord& step) { step.status = Step::Status::failed; };
  const auto longer = [](StepRecord& step) { step.took = std::chrono::seconds(2); };
  const auto tried = [](StepRecord& step) { step.tries = 3; };
  const auto kept = [](StepRecord& step) { step.replayed = true; };
  const auto same = [](StepRecord& step) { step.up_to_date = true; };
  const auto none = [](StepRecord& step) { step.tries = 0; };
  const auto branch = [](StepRecord& step) { step.place = {"/1:A", 1}; };
  const auto silent = [](StepRecord& step) { step.action = ""; };
  BOOST_TEST(told(plain) == "ok       0.500 s");
  BOOST_TEST(told(plain, longer, plain) == "ok (3 times)  3.00 s (longest 2.00 s)");
  BOOST_TEST(told(failed, plain) == "ok (2 times, 1 failed)  1.00 s (longest 0.500 s)");
  BOOST_TEST(told(plain, branch) == "ok (2 times in 2 branches)  1.00 s (longest 0.500 s)");
  BOOST_TEST(told(tried) == "ok (3 tries)  0.500 s");
  BOOST_TEST(told(tried, plain) == "ok (2 times, 4 tries)  1.00 s (longest 0.500 s)");
  BOOST_TEST(told(kept) == "ok (kept)  0.500 s");
  BOOST_TEST(told(kept, plain) == "ok (2 times, 1 kept)  1.00 s (longest 0.500 s)");
  BOOST_TEST(told(same) == "ok (up to date)  0.500 s");
  BOOST_TEST(told(same, plain) == "ok (2 times, 1 up to date)  1.00 s (longest 0.500 s)");
  BOOST_TEST(told(plain, none) == "ok (max visits reached)  1.00 s");
  BOOST_TEST(told(silent) == "-        0.500 s");
  BOOST_TEST(told(silent, silent) == "- (2 times)  1.00 s");
}

BOOST_AUTO_TEST_CASE(the_row_of_a_matrix_counts_its_combinations) {
  RunRecord run;
  StepRecord& whole = add(run, "Build", "shell", Step::Status::succeeded, {"", 1});
  whole.end.outcome.matrix = Value(List{});
  whole.took = std::chrono::seconds(3);
  BOOST_TEST(row(run, "Build") == "  Build  ok (0 combinations)  3.00 s");
  run.steps[0].replayed = true;
  BOOST_TEST(row(run, "Build") == "  Build  ok (kept)  3.00 s");
  run.steps[0].replayed = false;
  add(run, "Build", "shell", Step::Status::failed, {"/1:1", 1});
  add(run, "Build", "shell", Step::Status::succeeded, {"/1:2", 1});
  BOOST_TEST(row(run, "Build") == "  Build  ok (2 combinations, 1 failed)  3.00 s (longest 0.500 s)");
}

BOOST_AUTO_TEST_CASE(long_lists_in_a_text_end_with_what_was_left_out) {
  RunRecord run;
  run.run = "r1";
  run.status = RunReport::Status::failed;
  for (int i = 0; i < 205; ++i) {
    StepRecord& step = add(run, "S" + std::to_string(i), "shell", Step::Status::succeeded, {"", run.steps.size() + 1});
    step.end.outcome.standard_error = "x\n";
    step.end.outcome.whole_error = {.bytes = 9, .cut = true};
    run.logs.push_back({some_time, 0, LogAction::Level::warning, "notice " + std::to_string(i)});
  }
  for (int i = 0; i < 23; ++i) add_failed(run, "F" + std::to_string(i), "m", 1, {"", run.steps.size() + 1});
  const std::string text = run_text(run, false);
  BOOST_TEST(holds(text, "  S199   ok"));
  BOOST_TEST(!holds(text, "  S200 "));
  BOOST_TEST(holds(text, "  ... and 28 more states\n"));
  BOOST_TEST(
      holds(text, "    S9: only a part of the 9 bytes of standard error was kept as text\n    ... and 195 more\n"));
  BOOST_TEST(holds(text, "    notice 19\n    ... and 185 more\n"));
  BOOST_TEST(holds(text, "  S9:\n    | x\n  ... and of 195 more steps; wtool logs r1 --stderr shows all\n"));
  BOOST_TEST(!holds(text, "  S10:\n"));
  BOOST_TEST(!holds(text, "  Failed: F2\n"));
  BOOST_TEST(holds(text, "  Failed: F3\n"));
  BOOST_TEST(holds(text, "\n  ... and 3 more steps failed, or were stopped, before these\n"));
}

BOOST_AUTO_TEST_CASE(json_has_everything_about_a_run) {
  RunRecord run = failed_run();
  run.steps.resize(2);
  run.logs.resize(2);
  run.resumed = 1;
  run.refused = true;
  run.settings.part.until = "Ship";
  run.settings.part.only = "Build";
  run.inputs.emplace("level", Value(std::int64_t{2}));
  run.secret_inputs = {"token"};
  run.masked_inputs = {"name"};
  StepRecord& build = run.steps[0];
  build.workflow = "inner";
  build.node = "node7";
  build.replayed = build.up_to_date = build.masked = true;
  build.end.secret = true;
  build.end.assigned.emplace_back("x", Value("y"));
  build.kept_files = {{"a.txt", "kept/1", 12}};
  const json whole = json::parse(R"({
    "run": "20261121-231502-3f9a", "name": "release", "file": "release.md", "status": "failed",
    "began": "2026-11-21T23:15:02.045Z", "ms": 12400.0, "resumed": 1, "until": "Ship", "only": "Build",
    "reason": "the state 'Deploy' failed: no answer", "refused": true,
    "usage": {"calls": 2, "tokens": 1200, "cost": 0.02, "ms": 3100},
    "inputs": {"level": 2}, "secret_inputs": ["token"], "masked_inputs": ["name"],
    "steps": [
      {"step": 1, "branch": "", "seq": 1, "workflow": "inner", "state": "Build", "action": "shell",
       "status": "succeeded", "began": "2026-11-21T23:15:03.045Z", "ms": 500.0, "exit_code": 0, "tries": 3,
       "node": "node7", "kept": true, "up_to_date": true, "secret": true, "masked": true, "stdout": "built\n",
       "stderr": "careful\n", "stdout_bytes": 9000, "stdout_cut": true, "stdout_file": "/runs/1.stdout",
       "stderr_bytes": 8000, "stderr_cut": true, "set": {"x": "y"},
       "kept_files": [{"path": "a.txt", "copy": "kept/1", "bytes": 12}], "next": ["Test"]},
      {"step": 2, "branch": "", "seq": 2, "state": "Test", "action": "shell", "status": "failed",
       "began": "2026-11-21T23:15:04.045Z", "ms": 500.0, "exit_code": 3, "tries": 1, "command": "run Test",
       "message": "exit 3", "stdout": "one failed\n", "stderr": "",
       "metadata": {"error": {"hint": "look at the log"}}, "next": []}],
    "logs": [
      {"time": "2026-11-21T23:15:02.045Z", "step": 0, "level": "warning", "text": "look here"},
      {"time": "2026-11-21T23:15:02.045Z", "step": 1, "level": "info", "text": "told"}]})");
  BOOST_TEST(json::parse(run_json(run, "failed", true)) == whole, run_json(run, "failed", true));
  json small = whole;
  for (const char* name : {"inputs", "secret_inputs", "masked_inputs", "steps", "logs"}) small.erase(name);
  BOOST_TEST(json::parse(run_json(run, "failed", false)) == small);
  small["status"] = "completed";
  small["until_reached"] = true;
  BOOST_TEST(json::parse(run_json(run, "completed", false)) == small);
  small["status"] = "failed";
  small["reason"] = run.reason = "the run ended without reaching Ship, which --until names";
  small["until_reached"] = false;
  run.status = RunReport::Status::failed;
  run.missed_until = true;
  BOOST_TEST(json::parse(run_json(run, "failed", false)) == small);
  RunRecord bare;
  bare.steps.emplace_back().status = Step::Status::running;
  const json told = json::parse(run_json(bare, "interrupted", true));
  for (const char* name : {"until", "until_reached", "only", "reason", "refused", "usage", "masked_inputs"}) {
    BOOST_TEST(!told.contains(name), name);
  }
  BOOST_TEST(told["steps"][0]["interrupted"] == true);
  for (const char* name :
       {"ms", "workflow", "action", "node", "kept", "up_to_date", "secret", "masked", "command", "message", "error",
        "stdout_bytes", "stdout_cut", "stdout_file", "metadata", "set", "kept_files"}) {
    BOOST_TEST(!told["steps"][0].contains(name), name);
  }
  BOOST_TEST(json::parse(run_json(bare, "running", true))["steps"][0]["ms"] == 0);
}

BOOST_AUTO_TEST_CASE(github_gets_errors_warnings_and_notices_with_their_lines) {
  RunRecord run = failed_run();
  const StateLines lines = {{"Test", 12}, {"Upload", 99}};
  BOOST_TEST(github_commands(run, "flows/a,b.md", lines) ==
             "::warning file=flows/a%2Cb.md,line=12,title=release%3A Test::exit 3; look at the log%0Aone failed%0A\n"
             "::error title=release%3A deploy / Upload::no answer%0Arefused%0A\n"
             "::notice title=release::look here\n"
             "::warning title=release::careful\n"
             "::error title=release::broken\n");
  run.logs.clear();
  run.status = RunReport::Status::aborted;
  BOOST_TEST(github_commands(run, "f", {})
                 .ends_with("::error title=release%3A aborted::the state 'Deploy' failed: no answer\n"));
  run.status = RunReport::Status::completed;
  BOOST_TEST(!holds(github_commands(run, "f", {}), "::error"));
  BOOST_TEST(holds(github_commands(run, "f", {}), "::warning title=release%3A deploy / Upload::"));
  run.steps.resize(1);
  BOOST_TEST(github_commands(run, "f", {}) == "");
  run.status = RunReport::Status::suspended;
  run.reason = "Ask waits";
  BOOST_TEST(github_commands(run, "f", {}) ==
             "::warning title=release%3A suspended::Ask waits%0Awtool approve 20261121-231502-3f9a continues it\n");
  run.status.reset();
  run.reason = "";
  run.name = "";
  BOOST_TEST(github_commands(run, "f", {}) == "::error title=release.md%3A interrupted::the run has not ended\n");
  add_failed(run, "Bad", "", 5, {"", 2});
  BOOST_TEST(github_commands(run, "f", {}) == "::error title=release.md%3A Bad::exit code 5\n");
}

BOOST_AUTO_TEST_CASE(github_gets_ten_annotations_of_each_kind) {
  RunRecord run = failed_run();
  run.steps.clear();
  run.logs.clear();
  for (int i = 0; i < 12; ++i) {
    run.logs.push_back({some_time, 0, LogAction::Level::warning, "n"});
    run.logs.push_back({some_time, 1, LogAction::Level::warning, "w"});
    run.logs.push_back({some_time, 1, LogAction::Level::error, "e"});
  }
  const std::string text = github_commands(run, "f", {});
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  BOOST_TEST(count("::notice ") == 10U);
  BOOST_TEST(count("::warning ") == 10U);
  BOOST_TEST(count("::error ") == 10U);
  BOOST_TEST(text.ends_with("\n7 more annotations are left out; wtool show 20261121-231502-3f9a shows everything\n"));
}

BOOST_AUTO_TEST_CASE(the_page_for_github_has_the_steps_and_the_outputs_of_those_that_failed) {
  RunRecord run = failed_run();
  run.steps[0].replayed = true;
  add(run, "Hidden", "shell", Step::Status::succeeded, {"", 5}).hidden = true;
  add(run, "Pass", "", Step::Status::succeeded, {"", 6});
  add(run, "Open", "shell", Step::Status::running, {"", 7});
  BOOST_TEST(github_page(run) ==
             "## release: failed in 12&#46;4 s\n"
             "\n"
             "the state &#39;Deploy&#39; failed&#58; no answer\n"
             "\n"
             "| | Step | Status | Time |\n"
             "|---|---|---|---|\n"
             "| ✅ | Build | succeeded &#40;3 tries&#41;, kept | 0&#46;500 s |\n"
             "| ❌ | Test | failed | 0&#46;500 s |\n"
             "| ❌ | Deploy | failed | 5&#46;00 s |\n"
             "| ❌ | deploy / Upload | failed | 0&#46;500 s |\n"
             "| ⏹ | Ship | aborted | 0&#46;500 s |\n"
             "| ⏹ | Open | not ended | 0&#46;500 s |\n"
             "\n"
             "<details><summary>Test: exit 3</summary>\n"
             "\n"
             "<pre>$ run Test</pre>\n"
             "<pre>one failed&#10;</pre>\n"
             "\n"
             "</details>\n"
             "\n"
             "<details open><summary>deploy / Upload: no answer</summary>\n"
             "\n"
             "<pre>$ run Upload</pre>\n"
             "<pre>refused&#10;</pre>\n"
             "\n"
             "</details>\n");
  run.status = RunReport::Status::completed;
  BOOST_TEST(!holds(github_page(run), "<details open>"));
}

BOOST_AUTO_TEST_CASE(opentelemetry_gets_a_span_for_each_step_and_a_record_for_each_text) {
  RunRecord run = failed_run();
  run.host = "here";
  run.pid = 42;
  run.parts.push_back({"abcd", {}});
  run.resumed = 1;
  run.steps[3].end.outcome.error = "timeout";
  add(run, "Hidden", "shell", Step::Status::succeeded, {"", 5}).hidden = true;
  const json request = json::parse(otlp_traces(run))["resourceSpans"][0];
  const auto attributes = [](const json& of) {
    std::string text;
    for (const json& one : of.at("attributes")) {
      const json& value = *one.at("value").begin();
      text +=
          one.at("key").get<std::string>() + "=" + (value.is_string() ? value.get<std::string>() : value.dump()) + " ";
    }
    return text;
  };
  BOOST_TEST(attributes(request["resource"]) == "service.name=wtool host.name=here process.pid=42 ");
  const json spans = request["scopeSpans"][0]["spans"];
  BOOST_REQUIRE(spans.size() == 6U);
  BOOST_TEST(attributes(spans[0]) ==
             "wtool.run.id=20261121-231502-3f9a wtool.run.status=failed wtool.run.resumed=1 "
             "wtool.workflow.file=release.md wtool.workflow.sha256=abcd ");
  BOOST_TEST(spans[0]["name"] == "release");
  BOOST_TEST(!spans[0].contains("parentSpanId"));
  BOOST_TEST(spans[0]["startTimeUnixNano"] == "1795302902045000000");
  BOOST_TEST(spans[0]["endTimeUnixNano"] == "1795302914445000000");
  BOOST_TEST(spans[0]["status"]["code"] == 2);
  BOOST_TEST(spans[0]["status"]["message"] == run.reason);
  BOOST_TEST(attributes(spans[1]) ==
             "wtool.state=Build wtool.action=shell wtool.sequence=1 wtool.status=succeeded wtool.exit_code=0 "
             "wtool.tries=3 ");
  BOOST_TEST(spans[1]["status"] == json::parse(R"({"code":1})"));
  BOOST_TEST(spans[1]["parentSpanId"] == spans[0]["spanId"]);
  BOOST_TEST(spans[1]["startTimeUnixNano"] == "1795302903045000000");
  BOOST_TEST(spans[1]["endTimeUnixNano"] == "1795302903545000000");
  BOOST_TEST(attributes(spans[4]) ==
             "wtool.state=Upload wtool.action=shell wtool.workflow=deploy wtool.branch=/3:deploy wtool.sequence=1 "
             "wtool.status=failed wtool.exit_code=7 wtool.tries=1 wtool.command=run Upload wtool.error=timeout "
             "wtool.node=node7 ");
  BOOST_TEST(spans[4]["parentSpanId"] == spans[3]["spanId"]);
  BOOST_TEST(spans[4]["status"]["message"] == "no answer");
  BOOST_TEST(!spans[5].contains("status"));

  const json logs = json::parse(otlp_logs(run))["resourceLogs"][0]["scopeLogs"][0]["logRecords"];
  std::string told;
  for (const json& log : logs) {
    told += log["severityText"].get<std::string>() + std::to_string(log["severityNumber"].get<int>()) + " " +
            log["body"]["stringValue"].get<std::string>() + " " + attributes(log) + "\n";
  }
  BOOST_TEST(told ==
             "WARN13 look here \n"
             "INFO9 told wtool.state=Build \n"
             "WARN13 careful wtool.state=Build \n"
             "ERROR17 broken wtool.state=Build \n"
             "INFO9 built\n log.iostream=stdout wtool.state=Build \n"
             "INFO9 careful\n log.iostream=stderr wtool.state=Build \n"
             "INFO9 one failed\n log.iostream=stdout wtool.state=Test \n"
             "INFO9 refused\n log.iostream=stderr wtool.state=Upload \n");
  BOOST_TEST(logs[0]["spanId"] == spans[0]["spanId"]);
  BOOST_TEST(logs[1]["spanId"] == spans[1]["spanId"]);
  BOOST_TEST(logs[1]["traceId"] == spans[0]["traceId"]);
  run.status = RunReport::Status::suspended;
  BOOST_TEST(!json::parse(otlp_traces(run))["resourceSpans"][0]["scopeSpans"][0]["spans"][0].contains("status"));
}

BOOST_AUTO_TEST_CASE(the_page_of_a_run_shows_what_failed_open_and_what_is_known_about_each_step) {
  RunRecord run = failed_run();
  run.resumed = 2;
  run.secret_inputs = {"token"};
  run.steps[0].up_to_date = true;
  run.steps[0].kept_files = {{"a.txt", "kept/1", 12}};
  run.steps[4].status = Step::Status::running;
  const std::string page = html_report(run, nullptr);
  for (const char* part :
       {"<p class=\"faint\">Run 20261121-231502-3f9a of release.md, 2026-11-21 23:15:02 UTC, 12.4 s, resumed 2 "
        "times</p>",
        "<p class=\"faint\">Prompts: 2 calls in 3.10 s, 1200 tokens, cost 0.02</p>",
        "<details><summary>stdout, 9000 bytes, cut</summary><pre>[the output has 9000 bytes and was cut; this is the "
        "end of it]\nbuilt\n</pre></details>",
        "<details><summary>stderr, 8000 bytes, cut</summary>",
        "<details open=\"open\"><summary>stderr, 8 bytes</summary><pre>refused\n</pre></details>",
        "<details open=\"open\"><summary>command, 8 bytes</summary><pre>run Test</pre></details>",
        "<details open=\"open\"><summary>message, 6 bytes</summary><pre>exit 3</pre></details>",
        "<td class=\"succeeded\">succeeded, 3 tries, up to date</td>", "<td class=\"failed\">failed (exit code 7)</td>",
        "<td class=\"running\">not ended</td>", "<span class=\"faint\">in deploy</span>",
        "<span class=\"faint\">on node7</span>", "<div class=\"faint\">kept: a.txt, 12 bytes, kept/1</div>",
        "<div class=\"faint\">told</div>", "<ul>\n<li>look here</li>\n</ul>",
        "<tr><td>token</td><td class=\"faint\">secret</td></tr>",
        "<h2>Failed</h2>\n<ul>\n<li><a href=\"#step-3\">Deploy</a> <span class=\"faint\">exit code 1, 5.00 "
        "s</span></li>\n"
        "<li><a href=\"#step-4\">deploy / Upload</a> <span class=\"faint\">exit code 7, 0.500 s</span></li>\n</ul>",
        "<h2>Failed, and the workflow continued</h2>\n<ul>\n<li><a href=\"#step-2\">Test</a>",
        // The steps began 1 to 5 seconds after the run; the third one took 5 seconds.
        "<div class=\"bar succeeded\" style=\"margin-left:0.00%;width:7.14%\"></div>",
        "<div class=\"bar failed\" style=\"margin-left:28.57%;width:71.43%\"></div>"}) {
    BOOST_TEST(holds(page, part), part);
  }
  BOOST_TEST(!holds(page, "<div class=\"faint\">look here</div>"));
  run.steps[0].replayed = true;
  const std::string resumed = html_report(run, nullptr);
  BOOST_TEST(holds(resumed, "<td class=\"succeeded\">succeeded, 3 tries, kept, up to date</td>"));
  BOOST_TEST(holds(resumed, "<td class=\"bars\"></td>"));
  BOOST_TEST(holds(resumed, "<div class=\"bar failed\" style=\"margin-left:0.00%;width:8.33%\"></div>"));
}

}  // namespace run_texts_test
