// The specification of execute_command, requirement by requirement: each test has the name of its scenario.
#include "execute_command_fixture.h"

BOOST_AUTO_TEST_SUITE(spec_execute_command_test)

using namespace wtool::test;

namespace {

std::string described(const Plugin& plugin) {
  for (std::uint32_t i = 0; i < plugin.entry().tool_count(); ++i) {
    const wtool_descriptor& tool = *plugin.entry().tool_at(i);
    if (std::string_view(tool.id.data, tool.id.size) == "execute_command")
      return std::string(tool.description.data, tool.description.size);
  }
  return {};
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(requirement_execute_shell_commands, ExecuteCommand)

BOOST_AUTO_TEST_CASE(description_is_only_for_non_interactive_commands) {
  BOOST_TEST(holds(described(plugin), "ONLY for non-interactive commands"));
}

BOOST_AUTO_TEST_CASE(description_warns_that_interactive_commands_are_not_supported) {
  BOOST_TEST(holds(described(plugin), "interactive commands (editors, pagers, prompts for input) are not supported"));
}

BOOST_AUTO_TEST_CASE(scenario_enoent_error_hint) {
  const Answer answer = call({.commands = "no-such-program-x"}, "no-such-program-x --option");
  check_error(answer, "command_not_found",
              {"no-such-program-x",
               "Note: This tool does not support interactive commands. Ensure the command is non-interactive and the "
               "executable exists."});
  BOOST_TEST(answer.exit_code() == 127);
  BOOST_TEST(answer.out() == "");
  BOOST_TEST(answer.err() == "");
}

BOOST_AUTO_TEST_CASE(a_problematic_interactive_invocation_fails_at_once_with_the_note) {
  const std::string note =
      "Note: This tool does not support interactive commands. Ensure the command is non-interactive and the executable "
      "exists.";
  for (const char* name : {"vi", "vim.basic", "nano", "less", "top", "watch"}) program(name, "touch ran; sleep 61");
  const Given all{.commands = "*"};
  for (const char* command : {"vi", "vi notes.txt", "vim.basic", "nano a", "less a", "top", "watch ls"}) {
    check_error(call(all, command), "policy_denied", {"Interactive command: ", note});
  }
  const Answer by_path = call(all, programs + "/vi");
  check_error(by_path, "policy_denied", {note});
  BOOST_TEST(!std::filesystem::exists("ran"));
  // These programs are allowed with arguments that let them run without a person. A program that is not listed is still
  // refused.
  program("top", "echo \"$*\"");
  program("vi", "echo \"$*\"");
  check_result(call(all, "top -bn1"), 0, "-bn1\n");
  check_result(call(all, "vi --version"), 0, "--version\n");
  check_error(call({.commands = "ls"}, "vi"), "policy_denied", {"Command not allowed: vi"});
}

BOOST_AUTO_TEST_CASE(a_word_that_a_shell_would_take_for_a_comment_is_refused) {
  const Given all{.commands = "*"};
  check_error(call(all, "echo see issue #5"), "policy_denied", {"a comment", "at byte 15"});
  check_result(call(all, "echo see issue '#5' a#b \\#c"), 0, "see issue #5 a#b #c\n");
}

BOOST_AUTO_TEST_CASE(scenario_enoent_error_hint_for_a_builtin_of_shells) {
  check_error(call({.commands = "*"}, "cd /tmp"), "command_not_found",
              {"cd", "Note: This tool does not support interactive commands"});
}

BOOST_AUTO_TEST_CASE(scenario_backward_compatibility_no_cwd) {
  const Answer answer = call({.commands = "echo"}, "echo hello");
  check_result(answer, 0, "hello\n");
  BOOST_TEST(answer.text() == "exit_code: 0\nstdout: |\n  hello\nstderr: \"\"\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(requirement_command_allowlist, ExecuteCommand)

BOOST_AUTO_TEST_CASE(scenario_allowed_command) {
  scratch.file("frontend.txt", "");
  const Answer answer = call({.commands = "ls,cat"}, "ls");
  check_result(answer, 0, answer.out());
  BOOST_TEST(holds(answer.out(), "frontend.txt\n"));
  check_result(call({.commands = "ls,cat"}, "cat frontend.txt"), 0, "");
}

BOOST_AUTO_TEST_CASE(scenario_disallowed_command) {
  check_error(call({.commands = "ls"}, "pwd"), "policy_denied", {"pwd", "not allowed", "ALLOWED_COMMANDS"});
  check_error(call({.commands = "ls"}, "npm -v"), "policy_denied", {"npm", "not allowed"});
  BOOST_TEST(ran_in() == "");
}

BOOST_AUTO_TEST_CASE(scenario_wildcard_allowlist) {
  const Answer answer = call({.commands = "*"}, "whoami");
  BOOST_TEST(!answer.out().empty());
  check_result(answer, 0, answer.out());
}

BOOST_AUTO_TEST_CASE(entries_are_trimmed) {
  check_result(call({.commands = " ls , npm\t,"}, "npm -v"), 0, "10.2.3\n");
  check_result(call({.commands = "ls, * "}, "npm -v"), 0, "10.2.3\n");
}

BOOST_AUTO_TEST_CASE(unset_or_empty_allows_nothing_and_the_message_says_what_to_set) {
  for (const std::optional<std::string>& none :
       {std::optional<std::string>(), std::optional<std::string>(""), std::optional<std::string>(" , ")}) {
    const Answer answer = call({.commands = none}, "npm -v");
    check_error(answer, "policy_denied", {"not allowed", "ALLOWED_COMMANDS is unset"});
    BOOST_TEST(holds(answer.metadata().at("error").at("hint").get<std::string>(), "set ALLOWED_COMMANDS"));
  }
  BOOST_TEST(ran_in() == "");
}

BOOST_AUTO_TEST_CASE(allowlisting_applies_to_the_first_token) {
  check_result(call({.commands = "echo"}, "echo npm rm -rf"), 0, "npm rm -rf\n");
  check_error(call({.commands = "-v"}, "npm -v"), "policy_denied", {"npm"});
}

BOOST_AUTO_TEST_CASE(the_variable_is_read_at_each_call) {
  const ToolUnderTest tool(plugin, Json::object(), "execute_command");
  const Json arguments{{"command", "npm -v"}};
  check_error(tool.run(arguments), "policy_denied", {"ALLOWED_COMMANDS"});
  const HostVariable commands("ALLOWED_COMMANDS", "npm");
  check_result(tool.run(arguments), 0, "10.2.3\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(requirement_output_formatting, ExecuteCommand)

BOOST_AUTO_TEST_CASE(scenario_yaml_output) {
  program("both", "echo out; echo error >&2");
  const Answer answer = call({.commands = "*"}, "both");
  check_result(answer, 0, "out\n");
  BOOST_TEST(answer.err() == "error\n");
  BOOST_TEST(answer.text() == "exit_code: 0\nstdout: |\n  out\nstderr: |\n  error\n");
}

BOOST_AUTO_TEST_CASE(a_non_zero_exit_is_a_result_and_no_error_of_the_tool) {
  program("fails", "echo before; exit 3");
  check_result(call({.commands = "*"}, "fails"), 3, "before\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(requirement_optional_working_directory, ExecuteCommand)

BOOST_AUTO_TEST_CASE(cwd_omitted_runs_in_the_working_directory_of_the_host) {
  check_result(call({.commands = "npm"}, "npm -v"), 0, "10.2.3\n");
  BOOST_TEST(ran_in() == scratch.path() + "\n");
}

BOOST_AUTO_TEST_CASE(scenario_execute_with_relative_cwd) {
  std::filesystem::current_path(monorepo);
  check_result(npm_in({.commands = "npm"}, "frontend"), 0, "10.2.3\n");
  BOOST_TEST(ran_in() == frontend + "\n");
}

BOOST_AUTO_TEST_CASE(scenario_execute_with_absolute_cwd) {
  check_result(npm_in({.commands = "npm"}, frontend), 0, "10.2.3\n");
  BOOST_TEST(ran_in() == frontend + "\n");
}

BOOST_AUTO_TEST_CASE(scenario_error_on_non_existent_cwd) {
  check_error(npm_in({.commands = "npm"}, "does-not-exist"), "working_directory_invalid",
              {"cwd", "does-not-exist", "does not exist"});
  BOOST_TEST(ran_in() == "");
}

BOOST_AUTO_TEST_CASE(cwd_applies_per_tool_invocation) {
  npm_in({.commands = "npm"}, frontend);
  call({.commands = "npm"}, "npm -v");
  BOOST_TEST(ran_in() == frontend + "\n" + scratch.path() + "\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(requirement_restrict_working_directory, ExecuteCommand)

BOOST_AUTO_TEST_CASE(scenario_allowed_when_within_allowed_cwd_roots) {
  check_result(npm_in({.commands = "npm", .roots = monorepo}, frontend), 0, "10.2.3\n");
  check_result(npm_in({.commands = "npm", .roots = "/usr," + monorepo}, frontend), 0, "10.2.3\n");
  check_result(npm_in({.commands = "npm", .roots = monorepo}, monorepo), 0, "10.2.3\n");
}

BOOST_AUTO_TEST_CASE(scenario_rejected_when_outside_allowed_cwd_roots) {
  check_error(npm_in({.commands = "npm", .roots = monorepo}, "/tmp"), "policy_denied",
              {"cwd not allowed", "/tmp", "ALLOWED_CWD_ROOTS"});
  BOOST_TEST(ran_in() == "");
}

BOOST_AUTO_TEST_CASE(scenario_no_restriction_when_allowed_cwd_roots_is_unset) {
  check_result(npm_in({.commands = "npm"}, "/tmp"), 0, "10.2.3\n");
}

BOOST_AUTO_TEST_CASE(no_restriction_when_allowed_cwd_roots_is_empty) {
  check_result(npm_in({.commands = "npm", .roots = ""}, "/tmp"), 0, "10.2.3\n");
}

BOOST_AUTO_TEST_CASE(scenario_reject_when_allowed_cwd_roots_contains_an_invalid_root) {
  const Answer answer = npm_in({.commands = "npm", .roots = monorepo + ",/path/that/does/not/exist"}, frontend);
  check_error(answer, "configuration_invalid",
              {"Configuration problem", "ALLOWED_CWD_ROOTS", "/path/that/does/not/exist"});
  BOOST_TEST(ran_in() == "");
}

BOOST_AUTO_TEST_CASE(an_invalid_root_rejects_only_requests_that_provide_cwd) {
  check_result(call({.commands = "npm", .roots = "/path/that/does/not/exist"}, "npm -v"), 0, "10.2.3\n");
}

BOOST_AUTO_TEST_CASE(cwd_is_canonical_before_containment_is_validated) {
  const Given given{.commands = "npm", .roots = monorepo};
  check_error(npm_in(given, frontend + "/../../.."), "policy_denied", {"cwd not allowed"});
  check_result(npm_in(given, frontend + "/../frontend/."), 0, "10.2.3\n");
  std::filesystem::create_directory_symlink("/usr", monorepo + "/out");
  check_error(npm_in(given, monorepo + "/out"), "policy_denied", {"cwd not allowed", "/usr"});
  std::filesystem::create_directory_symlink(frontend, scratch.path() + "/in");
  check_result(npm_in(given, "in"), 0, "10.2.3\n");
  BOOST_TEST(ran_in() == frontend + "\n" + frontend + "\n");
}

BOOST_AUTO_TEST_CASE(roots_are_canonical_as_well) {
  std::filesystem::create_directory_symlink(monorepo, scratch.path() + "/linked");
  check_result(npm_in({.commands = "npm", .roots = scratch.path() + "/linked"}, frontend), 0, "10.2.3\n");
  check_result(npm_in({.commands = "npm", .roots = frontend + "/.."}, frontend), 0, "10.2.3\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(non_goals, ExecuteCommand)

BOOST_AUTO_TEST_CASE(no_support_for_shell_operators_and_the_error_names_the_operator) {
  for (const auto& [command, named] : std::vector<std::pair<std::string, std::string>>{
           {"npm -v && npm -v", "the operator &&"}, {"npm -v | cat", "the operator |"}, {"npm > f", "redirection >"}}) {
    check_error(call({.commands = "*"}, command), "policy_denied", {named, "does not support shell operators"});
  }
  BOOST_TEST(ran_in() == "");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
