// tools/parameters.h: each message names the parameter, what came and what is allowed.
#include "tools/parameters.h"
#include "support/text.h"

#include <boost/test/unit_test.hpp>

namespace parameters_test {

using wtool::test::holds;

using wtool::tools::Parameters;

namespace {

// The problem of `timeout`, if there is one.
std::string whole_number_problem(const std::string& json) {
  Parameters parameters(R"({"timeout":)" + json + "}");
  parameters.whole_number("timeout", 1, 1800, "seconds");
  return parameters.problem();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(parameters)

BOOST_AUTO_TEST_CASE(whole_numbers_come_as_numbers) {
  for (const char* json : {"60", "60.0", "1", "1800"}) BOOST_TEST(whole_number_problem(json) == "", json);
  for (const char* json : {"true", "1.5", "\"60\"", "\"abc\"", "0", "1801", "-1", "null", "[]", "{}", "\"\"", "\"1.5\"",
                           "\" 60\"", "\"60s\"", "1e300", "18446744073709551615", "\"99999999999999999999\""}) {
    const std::string problem = whole_number_problem(json);
    BOOST_TEST(holds(problem, "timeout: got "), json);
    BOOST_TEST(holds(problem, "a whole number of seconds from 1 to 1800"), problem);
  }
  BOOST_TEST(holds(whole_number_problem("1801"), "got 1801"));
}

BOOST_AUTO_TEST_CASE(texts_are_strings_that_are_not_empty_and_hold_no_nul) {
  for (const char* json :
       {R"({"command":""})", R"({"command":1})", R"({"command":"a\u0000b"})", R"({"command":null})"}) {
    Parameters parameters(json);
    parameters.required_text("command");
    BOOST_TEST(holds(parameters.problem(), "command: got "), json);
  }
}

BOOST_AUTO_TEST_CASE(a_required_parameter_that_is_missing_is_named) {
  Parameters parameters("{}");
  parameters.required_text("command");
  BOOST_TEST(parameters.problem() == "missing required parameter 'command'");
}

BOOST_AUTO_TEST_CASE(all_mistakes_are_reported_at_once) {
  Parameters parameters(R"({"comand":"ls","timeout":0,"environment":[]})");
  parameters.required_text("command");
  parameters.whole_number("timeout", 1, 1800, "seconds");
  parameters.variables("environment");
  parameters.end({"command", "timeout", "environment"});
  BOOST_TEST(
      parameters.problem() ==
      "missing required parameter 'command'; and timeout: got 0; allowed is a whole number of seconds from 1 to "
      "1800; and environment: got []; allowed is an object of strings, such as {\"LANG\": \"C\"}; and there is no "
      "parameter \"comand\"; did you mean 'command'? The parameters are command, timeout, environment");
}

BOOST_AUTO_TEST_CASE(only_the_first_of_very_many_mistakes_are_shown) {
  std::string json = "{";
  for (int i = 0; i < 1000; ++i) json += (i > 0 ? ",\"x" : "\"x") + std::to_string(i) + "\":1";
  Parameters parameters(json + "}");
  parameters.end({"command"});
  BOOST_TEST(parameters.problem().size() < 1000);
  BOOST_TEST(holds(parameters.problem(), "; and there are more mistakes"));
}

BOOST_AUTO_TEST_CASE(a_time_may_have_a_fraction_where_that_is_configured) {
  const auto time = [](const std::string& json, bool fractions, std::string& problem) {
    Parameters parameters(R"({"timeout":)" + json + "}");
    const auto made = parameters.seconds("timeout", std::chrono::seconds(1800), fractions);
    problem = parameters.problem();
    return made ? made->count() : -1;
  };
  std::string problem;
  BOOST_TEST(time("0.3", true, problem) == 300);
  BOOST_TEST(time("1800.0", true, problem) == 1'800'000);
  BOOST_TEST(time("60", true, problem) == 60'000);
  BOOST_TEST(problem == "");
  for (const char* json : {"0.0", "0.0001", "-0.3", "1800.001", "1e300", "true", "\"0.3\""}) {
    BOOST_TEST(time(json, true, problem) == -1, json);
    BOOST_TEST(holds(problem, "timeout: got "), json);
  }
  BOOST_TEST(time("0.3", false, problem) == -1);
}

BOOST_AUTO_TEST_CASE(a_value_of_the_environment_is_never_shown) {
  Parameters parameters(R"({"environment":{"TOKEN":["hunter2"]}})");
  parameters.variables("environment");
  BOOST_TEST(holds(parameters.problem(), "environment.TOKEN: got a value of type array"));
  BOOST_TEST(!holds(parameters.problem(), "hunter2"));
}

BOOST_AUTO_TEST_CASE(names_of_variables_are_judged) {
  for (const char* name : {"", "1A", "A-B", "A=B", "A\\u0000"}) {
    Parameters parameters(std::string(R"({"environment":{")") + name + R"(":"x"}})");
    parameters.variables("environment");
    BOOST_TEST(holds(parameters.problem(), "environment: got the variable name "), name);
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_parameter_is_named_with_the_known_ones) {
  Parameters parameters(R"({"comand":"ls"})");
  parameters.end({"command", "timeout"});
  BOOST_TEST(parameters.problem() ==
             R"(there is no parameter "comand"; did you mean 'command'? The parameters are command, timeout)");
}

BOOST_AUTO_TEST_CASE(a_tool_without_parameters_says_so) {
  Parameters parameters(R"({"command":"ls"})");
  parameters.end({});
  BOOST_TEST(parameters.problem() == R"(there is no parameter "command"; there are no parameters)");
}

BOOST_AUTO_TEST_CASE(what_is_not_an_object_is_reported) {
  BOOST_TEST(holds(Parameters("{").problem(), "not JSON"));
  BOOST_TEST(holds(Parameters("").problem(), "not JSON"));
  BOOST_TEST(holds(Parameters("\xFF").problem(), "not JSON"));
  BOOST_TEST(holds(Parameters("[1]").problem(), "expected a JSON object, got [1]"));
  BOOST_TEST(holds(Parameters(R"({"a":1,"a":2})").problem(), "occurs twice"));
  BOOST_TEST(
      holds(Parameters(R"({"a":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}").problem(), "nested"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace parameters_test
