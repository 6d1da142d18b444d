// The examples of execute_run's specification, each as its command and its result. They are in the specification's
// order, so that they can be compared with it.
#include <boost/test/unit_test.hpp>
#include <set>
#include <sstream>

#include "behaviour/specs/execute_run_project.h"

BOOST_AUTO_TEST_SUITE(spec_execute_run_test)

using namespace wtool::test;

namespace {

struct Examples : Project {
  Examples() {
    git({"init", "-q", "-b", "main"});
    file("package.json", "{\"name\": \"myapp\", \"version\": \"1.0.0\"}\n");
    file("src/main.js", "console.log('hello');\n// TODO: implement feature\n");
    file("src/main.test.js", "");
    file("test/main.test.js", "// TODO: add test\n");
    file("config.json", "{}\n");
    file("old-name.js", "old\n");
    file("file.txt", "text\n");
    file("sibling-dir/file1.txt", "");
    file("sibling-dir/file2.txt", "");
    git({"add", "."});
    git({"commit", "-q", "-m", "Initial commit"});
    git({"commit", "-q", "--allow-empty", "-m", "Add feature X"});
    program("npm", "case \"$1 $2\" in 'test ') echo 'Tests passed: 42/42' ;; 'run build') echo built ;; esac");
    program("jest", "echo 'Coverage: 89.5%'");
    program("pytest", "echo ===== 15 passed in 0.42s =====");
    program("python", "[ \"$*\" = '-m pytest' ] && exec pytest\nexec python3 \"$@\"");
  }

  Json commands() const { return Json::parse(content(".clada/commands.json")); }
  std::size_t asked() { return host.questions().size(); }
};

struct Row {
  std::string command;
  std::string output;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(execute_run, Examples)

BOOST_AUTO_TEST_CASE(filesystem_and_git_commands_run_at_once_and_ask_nobody) {
  const std::vector<Row> rows = {
      {"cat package.json", "{\"name\": \"myapp\", \"version\": \"1.0.0\"}\n"},
      {"grep -n TODO src/main.js", "2:// TODO: implement feature\n"},
      {"grep -r \"TODO\" src/ test/",
       "src/main.js:2:// TODO: implement feature\ntest/main.test.js:1:// TODO: add test\n"},
      {"git status", "On branch main\nnothing to commit, working tree clean\n"},
      {"git show HEAD:package.json", "{\"name\": \"myapp\", \"version\": \"1.0.0\"}\n"},
      {"git log -n 5 --format=%s", "Add feature X\nInitial commit\n"},
      {"git diff src/main.js", ""},
      {"pwd", root + '\n'},
      {"mkdir -p src/components", ""},
      {"touch README.md", ""},
      {"cp config.json config.backup.json", ""},
      {"mv old-name.js new-name.js", ""},
  };
  for (const Row& row : rows) BOOST_TEST(run(row.command) == succeeded(row.output), row.command);
  BOOST_TEST(asked() == 0u);
  BOOST_TEST(std::filesystem::is_directory(root + "/src/components"));
  BOOST_TEST(exists("README.md"));
  BOOST_TEST(content("config.backup.json") == "{}\n");
  BOOST_TEST(content("new-name.js") == "old\n");
  BOOST_TEST(!exists("old-name.js"));
}

BOOST_AUTO_TEST_CASE(ls_la_lists_and_git_log_and_git_diff_show_what_they_show_on_a_terminal) {
  const auto output = [&](const std::string& command) {
    return run(command).at("value").at("output").get<std::string>();
  };
  BOOST_TEST(output("ls -la").starts_with("total "));
  BOOST_TEST(output("ls -la").find("package.json") != std::string::npos);
  const std::string log = output("git log -n 5 --oneline");
  BOOST_TEST(log.find(" Add feature X\n") < log.find(" Initial commit\n"));
  file("src/main.js", "console.log('new line');\n");
  BOOST_TEST(output("git diff src/main.js").starts_with("diff --git a/src/main.js b/src/main.js\n"));
  BOOST_TEST(output("git diff src/main.js").find("+console.log('new line');\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(find_gives_paths_and_no_warnings) {
  const auto lines = [&](const std::string& command) {
    std::istringstream text(run(command).at("value").at("output").get<std::string>());
    std::set<std::string> all;
    for (std::string line; std::getline(text, line);) all.insert(line);
    return all;
  };
  const std::set<std::string> tests = {"./src/main.test.js", "./test/main.test.js"};
  BOOST_TEST(lines("find . -name \"*.test.js\"") == tests, boost::test_tools::per_element());
  const std::set<std::string> files = {"file1.txt", "file2.txt"};
  BOOST_TEST(lines("find sibling-dir -type f -maxdepth 2 -printf '%f\\n'") == files, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(npm_test_asks_yes_runs_it_once) {
  BOOST_TEST(run("npm test") == succeeded("Tests passed: 42/42\n"));
  BOOST_REQUIRE(asked() == 1u);
  BOOST_TEST(host.questions().front().reason == "Allow 'npm test'? (yes/no/always/never): ");
  BOOST_TEST(!exists(".clada"));
  run("npm test");
  BOOST_TEST(asked() == 2u);
}

BOOST_AUTO_TEST_CASE(npm_test_asks_always_runs_it_says_so_and_asks_no_more) {
  host.answer = WTOOL_APPROVAL_ALWAYS;
  BOOST_TEST(run("npm test") == succeeded("[Added to .clada/commands.json]\nTests passed: 42/42\n"));
  BOOST_TEST(commands() == Json::parse(R"({"allowed": ["npm test"], "blocked": []})"));
  BOOST_TEST(run("npm test") == succeeded("Tests passed: 42/42\n"));
  BOOST_TEST(asked() == 1u);
}

BOOST_AUTO_TEST_CASE(npm_test_asks_no_refuses_it_once) {
  host.answer = WTOOL_APPROVAL_NO;
  BOOST_TEST(run("npm test") == failed("Command not approved: npm test"));
  BOOST_TEST(!exists(".clada"));
  run("npm test");
  BOOST_TEST(asked() == 2u);
}

BOOST_AUTO_TEST_CASE(npm_test_asks_never_blocks_it_says_so_and_asks_no_more) {
  host.answer = WTOOL_APPROVAL_NEVER;
  BOOST_TEST(run("npm test") == failed("Command blocked: npm test\n[Added to .clada/commands.json]"));
  BOOST_TEST(commands() == Json::parse(R"({"allowed": [], "blocked": ["npm test"]})"));
  BOOST_TEST(run("npm test") == failed("Command blocked: npm test"));
  BOOST_TEST(asked() == 1u);
}

BOOST_AUTO_TEST_CASE(python_m_pytest_asks_always_runs_it_and_says_so) {
  host.answer = WTOOL_APPROVAL_ALWAYS;
  BOOST_TEST(run("python -m pytest") == succeeded("[Added to .clada/commands.json]\n===== 15 passed in 0.42s =====\n"));
  BOOST_TEST(host.questions().front().reason == "Allow 'python -m pytest'? (yes/no/always/never): ");
}

BOOST_AUTO_TEST_CASE(previously_approved_and_blocked_commands_ask_nobody) {
  file(".clada/commands.json", R"({"allowed": ["npm test", "jest --coverage"], "blocked": ["npm run build"]})");
  BOOST_TEST(run("npm test") == succeeded("Tests passed: 42/42\n"));
  BOOST_TEST(run("npm run build") == failed("Command blocked: npm run build"));
  BOOST_TEST(run("jest --coverage") == succeeded("Coverage: 89.5%\n"));
  BOOST_TEST(asked() == 0u);
}

BOOST_AUTO_TEST_CASE(the_working_directory_is_cwd_which_need_not_lie_in_the_project) {
  BOOST_TEST(run("pwd", root + "/src") == succeeded(root + "/src\n"));
  BOOST_TEST(run("pwd", "/tmp") == succeeded("/tmp\n"));
  const Answer by_default = tool.run({{"command", "pwd"}});
  BOOST_TEST(by_default.metadata() == succeeded(std::filesystem::current_path().string() + '\n'));
}

BOOST_AUTO_TEST_CASE(eighteen_commands_with_operators_are_refused) {
  for (const char* command :
       {"echo \"test\" | grep test", "cat file.txt > output.txt", "ls && echo done", "ls || echo failed",
        "cat < input.txt", "echo test >> output.txt", "cat << EOF", "sleep 5 &", "echo $(date)", "echo `date`",
        "echo $HOME", "ls *.txt", "ls file?.txt", "ls [abc].txt", "echo test; ls", "(cd /tmp && ls)", "{ echo test; }",
        "cat /dev/urandom | head -c 20000000"}) {
    BOOST_TEST(run(command) == failed("Shell operators not allowed"), command);
  }
  BOOST_TEST(asked() == 0u);
  BOOST_TEST(!exists("output.txt"));
}

BOOST_AUTO_TEST_CASE(invalid_commands_are_refused_with_the_exact_message) {
  link("/etc", "symlink-to-etc");
  const std::vector<Row> rows = {
      {"rm -rf /", "Invalid path: /"},
      {"echo \"unterminated", "Invalid shell syntax"},
      {"cat ../../../etc/passwd", "Invalid path: ../../../etc/passwd"},
      {"cat /etc/passwd", "Invalid path: /etc/passwd"},
      {"cat symlink-to-etc/passwd", "Invalid path: symlink-to-etc/passwd"},
      {"git invalid-subcommand", "Git subcommand not allowed: invalid-subcommand"},
      {"grep", "grep requires pattern"},
      {"mv file1", "mv requires exactly 2 paths"},
      {"ls --invalid-flag", "Unknown flag: --invalid-flag"},
      {"head -n notanumber file.txt", "Invalid number for flag: n"},
  };
  for (const Row& row : rows) BOOST_TEST(run(row.command) == failed(row.output), row.command);
  BOOST_TEST(asked() == 0u);
}

BOOST_AUTO_TEST_CASE(a_working_directory_that_is_not_a_directory_is_invalid) {
  BOOST_TEST(run("npm test", "/nonexistent") == failed("Invalid working directory: /nonexistent"));
  BOOST_TEST(run("npm test", root + "/file.txt") == failed("Invalid working directory: " + root + "/file.txt"));
  BOOST_TEST(asked() == 0u);
}

BOOST_AUTO_TEST_CASE(paths_are_meant_from_the_working_directory_and_stay_in_the_project) {
  BOOST_TEST(run("cat ./src/main.js") == succeeded("console.log('hello');\n// TODO: implement feature\n"));
  BOOST_TEST(run("ls ../sibling-dir", root + "/src") == succeeded("file1.txt\nfile2.txt\n"));
}

BOOST_AUTO_TEST_CASE(a_command_that_fails_gives_its_exit_code_and_its_output) {
  program("npm", "echo 'Error: Test failed' >&2; exit 1");
  BOOST_TEST(run("npm test") == failed("Command failed with exit code 1", "Error: Test failed\n"));
  file("test.py", "def\n");
  const Json syntax = run("python test.py");
  BOOST_TEST(syntax.at("error") == "Command failed with exit code 1");
  BOOST_TEST(syntax.at("output").get<std::string>().find("SyntaxError: invalid syntax\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(python_m_pytest_where_it_is_not_installed_fails) {
  Json bare = config;
  bare["commands"]["path"] = {folder("empty")};
  const ToolUnderTest without(plugin, bare, "execute_run");
  BOOST_TEST(run_with(without, "python -m pytest") == failed("Command failed: python: command not found"));
}

BOOST_AUTO_TEST_CASE(find_of_everything_and_yes_time_out) {
  program("find", "exec tail -f /dev/null");  // as on an endless disk
  Json slow = config;
  slow["execute_run"]["root"] = "/";
  slow["limits"] = {{"timeout_default", 1}, {"grace_seconds", 0}};
  const ToolUnderTest everywhere(plugin, slow, "execute_run");
  BOOST_TEST(run_with(everywhere, "find / -name \"*.txt\"") == failed("Command timed out"));
  BOOST_TEST(run_with(everywhere, "yes") == failed("Command timed out"));
}

BOOST_AUTO_TEST_CASE(find_of_everything_gives_too_much_output_and_one_byte_less_is_not) {
  Json wide = config;
  wide["execute_run"]["root"] = "/";
  const ToolUnderTest everywhere(plugin, wide, "execute_run");
  program("find", "head -c 10485761 /dev/zero | tr '\\0' x");
  BOOST_TEST(run_with(everywhere, "find / -type f") == failed("Output too large"));
  program("find", "head -c 10485760 /dev/zero | tr '\\0' x");
  const Json most = run_with(everywhere, "find / -type f");
  BOOST_REQUIRE(most.at("ok") == true);
  BOOST_TEST(most.at("value").at("output").get<std::string>().size() == 10485760u);
}

BOOST_AUTO_TEST_CASE(arguments_of_several_lines_are_passed_unchanged) {
  BOOST_TEST(run("echo \"line 1\nline 2\"") == succeeded("line 1\nline 2\n"));
  BOOST_TEST(run("python -c \"print('hello')\nprint('world')\"") == succeeded("hello\nworld\n"));
  BOOST_TEST(run("echo one\necho two") == failed("Shell operators not allowed"));
}

BOOST_AUTO_TEST_CASE(the_file_of_commands_has_the_specified_structure_and_keeps_other_keys) {
  file(".clada/commands.json", R"({"comment": "ours", "allowed": ["npm test"], "blocked": ["npm run build"]})");
  host.answer = WTOOL_APPROVAL_ALWAYS;
  run("jest --coverage");
  host.answer = WTOOL_APPROVAL_NEVER;
  run("rm -rf node_modules");
  BOOST_TEST(commands() == Json::parse(R"({"comment": "ours", "allowed": ["npm test", "jest --coverage"],
                                           "blocked": ["npm run build", "rm -rf node_modules"]})"));
}

BOOST_AUTO_TEST_CASE(an_answer_that_cannot_be_kept_counts_once_and_the_result_says_so) {
  std::filesystem::create_directories(root + "/.clada/commands.json.lock");
  host.answer = WTOOL_APPROVAL_ALWAYS;
  const std::string output = run("npm test").at("value").at("output");
  BOOST_TEST(output.starts_with("[Not added to .clada/commands.json: the file of commands cannot be locked: "));
  BOOST_TEST(output.ends_with("]\nTests passed: 42/42\n"));
  host.answer = WTOOL_APPROVAL_NEVER;
  BOOST_TEST(error("npm test").starts_with("Command blocked: npm test\n[Not added to .clada/commands.json: "));
  BOOST_TEST(asked() == 2u);
}

BOOST_AUTO_TEST_CASE(wrong_parameters_are_reported_in_the_same_shape) {
  for (const char* arguments :
       {"{}", R"({"command": ""})", R"({"command": "ls", "working_directory": "/"})", R"({"command": 1})", "[]", "{"}) {
    const Answer answer = tool.run_text(arguments);
    BOOST_TEST(answer.is_error(), arguments);
    BOOST_TEST(answer.metadata().size() == 2u, arguments);
    BOOST_TEST(answer.metadata().at("error").get<std::string>().starts_with("Invalid parameters: "), arguments);
  }
  BOOST_TEST(run("  ") == failed("Invalid shell syntax"));
}

BOOST_AUTO_TEST_CASE(nobody_to_ask_is_an_error_that_says_how_to_allow_it) {
  host.answer = WTOOL_APPROVAL_UNAVAILABLE;
  BOOST_TEST(run("npm test") ==
             failed("Command not approved: npm test (nobody could be asked; a person can add it to \"allowed\" in "
                    ".clada/commands.json)"));
}

BOOST_AUTO_TEST_CASE(a_command_that_is_killed_or_cancelled_says_so) {
  program("npm", "echo begun; kill -KILL $$");
  BOOST_TEST(run("npm test") == failed("Command killed by SIGKILL", "begun\n"));
  program("npm", "echo begun; exec tail -f /dev/null");
  RunningCall call(tool, {{"command", "npm test"}, {"cwd", root}});
  BOOST_TEST(call.wait_for_output("begun"));
  call.cancel(WTOOL_CANCEL_GRACEFUL, "enough");
  BOOST_TEST(call.wait().metadata() == failed("Command aborted: enough"));
}

BOOST_AUTO_TEST_CASE(the_configured_policy_counts_as_well) {
  Json strict = config;
  strict["commands"]["deny"] = {"npm publish", "ls"};
  const ToolUnderTest guarded(plugin, strict, "execute_run");
  BOOST_TEST(run_with(guarded, "ls").at("error").get<std::string>().starts_with("Command refused: "));
  BOOST_TEST(run_with(guarded, "npm publish").at("error").get<std::string>().starts_with("Command refused: "));
  BOOST_TEST(run_with(guarded, "npm test").at("ok") == true);
}

BOOST_AUTO_TEST_CASE(explain_names_the_tier_and_runs_nothing) {
  const auto verdict = [&](const std::string& command) {
    return tool.explain({{"command", command}, {"cwd", root}}).at("verdict").get<std::string>();
  };
  BOOST_TEST(verdict("touch new") == "allow");
  BOOST_TEST(verdict("npm test") == "ask");
  BOOST_TEST(verdict("cat /etc/passwd") == "deny");
  BOOST_TEST(!exists("new"));
  BOOST_TEST(asked() == 0u);
}

BOOST_AUTO_TEST_CASE(a_question_that_nobody_answers_in_time_is_named_by_its_command) {
  host.answer = WTOOL_APPROVAL_EXPIRED;
  BOOST_TEST(error("npm test") ==
             "Command not approved: npm test (nobody answered in time; make the same call again when a person is there "
             "to answer)");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_CASE(a_host_that_cannot_ask_at_all_gets_an_error_and_no_crash) {
  Plugin plugin;
  const ScratchFolder scratch;
  const Json question{{"command", "npm test"}};
  const ToolUnderTest tool(plugin, {{"execute_run", {{"root", scratch.path()}}}}, "execute_run");
  const std::string error = tool.run(question).metadata().at("error");
  BOOST_TEST(error.starts_with("Command not approved: npm test (nobody could be asked; "));
  const ToolUnderTest shell(plugin, {{"commands", {{"ask", {"npm"}}}}});
  BOOST_TEST(shell.run(question).code() == "approval_unavailable");
}

BOOST_AUTO_TEST_SUITE_END()
