// What a failure does: which transitions are taken after it, and what it ends. With fake tools.
#include <boost/test/unit_test.hpp>
#include <new>
#include <set>

#include "failing_runs.h"

namespace failures_test {

using namespace wtool::test;
using namespace wtool::host;
using namespace wtool::host::runner;
using namespace wtool::host::workflow;
using wtool::Stop;

BOOST_AUTO_TEST_SUITE(failures)

BOOST_AUTO_TEST_CASE(a_plain_arrow_is_taken_only_after_a_success) {
  const std::string text =
      workflow_text("[*] --> Build\nBuild --> Test\nTest --> Deploy\nDeploy --> [*]\n",
                    "- Build: Shell \"build\"\n- Test: Shell \"test\"\n- Deploy: Shell \"deploy\"\n");
  const Run run(text, failing({"build"}));
  BOOST_TEST(run.path() == "Build");
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(run.report.reason ==
             "step 'Build' failed, and no transition handles the failure: Command failed with exit code 1");
  BOOST_TEST(run.summary().find("said build") != std::string::npos, run.summary());
  BOOST_TEST(Run(text).path() == "Build Test Deploy");
}

BOOST_AUTO_TEST_CASE(an_arrow_is_advised_only_where_a_later_state_looks_at_the_failure) {
  const auto reason = [](const std::string& report) {
    return Run(workflow_text("[*] --> Test\nTest --> Keep\nKeep --> Report\nReport --> [*]\n",
                             "- Test: Shell \"test\"\n- Keep: Log \"kept\"\n- Report: Log \"" + report + "\"\n"),
               failing({"test"}))
        .report.reason;
  };
  BOOST_TEST(reason("ended with ${Test.exit_code}") ==
             "step 'Test' failed, and no transition handles the failure: Command failed with exit code 1 (`Test --> "
             "Keep` is taken only after a success; write `Test --> Keep: always` if it is right after a failure, too, "
             "or add an "
             "exit `Test --> STATE: failure` to another state)");
  BOOST_TEST(!holds(reason("wrote ${Test.stdout}"), "-->"));
}

BOOST_AUTO_TEST_CASE(a_default_arrow_is_taken_after_a_failure_where_another_exit_tests_the_outcome) {
  const auto path = [](const std::string& other, const std::string& plain) {
    return Run(workflow_text("[*] --> A\nA --> B: " + other + "\nA --> C" + plain + "\nB --> [*]\nC --> [*]\n",
                             "- A: Shell \"a\" result=\"r\"\n"),
               failing({"a"}))
        .path();
  };
  for (const char* plain : {"", ": default"}) {
    for (const char* other : {"success", "exit_code == 77", "A.exit_code == 77", "r.success", "!is_error",
                              "output == \"x\" && exit_code == 0"}) {
      BOOST_TEST_CONTEXT(other << plain) { BOOST_TEST(path(other, plain) == "A C"); }
    }
    for (const char* other : {"result.contains(\"nothing\")", "output == \"x\"", "r.stderr == \"x\""}) {
      BOOST_TEST_CONTEXT(other << plain) { BOOST_TEST(path(other, plain) == "A"); }
    }
  }
  BOOST_TEST(path("output.contains(\"said\")", "") == "A B");
}

BOOST_AUTO_TEST_CASE(no_arrow_is_advised_around_an_answer_of_no_or_a_default) {
  for (const char* ask : {"Wait for user confirmation \"Deploy?\"", "Approve \"Deploy?\""}) {
    const Run run(workflow_text("[*] --> Ask\nAsk --> Deploy\nDeploy --> [*]\n",
                                std::string("- Ask: ") + ask + "\n- Deploy: Log \"x\"\n"));
    BOOST_TEST(run.path() == "Ask");
    BOOST_TEST(run.report.reason.find("always") == std::string::npos, run.report.reason);
  }
  const Run other(workflow_text("[*] --> A\nA --> B: output == \"x\"\nA --> C: default\nB --> [*]\nC --> [*]\n",
                                "- A: Shell \"a\"\n"),
                  failing({"a"}));
  BOOST_TEST(other.path() == "A");
  BOOST_TEST(other.report.reason.find("always") == std::string::npos, other.report.reason);
}

BOOST_AUTO_TEST_CASE(an_arrow_labelled_always_handles_a_failure) {
  const Run run(workflow_text("[*] --> A\nA --> B: always\nB --> [*]\n", "- A: Shell \"a\"\n- B: Shell \"b\"\n"),
                failing({"a"}));
  BOOST_TEST(run.path() == "A B");
  BOOST_TEST((run.report.status == RunReport::Status::completed));
  BOOST_TEST(run.summary().find("(1 step failed, and the workflow continued: ") != std::string::npos);
  const Run last(workflow_text("[*] --> A\nA --> [*]: Always\n", "- A: Shell \"a\"\n"), failing({"a"}));
  BOOST_TEST((last.report.status == RunReport::Status::completed));
}

BOOST_AUTO_TEST_CASE(a_choice_decides_on_the_failure_before_it) {
  const auto run = [](const std::string& exits) {
    return std::make_unique<Run>(
        workflow_text("[*] --> A\nA --> Pick\nstate Pick <<choice>>\n" + exits + "X --> [*]\nY --> [*]\n",
                      "- A: Shell \"a\"\n"),
        failing({"a"}));
  };
  BOOST_TEST(run("Pick --> X: failure\nPick --> Y\n")->path() == "A Pick X");
  BOOST_TEST(run("Pick --> X: success\nPick --> Y: default\n")->path() == "A Pick Y");
  BOOST_TEST(run("Pick --> X: output == \"no\"\nPick --> Y: always\n")->path() == "A Pick Y");
  const auto unhandled = run("Pick --> X: output == \"no\"\nPick --> Y: default\n");
  // The step has taken no transition, so it runs again when the run is resumed.
  BOOST_TEST(unhandled->path() == "A");
  BOOST_TEST((unhandled->report.status == RunReport::Status::failed));
  BOOST_TEST(run("Pick --> Again\nstate Again <<choice>>\nAgain --> X: failure\nAgain --> Y\n")->path() ==
             "A Pick Again X");
}

BOOST_AUTO_TEST_CASE(states_without_an_action_and_logs_do_not_handle_a_failure) {
  const std::string diagram = "[*] --> A\nA --> N\nN --> Deploy\nDeploy --> [*]\n";
  for (const char* note : {"", "- N: Log \"n\"\n", "- N: Set x=\"1\"\n"}) {
    const Run run(workflow_text(diagram, std::string("- A: Shell \"a\"\n- Deploy: Shell \"d\"\n") + note),
                  failing({"a"}));
    BOOST_TEST(run.path() == "A");
    BOOST_TEST((run.report.status == RunReport::Status::failed));
  }
}

BOOST_AUTO_TEST_CASE(a_composite_state_has_failed_where_nothing_inside_handles_a_failure) {
  const std::string inside = "[*] --> K\nstate K {\n[*] --> Build\nBuild --> Pack\nPack --> [*]\n}\n";
  const std::string actions = "- Build: Shell \"build\"\n- Pack: Shell \"pack\"\n- Deploy: Shell \"deploy\"\n";
  const std::string text = workflow_text(inside + "K --> Deploy\nDeploy --> [*]\n", actions);
  for (const char* bad : {"build", "pack"}) {
    const Run run(text, failing({bad}));
    BOOST_TEST((run.report.status == RunReport::Status::failed));
    BOOST_TEST(!holds(run.recorder.events, "+Deploy"), run.recorder.events);
  }
  const Run looked_at(
      workflow_text(inside + "K --> Deploy\nDeploy --> [*]\n",
                    "- Build: Shell \"build\"\n- Pack: Shell \"pack\"\n- Deploy: Log \"${exit_code}\"\n"),
      failing({"pack"}));
  BOOST_TEST(holds(looked_at.report.reason, "`K --> Deploy` is taken only after a success"), looked_at.report.reason);
  const std::string handled =
      workflow_text(inside + "K --> Deploy: success\nK --> Sorry: failure\nDeploy --> [*]\nSorry --> [*]\n", actions);
  for (const char* bad : {"build", "pack"}) {
    const Run run(handled, failing({bad}));
    BOOST_TEST((run.report.status == RunReport::Status::completed), run.report.reason);
    BOOST_TEST(holds(run.recorder.events, "!K/end +Sorry"), run.recorder.events);
  }
  BOOST_TEST(holds(Run(handled).recorder.events, "+Deploy"));
}

BOOST_AUTO_TEST_CASE(the_next_outer_composite_state_is_asked_when_the_inner_one_has_no_exit_for_it) {
  const std::string text = workflow_text(
      "[*] --> Out\nstate Out {\n[*] --> In\nstate In {\n[*] --> A\nA --> [*]\n}\nIn --> B\nB --> [*]\n}\n"
      "Out --> Good\nOut --> Bad: failure\nGood --> [*]\nBad --> [*]\n",
      "- A: Shell \"a\"\n- B: Shell \"b\"\n");
  BOOST_TEST(Run(text, failing({"a"})).path() == "Out In A In/end Out/end Bad");
  BOOST_TEST(Run(text, failing({"b"})).path() == "Out In A In/end B Out/end Bad");
  BOOST_TEST(Run(text).path() == "Out In A In/end B Out/end Good");
}

BOOST_AUTO_TEST_CASE(an_inner_state_leads_back_to_the_outermost_composite_state) {
  const std::string text = workflow_text(
      "[*] --> First\nFirst --> Out\nstate Out {\n[*] --> In\nstate In {\n[*] --> A\nA --> Next: round == "
      "\"first\"\nA --> [*]: default\nNext --> Out\n}\nIn --> [*]\n}\nOut --> [*]\n",
      "- First: Set round=\"first\"\n- A: Shell \"a\"\n- Next: Set round=\"second\"\n");
  BOOST_TEST(Run(text).path() == "First Out In A Next Out In A In/end Out/end");
}

BOOST_AUTO_TEST_CASE(an_action_of_a_composite_state_fails_the_composite_state) {
  const std::string text = workflow_text(
      "[*] --> K\nstate K {\n[*] --> A\nA --> [*]\n}\nK --> Bad: failure\nK --> [*]: success\nBad --> [*]\n",
      "- K: Shell \"k\"\n- A: Shell \"a\"\n");
  BOOST_TEST(Run(text, failing({"k"})).path() == "K K/end Bad");
}

BOOST_AUTO_TEST_CASE(a_join_has_failed_where_a_branch_has) {
  const std::string fork =
      "[*] --> Split\nstate Split <<fork>>\nstate Meet <<join>>\nSplit --> A\nSplit --> B\nA --> Meet\nB --> Meet\n";
  const std::string actions = "- A: Shell \"a\"\n- B: Shell \"b\"\n- Deploy: Shell \"deploy\"\n";
  Around slow;
  slow.settings.fail_fast = false;
  const Run plain(workflow_text(fork + "Meet --> Deploy\nDeploy --> [*]\n", actions), failing({"b"}), {}, slow);
  BOOST_TEST((plain.report.status == RunReport::Status::failed));
  BOOST_TEST(!holds(plain.recorder.events, "+Deploy"));
  BOOST_TEST(holds(plain.recorder.events, "!Meet"), plain.recorder.events);
  BOOST_TEST(holds(plain.report.reason, "the branch 'B' failed: step 'B' failed"), plain.report.reason);
  const Run handled(workflow_text(fork + "Meet --> Deploy: success\nMeet --> Sorry: failure\nDeploy --> [*]\n"
                                         "Sorry --> [*]\n",
                                  actions),
                    failing({"b"}), {}, slow);
  BOOST_TEST(holds(handled.recorder.events, "!Meet +Sorry"), handled.recorder.events);
  const Run always(workflow_text(fork + "Meet --> Deploy: always\nDeploy --> [*]\n", actions), failing({"b"}), {},
                   slow);
  BOOST_TEST((always.report.status == RunReport::Status::completed), always.report.reason);
  BOOST_TEST(holds(always.recorder.events, "+Deploy"));
}

BOOST_AUTO_TEST_CASE(the_first_arrow_that_is_not_taken_is_named_once_in_each_workflow) {
  const std::string only = "` is taken only after a success";
  const std::string alone =
      workflow_text("[*] --> A\nA --> B\nB --> [*]\n", "- A: Shell \"a\"\n- B: Log \"${exit_code}\"\n");
  // The message of a failure is text from elsewhere, here from another workflow, whose advice is about its own arrows.
  const Others others({{"inner", alone}});
  const Run outer(workflow_text("[*] --> Sub\nSub --> Next\nNext --> [*]\n",
                                "- Sub: Run workflow \"inner\"\n- Next: Log \"${exit_code}\"\n"),
                  failing({"a"}), {}, others.around);
  BOOST_TEST(holds(outer.report.reason, "`A --> B" + only), outer.report.reason);
  BOOST_TEST(holds(outer.report.reason, "`Sub --> Next" + only), outer.report.reason);
  // A failure that ends a branch, and then the fork, gets advice only about the arrow after the state that failed.
  const Run fork(
      workflow_text("[*] --> Split\nstate Split <<fork>>\nstate Meet <<join>>\nSplit --> A\nSplit --> C\n"
                    "A --> B\nB --> Meet\nC --> Meet\nMeet --> Next\nNext --> [*]\n",
                    "- A: Shell \"a\"\n- B: Log \"${exit_code}\"\n- C: Log \"c\"\n- Next: Log \"${exit_code}\"\n"),
      failing({"a"}));
  BOOST_TEST(holds(fork.report.reason, "`A --> B" + only), fork.report.reason);
  BOOST_TEST(!holds(fork.report.reason, "`Meet --> Next" + only), fork.report.reason);
}

BOOST_AUTO_TEST_CASE(an_arrow_that_brings_a_failure_straight_to_the_join_leaves_it_to_the_join) {
  const auto run = [](const std::string& label) {
    Around slow;
    slow.settings.fail_fast = false;
    return std::make_unique<Run>(
        workflow_text("[*] --> Split\nstate Split <<fork>>\nstate Meet <<join>>\nSplit --> A\nSplit --> B\n"
                      "A --> Meet\nB --> Meet: success\nB --> Meet: " +
                          label + "\nMeet --> Good\nMeet --> Bad: failure\nGood --> [*]\nBad --> [*]\n",
                      "- A: Shell \"a\"\n- B: Shell \"b\"\n"),
        failing({"b"}), std::map<std::string, expressions::Value>{}, slow);
  };
  BOOST_TEST(holds(run("failure")->recorder.events, "!Meet +Bad"));
  BOOST_TEST(holds(run("exit_code != 0")->recorder.events, "!Meet +Bad"));
  BOOST_TEST(holds(run("always")->recorder.events, "-Meet +Good"));
}

BOOST_AUTO_TEST_CASE(a_failure_that_a_branch_has_handled_does_not_fail_the_join) {
  const Run run(workflow_text("[*] --> Split\nstate Split <<fork>>\nstate Meet <<join>>\nSplit --> A\nSplit --> B\n"
                              "A --> Meet\nB --> Mend: failure\nB --> Meet: success\nMend --> Meet\nMeet --> Good\n"
                              "Good --> [*]\n",
                              "- A: Shell \"a\"\n- B: Shell \"b\"\n- Mend: Shell \"mend\"\n"),
                failing({"b"}));
  BOOST_TEST((run.report.status == RunReport::Status::completed), run.report.reason);
  BOOST_TEST(holds(run.recorder.events, "-Meet +Good"));
}

BOOST_AUTO_TEST_CASE(a_choice_after_a_join_judges_a_branch_that_is_stuck) {
  Around slow;
  slow.settings.fail_fast = false;
  for (const char* rule : {"", "failures: continue\n"}) {
    for (const char* stuck : {"success", "exit_code == 5"}) {
      const Run run(workflow_text("[*] --> Split\nstate Split <<fork>>\nstate J <<join>>\nstate C <<choice>>\n"
                                  "Split --> A\nSplit --> B\nA --> J\nB --> J: " +
                                      std::string(stuck) +
                                      "\nJ --> C\nC --> Good: success\nC --> Bad: failure\nGood --> [*]\n"
                                      "Bad --> [*]\n",
                                  "- A: Shell \"a\"\n- B: Shell \"b\"\n", rule),
                    failing({"b"}), {}, slow);
      BOOST_TEST_CONTEXT(rule << stuck) {
        BOOST_TEST((run.report.status == RunReport::Status::completed), run.report.reason);
        BOOST_TEST(holds(run.recorder.events, "+Bad"), run.recorder.events);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(an_action_of_a_join_does_not_handle_the_failure_of_a_branch) {
  Around slow;
  slow.settings.fail_fast = false;
  const Run run(workflow_text("[*] --> Split\nstate Split <<fork>>\nstate J <<join>>\nSplit --> A\nSplit --> B\n"
                              "A --> J\nB --> J\nJ --> Good: success\nJ --> Bad: failure\nGood --> [*]\nBad --> [*]\n",
                              "- A: Shell \"a\"\n- B: Shell \"b\"\n- J: Log \"joined\"\n"),
                failing({"b"}), {}, slow);
  BOOST_TEST(holds(run.recorder.events, "log0'joined' !J +Bad"), run.recorder.events);
}

BOOST_AUTO_TEST_CASE(regions_of_a_composite_state_fail_it_as_branches_fail_a_join) {
  const std::string both = "[*] --> Both\nstate Both {\n[*] --> A\nA --> [*]\n--\n[*] --> B\nB --> B2\nB2 --> [*]\n}\n";
  const std::string actions = "- A: Shell \"a\"\n- B: Shell \"b\"\n- B2: Shell \"b2\"\n- Next: Shell \"next\"\n";
  const Run plain(workflow_text(both + "Both --> Next\nNext --> [*]\n", actions), failing({"b"}));
  BOOST_TEST((plain.report.status == RunReport::Status::failed));
  BOOST_TEST(!holds(plain.recorder.events, "+B2"));
  BOOST_TEST(!holds(plain.recorder.events, "+Next"));
  const Run handled(
      workflow_text(both + "Both --> Next: success\nBoth --> Bad: failure\nNext --> [*]\nBad --> [*]\n", actions),
      failing({"b"}));
  BOOST_TEST(holds(handled.recorder.events, "+Bad"), handled.recorder.events);
}

BOOST_AUTO_TEST_CASE(a_failure_in_an_inner_fork_reaches_the_join_that_both_forks_share) {
  const std::string shared =
      "[*] --> F\nstate F <<fork>>\nstate G <<fork>>\nstate J <<join>>\nF --> A\nF --> G\nG --> B\nG --> C\n"
      "A --> J\nC --> J\n";
  const std::string region =
      "[*] --> W\nstate W {\n[*] --> A\nA --> [*]\n--\nstate G <<fork>>\n[*] --> G\nG --> B\n"
      "G --> C\nB --> [*]\nC --> [*]\n}\n";
  const std::string actions = "- A: Shell \"a\"\n- B: Shell \"b\"\n- C: Shell \"c\"\n- Next: Shell \"next\"\n";
  // B fails on a plain arrow, on an exit for the failure, and because no exit applies.
  for (const std::string& text :
       {workflow_text(shared + "B --> J\nJ --> Next\nNext --> [*]\n", actions),
        workflow_text(shared + "B --> J: failure\nJ --> Next\nNext --> [*]\n", actions),
        workflow_text(shared + "B --> J: exit_code == 5\nJ --> Next\nNext --> [*]\n", actions),
        workflow_text(region + "W --> Next\nNext --> [*]\n", actions)}) {
    const Run run(text, failing({"b"}));
    BOOST_TEST_CONTEXT(text << run.recorder.events) {
      BOOST_TEST((run.report.status == RunReport::Status::failed));
      BOOST_TEST(!holds(run.recorder.events, "+Next"));
    }
  }
  const Run handled(
      workflow_text(shared + "B --> J\nJ --> Next: success\nJ --> Bad: failure\nNext --> [*]\nBad --> [*]\n",
                    actions + "- Bad: Log \"bad\"\n"),
      failing({"b"}));
  BOOST_TEST(holds(handled.recorder.events, "+Bad"), handled.recorder.events);
  BOOST_TEST((Run(workflow_text(shared + "B --> J\nJ --> Next\nNext --> [*]\n", actions)).report.status ==
              RunReport::Status::completed));
}

BOOST_AUTO_TEST_CASE(a_composite_state_in_a_branch_is_asked_before_the_join) {
  const std::string text = workflow_text(
      "[*] --> Split\nstate Split <<fork>>\nstate Meet <<join>>\nSplit --> K\nSplit --> B\nstate K {\n[*] --> A\n"
      "A --> [*]\n}\nK --> Mend: failure\nK --> Meet: success\nMend --> Meet\nB --> Meet\nMeet --> End\nEnd --> [*]\n",
      "- A: Shell \"a\"\n- B: Shell \"b\"\n- Mend: Shell \"mend\"\n- End: Shell \"end\"\n");
  const Run handled(text, failing({"a"}));
  BOOST_TEST((handled.report.status == RunReport::Status::completed), handled.report.reason);
  BOOST_TEST(holds(handled.recorder.events, "+Mend"));
  const Run unhandled(text, failing({"b"}));
  BOOST_TEST((unhandled.report.status == RunReport::Status::failed));
  BOOST_TEST(!holds(unhandled.recorder.events, "+End"));
}

BOOST_AUTO_TEST_CASE(a_fork_inside_of_a_composite_state_fails_it) {
  const std::string text = workflow_text(
      "[*] --> K\nstate K {\nstate Split <<fork>>\nstate Meet <<join>>\n[*] --> Split\nSplit --> A\nSplit --> B\n"
      "A --> Meet\nB --> Meet\nMeet --> C\nC --> [*]\n}\nK --> Good\nK --> Bad: failure\nGood --> [*]\nBad --> [*]\n",
      "- A: Shell \"a\"\n- B: Shell \"b\"\n- C: Shell \"c\"\n");
  for (const char* bad : {"a", "b", "c"}) {
    const Run run(text, failing({bad}));
    BOOST_TEST_CONTEXT(bad) {
      BOOST_TEST((run.report.status == RunReport::Status::completed), run.report.reason);
      BOOST_TEST(holds(run.recorder.events, "!K/end +Bad"), run.recorder.events);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_matrix_that_fails_is_a_failed_step) {
  const std::string text = workflow_text("[*] --> M\nM --> Deploy\nDeploy --> [*]\n",
                                         "- M: Shell \"m${matrix.n}\" matrix={\"n\": [1, 2]}\n- Deploy: Shell \"d\"\n");
  const Run run(text, failing({"m'2'"}));
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(!holds(run.recorder.events, "+Deploy"));
}

BOOST_AUTO_TEST_CASE(a_matrix_without_a_combination_succeeds_with_an_empty_list) {
  const Run run(workflow_text("[*] --> L\nL --> M\nM --> Tell\nTell --> [*]\n",
                              "- L: Shell \"list\"\n- M: Shell \"do ${matrix.f}\" matrix={\"f\": \"${L.json}\"}\n"
                              "- Tell: Log \"{{ M.matrix | size }}\"\n"),
                exits_with(0, "[]"));
  BOOST_TEST((run.report.status == RunReport::Status::completed), run.report.reason);
  BOOST_TEST(run.tools.calls.size() == 1U);
  BOOST_TEST(holds(run.recorder.events, "log0'0'"), run.recorder.events);
}

BOOST_AUTO_TEST_CASE(the_calling_state_fails_where_an_inner_workflow_does) {
  const Others others(
      {{"inner", workflow_text("[*] --> I\nI --> J\nJ --> [*]\n", "- I: Shell \"i\"\n- J: Shell \"j\"\n")}});
  const Run run(workflow_text("[*] --> A\nA --> B\nB --> [*]\n", "- A: Run workflow \"inner\"\n- B: Shell \"b\"\n"),
                failing({"i"}), {}, others.around);
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(holds(run.recorder.events, "+A +I !I !A end"), run.recorder.events);
}

BOOST_AUTO_TEST_CASE(failures_continue_keeps_the_older_rule_only_for_its_own_file) {
  const std::string diagram = "[*] --> A\nA --> B\nB --> [*]\n";
  const std::string actions = "- A: Shell \"a\"\n- B: Shell \"b\"\n";
  const Run run(workflow_text(diagram, actions, "failures: continue\n"), failing({"a"}));
  BOOST_TEST(run.path() == "A B");
  BOOST_TEST((run.report.status == RunReport::Status::completed));
  const Run last(workflow_text(diagram, actions, "failures: continue\n"), failing({"b"}));
  BOOST_TEST((last.report.status == RunReport::Status::failed));
  BOOST_TEST(Run(workflow_text(diagram, actions, "failures: stop\n"), failing({"a"})).path() == "A");

  const Others others(
      {{"inner", workflow_text("[*] --> I\nI --> J\nJ --> [*]\n", "- I: Shell \"i\"\n- J: Shell \"j\"\n")}});
  const Run outer(workflow_text(diagram, "- A: Run workflow \"inner\"\n- B: Shell \"b\"\n", "failures: continue\n"),
                  failing({"i"}), {}, others.around);
  BOOST_TEST((outer.report.status == RunReport::Status::completed), outer.report.reason);
  BOOST_TEST(holds(outer.recorder.events, "+A +I !I !A +B"), outer.recorder.events);
}

BOOST_AUTO_TEST_CASE(failures_continue_lets_a_join_be_passed_as_before) {
  Around slow;
  slow.settings.fail_fast = false;
  const std::string fork =
      "[*] --> Split\nstate Split <<fork>>\nstate Meet <<join>>\nSplit --> A\nSplit --> B\nA --> Meet\n";
  const std::string actions = "- A: Shell \"a\"\n- B: Shell \"b\"\n- C: Shell \"c\"\n";
  const Run passed(workflow_text(fork + "B --> Meet\nMeet --> C\nC --> [*]\n", actions, "failures: continue\n"),
                   failing({"b"}), {}, slow);
  BOOST_TEST((passed.report.status == RunReport::Status::completed), passed.report.reason);
  const Run stuck(workflow_text(fork + "B --> Meet: success\nMeet --> C\nC --> [*]\n", actions, "failures: continue\n"),
                  failing({"b"}), {}, slow);
  BOOST_TEST((stuck.report.status == RunReport::Status::failed));
  const Run last(workflow_text(fork + "B --> Meet\nMeet --> [*]\n", "- A: Shell \"a\"\n- B: Shell \"b\"\n",
                               "failures: continue\n"),
                 failing({"b"}), {}, slow);
  BOOST_TEST((last.report.status == RunReport::Status::failed));
}

BOOST_AUTO_TEST_CASE(the_last_failure_inside_of_a_composite_state_counts_even_if_failures_continue) {
  const auto run = [](const std::string& diagram) {
    std::string actions;
    for (const std::string state : {"A", "B", "N"}) {
      if (holds(diagram, "--> " + state)) actions += "- " + state + ": Shell \"" + state + "\"\n";
    }
    return std::make_unique<Run>(workflow_text(diagram, actions, "failures: continue\n"), failing({"A"}));
  };
  const auto composite = [](const std::string& inside) { return "[*] --> C\nstate C {\n" + inside + "}\n"; };
  const std::string nested = "[*] --> D\nstate D {\n[*] --> A\nA --> [*]\n}\nD --> [*]\n";
  const std::string branches = "[*] --> F\nstate F <<fork>>\nF --> A\nF --> B\n";
  const std::string joined = branches + "state J <<join>>\nA --> J\nB --> J\nJ --> [*]\n";
  for (const std::string& inside :
       {std::string("[*] --> A\nA --> [*]\n"), std::string("[*] --> A\nA --> [*]: failure\n"), nested, joined,
        branches + "A --> [*]\nB --> [*]\n"}) {
    BOOST_TEST_CONTEXT(inside) {
      const auto last = run(composite(inside) + "C --> [*]\n");
      BOOST_TEST((last->report.status == RunReport::Status::failed));
    }
  }
  for (const std::string& inside : {std::string("[*] --> A\nA --> [*]\n"), nested, joined}) {
    BOOST_TEST_CONTEXT(inside) {
      const auto on = run(composite(inside) + "C --> N\nN --> [*]\n");
      BOOST_TEST((on->report.status == RunReport::Status::completed), on->report.reason);
      BOOST_TEST(holds(on->recorder.events, "!C/end +N"), on->recorder.events);
      const auto handled = run(composite(inside) + "C --> [*]: success\nC --> N: failure\nN --> [*]\n");
      BOOST_TEST((handled->report.status == RunReport::Status::completed), handled->report.reason);
      BOOST_TEST(holds(handled->recorder.events, "!C/end +N"), handled->recorder.events);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_failure_on_its_way_out_takes_no_plain_arrow_of_an_inner_composite_state) {
  for (const char* key : {"", "failures: continue\n"}) {
    const Run run(
        workflow_text("[*] --> P\nstate P {\n[*] --> C\nstate C {\n[*] --> A\nA --> [*]: success\n}\nC --> Next\n"
                      "Next --> [*]\n}\nP --> Mend: failure\nP --> [*]: success\nMend --> [*]\n",
                      "- A: Shell \"a\"\n", key),
        failing({"a"}));
    BOOST_TEST_CONTEXT(key << run.recorder.events) {
      BOOST_TEST((run.report.status == RunReport::Status::completed), run.report.reason);
      BOOST_TEST(holds(run.recorder.events, "+Mend"));
      BOOST_TEST(!holds(run.recorder.events, "+Next"));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_composite_state_handles_what_nothing_inside_does_even_if_failures_continue) {
  const auto run = [](const std::string& inside, const std::string& exits) {
    return std::make_unique<Run>(
        workflow_text("[*] --> C\nstate C {\n[*] --> A\n" + inside + "}\n" + exits + "Next --> [*]\n",
                      "- A: Shell \"a\"\n", "failures: continue\n"),
        failing({"a"}));
  };
  const std::string plain = "A --> [*]: success\n";
  for (const char* exits : {"C --> [*]: success\nC --> Next: failure\n", "C --> Next: always\n",
                            "C --> Next: exit_code == 1\nC --> [*]: default\n",
                            "state D <<choice>>\nC --> D\nD --> Next: failure\nD --> [*]: success\n"}) {
    const auto handled = run(plain, exits);
    BOOST_TEST_CONTEXT(exits << handled->recorder.events) {
      BOOST_TEST((handled->report.status == RunReport::Status::completed), handled->report.reason);
      BOOST_TEST(holds(handled->recorder.events, "+Next"));
    }
  }
  // What does not mention a failure does not take it.
  for (const char* exits : {"C --> Next\n", "C --> Next: result.contains('x')\nC --> Next: default\n"}) {
    const auto failed = run(plain, exits);
    BOOST_TEST_CONTEXT(exits << failed->recorder.events) {
      BOOST_TEST((failed->report.status == RunReport::Status::failed));
      BOOST_TEST(!holds(failed->recorder.events, "+Next"));
    }
  }
  const std::string within = "A --> In: success\nstate In {\n[*] --> B\nB --> [*]: success\n}\nIn --> [*]";
  const auto nested = [&](const std::string& label, const std::string& exits) {
    return std::make_unique<Run>(
        workflow_text("[*] --> C\nstate C {\n[*] --> A\n" + within + label + "\n}\n" + exits + "Next --> [*]\n",
                      "- A: Shell \"a\"\n- B: Shell \"b\"\n", "failures: continue\n"),
        failing({"b"}));
  };
  for (const char* label : {"", ": failure"}) {
    BOOST_TEST_CONTEXT(label) {
      BOOST_TEST((nested(label, "C --> Next\n")->report.status == RunReport::Status::failed));
      BOOST_TEST(
          (nested(label, "C --> Next: failure\nC --> [*]: success\n")->report.status == RunReport::Status::completed));
    }
  }
}

BOOST_AUTO_TEST_CASE(a_composite_state_that_hands_a_failure_to_the_join_does_not_let_a_plain_arrow_take_it) {
  for (const char* rule : {"", "failures: continue\n"}) {
    const auto run = [&](const std::string& exits) {
      return std::make_unique<Run>(
          workflow_text(
              "[*] --> Split\nstate Split <<fork>>\nstate Meet <<join>>\nSplit --> C\nSplit --> B\nB --> Meet\n"
              "state C {\n[*] --> A\nA --> [*]: success\n}\nC --> Meet: success\nC --> Meet: failure\n" +
                  exits + "Next --> [*]\n",
              "- A: Shell \"a\"\n- B: Shell \"b\"\n", rule),
          failing({"a"}));
    };
    BOOST_TEST_CONTEXT(rule) {
      BOOST_TEST((run("Meet --> Next\n")->report.status == RunReport::Status::failed));
      BOOST_TEST(
          (run("Meet --> Next: failure\nMeet --> [*]: success\n")->report.status == RunReport::Status::completed));
    }
  }
}

BOOST_AUTO_TEST_CASE(an_arrow_always_handles_a_failure_of_a_branch_even_if_failures_continue) {
  Around slow;
  slow.settings.fail_fast = false;
  const auto events = [&](const std::string& way, const char* rule) {
    return Run(workflow_text("[*] --> Split\nstate Split <<fork>>\nstate Meet <<join>>\nSplit --> A\nSplit --> B\n"
                             "A --> Meet\n" +
                                 way + "Meet --> Good: success\nMeet --> Bad: failure\nGood --> [*]\nBad --> [*]\n",
                             "- A: Shell \"a\"\n- B: Shell \"b\"\n", rule),
               failing({"b"}), {}, slow)
        .recorder.events;
  };
  for (const char* rule : {"", "failures: continue\n"}) {
    for (const char* way : {"B --> Meet: always\n", "B --> X: always\nX --> Meet\n"}) {
      const std::string told = events(way, rule);
      BOOST_TEST_CONTEXT(rule << way) { BOOST_TEST(holds(told, "-Meet +Good"), told); }
    }
  }
  for (const char* way : {"B --> Meet\n", "B --> X\nX --> Meet\n"}) {
    const std::string told = events(way, "failures: continue\n");
    BOOST_TEST_CONTEXT(way) { BOOST_TEST(holds(told, "!Meet +Bad"), told); }
  }
}

BOOST_AUTO_TEST_CASE(an_unhandled_failure_leads_to_on_failure_and_then_to_finally) {
  const Run run(workflow_text("[*] --> A\nA --> B\nB --> [*]\nR --> [*]\nZ --> [*]\n",
                              "- A: Shell \"a\"\n- B: Shell \"b\"\n- R: Log \"r ${A.exit_code}\"\n- Z: Log \"z\"\n"
                              "- on failure: R\n- finally: Z\n"),
                failing({"a"}));
  BOOST_TEST(run.recorder.events.ends_with("!A +R log0'r 1' -R +Z log0'z' -Z end"), run.recorder.events);
  BOOST_TEST((run.report.status == RunReport::Status::failed));
}

BOOST_AUTO_TEST_CASE(a_failure_that_a_composite_state_handled_is_replayed_the_same_way) {
  const std::string text = workflow_text(
      "[*] --> K\nstate K {\n[*] --> A\nA --> [*]\n}\nK --> Good: success\nK --> Bad: failure\nGood --> [*]\n"
      "Bad --> Then\nThen --> [*]\n",
      "- A: Shell \"a\"\n- Bad: Shell \"bad\"\n- Then: Shell \"then\"\n");
  const Run first(text, failing({"a", "then"}));
  BOOST_TEST((first.report.status == RunReport::Status::failed));
  Around around;
  around.past = &first.recorder.past;
  const Run second(text, failing({}), {}, around);
  BOOST_TEST(second.path() == "K A K/end Bad Then");
  BOOST_TEST((second.report.status == RunReport::Status::completed), second.report.reason);
  BOOST_TEST(commands_of(second) == (std::multiset<std::string>{"then"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_failure_that_nothing_handled_is_run_again) {
  for (const char* diagram :
       {"[*] --> A\nA --> B\nB --> [*]\n",
        "[*] --> A\nA --> C\nstate C <<choice>>\nC --> B: success\nC --> [*]: output == \"x\"\nB --> [*]\n",
        "[*] --> K\nstate K {\n[*] --> A\nA --> [*]\n}\nK --> B\nB --> [*]\n",
        "[*] --> F\nstate F <<fork>>\nstate J <<join>>\nF --> A\nF --> N\nN --> J\nA --> J: failure\nA --> J: success\n"
        "J --> B\nB --> [*]\n"}) {
    const std::string text = workflow_text(diagram, "- A: Shell \"a\"\n- B: Shell \"b\"\n");
    const Run first(text, failing({"a"}));
    BOOST_TEST_CONTEXT(diagram) {
      BOOST_TEST((first.report.status == RunReport::Status::failed));
      Around around;
      around.past = &first.recorder.past;
      const Run second(text, failing({}), {}, around);
      BOOST_TEST((second.report.status == RunReport::Status::completed), second.report.reason);
      BOOST_TEST(commands_of(second) == (std::multiset<std::string>{"a", "b"}), boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(an_exception_is_a_failure_of_its_branch_and_leaks_no_slot) {
  Around around;
  around.settings.fail_fast = false;
  around.settings.max_parallel = 1;
  const Run run(
      workflow_text(
          "[*] --> F\nstate F <<fork>>\nstate J <<join>>\nF --> A\nF --> B\nF --> M\nA --> J\nB --> J\nM --> J\n"
          "J --> Bad: failure\nJ --> [*]: success\nBad --> [*]\n",
          "- A: Shell \"a\"\n- B: Shell \"b\"\n- M: Shell \"m${matrix.n}\" matrix={\"n\": [1, 2]}\n"
          "- Bad: Shell \"bad\"\n"),
      [](const Json& arguments, Stop&, const ToolCaller::OutputSink&) -> ToolOutcome {
        if (command_of(arguments) == "a" || command_of(arguments) == "m'1'") throw std::bad_alloc();
        return FakeTools::exited(0, "");
      },
      {}, around);
  BOOST_TEST((run.report.status == RunReport::Status::completed), run.report.reason);
  BOOST_TEST(holds(run.recorder.events, "!A"));
  BOOST_TEST(holds(run.recorder.events, "-B"));
  BOOST_TEST(holds(run.recorder.events, "!J +Bad"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace failures_test
