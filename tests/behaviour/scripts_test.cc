// The scripts of Shell actions stop at their first failing line, and run in the chosen shell. Also the time limits of
// steps.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(scripts_test)

using namespace wtool::test;

namespace {

using Json = nlohmann::json;

const std::string one_state = "    [*] --> A\n    A --> [*]\n";

struct Scripts : Place {
  // A workflow whose state A has a block, with options and front matter.
  std::string block(const std::string& lines, const std::string& options = "", const std::string& front = "",
                    const std::string& language = "sh") const {
    std::string indented;
    for (std::size_t begin = 0; begin < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', begin), lines.size());
      indented += "  " + lines.substr(begin, end - begin) + "\n";
      begin = end + 1;
    }
    return scratch.file("block.md", (front.empty() ? "" : "---\n" + front + "---\n") + "```mermaid\nstateDiagram-v2\n" +
                                        one_state + "```\n\n## Actions\n\n- A: Shell " + options + "\n\n  ```" +
                                        language + "\n" + indented + "  ```\n");
  }
  // Checks a run of the file: its exit status, and what the command wrote into the file `out`.
  void check_run(const std::string& file_, int status, const std::string& out) const {
    scratch.file("out", "");
    const Finished finished = run_workflow(file_);
    BOOST_TEST_CONTEXT(content_of(file_) << finished.out << finished.err) {
      BOOST_TEST(finished.exit_code == status);
      BOOST_TEST(file("out") == out);
    }
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(scripts, Scripts)

BOOST_AUTO_TEST_CASE(a_block_stops_at_its_first_line_that_fails) {
  check_run(block("echo one >>out\nfalse\necho two >>out"), 1, "one\n");
  check_run(block("\n\n# a comment\n\necho one >>out\nfalse\necho two >>out"), 1, "one\n");
  check_run(block("cat >>out <<END\none\nEND\nfalse\necho two >>out"), 1, "one\n");
  check_run(block("false || echo one >>out\nif false; then :; fi\n! true\necho two >>out"), 0, "one\ntwo\n");
}

BOOST_AUTO_TEST_CASE(one_line_in_quotes_is_as_it_was) {
  check_run(workflow(one_state, "- A: Shell \"false; echo one >>out\"\n"), 0, "one\n");
  check_run(workflow(one_state, "- A: Shell \"echo one >>out; false; echo two >>out\" with shell_options=\"-e\"\n"), 1,
            "one\n");
}

BOOST_AUTO_TEST_CASE(a_block_may_continue_after_a_failure) {
  for (const char* options : {"shell_options=none", "shell_options=\"\"", "with shell_options='none'"}) {
    check_run(block("false\necho one >>out", options), 0, "one\n");
  }
  check_run(block("false\necho one >>out", "", "shell_options: none\n"), 0, "one\n");
  check_run(block("set +e\nfalse\necho one >>out"), 0, "one\n");
  check_run(block("echo one >>out\nfalse\necho two >>out", "shell_options=\"-e\"", "shell_options: none\n"), 1,
            "one\n");
}

BOOST_AUTO_TEST_CASE(options_of_the_shell_can_be_chosen) {
  check_run(block("case $- in *e*u* | *u*e*) echo both >>out ;; esac\necho $unset", "shell_options=\"-eu\""), 1,
            "both\n");
  check_run(block("echo one >>out\necho $unset", "", "shell_options: -e -u\n"), 1, "one\n");
}

BOOST_AUTO_TEST_CASE(bash_is_chosen_for_a_workflow_or_a_step_and_fails_where_a_pipe_does) {
  const std::string lines =
      "x=(1 2 3)\necho \"$BASH ${#x[@]}\" | sed 's/.*bash/bash/' >>out\nfalse | true\necho two >>out";
  check_run(block(lines, "shell=bash"), 1, "bash 3\n");
  check_run(block(lines, "shell=\"bash\""), 1, "bash 3\n");
  check_run(block(lines, "", "shell: bash\n"), 1, "bash 3\n");
  check_run(block(lines, "", "", "bash"), 1, "bash 3\n");
  check_run(block("false | true\necho one >>out"), 0, "one\n");
  check_run(block("false | true\necho one >>out", "shell=sh", "shell: bash\n"), 0, "one\n");
}

BOOST_AUTO_TEST_CASE(steps_of_one_run_use_different_shells_side_by_side) {
  const std::string file_ = workflow(
      "    state F <<fork>>\n    state J <<join>>\n    [*] --> F\n    F --> A\n    F --> B\n    A --> J\n    B --> J\n"
      "    J --> [*]\n",
      "- A: Shell \"touch a; until test -e b; do sleep 0.01; done; echo \\\"${BASH_VERSION:+bash}\\\" >of_a\" "
      "shell=bash\n"
      "- B: Shell \"touch b; until test -e a; do sleep 0.01; done; echo \\\"${BASH_VERSION:-other}\\\" >of_b\" "
      "shell=/bin/dash\n");
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("of_a") == "bash\n");
  BOOST_TEST(file("of_b") == "other\n");
}

BOOST_AUTO_TEST_CASE(line_ends_of_windows_do_not_reach_the_shell) {
  const std::string unix = content_of(block("echo one >>out\nfalse\necho two >>out"));
  std::string windows;
  for (const char c : unix) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  check_run(scratch.file("windows.md", windows), 1, "one\n");
}

BOOST_AUTO_TEST_CASE(an_allow_list_needs_no_entry_for_the_options_of_a_script) {
  scratch.file("wtool.yaml", "commands: {allow: [touch, sort]}\n");
  check_run(block("touch one\ntouch two"), 0, "");
  BOOST_TEST(there("one"));
  BOOST_TEST(there("two"));
  check_run(block("sort /nowhere 2>&1\ntouch three"), 1, "");
  BOOST_TEST(!there("three"));
  check_run(block("touch three | sort", "shell=bash"), 0, "");
  check_run(block("touch four", "shell_options=\"-e -o pipefail\" shell=bash"), 0, "");
  // Options that change more than when a script stops must be allowed by an entry, and so must other programs.
  check_run(block("touch five", "shell_options=\"-ex\""), 3, "");
  check_run(block("id"), 3, "");
}

BOOST_AUTO_TEST_CASE(a_shell_that_policy_cannot_judge_is_refused_before_the_run) {
  scratch.file("bash", "#!/bin/sh\ntouch hijacked\n");
  const std::string own = scratch.path() + "/bash";
  std::filesystem::permissions(own, std::filesystem::perms::owner_all);
  const std::string file_ = block("true", "shell=" + own);
  scratch.file("wtool.yaml", "commands: {deny: [rm]}\n");
  const Finished refused = run_workflow(file_);
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(holds(refused.err, "block.md:9:18: error: a workflow cannot choose the shell " + own), refused.err);
  BOOST_TEST(!there("hijacked"));
  scratch.file("wtool.yaml", "shell: {program: /bin/sh}\nlock: [shell.program]\n");
  const Finished locked = run_workflow(block("true", "", "shell: bash\n"));
  BOOST_TEST(locked.exit_code == 2);
  BOOST_TEST(holds(locked.err, "block.md:2:8: error: a workflow cannot choose the shell bash: shell.program is locked"),
             locked.err);
  scratch.file("wtool.yaml", "");
  BOOST_TEST(run_workflow(block("true", "shell=" + own)).exit_code == 0);
  BOOST_TEST(there("hijacked"));
  const Finished missing = run({wtool_path, "lint", block("true", "shell=/no/such/shell")}, here());
  BOOST_TEST(holds(missing.out, "the shell /no/such/shell does not exist"), missing.out);
}

BOOST_AUTO_TEST_CASE(the_plan_shows_the_script_as_it_runs) {
  const Finished planned =
      run({wtool_path, "plan", block("make\nmake test", "timeout=300ms", "shell: bash\n")}, here());
  BOOST_TEST(holds(planned.out, "$ set -eo pipefail\n    make\n    make test\n"), planned.out);
  BOOST_TEST(holds(planned.out, "timeout: 300 ms"), planned.out);
}

BOOST_AUTO_TEST_CASE(a_very_long_script_is_refused_with_its_size) {
  std::string lines;
  while (lines.size() < 102'000) lines += "echo a line that is written out many times >>out\n";
  lines.resize(102'401, '#');
  const std::string file = block(lines);
  for (const std::string command : {"lint", "plan", "run"}) {
    const Finished finished = run({wtool_path, command, file}, here());
    BOOST_TEST(finished.exit_code == 2, command);
    BOOST_TEST(
        holds(finished.out + finished.err, "the command is 102401 bytes long; at most 102400 can be passed to a shell"),
        finished.out << finished.err);
  }
  lines.resize(102'400);
  BOOST_TEST(run({wtool_path, "lint", block(lines)}, here()).exit_code == 0);

  const Finished with_value = run_workflow(block("test -n ${v}", "", "parameters:\n  - {name: v}\n"),
                                           {"--var", "v=" + std::string(102'400, 'v')});
  BOOST_TEST(with_value.exit_code == 1);
  BOOST_TEST(holds(with_value.out, "bytes long with its values; at most 102400 can be passed to a shell"),
             with_value.out);
  BOOST_TEST(holds(with_value.out, "The largest value is that of ${v} (102400 bytes)"), with_value.out);
}

// --- time limits ---

BOOST_AUTO_TEST_CASE(a_timeout_may_be_shorter_than_a_second) {
  const Finished finished = run_workflow(workflow(one_state, "- A: Shell \"echo begun; sleep 61\" timeout=300ms\n"));
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(holds(finished.out + finished.err, "Command timed out after 0.3 seconds"), finished.out << finished.err);
  const Finished sooner =
      run_workflow(workflow(one_state, "- A: Shell \"sleep 61\" timeout=${t}\n"), {"--var", "t=0.2"});
  BOOST_TEST(holds(sooner.out + sooner.err, "Command timed out after 0.2 seconds"), sooner.out << sooner.err);
}

BOOST_AUTO_TEST_CASE(an_inner_workflow_that_takes_too_long_is_stopped_and_has_failed) {
  scratch.file("inner.md",
               "```mermaid\nstateDiagram-v2\n" + one_state + "```\n## Actions\n- A: Shell \"touch begun; sleep 61\"\n");
  const Finished finished =
      run_workflow(workflow("    [*] --> A\n    A --> Sorry: failure\n    A --> [*]: success\n    Sorry --> [*]\n",
                            "- A: Run workflow \"inner\" timeout=500ms\n- Sorry: Log \"${error}\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(holds(finished.out + finished.err, "Workflow timed out after 0.5 seconds"), finished.out << finished.err);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(a_step_has_no_upper_limit_of_its_time) {
  for (const char* timeout : {"timeout=2h", "timeout=1801", "timeout=100h", "timeout=2000.5", "total_timeout=48h"}) {
    const Finished finished = run_workflow(workflow(one_state, std::string("- A: Shell \"true\" ") + timeout + "\n"));
    BOOST_TEST(finished.exit_code == 0, timeout << finished.out << finished.err);
  }
}

BOOST_AUTO_TEST_CASE(a_maximum_that_is_configured_binds_workflows) {
  scratch.file("wtool.yaml", "limits: {timeout_max: 600}\n");
  const std::string longer = workflow(one_state, "- A: Shell \"true\" timeout=2h\n");
  // The timeout is refused before anything runs.
  const Finished refused = run_workflow(longer);
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(holds(refused.err, "longer than limits.timeout_max, which is 600 seconds"), refused.err);
  BOOST_TEST(holds(run({wtool_path, "plan", longer}, here()).err, "which is 600 seconds"));
  // A timeout from a variable is known only during the run.
  const std::string by_value = "---\nvariables: {limit: 2h}\n---\n```mermaid\nstateDiagram-v2\n" +
                               std::string(one_state) + "```\n## Actions\n- A: Shell \"true\" timeout=${limit}\n";
  const Finished late = run_workflow(scratch.file("value.md", by_value));
  BOOST_TEST(late.exit_code == 1);
  BOOST_TEST(holds(late.out, "timeout: got 7200; allowed is a whole number of seconds from 1 to 600"), late.out);
  BOOST_TEST(run_workflow(workflow(one_state, "- A: Shell \"true\" timeout=1500ms\n")).exit_code == 0);
  scratch.file("wtool.yaml", "limits: {timeout_max: none}\n");
  BOOST_TEST(run_workflow(longer).exit_code == 0);
}

BOOST_AUTO_TEST_CASE(calls_on_the_command_line_keep_their_maximum) {
  const auto call = [&](const std::string& arguments) {
    return run({wtool_path, "call", "shell_execute", arguments}, here());
  };
  const Finished longer = call(R"({"command":"true","timeout":1801})");
  BOOST_TEST(longer.exit_code != 0);
  BOOST_TEST(holds(longer.out, "allowed is a whole number of seconds from 1 to 1800"), longer.out);
  const Finished fraction = call(R"({"command":"true","timeout":0.3})");
  BOOST_TEST(holds(fraction.out, "timeout: got 0.3; allowed is a whole number of seconds from 1 to 1800"),
             fraction.out);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
