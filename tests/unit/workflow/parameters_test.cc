#include "workflow/model/parameters.h"

#include <boost/test/unit_test.hpp>

#include "support.h"

namespace parameters_test {

using namespace wtool::test;
using namespace wtool::host::workflow;

namespace {

struct Resolved {
  std::string values;
  std::string errors;
};

Resolved resolve(const std::vector<std::string>& given) {
  const Source source("", workflow_text("[*] --> A\nA --> [*]\n", "- A: Log \"${free}\"\n",
                                        "parameters:\n"
                                        "  - {name: target, required: true, description: what to build}\n"
                                        "  - {name: count, type: number, default: 3}\n"
                                        "  - {name: dry, type: boolean}\n"
                                        "  - {name: kind, choices: [small, large], default: small}\n"));
  Diagnostics diagnostics;
  const Workflow workflow = parse_workflow(source, diagnostics);
  BOOST_TEST(diagnostics.empty());
  std::vector<std::string> errors;
  Resolved out;
  for (const auto& [name, value] : resolve_inputs(workflow, given, names_read(workflow), errors)) {
    out.values += name + "=" + wtool::host::expressions::to_json(value) + " ";
  }
  for (const std::string& error : errors) out.errors += error + "\n";
  return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(defaults_types_and_the_last_of_several_count) {
  BOOST_TEST(resolve({"target=a=b"}).values == "count=3 kind=\"small\" target=\"a=b\" ");
  BOOST_TEST(resolve({"target=a", "target=", "count=2.5", "dry=true", "kind=large", "free=x"}).values ==
             "count=2.5 dry=true free=\"x\" kind=\"large\" target=\"\" ");
}

BOOST_AUTO_TEST_CASE(mistakes_in_the_inputs_are_reported_all_at_once) {
  BOOST_TEST(resolve({"cuont=1", "count=many", "dry=yes", "kind=huge", "novalue", "=x"}).errors ==
             "--var cuont: the workflow has no parameter of that name; did you mean 'count'?\n"
             "--var count: \"many\" is not a number\n"
             "--var dry: \"yes\" is not a boolean; write true or false\n"
             "--var kind: \"huge\" is not one of: small, large\n"
             "--var takes NAME=VALUE, but got \"novalue\"\n"
             "--var takes NAME=VALUE, but got \"=x\"\n"
             "the required parameter 'target' is missing; give it with --var target=VALUE (what to build)\n");
}

BOOST_AUTO_TEST_CASE(a_required_secret_must_not_be_given_as_an_empty_text) {
  const Source source("", workflow_text("[*] --> A\nA --> [*]\n", "",
                                        "parameters:\n  - {name: token, required: true, secret: true}\n"
                                        "  - {name: key, required: true, secret: true, condition: wants_key}\n"
                                        "  - {name: optional, secret: true}\n  - {name: plain, required: true}\n"
                                        "  - {name: default, required: true, secret: true, default: ''}\n"
                                        "  - {name: wants_key, type: boolean, default: false}\n"));
  Diagnostics diagnostics;
  const Workflow workflow = parse_workflow(source, diagnostics);
  BOOST_TEST(diagnostics.empty());
  std::vector<std::string> errors;
  resolve_inputs(workflow, {"token=", "key=", "optional=", "plain="}, {}, errors);
  BOOST_REQUIRE(errors.size() == 1U);
  BOOST_TEST(errors[0] ==
             "--var token: the value is empty, but this secret is required; put it into the file or the variable that "
             "is named here");
  errors.clear();
  resolve_inputs(workflow, {"token=x", "key=", "wants_key=true", "plain=x"}, {}, errors);
  BOOST_TEST(errors.size() == 1U);
  errors.clear();
  using wtool::host::expressions::Value;
  resolve_arguments(workflow, {{"token", Value("")}, {"plain", Value("x")}}, {}, errors);
  BOOST_REQUIRE(errors.size() == 1U);
  BOOST_TEST(errors[0] == "token: the value is empty, but this secret is required; give it a value");
}

BOOST_AUTO_TEST_CASE(an_argument_takes_the_type_of_its_parameter_and_keeps_its_own_without_one) {
  using wtool::host::expressions::List;
  using wtool::host::expressions::Value;
  const Source source("", workflow_text("[*] --> A\nA --> [*]\n", "",
                                        "parameters:\n  - {name: count, type: number}\n  - {name: any}\n"));
  Diagnostics diagnostics;
  const Workflow workflow = parse_workflow(source, diagnostics);
  BOOST_TEST(diagnostics.empty(), diagnostics.text(source));
  std::vector<std::string> errors;
  const auto inputs = resolve_arguments(
      workflow, {{"count", Value("5")}, {"any", Value(List{Value("a"), Value(std::int64_t{1})})}}, {}, errors);
  BOOST_TEST(errors.empty());
  BOOST_TEST(wtool::host::expressions::to_json(inputs.at("count")) == "5");
  BOOST_TEST(wtool::host::expressions::to_json(inputs.at("any")) == R"(["a",1])");
}

BOOST_AUTO_TEST_CASE(values_that_are_not_utf8_are_refused) {
  BOOST_TEST(resolve({"target=\xff"}).errors == "--var target: the value is not valid UTF-8\n");
}

BOOST_AUTO_TEST_CASE(limits_lists_and_conditions_are_enforced) {
  const Source source("",
                      workflow_text("[*] --> A\nA --> [*]\n", "",
                                    "parameters:\n"
                                    "  - {name: app, validation: {pattern: '^[a-z]+$', min_length: 3, max_length: 5}}\n"
                                    "  - {name: port, type: number, min: 1024, max: 65535, default: 8080}\n"
                                    "  - {name: parts, type: multi_choice, choices: [ui, api], default: [ui]}\n"
                                    "  - {name: key, required: true, condition: port > 9000, secret: true}\n"
                                    "  - {name: token, secret: true, pattern: '^[a-z]+$', min_length: 3}\n"
                                    "  - {name: pin, type: number, secret: true, max: 9999}\n"));
  Diagnostics diagnostics;
  const Workflow workflow = parse_workflow(source, diagnostics);
  BOOST_TEST(diagnostics.empty(), diagnostics.text(source));
  BOOST_TEST(workflow.parameters[3].secret);
  const auto problems = [&](const std::vector<std::string>& given) {
    std::vector<std::string> errors;
    resolve_inputs(workflow, given, {}, errors);
    std::string out;
    for (const std::string& error : errors) out += error + "\n";
    return out;
  };
  BOOST_TEST(problems({}) == "");
  BOOST_TEST(problems({"app=shop", "port=1024", "parts=api, ui"}) == "");
  BOOST_TEST(problems({"app=Shop"}) == "--var app: \"Shop\" does not match the pattern ^[a-z]+$\n");
  BOOST_TEST(problems({"app=äö"}) == "--var app: \"äö\" has 2 characters, but needs at least 3\n");
  BOOST_TEST(problems({"app=abcdef"}) == "--var app: \"abcdef\" has 6 characters, but may have at most 5\n");
  BOOST_TEST(problems({"port=80"}) == "--var port: \"80\" is less than the minimum 1024\n");
  BOOST_TEST(problems({"port=70000", "key=x"}) == "--var port: \"70000\" is more than the maximum 65535\n");
  BOOST_TEST(problems({"port=9223372036854775808"}) ==
             "--var port: \"9223372036854775808\" does not fit into 64 bits\n");
  BOOST_TEST(problems({"parts=ui,db"}) == "--var parts: \"db\" is not one of: ui, api\n");
  BOOST_TEST(problems({"token=Shop", "pin=12345"}) ==
             "--var token: the value does not match the pattern ^[a-z]+$\n"
             "--var pin: the value is more than the maximum 9999\n");
  BOOST_TEST(problems({"token=äö", "pin=s3cret"}) ==
             "--var token: the value has 2 characters, but needs at least 3\n--var pin: the value is not a number\n");
  BOOST_TEST(problems({"port=9001"}) ==
             "the required parameter 'key' is missing; give it with --var-file key=FILE or --var-env key=VARIABLE\n");
}

namespace {

Workflow with_parameters(const std::string& lines) {
  Diagnostics diagnostics;
  const Source source("", workflow_text("[*] --> A\nA --> [*]\n", "- A: Log \"a\"\n", "parameters:\n" + lines));
  Workflow workflow = parse_workflow(source, diagnostics);
  BOOST_TEST(diagnostics.empty(), diagnostics.text(source));
  return workflow;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_parameters_of_a_tool_have_all_that_the_front_matter_says_of_them) {
  using nlohmann::json;
  const Workflow workflow = with_parameters(
      "  - {name: target, required: true, description: what to build, min_length: 1, max_length: 9, pattern: "
      "'^[a-z]+$'}\n"
      "  - {name: count, type: number, min: 1, max: 2.5, default: 2}\n"
      "  - {name: dry, type: boolean, default: false}\n"
      "  - {name: kind, type: choice, choices: [small, large], required: true}\n"
      "  - {name: size, type: number, choices: [1, 2]}\n"
      "  - {name: words, type: list, default: [a, b]}\n"
      "  - {name: colours, type: multi_choice, choices: [red, blue]}\n"
      "  - {name: token, secret: true, default: hidden}\n"
      "  - {name: reason, required: true, condition: dry == false}\n"
      "  - {name: level, required: true, default: high}\n");
  const json schema = parameters_schema(workflow);
  BOOST_TEST(schema.at("type") == "object");
  BOOST_TEST(schema.at("additionalProperties") == false);
  BOOST_TEST((schema.at("required") == json{"target", "kind"}));
  const json& all = schema.at("properties");
  BOOST_TEST((all.at("target") == json{{"type", "string"},
                                       {"description", "what to build; must match (RE2) ^[a-z]+$"},
                                       {"minLength", 1},
                                       {"maxLength", 9}}));
  BOOST_TEST((all.at("count") == json{{"type", "number"}, {"minimum", 1}, {"maximum", 2.5}, {"default", 2}}));
  BOOST_TEST((all.at("dry") == json{{"type", "boolean"}, {"default", false}}));
  BOOST_TEST((all.at("kind") == json{{"type", "string"}, {"enum", {"small", "large"}}}));
  BOOST_TEST((all.at("size") == json{{"type", "number"}, {"enum", {1, 2}}}));
  BOOST_TEST((all.at("words") == json{{"type", "array"}, {"items", {{"type", "string"}}}, {"default", {"a", "b"}}}));
  BOOST_TEST(
      (all.at("colours") == json{{"type", "array"}, {"items", {{"type", "string"}, {"enum", {"red", "blue"}}}}}));
  BOOST_TEST((all.at("token") == json{{"type", "string"}, {"description", "a secret, which is never shown or kept"}}));
  BOOST_TEST((all.at("level") == json{{"type", "string"}, {"default", "high"}}));
}

BOOST_AUTO_TEST_CASE(an_argument_of_another_type_is_refused) {
  using nlohmann::json;
  const Workflow workflow = with_parameters(
      "  - {name: text}\n  - {name: number, type: number}\n  - {name: flag, type: boolean}\n"
      "  - {name: list, type: list}\n  - {name: secret, secret: true}\n");
  const auto read = [&](std::size_t parameter, const json& given) {
    std::string why;
    const auto value = argument_value(workflow.parameters[parameter], given, why);
    return value ? wtool::host::expressions::to_json(*value) : why;
  };
  BOOST_TEST(read(0, "a=b") == "\"a=b\"");
  BOOST_TEST(read(0, 5) == "must be a string, but is 5");
  BOOST_TEST(read(0, nullptr) == "must be a string, but is null");
  BOOST_TEST(read(1, -3) == "-3");
  BOOST_TEST(read(1, 2.5) == "2.5");
  BOOST_TEST(read(1, "3") == "must be a number, but is \"3\"");
  BOOST_TEST(read(2, true) == "true");
  BOOST_TEST(read(2, "true").starts_with("must be true or false, but is "));
  BOOST_TEST(read(3, json{"a,b", "c"}) == "[\"a,b\",\"c\"]");
  BOOST_TEST(read(3, json::array()) == "[]");
  BOOST_TEST(read(3, json{"a", 1}).starts_with("must be a list of strings, but is "));
  BOOST_TEST(read(3, "a,b").starts_with("must be a list of strings, but is "));
  BOOST_TEST(read(4, 12345) == "must be a string");
}

}  // namespace parameters_test
