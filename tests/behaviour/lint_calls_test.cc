// What lint says about the calls of a workflow: commands of the shell, and arguments of tools.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "lint_place.h"

BOOST_AUTO_TEST_SUITE(lint_calls_test)

using namespace wtool::test;

BOOST_FIXTURE_TEST_CASE(a_list_of_commands_in_quotes_that_drops_a_failure_is_a_warning, Lint) {
  const auto dropped = [&](const std::string& command) -> std::string {
    std::string written;
    for (const char c : command) written += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    const std::vector<std::string> all = found(chain({"A"}, "- A: Shell \"" + written + "\"\n"));
    return all.empty() ? "" : all.front();
  };
  const auto says = [](const std::string& place, const std::string& command) {
    return place + ": a failure of `" + command +
           "` is lost, because the command continues after it; join the commands with `&&`, or write them in a ```sh "
           "block, which stops at the first failure";
  };
  BOOST_TEST(dropped("make; ls") == says("9:13", "make"));
  BOOST_TEST(dropped("cd out; make") == says("9:13", "cd out"));
  BOOST_TEST(dropped("echo begin; make all | sort; ls") == says("9:25", "make all | sort"));
  BOOST_TEST(dropped("x=1; make && ls; ls") == says("9:18", "make && ls"));
  BOOST_TEST(dropped("make\\nls") == "");  // a backslash and the letter n
  BOOST_TEST(dropped("for f in a b; do ls $f; done; make; ls") == says("9:43", "make"));
  BOOST_TEST(dropped("make \"a;b\" 'c;d' >log 2>&1; ls") == says("9:13", "make \"a;b\" 'c;d' >log 2>&1"));
  BOOST_TEST(dropped("A=1 make -j {{ 2 }}; ls").empty() == false);
  const auto line_ends = found(chain({"A"}, "- A: Shell \"make\\nls\"\n"));
  BOOST_TEST(line_ends == std::vector<std::string>{says("9:13", "make")}, boost::test_tools::per_element());
  const auto before_tee = [](const std::string& place, const std::string& command) {
    return place + ": a failure of `" + command +
           "` is lost, because a pipeline has the status of its last command; write it in a ```bash block, where a "
           "failure of any of its commands counts";
  };
  BOOST_TEST(dropped("make 2>&1 | tee log") == before_tee("9:13", "make 2>&1"));
  BOOST_TEST(dropped("make |& tee log") == before_tee("9:13", "make"));
  BOOST_TEST(dropped("cd a && make | tee -a log && ls") == before_tee("9:13", "cd a && make"));
  BOOST_TEST(dropped("set +o pipefail; make | tee log") == before_tee("9:30", "make"));
  BOOST_TEST(dropped("make | tee pipefail.log # without pipefail") == before_tee("9:13", "make"));
  for (const char* sets : {"set -o pipefail", "set -Eeuo pipefail", "set -o errexit -o pipefail"}) {
    BOOST_TEST(dropped(std::string(sets) + " && make | tee log") == "");
  }
  BOOST_TEST(dropped("echo a | tee log") == "");
  BOOST_TEST(dropped("make | grep -v tee") == "");
  const auto block = [&](const std::string& language) {
    return found(chain({"A"}, "- A: Shell\n\n  ```" + language + "\n  make | tee log\n  ```\n"));
  };
  BOOST_TEST(block("sh") == std::vector<std::string>{before_tee("12:3", "make")}, boost::test_tools::per_element());
  BOOST_TEST(block("bash").empty());
  // No failure is lost, or the command says that it does not matter.
  for (const std::string fine : {"make && ls",
                                 "make;",
                                 "make; # ls",
                                 "set -e; make; ls",
                                 "set -eu; make; ls",
                                 "set -o errexit; make; ls",
                                 "x=1; ls",
                                 "x=$(date; date); ls",
                                 "echo 'a;b'",
                                 "echo \"a;b\"",
                                 "echo a\\;b",
                                 "find . -exec ls {} \\;",
                                 "for f in a b; do ls $f; done",
                                 "for f in a b; do make $f; ls; done",
                                 "if test -e a; then ls; fi",
                                 "if test -e a; then ls; fi; ls",
                                 "case a in a) ls;; b) make;; esac",
                                 "case a in (a) make; ls;; esac; ls",
                                 "while true; do make; done; ls",
                                 "make || true; ls",
                                 "make || exit 1; ls",
                                 "make; true",
                                 "make; exit 0",
                                 "make; test $? = 2",
                                 "test -f a && rm a; make",
                                 "[ -d a ] && rm -r a; make",
                                 "! make; ls",
                                 "trap 'rm a; rm b' EXIT; ls",
                                 "echo a; ls",
                                 "sleep 1; ls",
                                 "make & sleep 1; ls",
                                 "make >a 2>&1 & wait",
                                 "f() { make; ls; }; f",
                                 "{ make; ls; } && ls",
                                 "(make; ls)",
                                 "echo $(make; ls)",
                                 "echo \"$(make; ls)\"",
                                 "echo `make; ls`",
                                 "cat <<X; ls\nX\n",
                                 "echo ${a:-;} b",
                                 "[ -e a ] || make; ls",
                                 "umask 077; ls",
                                 "export A=1; ls"}) {
    BOOST_TEST(dropped(fine) == "", fine);
  }
  // A block begins with `set -e`, and shell_options say what a failure does.
  BOOST_TEST(found(chain({"A"}, "- A: Shell\n\n  ```sh\n  make; ls\n  ```\n")).empty());
  BOOST_TEST(found(chain({"A"}, "- A: Shell \"make; ls\" shell_options=none\n")).empty());
  BOOST_TEST(found(chain({"A"}, "- A: Shell \"function f { make; ls; }; f\" shell=bash\n")).empty());
  BOOST_TEST(found(chain({"A"}, "- A: Service \"cd x; serve\"\n")).size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(commands_that_the_shell_cannot_read_are_found_and_nothing_of_them_is_run, Lint) {
  const auto all =
      found(chain({"A", "B", "C", "D", "E"},
                  "- A: Shell \"touch made; echo 'x\"\n- B: Shell \"fi; touch made\"\n- C: Shell \"echo "
                  "fine; touch made\"\n- D: Shell \"echo ')\"\n- E: Shell \"touch made; $(touch made\"\n"));
  BOOST_REQUIRE(all.size() == 4U);
  BOOST_TEST(holds(all[0], "13:30: this quote is not closed"), all[0]);
  BOOST_TEST(holds(all[1], "14:13: the shell cannot read this command"), all[1]);
  BOOST_TEST(holds(all[2], "16:18: this quote is not closed"), all[2]);
  BOOST_TEST(holds(all[3], "17:13: the shell cannot read this command"), all[3]);
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/made"));
}

BOOST_FIXTURE_TEST_CASE(two_broken_commands_that_would_be_right_together_are_both_found, Lint) {
  const auto all = found(chain({"A", "B", "C", "D"},
                               "- A: Shell \"if true; then\"\n- B: Shell \"fi\"\n- C: Shell \"echo 'a\"\n- D: Shell "
                               "\"b'\"\n"));
  BOOST_TEST(all.size() == 4U);
}

BOOST_FIXTURE_TEST_CASE(a_keyword_of_the_shell_is_found_among_plain_words, Lint) {
  const auto all =
      found(chain({"A", "B", "C"}, "- A: Shell \"done\"\n- B: Shell \" then make all\"\n- C: Shell \"make done\"\n"));
  BOOST_REQUIRE(all.size() == 2U);
  BOOST_TEST(holds(all[0], "the shell cannot read this command"), all[0]);
  BOOST_TEST(holds(all[1], "the shell cannot read this command"), all[1]);
}

BOOST_FIXTURE_TEST_CASE(commands_that_only_look_odd_are_fine, Lint) {
  const auto all =
      found(chain({"A", "B", "C", "D", "E", "F"},
                  "- A: Shell \"echo it\\\\'s; case x in (x) echo;; y) :;; esac\"\n- B: Shell \"cat "
                  "<<EOF\\nit's\\nEOF\"\n- C: Shell \"echo # it's\"\n- D: Shell \"echo $((1 + 2)) `echo "
                  "x` \\\\\"\n- E: Shell \"grep '${' x && echo ')' \\\";;)\\\"\"\n- F: Shell \"{% if C %}if "
                  "true; then{% endif %} true {% if C %}; fi{% endif %}\"\n"));
  BOOST_TEST(all.size() == 0U, (all.empty() ? "" : all[0]));
}

BOOST_FIXTURE_TEST_CASE(commands_are_read_by_the_shell_that_runs_them, Lint) {
  const std::string block = "\n\n  ```sh\n  words=(a b)\n  echo ${#words}\n  ```\n";
  const auto all = found(chain({"A", "B"}, "- A: Shell with shell=\"bash\"" + block + "- B: Shell" + block));
  BOOST_REQUIRE(all.size() == 1U);
  BOOST_TEST(holds(all[0], "19:3: the shell cannot read this command"), all[0]);
}

BOOST_FIXTURE_TEST_CASE(a_variable_of_bash_runs_nothing_while_commands_are_read, Lint) {
  const std::string file = chain({"A"}, "- A: Shell \"true\"\n");
  ProgramOptions options = here();
  options.set["BASH_ENV"] = options.set["ENV"] = scratch.file("env.sh", "touch " + scratch.path() + "/made\n");
  scratch.file("wtool.yaml", "shell: {program: /bin/bash}\n");
  const Finished finished = run({wtool_path, "lint", file}, options);
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/made"));
}

BOOST_FIXTURE_TEST_CASE(a_shell_outside_of_the_directories_of_the_system_is_not_started_to_read_commands, Lint) {
  const std::string file = chain({"A", "B"}, "- A: Shell \"true\"\n- B: Shell \"fi\"\n");
  const std::string shell = scratch.file("bash", "#!/bin/sh\ntouch " + scratch.path() + "/made\n");
  std::filesystem::permissions(shell, std::filesystem::perms::owner_all);
  scratch.file("wtool.yaml", "shell: {program: " + shell + "}\n");
  const Finished finished = lint({file});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/made"));
}

BOOST_FIXTURE_TEST_CASE(arguments_of_tools_are_compared_with_their_schemas, Lint) {
  const auto all = found(chain({"A", "B", "C", "D"},
                               "- A: Call tool shell_execute with comand=\"ls\" timeout=5\n- B: Call tool "
                               "\"shell_execute\" with {\"timeout\": \"${n}\", \"command\": 5}\n- C: Call tool "
                               "shell_exec with command=\"ls\"\n- D: Call tool shell_execute with command=\"ls\" "
                               "timeout=\"${A.metadata.n}\"\n"));
  BOOST_REQUIRE(all.size() == 4U);
  BOOST_TEST(
      holds(all[0],
            "12:35: the tool shell_execute has no parameter 'comand'; did you mean 'command'? The parameters are "),
      all[0]);
  BOOST_TEST(holds(all[1], "13:37: the variable 'n' is not defined"), all[1]);
  BOOST_TEST(holds(all[2], "13:57: the parameter 'command' of the tool shell_execute must be a text, not 5"), all[2]);
  BOOST_TEST(holds(all[3], "14:16: there is no tool \"shell_exec\"; did you mean 'shell_execute'? The tools are "),
             all[3]);
}

BOOST_FIXTURE_TEST_CASE(an_argument_with_tags_is_a_text, Lint) {
  const auto all = found(chain({"A", "B"},
                               "- A: Set n=5\n- B: Call tool shell_execute with {\"command\": \"{% if n %}ls{% endif "
                               "%}\", \"timeout\": \"{% if n %}5{% endif %}\"}\n"));
  BOOST_REQUIRE(all.size() == 1U);
  BOOST_TEST(holds(all[0], "the parameter 'timeout' of the tool shell_execute must be a whole number, not"), all[0]);
}

BOOST_FIXTURE_TEST_CASE(arguments_of_tools_out_of_their_range_are_found_before_a_run, Lint) {
  const auto all = found(chain({"A", "B", "C", "D", "E"},
                               "- A: Call tool shell_execute with command=\"\" timeout=0\n- B: Call tool "
                               "\"shell_execute\" with {\"command\": \"ls\", \"timeout\": 2000, \"environment\": "
                               "{\"N\": 5, \"T\": \"t\"}}\n- C: Call tool terminal_execute_command with "
                               "sessionId=\"${A.metadata.sessionId}\" command=\"ls\" timeout=300001\n- D: Call tool "
                               "shell_execute with command=\"${A.metadata.x}\" timeout=1\n- E: Shell \"true\" "
                               "timeout=2h\n"));
  BOOST_REQUIRE(all.size() == 4U);
  BOOST_TEST(
      holds(all[0], "13:35: the parameter 'command' of the tool shell_execute must be a text that is not empty, not"),
      all[0]);
  BOOST_TEST(holds(all[1], "13:46: the parameter 'timeout' of the tool shell_execute must be at least 1, not 0"),
             all[1]);
  BOOST_TEST(holds(all[2], ": the parameter 'environment.N' of the tool shell_execute must be a text, not 5"), all[2]);
  BOOST_TEST(holds(all[3], "must be at most 300000, not 300001"), all[3]);
}

BOOST_FIXTURE_TEST_CASE(a_whole_number_with_a_decimal_point_is_a_whole_number, Lint) {
  const auto call = [](const std::string& timeout) {
    return R"(: Call tool "terminal_execute_command" with {"sessionId": "x", "command": "ls", "timeout": )" + timeout +
           "}\n";
  };
  const auto all = found(chain({"A", "B"}, "- A" + call("5000.0") + "- B" + call("5000.5")));
  BOOST_REQUIRE(all.size() == 1U);
  BOOST_TEST(holds(all[0], "must be a whole number, not 5000.5"), all[0]);
}

BOOST_FIXTURE_TEST_CASE(the_length_of_a_text_is_checked_although_it_has_a_dollar_or_braces, Lint) {
  const auto create = [](const std::string& task) {
    return ": Call tool terminal_create_session with taskId=\"" + task + "\" agentId=\"a\"\n";
  };
  const std::string almost(125, 'x');
  // The last text has 128 characters, because `$${` stands for two.
  const auto all =
      found(chain({"A", "B", "C"}, "- A" + create("$ {}" + almost) + "- B" + create("${A.metadata.x}" + almost) +
                                       "- C" + create("$${y" + almost)));
  BOOST_REQUIRE(all.size() == 1U);
  BOOST_TEST(holds(all[0], "must be at most 128 characters long, not"), all[0]);
}

BOOST_FIXTURE_TEST_CASE(a_timeout_beyond_the_configured_maximum_is_found_before_a_run, Lint) {
  scratch.file("wtool.yaml", "limits: {timeout_max: 60}\n");
  const auto all = found(chain({"A", "B", "C"},
                               "- A: Shell \"true\" timeout=2h\n- B: Shell \"true\" timeout=60\n- C: Call tool "
                               "shell_execute with command=\"ls\" timeout=61\n"));
  BOOST_REQUIRE(all.size() == 2U);
  BOOST_TEST(holds(all[0], "this timeout is longer than limits.timeout_max, which is 60 seconds"), all[0]);
  BOOST_TEST(holds(all[1], "must be at most 60, not 61"), all[1]);
}

BOOST_FIXTURE_TEST_CASE(commands_that_can_never_run_are_found_where_every_command_is_allowed, Lint) {
  const auto all =
      found(chain({"A", "B"}, "- A: Shell \"echo " + std::string(200'000, 'x') + " | cat\"\n- B: Shell \"true\"\n"));
  BOOST_REQUIRE(all.size() == 1U);
  BOOST_TEST(holds(all[0], "the command is 200011 bytes long; at most 102400 can be passed to a shell"), all[0]);
  scratch.file("wtool.yaml", "commands: {deny: [\"git push\"]}\n");
  const auto denied = found(chain({"A", "B"}, "- A: Shell \"git push\"\n- B: Shell \"git status\"\n"));
  BOOST_REQUIRE(denied.size() == 1U);
  BOOST_TEST(holds(denied[0], "policy would refuse this command: "), denied[0]);
}

BOOST_FIXTURE_TEST_CASE(variables_that_policy_refuses_are_found, Lint) {
  scratch.file("wtool.yaml", "commands: {allow: [make]}\nenvironment: {allow: [STAGE]}\n");
  const auto all = found(chain({"A", "B"},
                               "- A: Shell \"make\" with env={\"STAGE\": \"test\", \"CI\": \"1\"}\n"
                               "- B: Shell \"make\" with env={\"RM\": \"./evil\"}\n"));
  BOOST_REQUIRE(all.size() == 1U);
  BOOST_TEST(holds(all[0], "policy would refuse this command: environment: RM may not be set under an allow list"),
             all[0]);
}

BOOST_AUTO_TEST_SUITE_END()
