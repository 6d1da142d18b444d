// Runs of workflows with fake tools.
#include <boost/test/unit_test.hpp>

#include "runs.h"

namespace executor_test {

using namespace wtool::test;
using namespace wtool::host;
using namespace wtool::host::runner;
using namespace wtool::host::workflow;
using wtool::Stop;
using wtool::StopHow;

namespace {

const std::string three_ways =
    "[*] --> A\nA --> Good: success\nA --> Bad: exit_code == 3\nA --> Other: default\nGood --> [*]\nBad --> [*]\nOther "
    "--> [*]\n";

bool holds_log(const Run& run, const std::string& text) {
  return run.recorder.events.find("log0'" + text + "'") != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_wrong_output_of_a_secret_step_is_in_no_message) {
  const Run run(
      workflow_text("[*] --> A\nA --> [*]\n", "- A: Shell \"x\" secret=true output={\"type\": \"integer\"}\n"),
      [](const Json&, Stop&, const ToolCaller::OutputSink&) { return FakeTools::exited(0, "\"hunter2-secret\""); });
  BOOST_TEST(run.report.reason.find("the output does not match `output`") != std::string::npos, run.report.reason);
  BOOST_TEST(run.report.reason.find("hunter2") == std::string::npos, run.report.reason);
}

BOOST_AUTO_TEST_CASE(the_action_of_a_branching_state_runs_before_its_exits_are_judged) {
  const std::string text = workflow_text(three_ways, "- A: Shell \"x\"\n");
  BOOST_TEST(Run(text, exits_with(0)).path() == "A Good");
  BOOST_TEST(Run(text, exits_with(3)).path() == "A Bad");
  BOOST_TEST(Run(text, exits_with(4)).path() == "A Other");
  BOOST_TEST((Run(text, exits_with(3)).report.status == RunReport::Status::completed));
}

BOOST_AUTO_TEST_CASE(a_counter_is_a_number_that_set_counts_up) {
  const Run run(workflow_text("[*] --> Count\nCount --> Count: n < 3\nCount --> Tell: default\nTell --> [*]\n",
                              "- Count: Set n={{ n | default: 0 | plus: 1 }}\n- Tell: Log \"${n}\"\n"));
  BOOST_TEST(run.path() == "Count Count Count Tell");
  BOOST_TEST(holds_log(run, "3"), run.recorder.events);
}

BOOST_AUTO_TEST_CASE(a_sum_of_anything_but_numbers_is_an_error_with_its_place) {
  const Run run(workflow_text("[*] --> Count\nCount --> [*]\n", "- Count: Set n={{ x | plus: 1 }}\n"), nullptr,
                {{"x", expressions::Value("many")}});
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(run.report.reason.find("need a number, but got the string \"many\"") != std::string::npos,
             run.report.reason);
}

BOOST_AUTO_TEST_CASE(a_call_is_made_at_the_place_of_its_step) {
  const Run run(workflow_text("[*] --> A\nA --> W\nstate W {\n[*] --> B\nB --> C\nC --> [*]\n}\nW --> [*]\n",
                              "- A: Shell \"a\"\n- W: on=cluster slot=big\n- B: Shell \"b\" shell=bash\n"
                              "- C: Shell \"c\" on=local slot=small\n"));
  BOOST_REQUIRE(run.tools.calls.size() == 3U);
  BOOST_TEST(run.tools.calls[0].on == "");
  BOOST_TEST(run.tools.calls[1].on == "cluster");
  BOOST_TEST(run.tools.calls[1].shell == "bash");
  BOOST_TEST(run.tools.calls[1].slot == "big");
  BOOST_TEST(run.tools.calls[2].on == "local");
  BOOST_TEST(run.tools.calls[2].slot == "small");
}

BOOST_AUTO_TEST_CASE(a_call_has_the_strictest_limits_of_its_step_and_of_all_that_is_around_it) {
  const Run run(workflow_text("[*] --> A\nA --> W\nstate W {\n[*] --> B\nB --> C\nC --> [*]\n}\nW --> [*]\n",
                              "- A: Shell \"a\"\n- W: network=deny memory=1G\n- B: Shell \"b\" memory=512M cpu=2s\n"
                              "- C: Shell \"c\" sandbox=\"read-only\" memory=2G processes=5\n"));
  BOOST_REQUIRE(run.tools.calls.size() == 3U);
  BOOST_TEST(run.tools.calls[0].limits == "");
  BOOST_TEST(run.tools.calls[1].limits == R"({"network":"deny","memory_bytes":536870912,"cpu_seconds":2})");
  BOOST_TEST(run.tools.calls[2].limits ==
             R"({"sandbox":"read-only","network":"deny","memory_bytes":1073741824,"processes":5})");
}

BOOST_AUTO_TEST_CASE(a_call_is_in_a_span_that_names_its_state) {
  const Run run(workflow_text("[*] --> A\nA --> [*]\n", "- A: Shell \"a\"\n"));
  BOOST_REQUIRE(run.tools.calls.size() == 1U);
  BOOST_TEST(run.tools.calls[0].span.name == "step");
  BOOST_REQUIRE(run.tools.calls[0].span.fields.size() == 2U);
  BOOST_TEST(run.tools.calls[0].span.fields[1].second == "A");
}

BOOST_AUTO_TEST_CASE(exits_are_tried_in_the_order_of_the_diagram_and_the_open_one_last) {
  const std::string text =
      workflow_text("[*] --> A\nA --> C\nA --> B: exit_code >= 0\nA --> D: success\nB --> [*]\nC --> [*]\nD --> [*]\n",
                    "- A: Shell \"x\"\n");
  BOOST_TEST(Run(text).path() == "A B");
}

BOOST_AUTO_TEST_CASE(a_failure_is_visible_to_conditions) {
  const std::string conditions[] = {"failure",
                                    "!success",
                                    "is_error",
                                    "exit_code == 7",
                                    "A.exit_code == 7",
                                    "A.is_error",
                                    "!A.success",
                                    "r.failure",
                                    "r.exit_code != 0",
                                    "r == \"out\"",
                                    "A.stdout == \"out\\n\\n\"",
                                    "r.stderr == \"err\"",
                                    "result.contains(\"ou\")",
                                    "last_action_result.message.endsWith(\"7\")"};
  for (const std::string& condition : conditions) {
    const Run run(workflow_text("[*] --> A\nA --> Yes: " + condition + "\nA --> No: default\nYes --> [*]\nNo --> [*]\n",
                                "- A: Shell \"x\" with result=\"r\"\n"),
                  exits_with(7, "out\n\n", "err"));
    BOOST_TEST_CONTEXT(condition) { BOOST_TEST(run.path() == "A Yes", run.report.reason); }
  }
}

BOOST_AUTO_TEST_CASE(a_run_does_not_complete_when_its_last_command_failed_unjudged) {
  const Run run(workflow_text("[*] --> A\nA --> [*]\n", "- A: Shell \"make it\"\n"),
                exits_with(2, "some\nout\n", "bad\n"));
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(run.report.reason ==
             "step 'A' failed, and no transition handles the failure: Command failed with exit code 2");
  for (const char* part : {"w: failed in ", "A      failed   ", "Failed: A", "| make it", "Exit code: 2",
                           "stderr:\n    | bad", "stdout:\n    | some\n    | out"}) {
    BOOST_TEST(run.summary().find(part) != std::string::npos, run.summary());
  }
}

BOOST_AUTO_TEST_CASE(a_failed_state_without_an_open_exit_fails_the_run) {
  const Run run(workflow_text("[*] --> A\nA --> [*]: success\n", "- A: Shell \"x\"\n"), exits_with(9));
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(run.report.reason ==
             "step 'A' failed, and no transition handles the failure: Command failed with exit code 9");
}

BOOST_AUTO_TEST_CASE(a_good_state_without_an_open_exit_fails_the_run_and_says_so) {
  const Run run(workflow_text("[*] --> A\nA --> [*]: exit_code == 5\n", "- A: Shell \"x\"\n"));
  BOOST_TEST(run.report.reason ==
             "no transition of the state 'A' applies (success is true, exit_code is 0); add a line A --> ...: default");
}

BOOST_AUTO_TEST_CASE(a_condition_that_cannot_be_judged_fails_the_run_at_its_place) {
  const Run run(workflow_text("[*] --> A\nA --> [*]: result > 5\nA --> [*]: default\n", "- A: Shell \"x\"\n"),
                exits_with(0, "6"));
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(run.report.reason.starts_with(
                 "w.md:4:19: the condition `result > 5` cannot be evaluated: the string \"6\" and the int 5"),
             run.report.reason);
  const Run text(workflow_text("[*] --> A\nA --> [*]: result.stdout\nA --> [*]: default\n", "- A: Shell \"x\"\n"));
  BOOST_TEST(text.report.reason.find("must be true or false, but this one is of type string") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(outputs_are_passed_on_quoted_for_their_place) {
  const Run run(
      workflow_text(
          "[*] --> A\nA --> B\nB --> C\nC --> [*]\n",
          "- A: Shell \"x\" with result=\"r\"\n"
          "- B: Shell \"echo ${r} \\\"${r}\\\"\" with timeout=7 working_dir=\"d/${p}\" env={\"K\": \"<${r.stdout}>\"}\n"
          "- C: Call tool \"lookup\" with {\"q\": \"say ${r}\", \"n\": \"${n}\", \"deep\": [{\"r\": \"{{ r }}\"}], "
          "\"t\": true}\n"),
      exits_with(0, "it's $(x)\n\n"), {{"p", expressions::Value("q")}, {"n", expressions::Value(std::int64_t{4})}});
  BOOST_REQUIRE_EQUAL(run.tools.calls.size(), 3U);
  const Json shell = {{"command", "echo 'it'\\''s $(x)' \"it's \\$(x)\""},
                      {"timeout", 7},
                      {"working_directory", "d/q"},
                      {"environment", {{"K", "<it's $(x)\n\n>"}}}};
  BOOST_TEST(run.tools.calls[1].arguments == shell);
  BOOST_TEST(run.tools.calls[2].tool == "lookup");
  const Json lookup = {{"q", "say it's $(x)"}, {"n", 4}, {"deep", Json::array({{{"r", "it's $(x)"}}})}, {"t", true}};
  BOOST_TEST(run.tools.calls[2].arguments == lookup);
}

BOOST_AUTO_TEST_CASE(set_and_log_use_values_and_count_as_actions) {
  const Run run(
      workflow_text("[*] --> A\nA --> B: always\nB --> C\nC --> [*]: v == \"2-1\" && n > 2 && yes && success && result "
                    "== \"true\"\n",
                    "- A: Shell \"x\"\n- B: Log warning \"got ${A}: ${failure}\"\n- C: Set v=\"2-${A.exit_code}\" n=3 "
                    "yes=true\n"),
      exits_with(1, "out"));
  BOOST_TEST((run.report.status == RunReport::Status::completed), run.report.reason);
  BOOST_TEST(run.recorder.events == "+A !A +B log1'got out: true' -B +C -C end");
}

BOOST_AUTO_TEST_CASE(a_value_that_does_not_exist_yet_fails_the_run_at_its_place) {
  const Run run(workflow_text("[*] --> A\nA --> B\nB --> A: failure\nB --> [*]: success\n",
                              "- A: Shell \"echo ${B}\"\n- B: Log \"x\"\n"));
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(run.report.reason == "w.md:11:18: the state 'B' has not run yet");
  BOOST_TEST(run.tools.calls.empty());
}

BOOST_AUTO_TEST_CASE(a_value_that_is_too_large_for_a_command_line_fails_the_run) {
  const Run run(workflow_text("[*] --> A\nA --> B\nB --> [*]\n", "- A: Shell \"x\"\n- B: Shell \"cat ${A}\"\n"),
                exits_with(0, std::string(300'000, 'y')));
  BOOST_TEST(run.report.reason.find("The largest value is that of ${A} (300000 bytes)") != std::string::npos,
             run.report.reason);
}

BOOST_AUTO_TEST_CASE(a_timeout_given_by_a_variable_is_checked_when_it_is_known) {
  const std::string text = workflow_text("[*] --> A\nA --> [*]\n", "- A: Shell \"x\" with timeout=\"${t}\"\n");
  BOOST_TEST(Run(text, nullptr, {{"t", expressions::Value("60")}}).tools.calls[0].arguments["timeout"] == 60);
  BOOST_TEST(Run(text, nullptr, {{"t", expressions::Value("0")}})
                 .report.reason.find("a timeout must be a number of seconds") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(endless_loops_end_at_the_limit) {
  const std::string loop = "[*] --> A\nA --> A: success\nA --> [*]: failure\n";
  const Run by_default(workflow_text(loop, "- A: Set v=\"x\"\n"));
  BOOST_TEST((by_default.report.status == RunReport::Status::failed));
  BOOST_TEST(by_default.report.steps.size() == 10'000U);
  BOOST_TEST(by_default.report.reason.find("10000 states") != std::string::npos);
  BOOST_TEST(by_default.summary().find("ok (10000 times)") != std::string::npos);
  BOOST_TEST(Run(workflow_text(loop, "- A: Set v=\"x\"\n", "max_steps: 7\n")).report.steps.size() == 7U);
}

BOOST_AUTO_TEST_CASE(abort_ends_the_run_with_its_reason) {
  const Run run(workflow_text("[*] --> A\nA --> B\nB --> [*]\n", "- A: Shell \"x\"\n- B: Abort \"no ${A}\"\n"),
                exits_with(0, "luck\n"));
  BOOST_TEST((run.report.status == RunReport::Status::aborted));
  BOOST_TEST(run.report.reason == "no luck");
  BOOST_TEST(run.recorder.events == "+A -A +B xB end");
}

BOOST_AUTO_TEST_CASE(a_stop_reaches_the_running_call_and_keeps_its_partial_output) {
  const Run run(workflow_text("[*] --> A\nA --> B\nB --> [*]\n", "- A: Shell \"slow\"\n- B: Log \"x\"\n"),
                [](const Json&, Stop& stop, const ToolCaller::OutputSink& output) {
                  output(OutputStream::standard_output, "half");
                  stop.request(StopHow::graceful, "enough");
                  return ToolOutcome{ToolOutcome::Kind::cancelled,
                                     {{"content", {{{"type", "text"}, {"text", "Command aborted: enough"}}}},
                                      {"is_error", true},
                                      {"metadata", {{"partial_stdout", "half"}, {"partial_stderr", ""}}}},
                                     ""};
                });
  BOOST_TEST((run.report.status == RunReport::Status::aborted));
  BOOST_TEST(run.report.reason == "enough");
  BOOST_TEST(run.recorder.events == "+A 1'half' xA end");
  BOOST_TEST(run.summary().find("Partial stdout:\n    | half") != std::string::npos, run.summary());
}

BOOST_AUTO_TEST_CASE(a_stop_between_states_ends_the_run) {
  const Run run(workflow_text("[*] --> A\nA --> B\nB --> [*]\n", "- A: Shell \"x\"\n- B: Log \"x\"\n"),
                [](const Json&, Stop& stop, const ToolCaller::OutputSink&) {
                  stop.request(StopHow::graceful, "enough");
                  return FakeTools::exited(0, "done");
                });
  BOOST_TEST((run.report.status == RunReport::Status::aborted));
  BOOST_TEST(run.path() == "A");
}

BOOST_AUTO_TEST_CASE(calls_that_could_not_be_made_and_timeouts_are_failures) {
  const std::string text = workflow_text(
      "[*] --> A\nA --> [*]: A.exit_code == 124 && A == \"half\"\nA --> [*]: success\n", "- A: Shell \"x\"\n");
  const Run timeout(text, [](const Json&, Stop&, const ToolCaller::OutputSink&) {
    return ToolOutcome{ToolOutcome::Kind::finished,
                       {{"content", {{{"type", "text"}, {"text", "Command timed out after 1 seconds"}}}},
                        {"is_error", true},
                        {"metadata", {{"timeout_seconds", 1}, {"partial_stdout", "half\n"}, {"partial_stderr", ""}}}},
                       ""};
  });
  BOOST_TEST((timeout.report.status == RunReport::Status::completed), timeout.report.reason);
  const Run not_made(text, [](const Json&, Stop&, const ToolCaller::OutputSink&) {
    return ToolOutcome{ToolOutcome::Kind::not_made, {}, "the plugin is broken"};
  });
  BOOST_TEST((not_made.report.status == RunReport::Status::failed));
  BOOST_TEST(not_made.report.reason.find("the plugin is broken") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(states_without_an_action_keep_the_last_outcome) {
  const Run run(workflow_text("[*] --> A\nA --> Pick\nstate Pick <<choice>>\nPick --> Bad: failure\nPick --> Good: "
                              "success\nBad --> [*]\nGood --> [*]\n",
                              "- A: Shell \"x\"\n"),
                exits_with(1));
  BOOST_TEST(run.path() == "A Pick Bad");
}

}  // namespace executor_test
