// What an agent tells the workflow through the file for values: variables, and the end of the workflow.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(prompt_values_test)

using namespace wtool::test;

namespace {

// An agent that counts its calls in the file `calls`, and in its last call sets the values that the file `lines` lists.
struct Agent : Place {
  explicit Agent(int last_call = 1) {
    scratch.file("wtool.yaml", "prompts: {command: \"sh agent.sh " + std::to_string(last_call) +
                                   " {{ prompt_file }} {{ values_file }}\"}\n");
    scratch.file("agent.sh",
                 "echo x >>calls\n"
                 "test $(wc -l <calls) -lt $1 || cat lines >>$3\n");
  }
  void leaves(const std::string& lines) const { scratch.file("lines", lines); }
  std::size_t calls() const {
    const std::string text = file("calls");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), 'x'));
  }
  std::string looping(const std::string& exits) const {
    return workflow("    [*] --> work\n" + exits, "- work: Prompt \"Set `work_done` when no card is left.\"\n");
  }
};

struct PatientAgent : Agent {
  PatientAgent() : Agent(3) {}
};

}  // namespace

BOOST_AUTO_TEST_SUITE(prompt_values)

BOOST_FIXTURE_TEST_CASE(an_agent_ends_a_loop_by_setting_a_variable, PatientAgent) {
  scratch.file("prompts/todo.md", "Use the tool to set name `are_todos_done` to `true` or `false`.");
  const std::string file_ = workflow(
      "    [*] --> start\n    start --> work\n    work --> loop\n"
      "    loop --> done: are_todos_done\n    loop --> work: default\n    done --> [*]\n",
      "- start: Set are_todos_done=false\n- work: Execute prompt \"todo\"\n- done: Shell \"printf %s ${note} "
      ">note\"\n");
  // A variable that no state and no prompt mentions is still undefined, and so is one that a prompt only reads.
  BOOST_TEST(holds(wtool({"lint", file_}).out, "the variable 'note' is not defined"));
  scratch.file("prompts/todo.md", "Set `are_todos_done`. {% if note %}{{ note }}{% endif %}");
  BOOST_TEST(holds(wtool({"lint", file_}).out, "the variable 'note' is not defined"));
  scratch.file("prompts/todo.md", "Set `are_todos_done`, and a `note`.");
  leaves("are_todos_done = true\n\nnote=all \"done\"; $(date)\n");
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(calls() == 3U);
  BOOST_TEST(file("note") == "all \"done\"; $(date)");
}

BOOST_FIXTURE_TEST_CASE(values_of_an_agent_are_json_where_they_can_be, Agent) {
  leaves("number=41\nlist=[\"a\", \"b\"]\ntext=\"7\"\n");
  const std::string file_ = workflow(
      "    [*] --> Ask\n    Ask --> Right: number + 1 == 42 && list[1] == \"b\" && text == \"7\"\n"
      "    Ask --> Wrong: default\n    Right --> [*]\n    Wrong --> [*]\n",
      "- Ask: Prompt \"Set number, list and text.\"\n- Right: Log \"right\"\n- Wrong: Abort \"wrong\"\n");
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
}

BOOST_FIXTURE_TEST_CASE(the_file_for_values_is_also_in_the_environment, Agent) {
  scratch.file("wtool.yaml", "prompts: {command: \"sh agent.sh 1 {{ prompt_file }} \\\"$WTOOL_STEER\\\"\"}\n");
  leaves("work_done=true\n");
  const std::string file_ = looping("    work --> [*]: work_done\n    work --> work: default\n");
  const Finished lint = wtool({"lint", file_});
  BOOST_TEST(lint.exit_code == 0, lint.out);
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(calls() == 1U);
}

BOOST_FIXTURE_TEST_CASE(an_agent_ends_the_workflow, PatientAgent) {
  leaves("exit\n");
  const std::string file_ = looping("    work --> work\n    work --> [*]\n");
  const Finished lint = wtool({"lint", file_});
  BOOST_TEST(holds(lint.out, "0 errors, 2 warnings"), lint.out);
  BOOST_TEST(holds(lint.out, "the loop through 'work' has no bound"), lint.out);
  BOOST_TEST(holds(lint.out, "is taken only where the agent ends the workflow"), lint.out);
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(calls() == 3U);
}

BOOST_FIXTURE_TEST_CASE(an_agent_cannot_skip_the_steps_that_come_before_the_end, Agent) {
  leaves("exit\n");
  const Finished skipped = run_workflow(workflow("    [*] --> Work\n    Work --> Test\n    Test --> [*]\n",
                                                 "- Work: Prompt \"Work.\"\n- Test: Shell \"false\"\n"));
  BOOST_TEST(skipped.exit_code == 1);
  BOOST_TEST(holds(skipped.out, "other steps come between 'Work' and the end"), skipped.out);
  // These ways to the end are not open after a success.
  for (const char* exits :
       {"    Work --> Test: success\n    Work --> [*]: failure\n", "    Work --> Test: success\n    Work --> [*]\n",
        "    Work --> Test\n    Work --> Sorry: exhausted\n    Sorry --> [*]\n"}) {
    const std::string sorry = holds(std::string(exits), "Sorry") ? "- Sorry: Log \"sorry\"\n" : "";
    const Finished finished =
        run_workflow(workflow("    [*] --> Work\n" + std::string(exits) + "    Test --> [*]\n",
                              "- Work: Prompt \"Work.\" max=5\n- Test: Shell \"false\"\n" + sorry));
    // The step fails; the exit for a failure may then end the workflow.
    const bool is_handled = sorry.empty();
    BOOST_TEST(finished.exit_code == (is_handled ? 0 : 1), exits << finished.out);
    BOOST_TEST(holds(finished.out, is_handled ? "(1 step failed, and the workflow ended there: Work)"
                                              : "other steps come between 'Work' and the end"),
               exits << finished.out);
  }
  for (const char* exits :
       {"Work --> [*]: !success\nWork --> Test\n", "Work --> [*]: success == false\nWork --> Test\n",
        "Work --> [*]: Work.failure\nWork --> Test\n", "Work --> [*]: Work.exit_code != 0\nWork --> Test\n",
        "Work --> [*]: Work.error == \"exhausted\"\nWork --> Test\n",
        "Work --> Test: exit_code == 0\nWork --> [*]: default\n",
        "Work --> Test: Work.success\nWork --> [*]: default\n", "Work --> Test: !failure\nWork --> [*]: default\n",
        "Work --> [*]: last_action_result.failure\nWork --> Test\n", "Work --> [*]: error != \"\"\nWork --> Test\n",
        "state C <<choice>>\nWork --> C\nC --> [*]: Work.failure\nC --> Test: default\n"}) {
    const Finished finished =
        run_workflow(workflow("[*] --> Work\n" + std::string(exits) + "Test --> [*]\n",
                              "- Work: Prompt \"Work.\"\n- Test: Shell \"touch tested; false\"\n"));
    BOOST_TEST(holds(finished.out + finished.err, "other steps come between 'Work' and the end"),
               exits << finished.out << finished.err);
    BOOST_TEST(!holds(finished.err, "ended the workflow\n"), exits << finished.err);
  }
  for (const char* exits :
       {"Work --> [*]: exit_code == 0\nWork --> Test: failure\n", "Work --> [*]: is_done\nWork --> Test: default\n"}) {
    leaves("is_done=true\nexit\n");
    const Finished finished =
        run_workflow(workflow("[*] --> Work\n" + std::string(exits) + "Test --> [*]\n",
                              "- Work: Prompt \"Work. Set is_done.\"\n- Test: Shell \"false\"\n"));
    BOOST_TEST(finished.exit_code == 0, exits << finished.out << finished.err);
  }
  leaves("exit\n");
  const Finished ended = run_workflow(looping("    work --> work\n"));
  BOOST_TEST(ended.exit_code == 0, ended.out << ended.err);
  BOOST_TEST(holds(ended.err, "the agent of 'work' ended the workflow"), ended.err);
  const Finished inside =
      run_workflow(workflow("    [*] --> K\n    state K {\n        [*] --> Work\n        Work --> [*]\n    }\n    K "
                            "--> Tell\n    Tell --> [*]\n",
                            "- Work: Prompt \"Work.\"\n- Tell: Log \"done\"\n"));
  BOOST_TEST(inside.exit_code == 0, inside.out << inside.err);
}

BOOST_FIXTURE_TEST_CASE(a_resumed_run_knows_that_its_agent_has_ended_the_workflow, Agent) {
  leaves("exit\n");
  const std::string file_ = scratch.file(
      "workflow.md",
      "---\ntitle: t\ndescription: d\nfinally: tidy\n---\n\n```mermaid\nstateDiagram-v2\n    [*] --> work\n"
      "    work --> work\n    work --> [*]\n    tidy --> [*]\n```\n\n## Actions\n\n"
      "- work: Prompt \"Work.\"\n- tidy: Shell \"test -f ready\"\n");
  BOOST_TEST(run_workflow(file_).exit_code == 1);
  scratch.file("ready", "");
  const Finished resumed = wtool({"resume", "last"});
  BOOST_TEST(resumed.exit_code == 0, resumed.out << resumed.err);
  BOOST_TEST(calls() == 1U);
}

BOOST_FIXTURE_TEST_CASE(lines_of_an_agent_that_are_not_understood_fail_the_step, Agent) {
  const std::pair<const char*, const char*> cases[] = {
      {"a=1\nwork done\n", "line 2 of $WTOOL_STEER is neither NAME=VALUE nor `exit`: \"work done\""},
      {"a-b=1\n", "line 1 of $WTOOL_STEER is neither NAME=VALUE"},
      {"exit_code=0\n", "line 1 of $WTOOL_STEER sets 'exit_code', which the run itself sets"},
  };
  for (const auto& [lines, said] : cases) {
    leaves(lines);
    const Finished finished = run_workflow(looping("    work --> [*]\n"));
    BOOST_TEST(finished.exit_code == 1, lines);
    BOOST_TEST(holds(finished.out + finished.err, said), finished.out << finished.err);
  }
  leaves(std::string(70'000, 'x'));
  const Finished large = run_workflow(looping("    work --> [*]\n"));
  BOOST_TEST(large.exit_code == 1);
  BOOST_TEST(holds(large.out + large.err, "$WTOOL_STEER is larger than 65536 bytes"), large.out);
}

BOOST_FIXTURE_TEST_CASE(an_agent_beside_others_cannot_end_the_workflow, Agent) {
  leaves("exit\n");
  const Finished fork = run_workflow(
      workflow("    [*] --> Fork\n    state Fork <<fork>>\n    state Join <<join>>\n    Fork --> A\n    Fork --> B\n"
               "    A --> Join\n    B --> Join\n    Join --> [*]\n",
               "- A: Prompt \"Work.\"\n- B: Log \"b\"\n"));
  BOOST_TEST(fork.exit_code == 1);
  BOOST_TEST(holds(fork.out + fork.err, "but no branch of a fork may do that"), fork.out);
  const Finished matrix =
      run_workflow(workflow("    [*] --> A\n    A --> [*]\n", "- A: Prompt \"Work.\" matrix={\"n\": [1, 2]}\n"));
  BOOST_TEST(matrix.exit_code == 1);
  BOOST_TEST(holds(matrix.out + matrix.err, "but no combination of a matrix may do either"), matrix.out);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
