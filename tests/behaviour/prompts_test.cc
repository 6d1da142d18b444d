// Prompts that include others: what the command gets, and what lint, plan and run say about mistakes before anything
// runs.
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>

#include "support/sandboxed.h"
#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(prompts_test)

using namespace wtool::test;
namespace fs = std::filesystem;

namespace {

boost::test_tools::assertion_result can_sandbox(boost::unit_test::test_unit_id) { return has_landlock(3); }

struct Prompts : Place {
  Prompts() { scratch.file("wtool.yaml", "prompts: {command: \"cat {{ prompt_file }}\"}\n"); }

  // A workflow with one state that executes the prompt `main` with these arguments.
  std::string asking(const std::string& arguments = "") const {
    return workflow("    [*] --> Ask\n    Ask --> [*]\n", "- Ask: Execute prompt \"main\" " + arguments + "\n");
  }
};

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(prompts, Prompts)

BOOST_AUTO_TEST_CASE(a_prompt_includes_others_with_parameters) {
  scratch.file("prompts/main.md",
               "---\nparameters:\n  - name: kind\n    required: true\n  - name: extra\n---\n"
               "{% render \"_partials/head\", title: kind -%}\n"
               "{% include \"_partials/list.md\" -%}\n"
               "{% case kind %}{% when \"bug\" %}Repair it.{% else %}Build it.{% endcase %}"
               "{% if extra != \"\" %} {{ extra }}{% endif %}");
  scratch.file("prompts/_partials/head.md",
               "---\nparameters:\n  - {name: level, default: high}\n---\n"
               "# {{ title | capitalize }} ({{ level }})\n");
  scratch.file("prompts/_partials/list.md",
               "{% assign parts = parts_text | split: \",\" %}{% for p in parts %}{{ p }};{% endfor %} ");
  const std::string file_ =
      workflow("    [*] --> Ask\n    Ask --> Keep\n    Keep --> [*]\n",
               "- Ask: Execute prompt \"main\" with kind=\"bug\" parts_text=\"a,b\" result=\"answer\"\n"
               "- Keep: Shell \"printf %s ${answer} >answer\"\n");
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("answer") == "# Bug (high)\na;b; Repair it.");
}

BOOST_AUTO_TEST_CASE(mistakes_in_prompts_are_found_before_a_run) {
  struct Mistake {
    const char* prompt;
    const char* partial;
    const char* said;
  };
  const Mistake mistakes[] = {
      {"Say {{ undefinedthing }}", "", "prompts/main.md:1:5: the prompt reads 'undefinedthing', which has no value"},
      {"Say {{ knd }}", "", "did you mean 'kind'?"},
      {"\n{{ kind | upcas }}", "", "prompts/main.md:2:1: there is no filter 'upcas'; did you mean 'upcase'?"},
      {"{% include \"nowhere\" %}", "", "prompts/main.md:1:1: there is no prompt \"nowhere\""},
      {"{% render \"part\" %}", "{{ kind }}", "prompts/part.md:1:1: the prompt reads 'kind', which has no value"},
      {"{% render \"part\" %}", "a {% if %}", "prompts/part.md:1:9: the expression ends"},
      {"{% include \"part\" %}", "{% render \"main\" %}", "prompts insert one another in a circle: "},
      {"{% if kind %}{% render \"part\" %}{% endif %}", "{% include \"part\" %}", "in a circle: "},
      {"{% if kind %}", "", "prompts/main.md:1:1: this {% if %} has no {% endif %}"},
      {"{% rendr \"part\" %}", "", "prompts/main.md:1:1: there is no tag {% rendr %}"},
  };
  const std::string file_ = asking("with kind=\"bug\"");
  for (const Mistake& one : mistakes) {
    scratch.file("prompts/main.md", one.prompt);
    scratch.file("prompts/part.md", one.partial);
    const Finished lint = wtool({"lint", file_});
    BOOST_TEST(holds(lint.out, one.said), one.prompt << ": " << lint.out);
    BOOST_TEST(lint.exit_code == 0);
    for (const char* command : {"run", "plan"}) {
      const Finished finished = wtool({command, file_});
      BOOST_TEST(finished.exit_code == 2, one.prompt);
      BOOST_TEST(holds(finished.err, one.said), one.prompt << ": " << finished.err);
    }
  }
}

// The prompts make 2^40 inclusions, so neither the check nor the run may follow them all.
BOOST_AUTO_TEST_CASE(checks_and_runs_of_prompts_that_each_include_the_next_one_twice_end,
                     *boost::unit_test::timeout(60)) {
  for (int i = 0; i < 40; ++i) {
    const std::string next = "{% include \"p" + std::to_string(i + 1) + "\" %}";
    scratch.file("prompts/p" + std::to_string(i) + ".md", next + next);
  }
  scratch.file("prompts/p40.md", "{{ nowhere }}");
  scratch.file("prompts/main.md", "{% include \"p0\" %}");
  const std::string file_ = asking("with kind=\"bug\"");
  const Finished lint = wtool({"lint", file_});
  BOOST_TEST(holds(lint.out, "prompts/p40.md:1:1: the prompt reads 'nowhere', which has no value"), lint.out);
  scratch.file("prompts/p40.md", "end");
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(holds(finished.out, "this prompt inserts prompts more than 10000 times in all"), finished.out);
}

BOOST_AUTO_TEST_CASE(what_a_prompt_may_read_is_not_a_mistake) {
  scratch.file("prompts/main.md",
               "---\nparameters: [{name: declared}]\n---\n"
               "{{ kind }}{{ declared }}{{ Before }}{{ kept.stdout }}{{ number }}{{ exit_code }}{{ given }}"
               "{{ other | default: 1 }}{% if missing %}{{ missing }}{% endif %}{% include \"part\" %}{{ made }}"
               "{% for x in (1..2) %}{% include \"round\" %}{% endfor %}");
  scratch.file("prompts/part.md", "{{ kind }}{% assign made = \"m\" %}");
  scratch.file("prompts/round.md", "{{ x }}{{ forloop.index }}");
  const std::string file_ = workflow("    [*] --> Before\n    Before --> Ask\n    Ask --> [*]\n",
                                     "- Before: Set number=3\n- Ask: Execute prompt \"main\" with kind=\"bug\" "
                                     "result=\"kept\" given=\"g\"\n");
  const Finished lint = wtool({"lint", file_});
  BOOST_TEST(holds(lint.out, "0 errors, 0 warnings"), lint.out);
}

BOOST_AUTO_TEST_CASE(a_mistake_that_only_a_run_finds_names_both_places) {
  scratch.file("prompts/main.md", "x\n{% assign which = kind %}{% include which %}");
  const Finished missing = run_workflow(asking("with kind=\"gone\""));
  BOOST_TEST(missing.exit_code == 1);
  BOOST_TEST(holds(missing.out + missing.err, "prompts/main.md:2:26: there is no prompt \"gone\""), missing.out);
  scratch.file("prompts/part.md", "abc\n{% for x in kind %}{% endfor %}");
  const Finished wrong = run_workflow(asking("with kind=\"part\""));
  BOOST_TEST(wrong.exit_code == 1);
  BOOST_TEST(holds(wrong.out + wrong.err, "prompts/part.md:2:13: a loop needs a list"), wrong.out);
}

BOOST_AUTO_TEST_CASE(a_missing_command_for_prompts_is_reported_once_for_each_file) {
  scratch.file("wtool.yaml", "{}\n");
  scratch.file("prompts/main.md", "x");
  const std::string file_ = workflow("    [*] --> One\n    One --> Two\n    Two --> [*]\n",
                                     "- One: Execute prompt \"main\"\n- Two: Prompt \"Say hello\"\n");
  const Finished lint = wtool({"lint", file_});
  BOOST_TEST(count_of(lint.out, "no command is configured for prompts") == 1U, lint.out);
}

// In a sandbox, a command may make a link to a file that it cannot read.
BOOST_AUTO_TEST_CASE(a_prompt_behind_a_link_that_leads_out_of_the_project_is_not_read) {
  const ScratchFolder elsewhere;
  elsewhere.file("private", "private\n");
  scratch.file("shared/main.md", "shared\n");
  std::filesystem::create_directory(scratch.path() + "/prompts");
  const std::string link = scratch.path() + "/prompts/main.md";
  std::filesystem::create_symlink(elsewhere.path() + "/private", link);
  const Finished refused = wtool({"run", asking()});
  BOOST_TEST(refused.exit_code != 0);
  BOOST_TEST(holds(refused.err, "a symbolic link, which a command may have made, leads out of"), refused.err);
  BOOST_TEST(!holds(refused.err + refused.out, "private\n"), refused.err);
  // A link inside the project is followed.
  for (const std::string& target : {std::string("../shared/main.md"), scratch.path() + "/shared/main.md"}) {
    std::filesystem::remove(link);
    std::filesystem::create_symlink(target, link);
    const Finished followed = wtool({"run", asking()});
    BOOST_TEST(followed.exit_code == 0, target << followed.err);
  }
}

BOOST_AUTO_TEST_CASE(a_prompt_with_a_wrong_name_gets_the_nearest_one) {
  scratch.file("prompts/review/code.md", "x");
  const Finished lint =
      wtool({"lint", workflow("    [*] --> One\n    One --> [*]\n", "- One: Execute prompt \"review/cod\"\n")});
  BOOST_TEST(holds(lint.out, "there is no prompt \"review/cod\"; did you mean 'review/code'?"), lint.out);
}

// An agent that counts its calls in the file `calls`, and in its last call sets the values that the file `lines` lists.
struct Agent : Prompts {
  explicit Agent(int last_call = 1) {
    scratch.file("wtool.yaml", "prompts: {command: \"sh agent.sh " + std::to_string(last_call) +
                                   " {{ prompt_file }} {{ values_file }}\"}\n");
    scratch.file("agent.sh",
                 "echo x >>calls\n"
                 "test $(wc -l <calls) -lt $1 || cat lines >>$3\n");
  }
  void leaves(const std::string& lines) const { scratch.file("lines", lines); }
  std::size_t calls() const { return count_of(file("calls"), "x"); }
  std::string looping(const std::string& exits) const {
    return workflow("    [*] --> work\n" + exits, "- work: Prompt \"Set `work_done` when no card is left.\"\n");
  }
};

struct PatientAgent : Agent {
  PatientAgent() : Agent(3) {}
};

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

BOOST_AUTO_TEST_CASE(the_next_run_removes_the_files_that_a_killed_run_left) {
  const std::string temporary = scratch.path() + "/temporary";
  const std::string state = scratch.path() + "/state";
  fs::create_directory(temporary);
  ::setenv("TMPDIR", temporary.c_str(), 1);
  ::setenv("XDG_STATE_HOME", state.c_str(), 1);
  scratch.file("prompts/main.md", "hidden from others");
  scratch.file("wtool.yaml", "prompts: {command: \"echo {{ prompt_file }} >path; test -e go || sleep 61\"}\n");
  const std::string asked = asking();
  {
    Program program({wtool_path, "run", asked}, Program::On::pipes, here());
    BOOST_REQUIRE(wait_until([&] { return holds(file("path"), "\n"); }, std::chrono::seconds(30)));
    program.kill(SIGKILL);
    program.wait();
  }
  std::string left = file("path");
  left.pop_back();
  BOOST_TEST(fs::exists(left), "its process could not remove it");
  scratch.file("go", "");
  const Finished next = wtool({"run", asked});
  ::unsetenv("TMPDIR");
  ::unsetenv("XDG_STATE_HOME");
  BOOST_TEST(next.exit_code == 0, next.out << next.err);
  BOOST_TEST(!fs::exists(left));
  const fs::path of_user = temporary + "/wtool-" + std::to_string(::geteuid());
  BOOST_TEST(fs::is_empty(of_user), "a run that ends leaves nothing");
  BOOST_TEST(left.starts_with(state + "/wtool/temporary/"), left);
  BOOST_TEST(fs::is_empty(state + "/wtool/temporary"));
}

BOOST_AUTO_TEST_CASE(in_a_sandbox_with_read_roots_a_command_reads_its_prompt_and_cannot_change_it,
                     *boost::unit_test::precondition(can_sandbox)) {
  const wtool::test::ScratchFolder home;
  scratch.file("prompts/main.md", "the task");
  std::string read = "[" + scratch.path();
  for (const char* folder : {"/bin", "/etc", "/lib", "/lib64", "/usr"}) {
    if (fs::exists(folder)) read += std::string(", ") + folder;
  }
  scratch.file("wtool.yaml", "sandbox: {read: " + read + "], write: [" + scratch.path() +
                                 "], protect: none}\nprompts: {command: \"echo x >>ran; (echo x >{{ prompt_file }}) || "
                                 "cat {{ prompt_file }}\"}\n");
  ProgramOptions options = here();
  options.set["XDG_STATE_HOME"] = home.path();
  options.set["XDG_CACHE_HOME"] = home.path() + "/cache";
  const std::string steps =
      workflow("    [*] --> Ask\n    Ask --> Tell\n    Tell --> [*]\n",
               "- Ask: Execute prompt \"main\" with inputs=[\"prompts/main.md\"]\n- Tell: Log \"it says ${Ask}.\"\n");
  // The second run does not ask again, although its own folder has another name.
  for (int i = 0; i < 2; ++i) {
    const Finished finished = run({wtool_path, "run", steps}, options);
    BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
    BOOST_TEST(holds(finished.err, "it says the task."), finished.out << finished.err);
    BOOST_TEST(file("ran") == "x\n");
  }
  BOOST_TEST(fs::is_empty(home.path() + "/wtool/temporary"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
