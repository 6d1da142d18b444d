// Refusals, a workflow's mistakes and limits end the whole run, at whatever level they occur. With fake tools.
#include <boost/test/unit_test.hpp>

#include "failing_runs.h"

namespace fatal_ends_test {

using namespace wtool::test;
using namespace wtool::host;
using namespace wtool::host::runner;
using namespace wtool::host::workflow;
using wtool::Stop;

namespace {

const std::string broken = "- B: Log \"${C}\"\n- C: Log \"c\"\n";  // C has not run yet

}  // namespace

BOOST_AUTO_TEST_SUITE(fatal_ends)

BOOST_AUTO_TEST_CASE(a_refused_command_ends_the_run) {
  for (const char* exit : {"A --> B\n", "A --> B: always\n", "A --> B: default\nA --> C: success\nC --> [*]\n",
                           "A --> B: exit_code == 1\n"}) {
    for (const char* rule : {"", "failures: continue\n"}) {
      const Run run(workflow_text("[*] --> A\n" + std::string(exit) + "B --> [*]\n",
                                  "- A: Shell \"a\" retry=3\n- B: Shell \"b\"\n", rule),
                    refusing({"a"}));
      BOOST_TEST_CONTEXT(exit << rule) {
        BOOST_TEST((run.report.status == RunReport::Status::failed));
        BOOST_TEST(run.report.refused);
        BOOST_TEST(run.tools.calls.size() == 1U);
        BOOST_TEST(holds(run.report.reason, "step 'A' was refused: "), run.report.reason);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_report_shows_a_refusal_as_one_and_not_as_output) {
  const auto refuse = [](const Json&, Stop&, const ToolCaller::OutputSink&) {
    ToolOutcome outcome = FakeTools::exited(1, "");
    outcome.result = {{"content", Json::array({{{"type", "text"}, {"text", "Command refused: not listed"}}})},
                      {"is_error", true},
                      {"metadata", {{"command", "a"}, {"error", {{"code", "policy_denied"}, {"hint", "list it"}}}}}};
    return outcome;
  };
  const Run failed(workflow_text("[*] --> A\nA --> [*]\n", "- A: Shell \"a\"\n"), refuse);
  const std::string summary = failed.summary();
  for (const char* part : {"Command refused: not listed", "Hint: list it", "It was not run."}) {
    BOOST_TEST(holds(summary, part), summary);
  }
  for (const char* part : {"stdout", "Exit code"}) BOOST_TEST(!holds(summary, part), summary);
  const Run handled(workflow_text("[*] --> A\nA --> B: failure\nA --> [*]: success\nB --> [*]\n",
                                  "- A: Shell \"a\"\n- B: Log \"out: ${A.stdout}, why: ${A.message}\"\n"),
                    refuse);
  BOOST_TEST(holds(handled.recorder.events, "'out: , why: Command refused: not listed'"), handled.recorder.events);
}

BOOST_AUTO_TEST_CASE(an_exit_failure_or_an_option_on_failure_of_that_state_takes_a_refusal) {
  const std::string handled = "[*] --> A\nA --> Next: success\nA --> Sorry: failure\nNext --> [*]\nSorry --> [*]\n";
  const Run exit(workflow_text(handled, "- A: Shell \"a\"\n"), refusing({"a"}));
  BOOST_TEST(exit.path() == "A Sorry");
  BOOST_TEST((exit.report.status == RunReport::Status::completed));
  BOOST_TEST(!exit.report.refused);
  const Run option(
      workflow_text("[*] --> A\nA --> Next\nNext --> [*]\nSorry --> [*]\n", "- A: Shell \"a\" on failure: Sorry\n"),
      refusing({"a"}));
  BOOST_TEST(option.path() == "A Sorry");
  // A later failure of another kind is not a refusal.
  const Run later(workflow_text("[*] --> A\nA --> B: failure\nA --> [*]: success\nB --> [*]\n",
                                "- A: Shell \"a\"\n- B: Shell \"b\"\n"),
                  [](const Json& arguments, Stop& stop, const ToolCaller::OutputSink& sink) {
                    return command_of(arguments) == "a" ? refusing({"a"})(arguments, stop, sink)
                                                        : FakeTools::exited(1, "");
                  });
  BOOST_TEST((later.report.status == RunReport::Status::failed));
  BOOST_TEST(!later.report.refused);
}

BOOST_AUTO_TEST_CASE(a_configuration_that_is_not_valid_ends_the_run) {
  const auto broken_configuration = [](const Json&, Stop&, const ToolCaller::OutputSink&) {
    ToolOutcome outcome = FakeTools::exited(1, "");
    outcome.result["metadata"]["error"] = {{"code", "configuration_invalid"}};
    return outcome;
  };
  const Run run(
      workflow_text("[*] --> A\nA --> B: always\nB --> [*]: always\n", "- A: Shell \"a\" retry=3\n- B: Shell \"b\"\n"),
      broken_configuration);
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(!run.report.refused);
  BOOST_TEST(run.tools.calls.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_loop_around_the_same_refusal_ends_although_an_exit_handles_it) {
  const Run run(workflow_text("[*] --> A\nA --> B: failure\nA --> [*]: success\nB --> A\n",
                              "- A: Shell \"a\"\n- B: Shell \"b\"\n"),
                refusing({"a"}));
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(run.report.refused);
  BOOST_TEST(run.tools.calls.size() == 19U);
  BOOST_TEST(holds(run.report.reason, "10 times in a row"), run.report.reason);
}

BOOST_AUTO_TEST_CASE(a_loop_around_the_same_condition_that_cannot_be_evaluated_ends) {
  const Run run(workflow_text("[*] --> A\nA --> B: int(A.content) > 3\nA --> A: failure\nB --> [*]\n",
                              "- A: Shell \"a\"\n- B: Shell \"b\"\n"));
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(run.tools.calls.size() == 10U);
  BOOST_TEST(holds(run.report.reason, "10 times in a row"), run.report.reason);
}

BOOST_AUTO_TEST_CASE(a_refusal_in_a_branch_ends_the_others_and_no_join_handles_it) {
  Around slow;
  slow.settings.fail_fast = false;
  const Run run(workflow_text("[*] --> F\nstate F <<fork>>\nstate J <<join>>\nF --> A\nF --> B\nA --> J\nB --> J\n"
                              "J --> Bad: failure\nJ --> [*]: success\nBad --> [*]\n",
                              "- A: Shell \"a\"\n- B: Shell \"b\"\n"),
                refusing({"b"}), {}, slow);
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(run.report.refused);
  BOOST_TEST(!holds(run.recorder.events, "+J"), run.recorder.events);
  BOOST_TEST(run.report.reason == "the branch 'B' failed: step 'B' was refused: Command failed with exit code 1");
}

BOOST_AUTO_TEST_CASE(no_exit_of_a_composite_state_handles_a_refusal_inside_it) {
  const Run run(workflow_text("[*] --> K\nstate K {\n[*] --> A\nA --> [*]\n}\nK --> Bad: failure\nK --> [*]: success\n"
                              "Bad --> [*]\n",
                              "- A: Shell \"a\"\n"),
                refusing({"a"}));
  BOOST_TEST(run.path() == "K A");
  BOOST_TEST(run.report.refused);
}

BOOST_AUTO_TEST_CASE(a_refusal_in_a_matrix_ends_the_run_also_where_an_earlier_combination_failed) {
  Around slow;
  slow.settings.fail_fast = false;
  slow.settings.max_parallel = 1;
  const std::string actions =
      "- M: Shell \"m${matrix.n}\" matrix={\"n\": [1, 2]} retry=2\n- B: Shell \"b\"\n- Sorry: Log \"sorry\"\n";
  const auto answer = [](const Json& arguments, Stop& stop, const ToolCaller::OutputSink& sink) {
    return command_of(arguments) == "m'1'" ? FakeTools::exited(1, "") : refusing({"m'2'"})(arguments, stop, sink);
  };
  const Run run(workflow_text("[*] --> M\nM --> B: always\nB --> Sorry\nSorry --> [*]\n", actions), answer, {}, slow);
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(run.report.refused);
  BOOST_TEST(!holds(run.recorder.events, "+B"));
  const Run handled(
      workflow_text("[*] --> M\nM --> B: success\nM --> Sorry: failure\nB --> [*]\nSorry --> [*]\n", actions), answer,
      {}, slow);
  BOOST_TEST((handled.report.status == RunReport::Status::completed), handled.report.reason);
}

BOOST_AUTO_TEST_CASE(a_mistake_ends_the_run_at_its_place_whatever_the_exits) {
  for (const char* exit : {"B --> [*]\n", "B --> [*]: always\n", "B --> [*]: exit_code == 1\nB --> [*]\n"}) {
    const Run run(workflow_text("[*] --> B\n" + std::string(exit) + "C --> [*]: success\nC --> B: failure\n",
                                broken + "- finally: C\n"));
    BOOST_TEST((run.report.status == RunReport::Status::failed));
    BOOST_TEST(holds(run.report.reason, "the state 'C' has not run yet"), run.report.reason);
    BOOST_TEST(holds(run.recorder.events, "+C log0'c'"), run.recorder.events);
    BOOST_TEST(!run.report.refused);
  }
}

BOOST_AUTO_TEST_CASE(a_mistake_in_an_inner_workflow_ends_the_run_through_every_level) {
  const Others others(
      {{"inner", workflow_text("[*] --> B\nB --> C\nC --> [*]\n", broken)},
       {"middle", workflow_text("[*] --> F\nstate F <<fork>>\nstate J <<join>>\nF --> M\nF --> N\nM --> J: always\n"
                                "N --> J\nJ --> Next: always\nNext --> [*]\n",
                                "- M: Run workflow \"inner\" retry=3\n- Next: Log \"next\"\n", "fail_fast: false\n")}});
  const std::string actions = "- A: Run workflow \"middle\" retry=2\n- D: Log \"d\"\n";
  const Run run(workflow_text("[*] --> A\nA --> D: always\nD --> [*]\n", actions), nullptr, {}, others.around);
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(!holds(run.recorder.events, "again"), run.recorder.events);
  BOOST_TEST(!holds(run.recorder.events, "+D"));
  BOOST_TEST(!holds(run.recorder.events, "+Next"));
  BOOST_TEST(holds(run.report.reason, "inner.md:"), run.report.reason);
  const Run handled(workflow_text("[*] --> A\nA --> D: failure\nA --> [*]: success\nD --> [*]\n", actions), nullptr, {},
                    others.around);
  BOOST_TEST((handled.report.status == RunReport::Status::completed), handled.report.reason);
  BOOST_TEST(holds(handled.recorder.events, "+D"));
}

BOOST_AUTO_TEST_CASE(a_refusal_in_an_inner_workflow_is_one_of_the_run) {
  const Others others({{"inner", workflow_text("[*] --> I\nI --> [*]\n", "- I: Shell \"i\"\n")}});
  const Run run(
      workflow_text("[*] --> A\nA --> B: always\nB --> [*]\n", "- A: Run workflow \"inner\" retry=2\n- B: Log \"b\"\n"),
      refusing({"i"}), {}, others.around);
  BOOST_TEST(run.report.refused);
  BOOST_TEST(run.tools.calls.size() == 1U);
  BOOST_TEST(run.report.reason ==
             "in the workflow that step 'A' runs: step 'I' was refused: Command failed with exit code 1");
}

BOOST_AUTO_TEST_CASE(a_loop_around_a_prompt_that_cannot_be_made_runs_once) {
  Around around;
  int made = 0;
  around.services.prompt = [&](const std::string&, bool, const std::string&, const expressions::Scope&,
                               const PromptAddition&) {
    ++made;
    PreparedPrompt prompt;
    prompt.error = "fix.md:3:1: the variable 'x' is not defined";
    return prompt;
  };
  const std::string inner = workflow_text("[*] --> P\nP --> [*]\n", "- P: Execute prompt \"fix\" retry=5\n");
  Others others({{"inner", inner}});
  around.services.workflow = others.around.services.workflow;
  const Run run(workflow_text("[*] --> A\nA --> Check\nCheck --> A: result != \"done\"\nCheck --> [*]: default\n",
                              "- A: Run workflow \"inner\"\n"),
                nullptr, {}, around);
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(made == 1);
  BOOST_TEST(holds(run.report.reason, "the variable 'x' is not defined"), run.report.reason);
}

BOOST_AUTO_TEST_CASE(the_limit_of_steps_ends_every_level_and_finally_still_runs) {
  const Others others({{"inner", workflow_text("[*] --> I\nI --> I: success\nI --> [*]: failure\nZ --> [*]\n",
                                               "- I: Set x=\"1\"\n- Z: Log \"z\"\n- finally: Z\n", "max_steps: 5\n")}});
  const Run run(
      workflow_text("[*] --> A\nA --> B: always\nB --> [*]\n", "- A: Run workflow \"inner\" retry=4\n- B: Log \"b\"\n"),
      nullptr, {}, others.around);
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(holds(run.report.reason, "the workflow has entered 5 states, which is its limit"), run.report.reason);
  BOOST_TEST(run.report.steps.size() == 7U);
  BOOST_TEST(holds(run.recorder.events, "log0'z'"), run.recorder.events);
}

BOOST_AUTO_TEST_CASE(an_inner_workflow_that_is_not_there_ends_the_run) {
  const Others others({});
  const std::string actions = "- A: Run workflow \"${name}\" retry=2\n";
  const std::map<std::string, expressions::Value> inputs = {{"name", expressions::Value("nothing")}};
  const Run run(workflow_text("[*] --> A\nA --> B: always\nB --> [*]\n", actions), nullptr, inputs, others.around);
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(holds(run.report.reason, "there is no nothing"), run.report.reason);
  const Run handled(workflow_text("[*] --> A\nA --> B: failure\nA --> [*]: success\nB --> [*]\n", actions), nullptr,
                    inputs, others.around);
  BOOST_TEST(handled.path() == "A B");
}

BOOST_AUTO_TEST_CASE(a_condition_that_cannot_be_judged_is_a_mistake_that_an_exit_failure_takes) {
  const std::string diagram = "[*] --> A\nA --> B: A.json.ok\nA --> C: default\nB --> [*]\nC --> [*]\n";
  const Run run(workflow_text(diagram, "- A: Shell \"a\"\n"), exits_with(0, "no JSON"));
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(run.path() == "A");
  const Run handled(workflow_text("[*] --> A\nA --> B: A.json.ok\nA --> C: failure\nA --> B\nB --> [*]\nC --> [*]\n",
                                  "- A: Shell \"a\"\n- C: Log \"${error}\"\n"),
                    exits_with(0, "no JSON"));
  BOOST_TEST(handled.path() == "A C");
  BOOST_TEST(holds(handled.recorder.events, "cannot be evaluated"), handled.recorder.events);
  Around slow;
  slow.settings.fail_fast = false;
  const Run branch(workflow_text("[*] --> F\nstate F <<fork>>\nstate J <<join>>\nF --> A\nF --> B\nA --> J: A.json.ok\n"
                                 "B --> J\nJ --> Bad: failure\nJ --> [*]: success\nBad --> [*]\n",
                                 "- A: Shell \"a\"\n"),
                   exits_with(0, "no JSON"), {}, slow);
  BOOST_TEST((branch.report.status == RunReport::Status::failed));
  BOOST_TEST(!holds(branch.recorder.events, "+Bad"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace fatal_ends_test
