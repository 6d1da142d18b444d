// Runs with branches, tries, matrices and workflows within workflows, with fake tools.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <condition_variable>
#include <set>

#include "failing_runs.h"
#include "runner/waiting.h"

namespace branches_test {

using namespace wtool::test;
using namespace wtool::host;
using namespace wtool::host::runner;
using namespace wtool::host::workflow;
using wtool::Stop;
using wtool::StopHow;
using wtool::StopRequest;

namespace {

const std::string three_branches =
    "[*] --> Split\nstate Split <<fork>>\nstate Meet <<join>>\nSplit --> A\nSplit --> B\nSplit --> C\nA --> Meet\n"
    "B --> Meet\nC --> Meet\n";
const std::string judged =
    three_branches + "Meet --> Good: success\nMeet --> Bad: failure\nGood --> [*]\nBad --> [*]\n";
const std::string shell_in_all = "- A: Shell \"a\"\n- B: Shell \"b\"\n- C: Shell \"c\"\n";

// Waits until `wanted` callers have come.
class Meeting {
 public:
  explicit Meeting(int wanted) : wanted_(wanted) {}
  bool arrive() {
    std::unique_lock lock(mutex_);
    ++come_;
    all_.notify_all();
    return all_.wait_for(lock, std::chrono::seconds(30), [this] { return come_ >= wanted_; });
  }

 private:
  const int wanted_;
  int come_ = 0;
  std::mutex mutex_;
  std::condition_variable all_;
};

// Blocks until the stop is requested, like a command that runs forever.
ToolOutcome until_stopped(Stop& stop) {
  std::mutex mutex;
  std::condition_variable changed;
  bool stopped = false;
  const auto subscription = stop.subscribe([&](const StopRequest&) {
    const std::lock_guard lock(mutex);
    stopped = true;
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  changed.wait_for(lock, std::chrono::seconds(30), [&] { return stopped; });
  ToolOutcome outcome = FakeTools::exited(143, "");
  outcome.kind = stopped ? ToolOutcome::Kind::cancelled : ToolOutcome::Kind::finished;
  return outcome;
}

int count(const std::string& text, const std::string& part) {
  int times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(branches)

// A way back to the fork began all branches again, and so the inner join counted as the join of the outer fork, too.
BOOST_AUTO_TEST_CASE(a_branch_that_may_return_to_its_fork_waits_at_the_join_of_all_branches) {
  const Run run(
      workflow_text("state F <<fork>>\nstate G <<fork>>\nstate J <<join>>\nstate K <<join>>\n[*] --> F\nF --> G\n"
                    "F --> C\nG --> A\nG --> B\nA --> J\nB --> J\nJ --> Pack\nPack --> Upload\nUpload --> K\n"
                    "C --> K: success\nC --> F: failure\nK --> Deploy\nDeploy --> [*]\n",
                    shell_in_all + "- Pack: Shell \"pack\"\n- Upload: Shell \"upload\"\n- Deploy: Shell \"deploy\"\n",
                    "max_steps: 50\n"),
      [](const Json& arguments, Stop&, const ToolCaller::OutputSink&) {
        return FakeTools::exited(command_of(arguments) == "upload" ? 1 : 0, "");
      });
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(run.recorder.events.find("+Deploy") == std::string::npos, run.recorder.events);
}

BOOST_AUTO_TEST_CASE(all_branches_of_a_fork_run_at_the_same_time) {
  Meeting meeting(3);
  const Run run(workflow_text(judged, shell_in_all), [&](const Json&, Stop&, const ToolCaller::OutputSink&) {
    return FakeTools::exited(meeting.arrive() ? 0 : 1, "");
  });
  BOOST_TEST((run.report.status == RunReport::Status::completed), run.report.reason);
  BOOST_TEST(holds(run.recorder.events, "+Meet -Meet +Good"));
  BOOST_TEST(run.report.steps.size() == 6U);
}

BOOST_AUTO_TEST_CASE(no_more_calls_run_than_max_parallel_allows) {
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  Around around;
  around.settings.max_parallel = 2;
  const Run run(
      workflow_text(judged, shell_in_all),
      [&](const Json&, Stop&, const ToolCaller::OutputSink&) {
        most = std::max(most.load(), ++running);
        std::this_thread::yield();
        --running;
        return FakeTools::exited(0, "");
      },
      {}, around);
  BOOST_TEST((run.report.status == RunReport::Status::completed));
  BOOST_TEST(most <= 2);
  BOOST_TEST(run.tools.calls.size() == 3U);
}

BOOST_AUTO_TEST_CASE(the_join_sees_a_branch_whose_last_action_failed) {
  Around around;
  around.settings.fail_fast = false;
  const Run run(
      workflow_text(judged, shell_in_all + "- Bad: Log \"${Meet.message}|${exit_code}\"\n"),
      [](const Json& arguments, Stop&, const ToolCaller::OutputSink&) {
        return FakeTools::exited(command_of(arguments) == "b" ? 7 : 0, "");
      },
      {}, around);
  BOOST_TEST((run.report.status == RunReport::Status::completed));
  BOOST_TEST(holds(run.recorder.events, "log0'1 of 3 branches failed: B|7'"), run.recorder.events);
}

BOOST_AUTO_TEST_CASE(a_run_is_not_completed_if_nothing_judged_a_branch_that_failed) {
  const std::string fork =
      "[*] --> Split\nstate Split <<fork>>\nstate Meet <<join>>\nSplit --> A\nSplit --> B\nA --> Meet\nB --> Meet\n";
  const auto answer = [](const Json& arguments, Stop&, const ToolCaller::OutputSink&) {
    return FakeTools::exited(command_of(arguments) == "b" ? 7 : 0, "");
  };
  const std::string shell = "- A: Shell \"a\"\n- B: Shell \"b\"\n";
  const Run unjudged(workflow_text(fork + "Meet --> [*]\n", shell), answer);
  BOOST_TEST((unjudged.report.status == RunReport::Status::failed));
  BOOST_TEST(unjudged.report.reason ==
             "the branch 'B' failed: step 'B' failed, and no transition handles the failure: Command failed with exit "
             "code 7");
  const Run judged_so(workflow_text(fork + "Meet --> [*]: failure\nMeet --> [*]: success\n", shell), answer);
  BOOST_TEST((judged_so.report.status == RunReport::Status::completed));
}

BOOST_AUTO_TEST_CASE(a_branch_that_can_go_no_further_ends_the_others_and_the_run) {
  Meeting meeting(3);
  const std::string diagram =
      "[*] --> Split\nstate Split <<fork>>\nstate Meet <<join>>\nSplit --> A\nSplit --> B\nSplit --> C\nA --> Meet\n"
      "B --> Meet: success\nC --> Meet\nMeet --> [*]\n";
  const auto answer = [&](const Json& arguments, Stop& stop, const ToolCaller::OutputSink&) {
    meeting.arrive();
    return command_of(arguments) == "b" ? FakeTools::exited(1, "") : until_stopped(stop);
  };
  const Run run(workflow_text(diagram, shell_in_all), answer);
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(holds(run.report.reason, "the branch 'B' failed: step 'B' failed, and no transition handles the failure"));
  BOOST_TEST(holds(run.recorder.events, "xA"));
  BOOST_TEST(holds(run.recorder.events, "xC"));
  BOOST_TEST(!holds(run.recorder.events, "+Meet -Meet +"));
}

BOOST_AUTO_TEST_CASE(without_fail_fast_the_other_branches_continue) {
  const std::string diagram =
      "[*] --> Split\nstate Split <<fork>>\nstate Meet <<join>>\nSplit --> A\nSplit --> B\nA --> Meet: success\n"
      "B --> B2\nB2 --> Meet\nMeet --> Good: success\nMeet --> Bad: default\nGood --> [*]\nBad --> [*]\n";
  Around around;
  around.settings.fail_fast = false;
  const Run run(
      workflow_text(diagram, "- A: Shell \"a\"\n- B: Shell \"b\"\n- B2: Shell \"b2\"\n"),
      [](const Json& arguments, Stop&, const ToolCaller::OutputSink&) {
        return FakeTools::exited(command_of(arguments) == "a" ? 1 : 0, "");
      },
      {}, around);
  BOOST_TEST((run.report.status == RunReport::Status::completed), run.report.reason);
  BOOST_TEST(holds(run.recorder.events, "-B2"));
  BOOST_TEST(holds(run.recorder.events, "+Bad"));
}

BOOST_AUTO_TEST_CASE(a_variable_that_two_branches_set_is_that_of_the_later_one_in_the_diagram) {
  for (int times = 0; times < 20; ++times) {
    const Run run(workflow_text(three_branches + "Meet --> Tell\nTell --> [*]\n",
                                "- A: Set x=\"a\" only=\"yes\"\n- B: Log \"b\"\n- C: Set x=\"c\"\n"
                                "- Tell: Log \"${x} ${only} ${B}\"\n"));
    BOOST_TEST(holds(run.recorder.events, "log0'c yes b'"));
    BOOST_TEST(holds(run.recorder.events, "notice'the branches 'A' and 'C' have both set 'x'"));
  }
}

BOOST_AUTO_TEST_CASE(a_branch_does_not_see_what_another_one_sets) {
  const Run run(workflow_text(three_branches + "Meet --> [*]\n",
                              "- A: Set x=\"a\"\n- B: Log \"{{ x | default: \\\"nothing\\\" }}\"\n- C: Log \"c\"\n"));
  BOOST_TEST(holds(run.recorder.events, "log0'nothing'"));
}

BOOST_AUTO_TEST_CASE(an_abort_in_a_branch_ends_all_of_them) {
  Meeting meeting(3);
  const Run run(workflow_text("[*] --> Split\nstate Split <<fork>>\nstate Meet <<join>>\nSplit --> A\nSplit --> B\n"
                              "Split --> C\nA --> Meet\nB --> Meet\nC --> Stop\nStop --> Meet\nMeet --> [*]\n"
                              "Last --> [*]\n",
                              shell_in_all + "- Stop: Abort \"enough\"\n- Last: Log \"last\"\n- finally: Last\n"),
                [&](const Json& arguments, Stop& stop, const ToolCaller::OutputSink&) {
                  meeting.arrive();
                  return command_of(arguments) == "c" ? FakeTools::exited(0, "") : until_stopped(stop);
                });
  BOOST_TEST((run.report.status == RunReport::Status::aborted));
  BOOST_TEST(run.report.reason == "enough");
  const std::string summary = run.summary();
  const std::string blamed = summary.substr(std::min(summary.find("  Aborted: "), summary.size()));
  BOOST_TEST(blamed.substr(0, blamed.find('\n')).ends_with("Stop"), summary);
  BOOST_TEST(holds(run.recorder.events, "xA"));
  BOOST_TEST(holds(run.recorder.events, "xB"));
  BOOST_TEST(holds(run.recorder.events, "log0'last'"));
}

BOOST_AUTO_TEST_CASE(forks_may_be_nested_and_meet_at_the_same_join) {
  const std::string diagram =
      "[*] --> F\nstate F <<fork>>\nstate G <<fork>>\nstate J <<join>>\nF --> A\nF --> G\nG --> B\nG --> C\nA --> J\n"
      "B --> J\nC --> J\nJ --> End\nEnd --> [*]\n";
  const Run run(workflow_text(diagram, shell_in_all + "- End: Log \"${A.exit_code}${B.exit_code}${C.exit_code}\"\n"));
  BOOST_TEST((run.report.status == RunReport::Status::completed), run.report.reason);
  BOOST_TEST(count(run.recorder.events, "+J ") == 1);
  BOOST_TEST(holds(run.recorder.events, "log0'000'"));
}

BOOST_AUTO_TEST_CASE(a_branch_that_leads_back_to_its_own_fork_is_an_error_before_threads_run_out) {
  const Run run(
      workflow_text("[*] --> Split\nstate Split <<fork>>\nstate Meet <<join>>\nSplit --> A\nSplit --> B\n"
                    "A --> Split: success\nA --> Meet: failure\nB --> Meet\nMeet --> [*]\n",
                    "- A: Set a=\"1\"\n- B: Set b=\"1\"\n"));
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(holds(run.report.reason, "the fork 'Split' is nested in 100 other forks"), run.report.reason);
  BOOST_TEST(run.report.reason.size() < 1000U, run.report.reason);
}

BOOST_AUTO_TEST_CASE(regions_of_a_composite_state_are_branches) {
  Meeting meeting(2);
  const std::string diagram =
      "[*] --> Both\nstate Both {\n[*] --> A\nA --> [*]\n--\n[*] --> B\nB --> [*]\n}\nBoth --> After: success\n"
      "Both --> Bad: failure\nAfter --> [*]\nBad --> [*]\n";
  const Run run(workflow_text(diagram, "- A: Shell \"a\"\n- B: Shell \"b\"\n"),
                [&](const Json&, Stop&, const ToolCaller::OutputSink&) {
                  return FakeTools::exited(meeting.arrive() ? 0 : 1, "");
                });
  BOOST_TEST((run.report.status == RunReport::Status::completed), run.report.reason);
  BOOST_TEST(holds(run.recorder.events, "+After"), run.recorder.events);
}

BOOST_AUTO_TEST_CASE(many_branches_run_at_the_same_time) {
  constexpr int branches = 200;
  Meeting meeting(branches);
  std::string diagram = "[*] --> F\nstate F <<fork>>\nstate J <<join>>\nJ --> [*]\n";
  std::string actions;
  for (int i = 0; i < branches; ++i) {
    const std::string name = "S" + std::to_string(i);
    diagram += "F --> " + name + "\n" + name + " --> J\n";
    actions += "- " + name + ": Shell \"x\"\n";
  }
  const Run run(workflow_text(diagram, actions), [&](const Json&, Stop&, const ToolCaller::OutputSink&) {
    return FakeTools::exited(meeting.arrive() ? 0 : 1, "");
  });
  BOOST_TEST((run.report.status == RunReport::Status::completed), run.report.reason);
  BOOST_TEST(holds(run.recorder.events, "-J"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(tries)

const std::string one = "[*] --> A\nA --> [*]\n";

BOOST_AUTO_TEST_CASE(an_action_is_tried_again_until_it_succeeds) {
  int calls = 0;
  const Run run(
      workflow_text(one, "- A: Shell \"x\" retry=5 backoff=1ms..3ms\n"),
      [&](const Json&, Stop&, const ToolCaller::OutputSink&) { return FakeTools::exited(++calls < 5 ? 1 : 0, ""); });
  BOOST_TEST((run.report.status == RunReport::Status::completed));
  BOOST_TEST(run.recorder.events == "+A again1,1 again2,2 again3,3 again4,3 -A end");
  BOOST_TEST(run.report.steps[0].tries == 5);
}

BOOST_AUTO_TEST_CASE(an_action_fails_when_its_tries_are_used_up) {
  const Run run(workflow_text(one, "- A: Shell \"x\" retry=2\n"), exits_with(4));
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(run.tools.calls.size() == 3U);
  BOOST_TEST(run.report.steps[0].exit_code == 4);
}

BOOST_AUTO_TEST_CASE(a_refusal_is_not_tried_again) {
  const Run run(workflow_text(one, "- A: Shell \"x\" retry=2\n"),
                [](const Json&, Stop&, const ToolCaller::OutputSink&) {
                  ToolOutcome refused = FakeTools::exited(1, "");
                  refused.result["metadata"]["error"] = {{"code", "policy_denied"}};
                  return refused;
                });
  BOOST_TEST(run.tools.calls.size() == 1U);
  BOOST_TEST(run.report.refused);
}

BOOST_AUTO_TEST_CASE(all_tries_together_take_no_longer_than_total_timeout) {
  const Run run(workflow_text(one, "- A: Shell \"x\" retry=100 backoff=1s total_timeout=1\n"),
                [](const Json&, Stop& stop, const ToolCaller::OutputSink&) { return until_stopped(stop); });
  BOOST_TEST((run.report.status == RunReport::Status::failed), run.report.reason);
  BOOST_TEST(holds(run.report.reason, "the total_timeout of 1 ran out in try 1"), run.report.reason);
  BOOST_TEST(run.report.steps[0].exit_code == 124);
}

BOOST_AUTO_TEST_CASE(a_wait_ends_when_the_run_is_stopped) {
  Stop stop;
  stop.request(StopHow::graceful, "enough");
  BOOST_TEST(!wait_until(std::chrono::steady_clock::now() + std::chrono::hours(1), stop));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(ends)

BOOST_AUTO_TEST_CASE(a_failure_may_lead_to_a_separate_state) {
  const Run run(workflow_text("[*] --> A\nA --> B\nB --> [*]\nC --> [*]\n",
                              "- A: Shell \"x\" on failure: C\n- B: Log \"b\"\n- C: Log \"c\"\n"),
                exits_with(1));
  BOOST_TEST(run.path() == "A C");
  BOOST_TEST((run.report.status == RunReport::Status::completed));
}

BOOST_AUTO_TEST_CASE(a_run_that_has_failed_stays_so_whatever_on_failure_leads_to) {
  const Run run(
      workflow_text("[*] --> A\nA --> [*]\nC --> [*]\n", "- A: Shell \"x\"\n- C: Log \"c\"\n- on failure: C\n"),
      exits_with(1));
  BOOST_TEST(run.path() == "A C");
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(holds(run.report.reason, "'A' failed"));
}

BOOST_AUTO_TEST_CASE(finally_is_run_after_success_failure_and_abort) {
  const std::string diagram = "[*] --> A\nA --> [*]\nZ --> [*]\n";
  const std::string last = "- Z: Log \"z\"\n- finally: Z\n";
  const Run good(workflow_text(diagram, "- A: Shell \"x\"\n" + last));
  BOOST_TEST(good.path() == "A Z");
  BOOST_TEST((good.report.status == RunReport::Status::completed));
  const Run bad(workflow_text(diagram, "- A: Shell \"x\"\n" + last), exits_with(1));
  BOOST_TEST(bad.path() == "A Z");
  BOOST_TEST((bad.report.status == RunReport::Status::failed));
  const Run aborted(workflow_text(diagram, "- A: Abort \"enough\"\n" + last));
  BOOST_TEST(aborted.path() == "A Z");
  BOOST_TEST((aborted.report.status == RunReport::Status::aborted));
  BOOST_TEST(aborted.report.reason == "enough");
  BOOST_TEST(holds(aborted.recorder.events, "log0'z'"));
}

BOOST_AUTO_TEST_CASE(finally_does_not_run_if_the_run_waits_to_be_resumed) {
  const std::string diagram = "[*] --> A\nA --> [*]\nZ --> [*]\n";
  const std::string last = "- Z: Log \"z\"\n- finally: Z\n";
  Around around;
  around.services.skips_finally = [] { return true; };
  BOOST_TEST(Run(workflow_text(diagram, "- A: Abort \"enough\"\n" + last), nullptr, {}, around).path() == "A");
  // `finally` is skipped only in a run that is aborted.
  BOOST_TEST(Run(workflow_text(diagram, "- A: Log \"a\"\n" + last), nullptr, {}, around).path() == "A Z");
}

BOOST_AUTO_TEST_CASE(the_result_of_a_workflow_does_not_come_from_finally_but_what_finally_sets_stays) {
  const Others others({{"inner", workflow_text("[*] --> I\nI --> [*]\nY --> Z\nZ --> [*]\n",
                                               "- I: Log \"the result\"\n- Y: Set tidy=\"yes\"\n- Z: Log \"tidied\"\n"
                                               "- finally: Y\n")}});
  const Run run(workflow_text("[*] --> A\nA --> B\nB --> [*]\n",
                              "- A: Run workflow \"inner\"\n- B: Log \"${A}, ${A.variables.tidy}\"\n"),
                nullptr, {}, others.around);
  BOOST_TEST(holds(run.recorder.events, "log0'the result, yes'"), run.recorder.events);
}

BOOST_AUTO_TEST_CASE(finally_that_fails_fails_a_run_that_had_succeeded) {
  const Run run(workflow_text("[*] --> A\nA --> [*]\nZ --> [*]\n", "- A: Log \"a\"\n- Z: Shell \"z\"\n- finally: Z\n"),
                exits_with(1));
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(holds(run.report.reason, "finally"));
}

BOOST_AUTO_TEST_CASE(a_finally_state_on_the_way_is_not_run_twice) {
  const Run run(workflow_text("[*] --> A\nA --> Z\nZ --> [*]\n", "- A: Log \"a\"\n- Z: Log \"z\"\n- finally: Z\n"));
  BOOST_TEST(run.path() == "A Z");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(matrices)

const std::string then_tell = "[*] --> M\nM --> Tell\nTell --> [*]\n";

BOOST_AUTO_TEST_CASE(a_matrix_runs_every_combination_at_the_same_time) {
  Meeting meeting(4);
  const Run run(workflow_text(then_tell,
                              "- M: Shell \"run ${matrix.os} ${matrix.n}\" matrix={\"n\": [1, 2], \"os\": "
                              "[\"a b\", \"c\"]}\n- Tell: Log \"${M.matrix[3].stdout}\"\n"),
                [&](const Json& arguments, Stop&, const ToolCaller::OutputSink&) {
                  return FakeTools::exited(meeting.arrive() ? 0 : 1, command_of(arguments));
                });
  BOOST_TEST((run.report.status == RunReport::Status::completed), run.report.reason);
  std::set<std::string> commands;
  for (const auto& call : run.tools.calls) commands.insert(command_of(call.arguments));
  BOOST_TEST(commands == (std::set<std::string>{"run 'a b' '1'", "run 'a b' '2'", "run 'c' '1'", "run 'c' '2'"}),
             boost::test_tools::per_element());
  BOOST_TEST(holds(run.recorder.events, "log0'run 'c' '2''"), run.recorder.events);
}

BOOST_AUTO_TEST_CASE(a_matrix_names_the_combinations_that_it_ended) {
  Meeting meeting(2);
  const Run run(workflow_text("[*] --> M\nM --> [*]\n", "- M: Shell \"${matrix.n}\" matrix={\"n\": [1, 2]}\n"),
                [&](const Json& arguments, Stop& stop, const ToolCaller::OutputSink&) {
                  meeting.arrive();
                  return command_of(arguments) == "'2'" ? FakeTools::exited(9, "") : until_stopped(stop);
                });
  BOOST_TEST(holds(run.report.reason, "failed: {\"n\":2}; ended early: {\"n\":1}"), run.report.reason);
}

BOOST_AUTO_TEST_CASE(the_reason_is_beside_the_combination_that_ended_the_matrix) {
  Meeting meeting(2);
  const Run run(workflow_text("[*] --> M\nM --> [*]\n", "- M: Shell \"${matrix.n}\" matrix={\"n\": [1, 2]}\n"),
                [&](const Json& arguments, Stop& stop, const ToolCaller::OutputSink&) {
                  meeting.arrive();
                  if (command_of(arguments) != "'2'") return until_stopped(stop);
                  ToolOutcome refused = FakeTools::exited(1, "");
                  refused.result["metadata"]["error"] = {{"code", "policy_denied"}};
                  return refused;
                });
  BOOST_TEST(holds(run.report.reason, "failed: {\"n\":2}: "), run.report.reason);
  BOOST_TEST(run.report.reason.ends_with("; ended early: {\"n\":1}"), run.report.reason);
}

BOOST_AUTO_TEST_CASE(a_matrix_fails_where_a_combination_fails) {
  const Run run(workflow_text("[*] --> M\nM --> [*]\n", "- M: Shell \"${matrix.n}\" matrix={\"n\": [1, 2]}\n"),
                [](const Json& arguments, Stop&, const ToolCaller::OutputSink&) {
                  return FakeTools::exited(command_of(arguments) == "'2'" ? 9 : 0, "");
                });
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(holds(run.report.reason, "1 of 2 combinations failed: {\"n\":2}"), run.report.reason);
}

BOOST_AUTO_TEST_CASE(a_matrix_without_combinations_is_noticed) {
  const Run run(workflow_text("[*] --> L\nL --> M\nM --> [*]\n",
                              "- L: Shell \"list\"\n- M: Shell \"do ${matrix.f}\" matrix={\"f\": \"${L.json}\"}\n"),
                exits_with(0, "[]"));
  BOOST_TEST((run.report.status == RunReport::Status::completed), run.report.reason);
  BOOST_TEST(holds(run.recorder.events, "notice'the step 'M' does nothing: a list of its matrix is empty'"),
             run.recorder.events);
}

BOOST_AUTO_TEST_CASE(a_matrix_may_take_its_values_from_a_step) {
  const Run run(workflow_text("[*] --> L\nL --> M\nM --> [*]\n",
                              "- L: Shell \"list\"\n- M: Shell \"do ${matrix.f}\" matrix={\"f\": \"${L.json}\"}\n"),
                exits_with(0, "[\"x\", \"y\", \"z\"]"));
  BOOST_TEST((run.report.status == RunReport::Status::completed), run.report.reason);
  BOOST_TEST(run.tools.calls.size() == 4U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(workflows)

BOOST_AUTO_TEST_CASE(a_workflow_gets_its_inputs_and_gives_its_result) {
  const Others others({{"inner", workflow_text("[*] --> I\nI --> [*]\n", "- I: Set answer=\"${who}!\"\n",
                                               "parameters:\n  - name: who\n    required: true\n")}});
  const Run run(workflow_text("[*] --> A\nA --> B\nB --> [*]\n",
                              "- A: Run workflow \"inner\" with who=\"Ada\" result=\"r\"\n"
                              "- B: Log \"${r} ${r.variables.answer}\"\n"),
                nullptr, {}, others.around);
  BOOST_TEST((run.report.status == RunReport::Status::completed), run.report.reason);
  BOOST_TEST(holds(run.recorder.events, "log0'Ada! Ada!'"), run.recorder.events);
}

BOOST_AUTO_TEST_CASE(a_workflow_that_fails_is_a_failed_action) {
  const Others others({{"inner", workflow_text("[*] --> I\nI --> [*]\n", "- I: Shell \"x\"\n")}});
  const Run run(workflow_text("[*] --> A\nA --> Good: success\nA --> Bad: failure\nGood --> [*]\nBad --> [*]\n",
                              "- A: Delegate to \"inner\"\n- Bad: Log \"${A.message}\"\n"),
                exits_with(6), {}, others.around);
  BOOST_TEST(holds(run.recorder.events, "'I' failed"), run.recorder.events);
}

BOOST_AUTO_TEST_CASE(workflows_that_run_each_other_are_an_error_and_no_endless_run) {
  Others others({{"a", workflow_text("[*] --> X\nX --> [*]\n", "- X: Run workflow \"b\"\n", "name: a\n")},
                 {"b", workflow_text("[*] --> Y\nY --> [*]\n", "- Y: Run workflow \"a\"\n", "name: b\n")}});
  const Run run(workflow_text("[*] --> A\nA --> [*]\n", "- A: Run workflow \"a\"\n"), nullptr, {}, others.around);
  BOOST_TEST((run.report.status == RunReport::Status::failed));
  BOOST_TEST(holds(run.report.reason, "a, which runs b, which runs a"), run.report.reason);
}

BOOST_AUTO_TEST_CASE(an_abort_of_an_inner_workflow_ends_the_run) {
  const Others others({{"inner", workflow_text("[*] --> I\nI --> [*]\n", "- I: Abort \"no further\"\n")}});
  const Run run(workflow_text("[*] --> A\nA --> B\nB --> [*]\n", "- A: Run workflow \"inner\"\n- B: Log \"b\"\n"),
                nullptr, {}, others.around);
  BOOST_TEST((run.report.status == RunReport::Status::aborted));
  BOOST_TEST(run.report.reason == "no further");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(resuming)

BOOST_AUTO_TEST_CASE(what_is_completed_is_not_run_again_and_its_outputs_are_there) {
  const std::string text = workflow_text("[*] --> A\nA --> B: success\nB --> C: success\nC --> [*]\n",
                                         "- A: Shell \"a\" result=\"r\"\n- B: Set x=\"${r}\"\n- C: Shell \"c ${x}\"\n");
  const Run first(text, [](const Json& arguments, Stop&, const ToolCaller::OutputSink&) {
    return FakeTools::exited(command_of(arguments) == "a" ? 0 : 1, "out");
  });
  BOOST_TEST((first.report.status == RunReport::Status::failed));
  Around around;
  around.past = &first.recorder.past;
  const Run second(text, exits_with(0), {}, around);
  BOOST_TEST((second.report.status == RunReport::Status::completed), second.report.reason);
  BOOST_TEST(commands_of(second) == (std::multiset<std::string>{"c 'out'"}), boost::test_tools::per_element());
  BOOST_TEST(second.path() == "A B C");
}

BOOST_AUTO_TEST_CASE(branches_that_are_completed_are_kept_and_the_others_run) {
  const std::string text = workflow_text(
      "[*] --> Split\nstate Split <<fork>>\nstate Meet <<join>>\nSplit --> A\nSplit --> B\nSplit --> C\n"
      "A --> Meet: success\nB --> Meet: success\nC --> Meet: success\nMeet --> D\nD --> [*]\n",
      shell_in_all + "- D: Shell \"d ${A} ${B}\"\n");
  Around around;
  around.settings.fail_fast = false;
  const Run first(
      text,
      [](const Json& arguments, Stop&, const ToolCaller::OutputSink&) {
        return FakeTools::exited(command_of(arguments) == "b" ? 1 : 0, command_of(arguments));
      },
      {}, around);
  around.past = &first.recorder.past;
  const Run second(
      text,
      [](const Json& arguments, Stop&, const ToolCaller::OutputSink&) {
        return FakeTools::exited(0, command_of(arguments) + "2");
      },
      {}, around);
  BOOST_TEST((second.report.status == RunReport::Status::completed), second.report.reason);
  BOOST_TEST(commands_of(second) == (std::multiset<std::string>{"b", "d 'a' 'b2'"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_loop_resumes_in_the_round_in_which_it_ended) {
  const std::string text =
      workflow_text("[*] --> A\nA --> B\nB --> C: success\nC --> A: int(A) < 3\nC --> [*]: default\n",
                    "- A: Shell \"count\"\n- B: Shell \"work ${A}\"\n- C: Log \"c\"\n");
  int number = 0;
  const Run first(text, [&](const Json& arguments, Stop&, const ToolCaller::OutputSink&) {
    if (command_of(arguments) == "count") return FakeTools::exited(0, std::to_string(++number));
    return FakeTools::exited(number == 2 ? 1 : 0, "");
  });
  BOOST_TEST((first.report.status == RunReport::Status::failed));
  Around around;
  around.past = &first.recorder.past;
  const Run second(
      text,
      [&](const Json& arguments, Stop&, const ToolCaller::OutputSink&) {
        return FakeTools::exited(0, command_of(arguments) == "count" ? std::to_string(++number) : "");
      },
      {}, around);
  BOOST_TEST((second.report.status == RunReport::Status::completed), second.report.reason);
  BOOST_TEST(commands_of(second) == (std::multiset<std::string>{"count", "work '2'", "work '3'"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(combinations_and_inner_workflows_resume_where_they_ended) {
  const Others others(
      {{"inner", workflow_text("[*] --> I\nI --> K: success\nK --> [*]\n", "- I: Shell \"i\"\n- K: Shell \"k\"\n")}});
  const std::string text =
      workflow_text("[*] --> A\nA --> M: success\nM --> [*]\n",
                    "- A: Run workflow \"inner\"\n- M: Shell \"m ${matrix.n}\" matrix={\"n\": [1, 2]}\n");
  Around around = others.around;
  around.settings.fail_fast = false;
  const auto failing = [](const std::string& bad) {
    return [bad](const Json& arguments, Stop&, const ToolCaller::OutputSink&) {
      return FakeTools::exited(command_of(arguments) == bad ? 1 : 0, "");
    };
  };
  const Run first(text, failing("k"), {}, around);
  BOOST_TEST((first.report.status == RunReport::Status::failed));
  around.past = &first.recorder.past;
  const Run second(text, failing("m '2'"), {}, around);
  BOOST_TEST(commands_of(second) == (std::multiset<std::string>{"k", "m '1'", "m '2'"}),
             boost::test_tools::per_element());
  around.past = &second.recorder.past;
  const Run third(text, failing("none"), {}, around);
  BOOST_TEST((third.report.status == RunReport::Status::completed), third.report.reason);
  BOOST_TEST(commands_of(third) == (std::multiset<std::string>{"m '2'"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_workflow_that_goes_another_way_now_is_noticed) {
  const Run first(workflow_text("[*] --> A\nA --> B\nB --> C: success\nC --> [*]\n", shell_in_all),
                  [](const Json& arguments, Stop&, const ToolCaller::OutputSink&) {
                    return FakeTools::exited(command_of(arguments) == "c" ? 1 : 0, "");
                  });
  Around around;
  around.past = &first.recorder.past;
  const Run second(
      workflow_text("[*] --> A\nA --> X\nX --> B\nB --> C\nC --> [*]\n", shell_in_all + "- X: Shell \"x\"\n"),
      exits_with(0), {}, around);
  BOOST_TEST(holds(second.recorder.events, "in the earlier run, the step 'A' led to 'B', but now, it has led to 'X'"));
  BOOST_TEST(commands_of(second) == (std::multiset<std::string>{"b", "c", "x"}), boost::test_tools::per_element());
}

namespace {

const std::string forked =
    "state F <<fork>>\nstate J <<join>>\n[*] --> F\nF --> A\nF --> B\nA --> J\nB --> J\nJ --> C\nC --> D\nD --> [*]\n";

std::string replaced(std::string text, const std::string& old, const std::string& now) {
  text.replace(text.find(old), old.size(), now);
  return text;
}

}  // namespace

// The earlier run has passed the join, so each edit of a branch changes what the steps after the join work with.
BOOST_AUTO_TEST_CASE(what_follows_a_join_runs_again_if_a_branch_before_it_has_other_steps_now) {
  const std::string actions = shell_in_all + "- D: Shell \"d\"\n- X: Shell \"x\"\n";
  const Run first(workflow_text(forked, actions), failing({"d"}));
  BOOST_TEST((first.report.status == RunReport::Status::failed));
  Around around;
  around.past = &first.recorder.past;
  const auto resumed = [&](const std::string& diagram) {
    const Run second(workflow_text(diagram, actions), exits_with(0), {}, around);
    BOOST_TEST((second.report.status == RunReport::Status::completed), second.report.reason);
    return commands_of(second);
  };
  const auto per_element = boost::test_tools::per_element();
  BOOST_TEST(resumed(forked) == (std::multiset<std::string>{"d"}), per_element);
  const std::string with_last = replaced(forked, "A --> J\n", "A --> X\nX --> J\n");
  const std::string with_first = replaced(forked, "F --> A\n", "F --> X\nX --> A\n");
  const std::string with_branch = replaced(forked, "F --> B\n", "F --> B\nF --> X\nX --> J\n");
  const std::string without = replaced(replaced(forked, "F --> B\n", ""), "B --> J\n", "");
  // Which steps of the branches are kept depends on which branch is quicker.
  for (const std::string& diagram : {with_last, with_first, with_branch}) {
    const auto ran = resumed(diagram);
    for (const char* command : {"x", "c", "d"}) BOOST_TEST(ran.contains(command), diagram << command);
  }
  BOOST_TEST(resumed(without).contains("c"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(hiding)

BOOST_AUTO_TEST_CASE(secrets_become_known_when_they_get_a_value) {
  Secrets secrets;
  Around around;
  around.secrets = &secrets;
  const Run run(
      workflow_text("[*] --> A\nA --> B\nB --> [*]\n", "- A: Set secret token=\"hunter2\"\n- B: Shell \"x\" secret\n",
                    "parameters:\n  - name: key\n    secret: true\n    default: sesame\n"),
      exits_with(0, "s3cret\n"), {{"key", expressions::Value("sesame")}}, around);
  BOOST_TEST(secrets.masked("a sesame, hunter2 and s3cret.") == "a ***, *** and ***.");
}

BOOST_AUTO_TEST_CASE(the_longest_of_many_secrets_counts_and_is_found_quickly) {
  Secrets secrets;
  std::string all;
  for (int i = 100'000; i < 250'000; ++i) all += std::to_string(i) + "\n";
  secrets.add(all);
  for (const char* value : {"a", "abc", "abcde", "abcx", "ab"}) secrets.add(value);
  BOOST_TEST(secrets.masked("abcd abcde abcx abx 149999 999") == "***d *** *** ***x *** 999");
  BOOST_TEST(secrets.undecided_tail("is abcd") == 4U);
  BOOST_TEST(secrets.undecided_tail("is 14999") == 5U);
  BOOST_TEST(secrets.undecided_tail("is abcy") == 0U);
  const auto began = std::chrono::steady_clock::now();
  std::string text;
  while (text.size() < 60'000) text += "29";
  BOOST_TEST((secrets.masked(text) == text));
  // Comparing each byte with each secret takes half a minute. Comparing it with only a few of them takes milliseconds.
  BOOST_TEST((std::chrono::steady_clock::now() - began < std::chrono::seconds(5)));
}

BOOST_AUTO_TEST_CASE(a_secret_is_hidden_in_every_form_that_it_may_be_written_in) {
  Secrets secrets;
  secrets.add("it's \"one\"\nlong second line");
  BOOST_TEST(secrets.masked("x it's \"one\"\nlong second line y") == "x *** y");
  BOOST_TEST(secrets.masked("only the long second line here") == "only the *** here");
  BOOST_TEST(secrets.masked("{\"k\": \"it's \\\"one\\\"\\nlong second line\"}") == "{\"k\": \"***\"}");
  BOOST_TEST(secrets.undecided_tail("ends with it's") == 4U);
  BOOST_TEST(secrets.undecided_tail("ends with nothing") == 0U);
}

BOOST_AUTO_TEST_CASE(who_waits_for_a_free_place_is_told_before) {
  Semaphore one(1);
  Stop stop;
  int told = 0;
  const auto waits = [&] {
    ++told;
    one.release();
  };
  BOOST_TEST(one.acquire(stop, waits));
  BOOST_TEST(told == 0);
  BOOST_TEST(one.acquire(stop, waits));
  BOOST_TEST(told == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace branches_test
