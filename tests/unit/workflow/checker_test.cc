#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <memory>

#include "support.h"
#include "support/text.h"

namespace checker_test {

using namespace wtool::test;

namespace {

void expect(const std::string& diagram, const std::string& actions, const std::string& expected) {
  const std::string found = diagnostics_of(workflow_text(diagram, actions));
  BOOST_TEST_CONTEXT(diagram) { BOOST_TEST(found == expected); }
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_diagram_without_a_start_is_an_error) {
  expect("A --> [*]\n", "", "3:1: error: the diagram has no start; add a line [*] --> A\n");
}

BOOST_AUTO_TEST_CASE(a_second_start_is_an_error) {
  expect("[*] --> A\n[*] --> B\nA --> B\nB --> [*]\n", "",
         "4:1: error: this is a second start; the first start leads to 'A'\n");
}

BOOST_AUTO_TEST_CASE(a_state_without_exit_is_an_error_with_its_line) {
  expect("[*] --> A\nA --> B\n", "- B: Log \"x\"\n", "4:7: error: the state 'B' leads nowhere; add a line B --> [*]\n");
  expect("[*] --> A\nstate A {\n[*] --> B\nB --> [*]\n}\n", "- B: Log \"x\"\n",
         "3:9: error: the state 'A' leads nowhere; add a line A --> [*]\n");
}

BOOST_AUTO_TEST_CASE(a_mistyped_state_is_a_dead_end_with_a_suggestion) {
  expect("[*] --> Build\nBuild --> Deplyo\nDeploy --> [*]\n", "",
         "4:11: error: the state 'Deplyo' leads nowhere; add a line Deplyo --> [*]; did you mean 'Deploy'?\n"
         "5:1: error: the state 'Deploy' cannot be reached from the start; did you mean 'Deplyo'?\n");
}

BOOST_AUTO_TEST_CASE(a_state_that_aborts_needs_no_exit) { expect("[*] --> A\n", "- A: Abort \"x\"\n", ""); }

BOOST_AUTO_TEST_CASE(states_that_only_lead_round_in_a_circle_are_an_error) {
  expect("[*] --> A\nA --> B\nB --> A\n", "",
         "3:9: error: the end [*] cannot be reached from the state 'A': the run would never end\n");
}

BOOST_AUTO_TEST_CASE(a_loop_with_a_way_out_is_fine) {
  expect("[*] --> A\nA --> A: failure\nA --> [*]: success\n", "- A: Log \"x\"\n", "");
}

BOOST_AUTO_TEST_CASE(two_exits_that_are_always_open_are_an_error) {
  expect(
      "[*] --> A\nA --> B\nA --> C: default\nB --> [*]\nC --> [*]\n", "",
      "5:1: error: this is a second exit of 'A' that is always open; give all but one a condition, or declare `state A "
      "<<fork>>` to take all of them at the same time\n");
}

BOOST_AUTO_TEST_CASE(an_exit_with_the_condition_of_an_earlier_one_is_an_error) {
  expect(
      "[*] --> A\nA --> [*]: success\nA --> B: OnSuccess\nA --> B: exit_code == 1\nA --> B: exit_code == 1\nB --> "
      "[*]\n",
      "- A: Log \"x\"\n",
      "5:10: error: this exit of 'A' is never taken: an earlier one has the same condition\n"
      "7:10: error: this exit of 'A' is never taken: an earlier one has the same condition\n");
}

BOOST_AUTO_TEST_CASE(a_state_between_two_steps_that_does_nothing_is_a_warning) {
  const std::string actions = "- A: Shell \"x\"\n- C: Shell \"y\"\n";
  const std::string diagram = "[*] --> A\nA --> B\nB --> C\nC --> [*]\n";
  expect(
      diagram, actions,
      "4:7: warning: the state 'B' stands between two steps and does nothing; add an item `- B: ...` to the actions, "
      "or a line `B: TEXT` to the diagram that says what it stands for\n");
  expect(diagram + "B: both are built\n", actions, "");
  expect("[*] --> Begin\nBegin --> A\nA --> C\nC --> Done\nDone --> [*]\n", actions, "");
  expect("[*] --> A\nA --> B: always\nB --> C: success\nB --> [*]: default\nC --> [*]\n", actions, "");
}

BOOST_AUTO_TEST_CASE(conditions_on_outputs_that_are_never_true_are_found) {
  const auto found = [](const std::string& condition, const std::string& diagnostics) {
    BOOST_TEST_CONTEXT(condition) {
      expect("[*] --> A\nA --> B: " + condition + "\nA --> [*]: default\nB --> [*]\n", "- A: Shell \"x\"\n",
             diagnostics);
    }
  };
  found("A.stdout == \"5\"",
        "4:10: warning: 'A.stdout' ends with a newline, and \"5\" does not, so they differ; write 'A.content', "
        "which has no newline there\n");
  found("A.stdout == 5", "4:19: error: a text is never a number: this comparison always fails\n");
  found("A.exit_code",
        "4:10: error: 'A.exit_code' is a number, but a condition must be true or false; write "
        "`A.exit_code == 0`\n");
  found("exit_code",
        "4:10: error: 'exit_code' is a number, but a condition must be true or false; write "
        "`exit_code == 0`\n");
  found("A.content",
        "4:10: error: 'A.content' is a text, but a condition must be true or false; write "
        "`A.content != \"\"`\n");
  found("A", "4:10: error: 'A' is a text, but a condition must be true or false; write `A != \"\"`\n");
  found("A > 3", "4:10: error: 'A' is a text, but is compared with a number here, which fails; write int(A)\n");
  found("A.content > 3", "4:20: error: a text is never a number: this comparison always fails\n");
  found("A.success == \"true\"", "4:20: error: true or false is never a text: this comparison always fails\n");
  // At run time, the run's own name wins.
  expect("[*] --> failure\nfailure --> A: failure == false\nfailure --> [*]: default\nA --> [*]\n",
         "- A: Shell \"x\"\n- failure: Shell \"y\"\n", "");
  found("A.duration_ms > 5 && A.success && A.error == \"\" && int(A) > 3", "");
  found("A.content == \"5\" || A.exit_code == 3 || A.stdout.contains(\"5\") || A.stdout == \"5\\n\"", "");
}

BOOST_AUTO_TEST_CASE(an_exit_to_the_end_that_hides_a_failure_is_a_warning) {
  const std::string told =
      " to let the run fail, and name a state that must run in any case with `finally` in the front matter\n";
  const std::string ends = "warning: a failure of 'A' then ends the run as completed, with exit status 0; ";
  expect("[*] --> A\nA --> [*]: success\nA --> [*]: failure\n", "- A: Shell \"x\"\n",
         "5:12: " + ends + "remove this line" + told);
  expect("[*] --> A\nA --> [*]: always\n", "- A: Shell \"x\"\n", "4:12: " + ends + "write `A --> [*]`" + told);
  expect("[*] --> A\nA --> [*]: always\n", "- A: Log \"x\"\n", "");
  expect("[*] --> A\nA --> B: failure\nA --> [*]: success\nB --> [*]\n", "- A: Shell \"x\"\n- B: Log \"x\"\n", "");
  // A state that handles the failure of the run does not decide how the run ends.
  expect("[*] --> A\nA --> [*]\nReport --> [*]: always\n",
         "- A: Shell \"x\"\n- Report: Shell \"x\"\n- on failure: Report\n", "");
}

BOOST_AUTO_TEST_CASE(an_exit_for_exhausted_visits_below_the_one_for_failures_is_an_error) {
  const std::string action = "- A: Shell \"x\" max=3\n";
  expect("[*] --> A\nA --> A: failure\nA --> [*]: exhausted\nA --> [*]: success\n", action,
         "5:12: error: this exit of 'A' is never taken: a state that has had all its visits has failed, so the exit "
         "`failure` above is taken; put this one above it\n");
  expect("[*] --> A\nA --> [*]: exhausted\nA --> A: failure\nA --> [*]: success\n", action, "");
}

BOOST_AUTO_TEST_CASE(undefined_names_in_conditions_are_errors_at_their_place) {
  expect("[*] --> A\nA --> [*]: exit_code == 0 && bulid.exit_code == 1\nA --> [*]: default\n",
         "- A: Shell \"x\" with result=\"build\"\n",
         "4:30: error: the variable 'bulid' is not defined; did you mean 'build'?\n");
}

BOOST_AUTO_TEST_CASE(every_source_of_names_defines_them) {
  const std::string text = workflow_text("[*] --> A\nA --> B: always\nB --> A: failure\nB --> [*]: success\n",
                                         "- A: Shell \"echo ${p} ${given} ${r} ${v} ${B.stderr} ${result} {{ none | "
                                         "default: \\\"\\\" }}\" with result=\"r\" max=9\n"
                                         "- B: Set v=\"${exit_code} ${last_action_result.stdout}\"\n",
                                         "parameters:\n  - {name: p, required: true}\n");
  BOOST_TEST(diagnostics_of(text, {"given"}).empty(), diagnostics_of(text, {"given"}));
  BOOST_TEST(diagnostics_of(text).find("the variable 'given' is not defined") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(exits_that_are_never_taken_are_errors) {
  expect("[*] --> A\nA --> [*]: true\nA --> B: exit_code == 1\nB --> [*]\n", "",
         "5:1: error: this exit of 'A' is never taken: an earlier one is always true\n");
  expect("[*] --> A\nA --> B: false\nA --> [*]: default\nB --> [*]\n", "",
         "4:10: error: this exit of 'A' is never taken: its condition is always false\n");
  expect("[*] --> A\nstate A {\n[*] --> B\nB --> C\n}\nA --> C\nC --> [*]\n", "",
         "8:1: error: this exit is never taken: nothing inside the composite state leads to its end; add a line State "
         "--> [*] inside of it\n");
}

BOOST_AUTO_TEST_CASE(the_exits_of_a_fork_take_no_condition) {
  expect(
      "[*] --> F\nstate F <<fork>>\nF --> A: exit_code == 0\nF --> B\nA --> [*]\nB --> [*]\n", "",
      "5:10: error: an exit of the fork 'F' must not have a condition, because all exits are taken at the same time\n");
}

BOOST_AUTO_TEST_CASE(a_join_without_a_fork_is_a_warning) {
  expect("[*] --> J\nstate J <<join>>\nJ --> A\nA --> [*]\n", "- A: Log \"x\"\n",
         "3:9: warning: no <<fork>> leads to the join 'J', so it waits for nothing\n");
}

BOOST_AUTO_TEST_CASE(branches_that_pass_the_end_of_the_composite_state_around_their_fork_without_a_join_are_an_error) {
  const auto diagram = [](const std::string& ends, const std::string& after) {
    return "[*] --> W\nstate W {\nstate G <<fork>>\n[*] --> G\nG --> B\nG --> C\n" + ends + "}\n" + after;
  };
  const std::string actions = "- B: Shell \"b\"\n- C: Shell \"c\"\n- D: Shell \"d\"\n";
  const std::string none = "- B: Shell \"b\"\n- C: Shell \"c\"\n";
  const std::string after = "W --> D\nD --> [*]\n";
  const std::string join = "state J <<join>>\nB --> J\nC --> J\nJ --> [*]\n";
  const std::string told =
      "5:7: error: several branches of 'G' come to the end of the composite state 'W' without a join, so 'D', which "
      "follows, would run once for each of them, at the same time; add a line `state J <<join>>` inside of 'W', lead "
      "the branches to it, and add a line `J --> [*]`\n";
  expect(diagram("B --> [*]\nC --> [*]\n", after), actions, told);
  expect(diagram("B --> [*]\nC --> E\nE --> [*]\n", after), actions, told);
  expect(diagram(join, after), actions, "");
  // A join outside of the composite state comes too late.
  expect(diagram("B --> [*]\nC --> [*]\nstate J <<join>>\n", "W --> D\nD --> J\nJ --> [*]\n"), actions, told);
  expect(diagram("B --> Out\nC --> Out\nstate Out <<join>>\n", "Out --> [*]\n"), none, "");
  // Only one branch comes to the end, or nothing follows it.
  expect(diagram("B --> [*]\nC --> Out\n", after + "Out --> [*]\n"), actions, "");
  expect(diagram("B --> [*]\nC --> [*]\n", "W --> [*]\n"), none, "");
  // The end of regions is a join.
  expect(diagram("B --> [*]\nC --> [*]\n--\n[*] --> E\nE --> [*]\n", after), actions, "");
}

BOOST_AUTO_TEST_CASE(a_branch_that_comes_to_the_end_of_the_composite_state_without_the_join_is_an_error) {
  const auto diagram = [](const std::string& way) {
    return "[*] --> W\nstate W {\nstate G <<fork>>\nstate J <<join>>\n[*] --> G\nG --> B\nG --> C\nB --> J\n" + way +
           "C --> J: success\nJ --> [*]\n}\nW --> D\nD --> [*]\n";
  };
  const std::string actions = "- B: Shell \"b\"\n- C: Shell \"c\"\n- D: Shell \"d\"\n";
  expect(diagram("C --> [*]: C.content == 'none'\n"), actions,
         "5:7: error: a branch of 'G' comes to the end of the composite state 'W' around the join 'J', so 'D', which "
         "follows, would run for that branch and again after the join 'J'; lead the branch to the join 'J'\n");
  // After a failure, a plain arrow from W is not taken, so the branch has failed.
  expect(diagram("C --> [*]: failure\n"), actions, "");
  expect(diagram("C --> J: failure\n"), actions, "");
  expect(diagram("C --> Stop: failure\nStop --> [*]\n"), actions + "- Stop: Abort \"c\"\n", "");
  expect(diagram(""), actions, "");
}

BOOST_AUTO_TEST_CASE(a_join_at_which_only_some_branches_meet_is_an_error) {
  const std::string begin = "state J <<join>>\nstate K <<join>>\nstate F <<fork>>\n[*] --> F\n";
  const std::string actions = "- A: Shell \"a\"\n- B: Shell \"b\"\n- C: Shell \"c\"\n- D: Shell \"d\"\n";
  const std::string three = "F --> A\nF --> B\nF --> C\n";
  const std::string rest = "A --> J\nB --> J\nJ --> D\nD --> K\nC --> K\nK --> [*]\n";
  const std::string told =
      "3:7: error: the branches of 'F' meet at the join 'K', so the join 'J' does not wait for them, and 'D' would run "
      "once for each branch that comes to 'J'; give the branches that meet there a fork of their own\n";
  expect(begin + three + rest, actions, told);
  // A fork of their own.
  expect(begin + "state G <<fork>>\nF --> G\nG --> A\nG --> B\nF --> C\n" + rest, actions, "");
  // Its own fork for one branch, and another branch beside it.
  expect(begin + "state G <<fork>>\nF --> G\nG --> A\nG --> B\nF --> C\nF --> E\nE --> J\n" + rest,
         actions + "- E: Shell \"e\"\n", told);
  // Nothing runs after it.
  expect(begin + three + "A --> J\nB --> J\nJ --> K\nC --> K\nK --> [*]\n",
         "- A: Shell \"a\"\n- B: Shell \"b\"\n- C: Shell \"c\"\n", "");
  // No join of all branches.
  expect(
      "state J <<join>>\nstate F <<fork>>\n[*] --> F\n" + three + "A --> J\nB --> J\nJ --> D\nD --> [*]\nC --> [*]\n",
      actions,
      "3:7: error: not all branches of 'F' lead to the join 'J', so it does not wait for them, and 'D' would run once "
      "for each branch that comes to 'J'; give the branches that meet there a fork of their own\n");
}

BOOST_AUTO_TEST_CASE(branches_that_share_a_fork_and_its_join_are_fine) {
  expect(
      "state F <<fork>>\nstate G <<fork>>\nstate J <<join>>\nstate K <<join>>\n[*] --> F\nF --> A\nF --> B\n"
      "A --> G: failure\nB --> G: failure\nG --> C\nG --> D\nC --> J\nD --> J\nJ --> K\nA --> K: success\n"
      "B --> K: success\nK --> [*]\n",
      "- A: Shell \"a\"\n- B: Shell \"b\"\n- C: Shell \"c\"\n- D: Shell \"d\"\n", "");
}

BOOST_AUTO_TEST_CASE(a_step_to_which_several_branches_come_by_themselves_is_a_warning) {
  const std::string begin = "state J <<join>>\nstate F <<fork>>\n[*] --> F\nF --> A\nF --> B\n";
  const std::string actions = "- A: Shell \"a\"\n- B: Shell \"b\"\n- C: Shell \"c\"\n";
  const std::string told =
      "warning: several branches of 'F' lead to 'C' before they meet, so it runs once for each of them, at the same "
      "time; "
      "to run it once, lead the branches to a <<join>> before it\n";
  expect(begin + "A --> C\nB --> C\nC --> J\nJ --> [*]\n", actions, "8:7: " + told);
  const std::string no_join = "state F <<fork>>\n[*] --> F\nF --> A\nF --> B\n";
  expect(no_join + "A --> C\nB --> C\nC --> [*]\n", actions, "7:7: " + told);
  expect(begin + "A --> J\nB --> J\nJ --> C\nC --> [*]\n", actions, "");
  // A step that repairs what failed in one branch may repair the other, too.
  expect(begin + "A --> J: success\nB --> J: success\nA --> C: failure\nB --> C: failure\nC --> J\nJ --> [*]\n",
         actions, "");
  // The author has drawn the same branch twice.
  expect("state J <<join>>\nstate F <<fork>>\n[*] --> F\nF --> A\nF --> A\nA --> J\nJ --> [*]\n", "- A: Shell \"a\"\n",
         "");
  expect("[*] --> P\nstate P {\n[*] --> A\nA --> B\n--\n[*] --> B\nB --> [*]\n}\nP --> [*]\n",
         "- A: Shell \"a\"\n- B: Shell \"b\"\n",
         "6:7: warning: several regions of 'P' lead to 'B' before they meet, so it runs once for each of them, at the "
         "same time; to run it once, put it behind 'P'\n");
}

BOOST_AUTO_TEST_CASE(an_element_in_a_text_that_no_shell_reads_is_a_warning) {
  const std::string diagram = "[*] --> A\nA --> B\nB --> [*]\n";
  const std::string head = "- A: Set l=\"x\"\n";
  expect(diagram, head + "- B: Log \"see ${l[0]}\"\n",
         "11:15: warning: ${l[0]} stays as it is, because only a shell reads it; write {{ l[0] }} for the element, or "
         "$${ for this text\n");
  for (const char* fine : {"Log \"{{ l[0] }} $${l[0]} ${other[0]} ${l[0\"", "Log \"{% raw %}${l[0]}{% endraw %}\"",
                           "Shell \"l=(1 2); echo ${l[0]}\""}) {
    expect(diagram, head + "- B: " + fine + "\n", "");
  }
}

BOOST_AUTO_TEST_CASE(ends_that_only_a_failure_leads_on_from_need_no_join) {
  const std::string work =
      "[*] --> W\nstate W {\nstate F <<fork>>\n[*] --> F\nF --> A\nF --> B\nA --> [*]\nB --> [*]\n}\nW --> [*]: "
      "success\n";
  const std::string actions = "- A: Shell \"a\" max=3\n- B: Shell \"b\" max=3\n";
  expect(work + "W --> Sorry: failure\nSorry --> [*]\n", actions + "- Sorry: Log \"sorry\"\n", "");
  expect(work + "W --> Stop: failure\n", actions + "- Stop: Abort \"sorry\"\n", "");
  expect(work + "W --> W: failure\n", actions, "");
}

BOOST_AUTO_TEST_CASE(a_branch_that_comes_to_the_end_of_an_outer_composite_state_is_an_error) {
  const std::string told_of_join =
      " around the join 'J', so 'D', which follows, would run for that branch and again after the join 'J'; lead the "
      "branch to the join 'J'\n";
  const std::string actions = "- A: Shell \"a\"\n- B: Shell \"b\"\n- X: Log \"x\"\n- D: Shell \"d\"\n";
  expect(
      "[*] --> V\nstate V {\n[*] --> W\nstate W {\nstate F <<fork>>\nstate J <<join>>\n[*] --> F\nF --> A\nF --> B\n"
      "A --> J\nB --> J: success\nJ --> [*]\n}\nW --> [*]\nB --> X: failure\nX --> [*]\n}\nV --> D\nD --> [*]\n",
      actions, "7:7: error: a branch of 'F' comes to the end of the composite state 'V'" + told_of_join);
  // By `on failure`, too.
  expect(
      "[*] --> W\nstate W {\nstate F <<fork>>\nstate J <<join>>\n[*] --> F\nF --> A\nF --> B\nA --> J\nB --> J\n"
      "X --> [*]\nJ --> [*]\n}\nW --> D\nD --> [*]\n",
      "- A: Shell \"a\"\n- B: Shell \"b\" on failure: X\n- X: Log \"x\"\n- D: Shell \"d\"\n",
      "5:7: error: a branch of 'F' comes to the end of the composite state 'W'" + told_of_join);
}

BOOST_AUTO_TEST_CASE(a_branch_that_goes_around_its_join_is_a_warning) {
  const std::string begin =
      "state J <<join>>\nstate F <<fork>>\n[*] --> F\nF --> A\nF --> B\nA --> J\nJ --> D\nD --> [*]\n";
  const std::string actions = "- A: Shell \"a\"\n- B: Shell \"b\"\n- D: Shell \"d\"\n";
  const std::string sorry = actions + "- Sorry: Log \"sorry\"\n";
  const std::string lost =
      "warning: after a failure of 'B', its branch ends before it comes to the join 'J', and the run continues after "
      "the "
      "join 'J' as if nothing had failed; lead the branch to the join 'J', whose exits can tell `success` from "
      "`failure`\n";
  expect(begin + "B --> J: success\nB --> D: failure\n", actions, "12:1: " + lost);
  expect(begin + "B --> J: success\nB --> Sorry: failure\nSorry --> [*]\n", sorry, "12:1: " + lost);
  expect(begin + "B --> D: B.content == 'none'\nB --> J: default\n", actions,
         "11:1: warning: this arrow leads a branch of 'F' around the join 'J' to 'D', which also comes after the join "
         "'J', "
         "so it would run twice; lead the branch to the join 'J'\n");
  expect(begin + "B --> J: success\nB --> Sorry: failure\nSorry --> J\n", sorry, "");
  // By `on failure`, too.
  const auto handled = [](std::string text) { return text.replace(text.find("\"b\""), 3, "\"b\" on failure: Sorry"); };
  expect(begin + "B --> J\nSorry --> [*]\n", handled(sorry), "18:28: " + lost);
  expect(begin + "B --> J\nSorry --> D\n", handled(sorry), "18:28: " + lost);
  expect(begin + "B --> J\nSorry --> J\n", handled(sorry), "");
  // An Abort ends the run, wherever an arrow leads from it.
  expect(begin + "B --> J: success\nB --> Sorry: failure\nSorry --> D\n", actions + "- Sorry: Abort \"sorry\"\n", "");
  // A branch that has nothing to do may end, and one may begin all branches again.
  expect(begin + "B --> [*]: B.content == 'none'\nB --> J: default\n", actions, "");
  expect(begin + "B --> J: success\nB --> Sorry: failure\nSorry --> F\nJ --> Sorry: failure\n",
         "- A: Shell \"a\" max=3\n- B: Shell \"b\" max=3\n- D: Shell \"d\"\n- Sorry: Log \"sorry\"\n", "");
  // For regions, the join is the end of the composite state.
  expect(
      "[*] --> P\nstate P {\n[*] --> A\nA --> [*]\n--\n[*] --> B\nB --> [*]\n}\nA --> Sorry: failure\nP --> D\n"
      "D --> [*]\nSorry --> [*]\n",
      sorry,
      "11:1: warning: after a failure of 'A', its region ends before it comes to the end of 'P', and the run continues "
      "after the end of 'P' as if nothing had failed; lead the region to the end of 'P', whose exits can tell "
      "`success` "
      "from `failure`\n");
}

BOOST_AUTO_TEST_CASE(a_branch_that_goes_around_its_join_to_that_of_the_outer_fork_is_a_warning) {
  const std::string actions = "- A: Shell \"a\"\n- B: Shell \"b\"\n- C: Shell \"c\"\n- D: Shell \"d\"\n";
  const auto inner_fork = [&](const std::string& ways) {
    return "state F <<fork>>\nstate J <<join>>\nstate G <<fork>>\nstate K <<join>>\n[*] --> F\nF --> G\nF --> C\nC --> "
           "J\n"
           "J --> D\nD --> [*]\nG --> A\nG --> B\nB --> K\nK --> J\n" +
           ways;
  };
  expect(inner_fork("A --> K: failure\nA --> J: success\n"), actions,
         "18:1: warning: this arrow leads a branch of 'G' around the join 'K' to 'D', which also comes after the join "
         "'K', "
         "so it would run twice; lead the branch to the join 'K'\n");
  expect(inner_fork("A --> K\n"), actions, "");
  // After a failure that this arrow hands on, the outer join leads nowhere.
  expect(inner_fork("A --> K: success\nA --> J: failure\n"), actions, "");
  expect(
      "state F <<fork>>\nstate J <<join>>\nstate P {\n[*] --> A\nA --> [*]: failure\nA --> J: success\n--\n[*] --> B\n"
      "B --> [*]\n}\n[*] --> F\nF --> P\nF --> C\nC --> J\nP --> J\nJ --> D\nD --> [*]\n",
      actions,
      "8:1: warning: this arrow leads a region of 'P' around the end of 'P' to 'D', which also comes after the end of "
      "'P', so it would run twice; lead the region to the end of 'P'\n");
}

BOOST_AUTO_TEST_CASE(a_branch_of_an_inner_fork_that_leads_back_to_the_outer_fork_is_a_warning) {
  const auto diagram = [](const std::string& inner_join, const std::string& back) {
    return "state F <<fork>>\nstate K <<join>>\nstate G <<fork>>\nstate J <<join>>\n[*] --> F\nF --> G\nF --> C\n"
           "G --> A\nG --> B\nB --> " +
           inner_join + "\nA --> " + inner_join + ": success\n" + back +
           "J --> P\nP --> K\nC --> K\nK --> D\nD --> [*]\n";
  };
  const std::string actions =
      "- A: Shell \"a\" max=3\n- B: Shell \"b\"\n- C: Shell \"c\"\n- D: Shell \"d\"\n- P: Shell \"p\"\n";
  const std::string told =
      "warning: this arrow leads a branch of 'G' around the join 'J' to 'D', which also comes after the join 'J', so "
      "it "
      "would run twice; lead the branch to the join 'J'\n";
  expect(diagram("J", "A --> F: failure\n"), actions, "14:1: " + told);
  expect(diagram("J", "A --> X: failure\nX --> F\n"), actions + "- X: Log \"x\"\n", "14:1: " + told);
  // Back to its own fork, or to an outer fork that meets at the same join.
  expect(diagram("J", "A --> G: failure\n"), actions, "");
  expect(
      "state F <<fork>>\nstate G <<fork>>\nstate J <<join>>\n[*] --> F\nF --> G\nF --> C\nG --> A\nG --> B\nB --> J\n"
      "C --> J\nA --> J: success\nA --> F: failure\nJ --> D\nD --> [*]\n",
      "- A: Shell \"a\" max=3\n- B: Shell \"b\"\n- C: Shell \"c\"\n- D: Shell \"d\"\n", "");
}

BOOST_AUTO_TEST_CASE(a_step_behind_a_join_that_waits_for_several_inner_forks_by_themselves_is_a_warning) {
  const std::string states =
      "state F <<fork>>\nstate G <<fork>>\nstate H <<fork>>\nstate J <<join>>\nstate K <<join>>\n[*] --> F\n";
  const std::string inner = "G --> A\nG --> B\nH --> C\nH --> D\nA --> J\nB --> J\nC --> J\nD --> J\n";
  const std::string actions =
      "- A: Shell \"a\"\n- B: Shell \"b\"\n- C: Shell \"c\"\n- D: Shell \"d\"\n- P: Shell \"p\"\n";
  const std::string rest = "J --> P\nP --> K\nE --> K\nK --> [*]\n";
  const std::string wait = "- E: Shell \"e\"\n";
  const auto told = [](const std::string& state) {
    return "warning: several branches of 'F' lead to '" + state +
           "' before they meet, so it runs once for each of them, at the same time; to run it once, lead the branches "
           "to a <<join>> before it\n";
  };
  expect(states + "F --> G\nF --> H\nF --> E\n" + inner + rest, actions + wait, "20:7: " + told("P"));
  // A fork of their own.
  expect(states + "state M <<fork>>\nF --> M\nF --> E\nM --> G\nM --> H\n" + inner + rest, actions + wait, "");
  // All branches meet there.
  expect("state F <<fork>>\nstate G <<fork>>\nstate H <<fork>>\nstate J <<join>>\n[*] --> F\nF --> G\nF --> H\n" +
             inner + "J --> P\nP --> [*]\n",
         actions, "");
  // The author has drawn the same branch twice.
  const std::string begin = "state F <<fork>>\nstate G <<fork>>\nstate J <<join>>\nstate K <<join>>\n[*] --> F\n";
  const std::string one = "G --> A\nG --> B\nA --> J\nB --> J\n";
  expect(begin + "F --> G\nF --> G\nF --> E\n" + one + rest,
         "- A: Shell \"a\"\n- B: Shell \"b\"\n- P: Shell \"p\"\n" + wait, "");
  // Two branches enter one inner fork, and the join waits for each run of it.
  expect(begin + "F --> C\nF --> D\nF --> E\nC --> G\nD --> G\n" + one + rest, actions + wait, "13:7: " + told("A"));
}

BOOST_AUTO_TEST_CASE(a_second_join_for_failures_is_an_error_only_if_a_step_would_run_more_than_once) {
  const auto diagram = [](const std::string& first, const std::string& rest) {
    return "state J <<join>>\nstate K <<join>>\nstate F <<fork>>\n[*] --> F\nF --> A\nF --> B\nA --> " + first +
           ": success\nB --> " + first + ": success\n" + rest;
  };
  const std::string actions = "- A: Shell \"a\"\n- B: Shell \"b\"\n- D: Shell \"d\"\n";
  expect(diagram("J", "A --> K: failure\nB --> K: failure\nK --> Stop: failure\nJ --> D\nD --> [*]\n"),
         actions + "- Stop: Abort \"failed\"\n", "");
  // The join that stands first is that of the fork.
  expect(
      diagram("K", "A --> J: failure\nB --> J: failure\nJ --> [*]\nK --> D\nD --> [*]\n"), actions,
      "4:7: error: the branches of 'F' meet at the join 'J', so the join 'K' does not wait for them, and 'D' would run "
      "once for each branch that comes to 'K'; lead all of them to one join, whose exits can tell `success` from "
      "`failure`\n");
}

BOOST_AUTO_TEST_CASE(many_forks_are_checked_in_little_time) {
  // For each fork, the names that Set actions set were gathered again for each step that follows it.
  std::string diagram = "[*] --> F0\n";
  std::string actions;
  for (int i = 0; i < 300; ++i) {
    const std::string n = std::to_string(i);
    diagram += "state F" + n + " <<fork>>\nF" + n + " --> A" + n + "\nF" + n + " --> B" + n + "\nA" + n +
               " --> [*]\nB" + n + " --> [*]: b" + n + " == 'x'\nB" + n + " --> " +
               (i < 299 ? "F" + std::to_string(i + 1) : "C") + "\n";
    actions += "- A" + n + ": Set a" + n + "=\"x\"\n- B" + n + ": Set b" + n + "=\"y\"\n";
  }
  expect(diagram + "C --> [*]\n", actions, "");
}

BOOST_AUTO_TEST_CASE(an_arrow_from_finally_to_a_step_of_the_ordinary_path_is_a_warning) {
  const std::string front = "finally: Clean\n";
  const std::string actions = "- A: Shell \"a\"\n- Deploy: Shell \"b\"\n- Clean: Shell \"c\"\n";
  const auto found = [&](const std::string& diagram) { return diagnostics_of(workflow_text(diagram, actions, front)); };
  const std::string path = "[*] --> A\nA --> Deploy\nDeploy --> [*]\n";
  const std::string told =
      "warning: this arrow leads from `finally` to 'Deploy', a step of the ordinary path: after a failure or an abort "
      "before that step, the run would continue with it; let `finally` lead to its own states and to [*] only\n";
  BOOST_TEST(found(path + "Clean --> Deploy\n") == "9:1: " + told);
  BOOST_TEST(found("[*] --> A\nA --> Clean\nClean --> Deploy\nDeploy --> [*]\n") == "8:1: " + told);
  BOOST_TEST(found(path + "Clean --> [*]\n") == "");
  BOOST_TEST(found("[*] --> A\nA --> Deploy\nDeploy --> End\nClean --> End\nEnd: the end\nEnd --> [*]\n") == "");
}

BOOST_AUTO_TEST_CASE(a_step_to_which_on_failure_and_finally_both_lead_is_a_warning) {
  const auto found = [](const std::string& diagram, const std::string& action = "Shell \"b\"") {
    return diagnostics_of(
        workflow_text("[*] --> A\nA --> [*]\n" + diagram,
                      "- A: Shell \"a\"\n- Tell: Log \"t\"\n- Clean: Log \"c\"\n- B: " + action + "\n",
                      "on failure: Tell\nfinally: Clean\n"));
  };
  BOOST_TEST(
      found("Tell --> B\nClean --> B\nB --> [*]\n") ==
      "9:10: warning: `on failure` and `finally` both lead to 'B', so it would run twice after a failure; let only "
      "`finally` lead to it, which runs after a failure, too\n");
  BOOST_TEST(found("Tell --> B\nClean --> B\nB --> [*]\n", "Log \"b\"") == "");
  // The state that `finally` names is entered once.
  BOOST_TEST(found("Tell --> Clean\nClean --> B\nB --> [*]\n") == "");
}

BOOST_AUTO_TEST_CASE(regions_that_leave_their_state_for_the_end_of_the_one_around_it_are_an_error) {
  expect(
      "[*] --> W\nstate W {\n[*] --> P\nstate P {\n[*] --> B\n--\n[*] --> C\n}\nB --> [*]\nC --> [*]\n}\n"
      "W --> D\nD --> [*]\n",
      "- B: Shell \"b\"\n- C: Shell \"c\"\n- D: Shell \"d\"\n",
      "5:9: error: several regions of 'P' come to the end of the composite state 'W' without a join, so 'D', which "
      "follows, would run once for each of them, at the same time; lead the regions to the end [*] of 'P', and 'P' to "
      "the end of 'W'\n");
}

BOOST_AUTO_TEST_CASE(a_composite_state_whose_end_leads_to_itself_is_an_error) {
  const std::string inside = "[*] --> A\nA --> [*]: success\nA --> Out: exit_code == 7\n";
  const std::string actions = "- A: Shell \"a\"\n- Out: Log \"out\"\n";
  expect("[*] --> X\nstate X {\n" + inside + "X --> [*]\n}\nOut --> [*]\n", actions,
         "8:1: error: the end [*] cannot be reached from the end of the composite state 'X': the run would never end; "
         "a line `X --> ...` inside of 'X' is an exit of 'X'\n");
  expect("[*] --> Y\nstate Y {\nstate X {\n" + inside + "Y --> [*]\n}\n[*] --> X\nX --> [*]\n}\nOut --> [*]\n", actions,
         "9:1: error: the end [*] cannot be reached from the end of the composite state 'Y': the run would never end; "
         "a line `Y --> ...` inside of 'Y' is an exit of 'Y'\n");
}

BOOST_AUTO_TEST_CASE(a_loop_that_is_left_by_the_exit_for_failures_of_its_composite_state_is_fine) {
  const auto poll = [](const std::string& exits) {
    return "[*] --> Poll\nstate Poll {\n[*] --> T\nT --> T: success\n}\n" + exits + "D --> [*]\n";
  };
  const std::string actions = "- T: Shell \"t\" max=9\n- D: Log \"d\"\n";
  expect(poll("Poll --> D: failure\n"), actions, "");
  expect(poll("Poll --> D: always\n"), actions, "");
  const auto continuing = [&](const std::string& exits) {
    return diagnostics_of(workflow_text(poll(exits), actions, "failures: continue\n"));
  };
  BOOST_TEST(continuing("Poll --> D: failure\n") == "");
  BOOST_TEST(holds(continuing("Poll --> D\n"), "this exit is never taken: nothing inside the composite state"));
  expect(
      "[*] --> W\nstate W {\n[*] --> Poll\nstate Poll {\n[*] --> T\nT --> T: success\n}\n}\n"
      "W --> D: failure\nW --> [*]: success\nD --> [*]\n",
      actions, "");
  // After a failure, a plain arrow is not taken, and a failure that the step itself handles does not leave.
  const std::string endless =
      "3:9: error: the end [*] cannot be reached from the state 'Poll': the run would never end\n";
  expect(
      poll("Poll --> D: success\n"), actions,
      endless +
          "8:1: error: this exit is never taken: nothing inside the composite state leads to its end; add a line State "
          "--> [*] inside of it\n");
  expect(
      "[*] --> Poll\nstate Poll {\n[*] --> T\nT --> T: success\nT --> T: failure\n}\nPoll --> D: failure\nD --> [*]\n",
      actions, endless);
}

BOOST_AUTO_TEST_CASE(a_failure_that_leaves_a_composite_state_comes_from_an_action) {
  expect("[*] --> W\nstate W {\n[*] --> A\nA --> D\n}\nW --> Sorry: failure\nSorry --> [*]\nD --> [*]\n",
         "- A: Shell \"a\"\n- Sorry: Log \"sorry\"\n- D: Log \"d\"\n", "");
}

BOOST_AUTO_TEST_CASE(an_arrow_into_one_of_several_regions_is_a_warning) {
  const auto diagram = [](const std::string& start, const std::string& after) {
    return start + "state W {\n[*] --> A\nA --> A2\nA2 --> [*]\n--\n[*] --> B\nB --> [*]\n}\n" + after;
  };
  const std::string actions = "- S: Shell \"s\"\n- A: Shell \"a\"\n- A2: Shell \"a\" max=9\n- B: Shell \"b\"\n";
  const std::string told =
      " leads into one of the regions of 'W', so the other regions do not run, and the end of 'W' waits for nothing; "
      "lead it to 'W' to run all regions\n";
  const std::string start = "[*] --> S\n";
  expect(diagram(start + "S --> A2: exit_code == 0\nS --> W: default\n", "W --> [*]\n"), actions,
         "4:1: warning: this arrow" + told);
  expect(diagram(start + "S --> W\n", "W --> [*]: success\nW --> A2: failure\n"), actions,
         "14:1: warning: this arrow" + told);
  expect(diagram(start + "S --> W\n", "W --> [*]\n"),
         "- S: Shell \"s\" on failure: A2\n- A: Shell \"a\"\n- A2: Shell \"a\"\n- B: Shell \"b\"\n",
         "18:28: warning: this `on failure`" + told);
  expect(diagram("[*] --> A2\n", "W --> [*]\n"), "- A: Shell \"a\"\n- A2: Shell \"a\"\n- B: Shell \"b\"\n",
         "3:9: warning: the start" + told + "4:7: error: the state 'W' cannot be reached from the start\n");
  expect(diagram(start + "S --> W\n", "W --> [*]\n"), actions, "");
  // The branches of a fork join at the end of the regions.
  expect(diagram(start + "state F <<fork>>\nS --> F\nF --> A\nF --> B\n", "W --> [*]\n"), actions, "");
}

BOOST_AUTO_TEST_CASE(success_before_any_action_is_a_warning) {
  expect("[*] --> A\nA --> [*]: success\nA --> B: default\nB --> [*]\n", "- B: Log \"x\"\n",
         "4:12: warning: no action can have run before this condition, so the outcome is always a success\n");
}

BOOST_AUTO_TEST_CASE(values_that_are_never_alike_are_not_compared) {
  expect("[*] --> A\nA --> [*]: exit_code == \"0\"\nA --> [*]: default\n", "",
         "4:12: error: 'exit_code' is a number, but is compared with a text here, which fails\n");
  expect("[*] --> A\nA --> [*]: failure || success == 1\nA --> [*]: default\n", "",
         "4:23: error: 'success' is true or false, but is compared with a number here, which fails\n");
  const std::string text = workflow_text("[*] --> A\nA --> [*]: count > 5\nA --> [*]: default\n", "- A: Log \"x\"\n",
                                         "parameters:\n  - name: count\n    default: 3\n");
  BOOST_TEST(diagnostics_of(text) ==
             "9:12: warning: 'count' is a text, but is compared with a number here, which fails; "
             "write int(count), or declare it with `type: number`\n");
}

BOOST_AUTO_TEST_CASE(a_word_that_is_not_a_condition_is_an_undefined_variable) {
  expect("[*] --> A\nA --> [*]: Continue\nA --> [*]: default\n", "",
         "4:12: error: the variable 'Continue' is not defined; a condition is 'always', 'default', 'success', "
         "'failure', or an expression such as 'exit_code == 0'\n");
}

BOOST_AUTO_TEST_CASE(a_variable_of_the_environment_as_other_programs_write_it_is_explained) {
  expect("[*] --> A\nA --> [*]\n", "- A: Shell \"echo ${env.HOME}\"\n",
         "9:18: error: the variable 'env' is not defined; a command reads a variable of the environment as $HOME\n");
  expect("[*] --> A\nA --> [*]\n", "- A: Log \"${env.HOME}\"\n",
         "9:11: error: the variable 'env' is not defined; a command reads a variable of the environment as $HOME, and "
         "`--var-env home=HOME` gives its value to the workflow as ${home}\n");
}

BOOST_AUTO_TEST_CASE(failures_and_ends_lead_to_states_that_exist_and_count_as_reached) {
  const std::string diagram = "[*] --> A\nA --> [*]\nSorry --> [*]\nTidy --> [*]\n";
  expect(diagram, "- A: Shell \"x\" on failure: Sorry\n- finally: Tidy\n", "");
  expect(
      "[*] --> A\nA --> [*]\n", "- A: Shell \"x\" on failure: B\n- finally: A1\n",
      "9:28: error: `on failure` leads to \"B\", but the diagram has no such state; correct the name, or add the state "
      "to the diagram\n"
      "10:12: error: `finally` leads to \"A1\", but the diagram has no such state; correct the name, or add the state "
      "to the diagram\n");
}

BOOST_AUTO_TEST_CASE(some_of_the_names_of_the_run_may_be_set) {
  expect(
      "[*] --> A\nA --> [*]\n", "- A: Set result=\"x\"\n",
      "9:10: warning: 'result' is normally set by the run itself after each action; from here on, it keeps the value "
      "that is set here\n");
  expect("[*] --> A\nA --> [*]\n", "- A: Set run_id=\"x\"\n",
         "9:10: error: 'run_id' is set by the run itself; choose another name\n");
  expect("[*] --> A\nA --> [*]: result.content.contains(\"YES\") && output == error\nA --> [*]: default\n",
         "- A: Log \"x\"\n", "");
  expect("[*] --> A\nA --> [*]\n", "- A: Log \"${matrix.os}\"\n",
         "9:11: error: 'matrix' has a value only in the action of a state that has the option matrix={...}\n");
  expect("[*] --> A\nA --> [*]\n", "- A: Shell \"echo ${matrix.os}\" matrix={\"os\": [\"a\"]}\n", "");
}

BOOST_AUTO_TEST_CASE(all_findings_come_at_once_sorted_by_place) {
  const std::string found = diagnostics_of(workflow_text("[*] --> A\nA --> B: exit_code = 1\nB -> C\n",
                                                         "- Z: Log \"x\"\n- A: Log \"${nothing}\"\n- B: Foo\n"));
  std::size_t last = 0;
  std::size_t lines = 0;
  for (std::size_t begin = 0; begin < found.size(); begin = found.find('\n', begin) + 1) {
    const std::size_t line = std::stoul(found.substr(begin));
    BOOST_TEST(line >= last);
    last = line;
    ++lines;
  }
  BOOST_TEST(lines >= 5U, found);
}

BOOST_AUTO_TEST_CASE(without_shell_execute_a_shell_action_is_an_error) {
  class NoTools final : public wtool::host::ToolCaller {
   public:
    bool has_tool(std::string_view) const override { return false; }
    wtool::host::ToolOutcome call(std::string_view, const Json&, wtool::Stop&, const OutputSink&) override {
      return {};
    }
  };
  const wtool::host::workflow::Source source("w.md", workflow_text("[*] --> A\nA --> [*]\n", "- A: Shell \"x\"\n"));
  wtool::host::workflow::Diagnostics diagnostics;
  const auto workflow = wtool::host::workflow::parse_workflow(source, diagnostics);
  check_workflow(workflow, {}, std::make_unique<NoTools>().get(), diagnostics);
  BOOST_TEST(diagnostics.text(source) ==
             "w.md:9:3: error: Shell needs the tool shell_execute, which the plugin does not have\n");
}

BOOST_AUTO_TEST_CASE(the_workflows_of_this_project_have_no_diagnostics) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WTOOL_TEST_SOURCE_DIR "/workflows")) {
    if (entry.path().extension() != ".md") continue;
    ++count;
    std::string error;
    const auto source = wtool::host::workflow::load_source(entry.path().string(), error);
    BOOST_TEST(error.empty(), error);
    wtool::host::workflow::Diagnostics diagnostics;
    const auto workflow = wtool::host::workflow::parse_workflow(source, diagnostics);
    const FakeTools tools;
    check_workflow(workflow, {}, &tools, diagnostics);
    BOOST_TEST(diagnostics.empty(), diagnostics.text(source));
  }
  BOOST_TEST(count > 0U);
}

}  // namespace checker_test
