// The specification of shell_execute, from start to end; the names of the tests quote it. Behaviour beyond its text has
// its own tests (results, parameters, timeout, policy, audit_calls).
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <map>

#include "support/shell_tool.h"

BOOST_AUTO_TEST_SUITE(spec_shell_execute_test)

using namespace wtool::test;

namespace {

struct Tool {
  Plugin plugin;
  ScratchFolder scratch;

  Answer run(const Json& arguments, const Json& config = Json::object()) {
    return ToolUnderTest(plugin, config).run(arguments);
  }
};

// Checks that the keys of the specification are there, each with its type. There may be other keys.
void check_keys(const Json& metadata, const std::map<std::string, Json::value_t>& keys) {
  for (const auto& [key, type] : keys) {
    BOOST_TEST_REQUIRE(metadata.contains(key), key << " is missing in " << metadata);
    const auto is_number = [](Json::value_t one) {
      return one == Json::value_t::number_integer || one == Json::value_t::number_unsigned;
    };
    const Json::value_t got = metadata[key].type();
    BOOST_TEST((got == type || (is_number(got) && is_number(type))), key << " is " << metadata[key]);
  }
}

using Type = Json::value_t;
const std::map<std::string, Type> finished_keys{
    {"command", Type::string}, {"exit_code", Type::number_integer},         {"stdout", Type::string},
    {"stderr", Type::string},  {"execution_time_ms", Type::number_integer}, {"working_directory", Type::string}};
const std::map<std::string, Type> timeout_keys{{"command", Type::string},
                                               {"timeout_seconds", Type::number_integer},
                                               {"partial_stdout", Type::string},
                                               {"partial_stderr", Type::string},
                                               {"working_directory", Type::string}};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(shell_execute_tool, Tool)

// ---- "Parameters"

BOOST_AUTO_TEST_CASE(command_required_type_string_minimum_length_1_character) {
  for (const Json& arguments :
       {Json::object(), Json{{"command", ""}}, Json{{"command", 5}}, Json{{"command", {"ls"}}}}) {
    BOOST_TEST(run(arguments).code() == "invalid_parameters", arguments);
  }
  BOOST_TEST(run({{"command", ":"}}).exit_code() == 0);
}

BOOST_AUTO_TEST_CASE(working_directory_optional_default_current_working_directory) {
  BOOST_TEST(run({{"command", "pwd -P"}}).out() == std::filesystem::current_path().string() + "\n");
  BOOST_TEST(run({{"command", "pwd"}, {"working_directory", scratch.path()}}).out() == scratch.path() + "\n");
}

BOOST_AUTO_TEST_CASE(timeout_optional_type_integer_default_300_seconds_range_1_to_1800_seconds) {
  const ToolUnderTest tool(plugin);
  const auto limit = [&](const Json& arguments) { return tool.explain(arguments).at("limits").at("timeout"); };
  BOOST_TEST(limit({{"command", "ls"}}) == 300);
  BOOST_TEST(limit({{"command", "ls"}, {"timeout", 1}}) == 1);
  BOOST_TEST(limit({{"command", "ls"}, {"timeout", 1800}}) == 1800);
  for (const Json& odd : {Json(0), Json(1801), Json(-1), Json(1.5), Json("soon"), Json(true)}) {
    BOOST_TEST(run({{"command", "ls"}, {"timeout", odd}}).code() == "invalid_parameters", odd);
  }
}

BOOST_AUTO_TEST_CASE(environment_optional_type_object_additional_string_properties_allowed) {
  BOOST_TEST(run({{"command", "echo $A-$B"}, {"environment", {{"A", "1"}, {"B", "two"}}}}).out() == "1-two\n");
  for (const Json& odd : {Json("A=1"), Json{"A=1"}, Json{{"A", 1}}, Json{{"A", nullptr}}}) {
    BOOST_TEST(run({{"command", "ls"}, {"environment", odd}}).code() == "invalid_parameters", odd);
  }
}

// ---- "Response Format"

BOOST_AUTO_TEST_CASE(successful_execution) {
  scratch.file("file", "");
  const Answer answer = run({{"command", "ls -la"}, {"working_directory", scratch.path()}});
  BOOST_TEST(answer.result.at("content") == (Json{{{"type", "text"}, {"text", "Command executed successfully"}}}));
  BOOST_TEST(answer.result.at("is_error") == false);
  check_keys(answer.metadata(), finished_keys);
  BOOST_TEST(answer.metadata().at("command") == "ls -la");
  BOOST_TEST(answer.exit_code() == 0);
  BOOST_TEST(answer.out().starts_with("total "));
  BOOST_TEST(answer.err() == "");
  BOOST_TEST(answer.metadata().at("working_directory") == scratch.path());
}

BOOST_AUTO_TEST_CASE(command_failure) {
  const Answer answer = run({{"command", "cat /nonexistent"}, {"environment", {{"LC_ALL", "C"}}}});
  BOOST_TEST(answer.result.at("content") == (Json{{{"type", "text"}, {"text", "Command failed with exit code 1"}}}));
  BOOST_TEST(answer.result.at("is_error") == true);
  check_keys(answer.metadata(), finished_keys);
  BOOST_TEST(answer.exit_code() == 1);
  BOOST_TEST(answer.out() == "");
  BOOST_TEST(answer.err() == "cat: /nonexistent: No such file or directory\n");
}

BOOST_AUTO_TEST_CASE(timeout_error) {
  const Answer answer = run({{"command", "echo out; echo err >&2; sleep 60"}, {"timeout", 1}});
  BOOST_TEST(answer.result.at("content") == (Json{{{"type", "text"}, {"text", "Command timed out after 1 seconds"}}}));
  BOOST_TEST(answer.result.at("is_error") == true);
  check_keys(answer.metadata(), timeout_keys);
  BOOST_TEST(answer.metadata().at("timeout_seconds") == 1);
  BOOST_TEST(answer.metadata().at("partial_stdout") == "out\n");
  BOOST_TEST(answer.metadata().at("partial_stderr") == "err\n");
  BOOST_TEST(!answer.metadata().contains("exit_code"));
}

// ---- "Usage Examples"

BOOST_AUTO_TEST_CASE(system_information) {
  const Answer answer = run({{"command", "uname -a && df -h"}, {"timeout", 30}});
  BOOST_TEST(answer.out().find("Linux") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(build_automation) {
  scratch.file("build.sh", "#!/bin/sh\necho \"$1 $RUST_LOG $BUILD_ENV\"\n", 0755);
  const Answer answer = run({{"command", "./build.sh --release"},
                             {"working_directory", scratch.path()},
                             {"environment", {{"RUST_LOG", "debug"}, {"BUILD_ENV", "production"}}},
                             {"timeout", 900}});
  BOOST_TEST(answer.out() == "--release debug production\n");
}

BOOST_AUTO_TEST_CASE(file_operations) {
  for (const char* name : {"a.rs", "b.rs", "c.txt"}) scratch.file(name, "");
  const Answer answer =
      run({{"command", "find . -name '*.rs' -type f | wc -l"}, {"working_directory", scratch.path()}});
  BOOST_TEST(answer.out() == "2\n");
}

// ---- "Security Considerations"

BOOST_AUTO_TEST_CASE(all_executed_commands_are_logged_with_timestamps) {
  const std::string file = scratch.path() + "/audit.jsonl";
  run({{"command", "echo hi"}}, {{"audit", {{"file", file}}}});
  std::ifstream stream(file);
  std::string line;
  BOOST_REQUIRE(std::getline(stream, line));
  BOOST_TEST(Json::parse(line).at("command") == "echo hi");
  BOOST_TEST(Json::parse(line).at("time").get<std::string>().starts_with("20"));
}

BOOST_AUTO_TEST_CASE(optional_command_filtering_through_configuration) {
  const Json config{{"commands", {{"allow", {"echo"}}}}};
  BOOST_TEST(run({{"command", "echo hi"}}, config).out() == "hi\n");
  BOOST_TEST(run({{"command", "ls"}}, config).code() == "policy_denied");
}

BOOST_AUTO_TEST_CASE(working_directory_restrictions_when_configured) {
  const Json config{{"directories", {{"roots", {scratch.path()}}}}};
  BOOST_TEST(run({{"command", "pwd"}, {"working_directory", scratch.path()}}, config).exit_code() == 0);
  BOOST_TEST(run({{"command", "pwd"}, {"working_directory", "/"}}, config).code() == "policy_denied");
}

BOOST_AUTO_TEST_CASE(memory_and_cpu_usage_monitoring_capabilities) {
  const Json used = run({{"command", "true"}}).metadata().at("resources");
  check_keys(used, {{"user_cpu_ms", Type::number_float}, {"peak_memory_bytes", Type::number_integer}});
}

BOOST_AUTO_TEST_CASE(environment_variable_filtering_capabilities) {
  const Json config{{"environment", {{"inherit", "core"}, {"deny", {"*_TOKEN"}}}}};
  BOOST_TEST(run({{"command", "env"}, {"environment", {{"MY_TOKEN", "x"}}}}, config).code() == "policy_denied");
}

// ---- "Error Handling"

BOOST_AUTO_TEST_CASE(command_not_found_clear_error_message_with_command_details) {
  const Answer answer = run({{"command", "no-such-command --flag"}});
  BOOST_TEST(answer.text() == "Command not found: no-such-command");
  BOOST_TEST(answer.code() == "command_not_found");
  BOOST_TEST(answer.metadata().at("command") == "no-such-command --flag");
}

BOOST_AUTO_TEST_CASE(permission_denied_detailed_permission_error_with_context) {
  const std::string file = scratch.file("not-executable", "x");
  const Answer answer = run({{"command", file}});
  BOOST_TEST(answer.text() == "Permission denied: " + file);
  BOOST_TEST(answer.code() == "permission_denied");
}

BOOST_AUTO_TEST_CASE(resource_exhaustion_controlled_failure_with_diagnostic_information) {
  const Answer answer = run({{"command", "while :; do :; done"}}, {{"limits", {{"cpu_seconds", 1}}}});
  BOOST_TEST(answer.code() == "resource_exhausted");
  BOOST_TEST(answer.metadata().at("limit").at("name") == "cpu_seconds");
}

BOOST_AUTO_TEST_CASE(invalid_parameters_comprehensive_validation_error_messages) {
  BOOST_TEST(run({{"command", "ls"}, {"timeout", 9999}}).text() ==
             "Invalid parameters: timeout: got 9999; allowed is a whole number of seconds from 1 to 1800");
  BOOST_TEST(run({{"command", "ls"}, {"dir", "/"}}).text() ==
             "Invalid parameters: there is no parameter \"dir\"; the parameters are command, working_directory, "
             "timeout, environment");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
