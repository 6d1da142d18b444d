// What shell_execute refuses before it starts anything, and how it says so: code invalid_parameters, and a message that
// names the parameter, what was given and what is allowed.
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>

#include "support/shell_tool.h"

BOOST_AUTO_TEST_SUITE(parameters_test)

using namespace wtool::test;

namespace {

// A fixture whose command leaves a file behind, which shows whether it has run.
struct Refusals : ShellTool {
  const std::string trace = scratch.path() + "/ran";
  const std::string command = "touch " + trace;

  bool ran() const {
    struct stat unused {};
    return stat(trace.c_str(), &unused) == 0;
  }

  // The message must contain each of `words`.
  void check_refused(const Answer& answer, const std::vector<std::string>& words) {
    BOOST_TEST_CONTEXT(answer.raw) {
      BOOST_TEST(answer.status == WTOOL_OK);
      BOOST_REQUIRE(answer.result.is_object());
      BOOST_TEST(answer.is_error());
      BOOST_TEST(answer.code() == "invalid_parameters");
      const auto message = answer.metadata().at("error").at("message").get<std::string>();
      for (const auto& word : words) BOOST_TEST(message.find(word) != std::string::npos, "no '" << word << "'");
      BOOST_TEST(answer.text().find(message) != std::string::npos, "the text does not hold the message");
      BOOST_TEST(!ran());
    }
  }

  void check_parameter(const char* name, const Json& value, const std::vector<std::string>& words) {
    Json arguments{{"command", command}};
    arguments[name] = value;
    std::vector<std::string> all = words;
    all.emplace_back(name);
    check_refused(tool.run(arguments), all);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_timeout_that_is_not_a_whole_number_is_refused, Refusals) {
  check_parameter("timeout", true, {"true", "1", "1800"});
  check_parameter("timeout", 1.5, {"1.5", "1800"});
  check_parameter("timeout", "abc", {"abc", "1800"});
  check_parameter("timeout", "", {"1800"});
  check_parameter("timeout", "1.5", {"1.5", "1800"});
  check_parameter("timeout", "60s", {"60s", "1800"});
  check_parameter("timeout", " 60", {"60", "1800"});
  check_parameter("timeout", "0x10", {"0x10", "1800"});
  check_parameter("timeout", nullptr, {"null", "1800"});
  check_parameter("timeout", Json::array({60}), {"1800"});
  check_parameter("timeout", Json::object(), {"1800"});
}

BOOST_FIXTURE_TEST_CASE(a_timeout_out_of_range_is_refused_not_clamped, Refusals) {
  check_parameter("timeout", 0, {"0", "1", "1800"});
  check_parameter("timeout", -1, {"-1", "1800"});
  check_parameter("timeout", 1801, {"1801", "1800"});
  check_parameter("timeout", 18446744073709551615u, {"18446744073709551615", "1800"});
  check_parameter("timeout", -9223372036854775807, {"-9223372036854775807", "1800"});
  check_parameter("timeout", 1e300, {"1800"});
}

BOOST_FIXTURE_TEST_CASE(the_ends_of_the_range_are_accepted_and_a_number_in_text_is_not, Refusals) {
  for (const Json& timeout : {Json(1), Json(1800), Json(60.0)}) {
    const Answer answer = tool.run({{"command", "echo hi"}, {"timeout", timeout}});
    BOOST_TEST_CONTEXT(timeout) { BOOST_TEST(answer.out() == "hi\n"); }
  }
  for (const char* text : {"60", "1", "1800", "0", "1801", "99999999999999999999999"}) {
    check_parameter("timeout", text, {text, "1800"});
  }
}

BOOST_FIXTURE_TEST_CASE(the_configured_maximum_is_the_one_that_counts, Refusals) {
  const ToolUnderTest short_tool(plugin, Json::parse(R"({"limits":{"timeout_max":5,"timeout_default":5}})"));
  check_refused(short_tool.run({{"command", command}, {"timeout", 6}}), {"timeout", "6", "5"});
  BOOST_TEST(!short_tool.run({{"command", "true"}, {"timeout", 5}}).is_error());
}

BOOST_FIXTURE_TEST_CASE(a_command_that_is_missing_empty_or_not_a_text_is_refused, Refusals) {
  check_refused(tool.run(Json::object()), {"command"});
  check_refused(tool.run({{"command", ""}}), {"command"});
  check_refused(tool.run({{"command", 5}}), {"command", "5"});
  check_refused(tool.run({{"command", true}}), {"command", "true"});
  check_refused(tool.run({{"command", nullptr}}), {"command", "null"});
  check_refused(tool.run({{"command", Json::array({"ls"})}}), {"command"});
  check_refused(tool.run({{"command", Json::object()}}), {"command"});
}

BOOST_FIXTURE_TEST_CASE(a_command_of_blanks_alone_does_not_hang_or_crash, Refusals) {
  for (const char* blank : {" ", "\t", "\n", " \n ", "#", "# nothing"}) {
    const Answer answer = tool.shell(blank);
    BOOST_TEST_CONTEXT(answer.raw) {
      BOOST_TEST(answer.status == WTOOL_OK);
      BOOST_TEST((answer.is_error() ? answer.code() == "invalid_parameters" : answer.exit_code() == 0));
    }
  }
}

BOOST_FIXTURE_TEST_CASE(an_unknown_parameter_is_refused_by_name, Refusals) {
  check_parameter("wrong", 1, {"command", "working_directory", "timeout", "environment"});
  check_parameter("Timeout", 1, {"timeout"});
  check_parameter("cwd", "/", {"working_directory"});
  check_parameter("env", Json::object(), {"environment"});
}

BOOST_FIXTURE_TEST_CASE(a_working_directory_that_is_not_a_text_is_refused, Refusals) {
  check_parameter("working_directory", 5, {"5"});
  check_parameter("working_directory", true, {"true"});
  check_parameter("working_directory", nullptr, {"null"});
  check_parameter("working_directory", Json::array(), {});
}

BOOST_FIXTURE_TEST_CASE(an_environment_that_is_not_an_object_of_texts_is_refused, Refusals) {
  check_parameter("environment", "A=1", {"A=1"});
  check_parameter("environment", Json::array({"A=1"}), {});
  check_parameter("environment", nullptr, {"null"});
  check_parameter("environment", 5, {"5"});
  // The message names the type and not the value, because the value of an environment variable may be a secret.
  check_parameter("environment", Json{{"COUNT", 5}}, {"COUNT", "number", "string"});
  check_parameter("environment", Json{{"FLAG", true}}, {"FLAG", "boolean"});
  check_parameter("environment", Json{{"NONE", nullptr}}, {"NONE", "null"});
  check_parameter("environment", Json{{"LIST", Json::array()}}, {"LIST"});
  check_parameter("environment", Json{{"GOOD", "1"}, {"INNER", Json::object()}}, {"INNER"});
}

BOOST_FIXTURE_TEST_CASE(a_variable_name_that_no_shell_can_have_is_refused, Refusals) {
  check_parameter("environment", Json{{"", "x"}}, {});
  check_parameter("environment", Json{{"A=B", "x"}}, {"A=B"});
  check_parameter("environment", Json{{"1ST", "x"}}, {"1ST"});
  check_parameter("environment", Json{{"A B", "x"}}, {"A B"});
  check_parameter("environment", Json{{"A-B", "x"}}, {"A-B"});
  check_parameter("environment", Json{{"BASH_FUNC_x%%", "() { :; }"}}, {"BASH_FUNC_x%%"});
}

BOOST_FIXTURE_TEST_CASE(a_nul_is_refused_everywhere, Refusals) {
  const std::string nul("a\0b", 3);
  check_refused(tool.run({{"command", "touch " + trace + std::string("\0x", 2)}}), {"command", "NUL"});
  check_parameter("working_directory", "/tmp" + std::string("\0x", 2), {"NUL"});
  check_parameter("environment", Json{{"A", nul}}, {"A", "NUL"});
  check_parameter("environment", Json{{nul, "x"}}, {});
}

BOOST_FIXTURE_TEST_CASE(arguments_that_are_not_an_object_are_refused, Refusals) {
  for (const char* text : {"[]", "5", "null", "true", "\"echo hi\"", R"(["echo hi"])"}) {
    check_refused(tool.run_text(text), {"object"});
  }
}

BOOST_FIXTURE_TEST_CASE(arguments_that_are_not_json_are_refused, Refusals) {
  for (const char* text : {"", " ", "{", "echo hi", "{\"command\":}", "{\"command\":\"echo hi\"} x", "{'command':'x'}",
                           "{\"command\":\"echo hi\",}", "{\"command\":\"a\xff\"}"}) {
    BOOST_TEST_CONTEXT(text) { check_refused(tool.run_text(text), {"JSON"}); }
  }
}

BOOST_FIXTURE_TEST_CASE(endlessly_nested_arguments_are_refused_without_a_crash, Refusals) {
  const std::string deep(1'000'000, '[');
  const Answer answer = tool.run_text(deep);
  BOOST_TEST((answer.status != WTOOL_OK || answer.is_error()));
  const std::string closed = "{\"command\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  BOOST_TEST(tool.run_text(closed).is_error());
}

BOOST_FIXTURE_TEST_CASE(a_parameter_that_comes_twice_is_not_silently_dropped, Refusals) {
  const Answer answer = tool.run_text(R"({"command":"touch )" + trace + R"(","command":"true"})");
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(answer.is_error());
    BOOST_TEST(!ran());
  }
}

BOOST_FIXTURE_TEST_CASE(a_long_value_is_shortened_in_the_message, Refusals) {
  // The message quotes the refused value, which may be very long.
  const Answer answer = tool.run({{"command", command}, {"timeout", std::string(100'000, 'z')}});
  check_refused(answer, {"timeout"});
  BOOST_TEST(answer.raw.size() < 10'000u);
}

BOOST_FIXTURE_TEST_CASE(the_schema_in_the_descriptor_says_the_same, ShellTool) {
  const wtool_view text = tool.get().descriptor->input_schema;
  const Json schema = Json::parse(std::string_view(text.data, text.size));
  BOOST_TEST(schema.at("type").get<std::string>() == "object");
  BOOST_TEST((schema.at("required") == Json::array({"command"})));
  BOOST_TEST((schema.at("additionalProperties") == Json(false)));
  const Json& properties = schema.at("properties");
  BOOST_TEST(properties.size() == 4u);
  BOOST_TEST((properties.at("command").at("minLength") == Json(1)));
  BOOST_TEST((properties.at("timeout").at("minimum") == Json(1)));
  BOOST_TEST((properties.at("timeout").at("maximum") == Json(1800)));
  BOOST_TEST((properties.at("timeout").at("default") == Json(300)));
  BOOST_TEST(properties.at("working_directory").at("type").get<std::string>() == "string");
  BOOST_TEST(properties.at("environment").at("type").get<std::string>() == "object");
  for (const auto& item : properties.items()) BOOST_TEST(!item.value().at("description").get<std::string>().empty());
}

BOOST_AUTO_TEST_SUITE_END()
