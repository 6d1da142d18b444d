// What execute_command does with unusual input, unusual output and abnormal ends. `npm` leaves a trace wherever it ran.
#include <sys/stat.h>

#include "execute_command_fixture.h"

BOOST_AUTO_TEST_SUITE(spec_execute_command_test)

using namespace wtool::test;

BOOST_FIXTURE_TEST_SUITE(execute_command_attacks, ExecuteCommand)

BOOST_AUTO_TEST_CASE(nothing_joined_to_an_allowed_command_runs) {
  for (const char* command : {"ls;npm",
                              "ls; npm",
                              "ls|npm",
                              "ls&npm",
                              "ls && npm",
                              "ls || npm",
                              "ls\nnpm",
                              "ls\n\nnpm",
                              "ls $(npm)",
                              "ls `npm`",
                              "ls \"$(npm)\"",
                              "ls \"`npm`\"",
                              "ls <(npm)",
                              "ls > f",
                              "(npm)",
                              "{ npm; }",
                              "! npm",
                              "$(echo npm)",
                              "if npm; then ls; fi",
                              "ls & npm &",
                              "ls #\nnpm",
                              "f() { npm; }; f",
                              "ls;",
                              "ls &",
                              "ls *",
                              "ls ~",
                              "ls {a,b}"}) {
    const Answer answer = call({.commands = "*"}, command);
    check_error(answer, "policy_denied", {"Command refused: it has ", " at byte "});
    BOOST_TEST(answer.text().find("npm") == std::string::npos, command);
  }
  BOOST_TEST(ran_in() == "");
}

BOOST_AUTO_TEST_CASE(quoted_operators_are_text) {
  check_result(call({.commands = "echo"}, "echo 'a;b' \"c|d\" e\\&f '$(npm)' \"it's\""), 0,
               "a;b c|d e&f $(npm) it's\n");
}

BOOST_AUTO_TEST_CASE(the_first_word_cannot_pretend) {
  program("npx", "echo npx");
  for (const char* command : {"npm", "./npm", "programs/npm", "FOO=1 npx", "'npx '", "n'p'm", "NPX", "npxx"}) {
    const Answer answer = call({.commands = "npx"}, command);
    BOOST_TEST(answer.code() == "policy_denied", command);
  }
  check_result(call({.commands = "npx"}, "n'p'x"), 0, "npx\n");
  BOOST_TEST(ran_in() == "");
}

BOOST_AUTO_TEST_CASE(an_absolute_path_is_the_name_only_where_path_finds_that_very_file) {
  const std::string fake = scratch.file("npm", "#!/bin/sh\necho fake\n", 0755);
  check_result(call({.commands = "npm"}, npm + " -v"), 0, "10.2.3\n");
  BOOST_TEST(call({.commands = "npm"}, fake).code() == "policy_denied");
  check_result(call({.commands = "npm, ./npm"}, "./npm"), 0, "fake\n");
  // The path is the real file for the host, and the fake one for the command.
  std::filesystem::create_symlink(npm, folder("hosts") + "/npm");
  std::filesystem::current_path(scratch.path() + "/hosts");
  const Answer answer = call({.commands = "npm"}, Json{{"command", "/proc/self/cwd/npm"}, {"cwd", scratch.path()}});
  BOOST_TEST(answer.code() == "policy_denied");
}

BOOST_AUTO_TEST_CASE(a_program_in_a_folder_that_everybody_may_write_is_not_found) {
  check_result(call({.commands = "npm"}, "npm"), 0, "10.2.3\n");
  ::chmod(programs.c_str(), 0777);
  program("npm-x", "echo never");
  BOOST_TEST(call({.commands = "npm-x"}, "npm-x").code() == "command_not_found");
}

BOOST_AUTO_TEST_CASE(odd_arguments_are_refused_by_name) {
  const auto refused = [&](const Json& arguments, const std::vector<std::string>& parts) {
    check_error(call({.commands = "*"}, arguments), "invalid_parameters", parts);
  };
  refused(Json::object(), {"command", "required"});
  refused({{"command", ""}}, {"command", "empty"});
  refused({{"command", " \t\n"}}, {"command", "blank"});
  refused({{"command", "# a comment"}}, {"command", "blank"});
  refused({{"command", "'' npm"}}, {"command", "empty word"});
  refused({{"command", std::string("npm\0-v", 6)}}, {"command", "NUL"});
  refused({{"command", 1}}, {"command", "1", "a string"});
  refused({{"command", {"npm"}}}, {"command", "a string"});
  refused({{"command", "npm"}, {"cwd", 1}}, {"cwd", "1", "a string"});
  refused({{"command", "npm"}, {"cwd", nullptr}}, {"cwd", "null"});
  refused({{"command", "npm"}, {"cwd", ""}}, {"cwd", "empty"});
  refused({{"command", "npm"}, {"cwd", std::string("/\0", 2)}}, {"cwd", "NUL"});
  refused({{"command", "npm"}, {"working_directory", "/"}}, {"working_directory", "the parameters are command, cwd"});
  const ToolUnderTest tool(plugin, Json::object(), "execute_command");
  for (const char* text : {"", "[]", "null", "{\"command\":", "{\"command\":\"npm\",\"command\":\"ls\"}"}) {
    const Answer answer = tool.run_text(text);
    BOOST_TEST((answer.status != WTOOL_OK || answer.is_error()), text);
  }
  BOOST_TEST(ran_in() == "");
}

BOOST_AUTO_TEST_CASE(an_unterminated_quote_is_named) {
  check_error(call({.commands = "*"}, "npm 'a"), "policy_denied", {"a single quote that is never closed at byte 4"});
  check_error(call({.commands = "*"}, "npm \"a"), "policy_denied", {"a double quote that is never closed at byte 4"});
}

BOOST_AUTO_TEST_CASE(an_argument_longer_than_the_kernel_takes_is_an_error_of_the_tool) {
  check_error(call({.commands = "echo"}, "echo " + std::string(200 * 1024, 'x')), "spawn_failed",
              {"could not be started"});
  check_result(call({.commands = "echo"}, "echo next"), 0, "next\n");
}

BOOST_AUTO_TEST_CASE(a_file_as_cwd_is_refused_and_nothing_runs) {
  scratch.file("file", "");
  check_error(npm_in({.commands = "npm"}, "file"), "working_directory_invalid", {"cwd: ", "is not a directory"});
  check_error(npm_in({.commands = "npm", .roots = scratch.path()}, "file"), "working_directory_invalid", {"cwd: "});
  BOOST_TEST(ran_in() == "");
}

BOOST_AUTO_TEST_CASE(a_root_does_not_contain_what_only_begins_like_it) {
  const std::string root = folder("repo"), evil = folder("repo-evil");
  check_error(npm_in({.commands = "npm", .roots = root}, evil), "policy_denied", {"cwd not allowed", "repo-evil"});
  check_result(npm_in({.commands = "npm", .roots = root + "/"}, root), 0, "10.2.3\n");
  BOOST_TEST(ran_in() == root + "\n");
}

BOOST_AUTO_TEST_CASE(roots_are_trimmed_and_may_be_relative_to_the_hosts_directory) {
  check_result(npm_in({.commands = "npm", .roots = " , " + monorepo + " ,,"}, frontend), 0, "10.2.3\n");
  check_result(npm_in({.commands = "npm", .roots = "home/user"}, frontend), 0, "10.2.3\n");
  check_error(npm_in({.commands = "npm", .roots = "home/user"}, "/tmp"), "policy_denied", {"cwd not allowed"});
  check_result(npm_in({.commands = "npm", .roots = "  "}, "/tmp"), 0, "10.2.3\n");
  check_result(npm_in({.commands = "npm", .roots = "/"}, "/tmp"), 0, "10.2.3\n");
}

BOOST_AUTO_TEST_CASE(a_list_of_roots_without_any_root_is_a_configuration_error) {
  check_error(npm_in({.commands = "npm", .roots = " , "}, frontend), "configuration_invalid", {"ALLOWED_CWD_ROOTS"});
  BOOST_TEST(ran_in() == "");
}

BOOST_AUTO_TEST_CASE(a_root_that_is_a_dangling_or_circular_link_is_a_configuration_error) {
  std::filesystem::create_symlink("/path/that/does/not/exist", scratch.path() + "/dangling");
  std::filesystem::create_symlink("circular", scratch.path() + "/circular");
  for (const char* root : {"dangling", "circular"}) {
    check_error(npm_in({.commands = "npm", .roots = monorepo + "," + root}, frontend), "configuration_invalid", {root});
  }
  BOOST_TEST(ran_in() == "");
}

BOOST_AUTO_TEST_CASE(the_configured_policy_counts_as_well) {
  check_error(call({.commands = "*", .config = {{"commands", {{"allow", {"echo"}}}}}}, "npm"), "policy_denied",
              {"\"npm\" is not in commands.allow"});
  check_error(call({.commands = "npm", .config = {{"commands", {{"deny", {"npm -v"}}}}}}, "npm -v"), "policy_denied",
              {});
  check_error(npm_in({.commands = "npm", .config = {{"directories", {{"roots", {frontend}}}}}}, monorepo),
              "policy_denied", {"cwd: ", "directories.roots"});
  check_error(call({.commands = "ls", .config = {{"commands", {{"allow", {"npm"}}}}}}, "npm"), "policy_denied",
              {"ALLOWED_COMMANDS"});
  BOOST_TEST(ran_in() == "");
}

BOOST_AUTO_TEST_CASE(output_that_is_not_text_is_still_yaml) {
  std::string bytes;
  for (int each = 0; each < 256; ++each) bytes.push_back(static_cast<char>(each));
  scratch.file("bytes", bytes);
  const Answer answer = call({.commands = "cat"}, "cat bytes");
  check_result(answer, 0, answer.out());
  BOOST_TEST(holds(answer.out(), std::string("\x1b\x1c")));
  BOOST_TEST((answer.metadata().at("stdout_bytes") == Json(256)));
}

BOOST_AUTO_TEST_CASE(output_that_was_cut_says_so_and_keeps_its_exit_code) {
  const Answer answer = call({.commands = "seq", .config = {{"output", {{"bytes", 4096}}}}}, "seq 1 100000");
  check_result(answer, 0, answer.out());
  BOOST_TEST((answer.metadata().at("stdout_truncated") == Json(true)));
  BOOST_TEST(holds(answer.out(), "bytes left out"));
  BOOST_TEST(holds(answer.out(), "\n100000\n"));
}

BOOST_AUTO_TEST_CASE(death_by_a_signal_is_a_result_of_128_and_its_number) {
  program("dies", "echo before; kill -KILL $$");
  const Answer answer = call({.commands = "*"}, "dies");
  check_result(answer, 137, "before\n");
  BOOST_TEST((answer.metadata().at("signal") == Json("SIGKILL")));
}

BOOST_AUTO_TEST_CASE(a_timeout_is_an_error_with_the_partial_output) {
  program("waits", "echo before; exec sleep 60");
  const Answer answer = call({.commands = "*", .config = {{"limits", {{"timeout_default", 1}}}}}, "waits");
  check_error(answer, "timed_out", {"Command timed out after 1 seconds"});
  BOOST_TEST((answer.metadata().at("partial_stdout") == Json("before\n")));
  BOOST_TEST(!answer.metadata().contains("exit_code"));
}

BOOST_AUTO_TEST_CASE(a_cancelled_call_is_an_error_with_the_partial_output) {
  program("waits", "echo before; exec sleep 60");
  const HostVariable commands("ALLOWED_COMMANDS", "waits");
  const ToolUnderTest tool(plugin, Json::object(), "execute_command");
  RunningCall running(tool, {{"command", "waits"}});
  BOOST_TEST(running.wait_for_output("before\n"));
  running.cancel(WTOOL_CANCEL_GRACEFUL, "enough");
  const Answer answer = running.wait();
  BOOST_TEST(answer.status == WTOOL_E_CANCELLED);
  BOOST_TEST(answer.code() == "aborted");
  BOOST_TEST(answer.text() == "Command aborted: enough");
  BOOST_TEST((answer.metadata().at("partial_stdout") == Json("before\n")));
}

BOOST_AUTO_TEST_CASE(what_a_command_leaves_in_the_background_is_ended) {
  const Mark mark;
  program("leaves", "sh -c 'sleep 1000; : '$1 &\necho started");
  const Answer answer = call({.commands = "*"}, "leaves " + mark.assignment());
  check_result(answer, 0, "started\n");
  BOOST_TEST(answer.metadata().at("background_processes_ended").get<int>() >= 1);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(a_file_that_may_not_be_executed_is_an_error) {
  scratch.file("plain", "echo never\n", 0644);
  const Answer answer = call({.commands = "*"}, "./plain");
  check_error(answer, "permission_denied", {"./plain"});
  BOOST_TEST(answer.exit_code() == 126);
}

BOOST_AUTO_TEST_CASE(a_call_can_be_explained) {
  const ToolUnderTest tool(plugin, Json::object(), "execute_command");
  const HostVariable commands("ALLOWED_COMMANDS", "npm");
  const Json allowed = tool.explain({{"command", "npm -v 'a b'"}, {"cwd", frontend}});
  BOOST_TEST(allowed.at("verdict") == "allow");
  BOOST_TEST((allowed.at("argv") == Json{"npm", "-v", "a b"}));
  BOOST_TEST(allowed.at("directory") == frontend);
  BOOST_TEST(!allowed.contains("shell"));
  const Json refused = tool.explain({{"command", "npm; ls"}});
  BOOST_TEST(refused.at("verdict") == "deny");
  BOOST_TEST(holds(refused.at("reason").get<std::string>(), "the operator ;"));
  BOOST_TEST(tool.explain({{"command", "ls"}}).at("rule") == "ALLOWED_COMMANDS");
  BOOST_TEST(tool.explain({{"command", " "}}).at("error") == "invalid_parameters");
  BOOST_TEST(ran_in() == "");
}

BOOST_AUTO_TEST_CASE(a_refusal_is_on_record) {
  const std::string file = scratch.path() + "/audit.jsonl";
  call({.commands = "npm", .config = {{"audit", {{"file", file}}}}}, "npm; ls");
  std::ifstream lines(file);
  std::string line;
  BOOST_REQUIRE(std::getline(lines, line));
  const Json record = Json::parse(line);
  BOOST_TEST(record.at("event") == "refusal");
  BOOST_TEST(record.at("command") == "npm; ls");
  BOOST_TEST(record.at("code") == "policy_denied");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
