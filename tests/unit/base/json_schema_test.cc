// What a schema says about a value, where a plain comparison would be wrong or would take too long.
#include "base/json_schema.h"

#include <boost/test/unit_test.hpp>

namespace json_schema_test {

using nlohmann::json;
using namespace wtool;

namespace {

bool is_unique_list(const std::string& text) {
  return instance_mistake(json::parse(text), {{"uniqueItems", true}}).empty();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(json_schema)

BOOST_AUTO_TEST_CASE(items_are_compared_as_json_values) {
  for (const char* equal : {"[1, 1.0]", "[0, -0.0]", "[null, 2, null]", R"(["a", "b", "a"])",
                            R"([{"a": 1}, {"a": 1.0}])", R"([{"a": 1, "b": [2]}, 3, {"b": [2], "a": 1}])"}) {
    BOOST_TEST(!is_unique_list(equal), equal);
  }
  for (const char* different :
       {"[]", "[1, 2]", "[1, true]", "[[1, 2], [2, 1]]", R"([1, "1"])", R"([{"a": 1}, {"b": 1}])",
        "[-1, 18446744073709551615]", "[9007199254740993, 9007199254740992.0]"}) {
    BOOST_TEST(is_unique_list(different), different);
  }
}

BOOST_AUTO_TEST_CASE(a_long_list_is_compared_in_time, *boost::unit_test::timeout(60)) {
  json list = json::array();
  for (int i = 0; i < 300'000; ++i) list.push_back({{"a", i}});
  BOOST_TEST(instance_mistake(list, {{"uniqueItems", true}}) == "");
  list.push_back({{"a", 7}});
  BOOST_TEST(instance_mistake(list, {{"uniqueItems", true}}) == "the value has an item twice");
}

BOOST_AUTO_TEST_CASE(numbers_that_a_schema_declares_as_integers_become_integers) {
  const auto made = [](const char* value, const char* schema) {
    json changed = json::parse(value);
    BOOST_TEST(!make_integers(changed, json::parse(schema)).empty() == (changed == 1e300));
    return changed.dump();
  };
  BOOST_TEST(made("1.0", R"({"type": "integer"})") == "1");
  BOOST_TEST(made("1.0", R"({"type": "number"})") == "1.0");
  BOOST_TEST(made("1e300", R"({"type": "integer"})") == "1e+300");
  BOOST_TEST(made("[1.0, 2.0]", R"({"prefixItems": [{"type": "integer"}], "items": {"type": "number"}})") == "[1,2.0]");
  BOOST_TEST(made(R"({"a": 1.0, "b": 2.0})", R"({"properties": {"a": {"type": ["integer", "null"]}}})") ==
             R"({"a":1,"b":2.0})");
  BOOST_TEST(
      made(R"({"a": {"a": 1.0}})", R"({"additionalProperties": {"anyOf": [{"type": "integer"}, {"$ref": "#"}]}})") ==
      R"({"a":{"a":1}})");
}

BOOST_AUTO_TEST_CASE(an_integer_that_does_not_fit_into_64_bits_is_named) {
  const auto named = [](const char* value) {
    json changed = json::parse(value);
    return make_integers(changed, json::parse(R"({"items": {"type": "integer"}})"));
  };
  BOOST_TEST(named("[9223372036854775807, -9223372036854775808, 1e18]") == "");
  BOOST_TEST(named("[1, 9223372036854775808]") == "9223372036854775808");
  BOOST_TEST(named("[1e300, 1]") == "1e+300");
  BOOST_TEST(named("[-1e19]") == "-1e+19");
  BOOST_TEST(named("[-9223372036854775809]") == "-9.223372036854776e+18");
  BOOST_TEST(named("[1.5]") == "");
}

BOOST_AUTO_TEST_CASE(what_a_reference_names_is_read) {
  const json wrong =
      json::parse(R"({"properties": {"a": {"$ref": "#/definitions/a"}}, "definitions": {"a": {"type": 5}}})");
  BOOST_TEST(schema_mistake(wrong) == "#/definitions/a/type is 5, which is not a type");
  BOOST_TEST(schema_mistake(json::parse(R"({"properties": {"a": {"$ref": "#"}}})")) == "");
  BOOST_TEST(schema_mistake(json::parse(R"({"$ref": "#/x", "x": {"not": {"$ref": "#/x"}}})")) == "");
  BOOST_TEST(unjudged_part(json::parse(R"({"$ref": "#foo"})")) == "#/$ref");
}

BOOST_AUTO_TEST_CASE(schemas_of_draft_7_and_of_2019_09_are_read) {
  for (const char* draft : {"http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-07/schema",
                            "https://json-schema.org/draft/2019-09/schema"}) {
    const json schema = {
        {"$schema", draft}, {"items", json::array({{{"type", "integer"}}})}, {"additionalItems", {{"type", "string"}}}};
    BOOST_TEST(schema_mistake(schema) == "", draft);
    BOOST_TEST(unjudged_part(schema) == "", draft);
    BOOST_TEST(instance_mistake(json::parse(R"([1, "a", "b"])"), schema) == "", draft);
    BOOST_TEST(instance_mistake(json::parse(R"(["a"])"), schema) == "#/0 is \"a\", but its type must be \"integer\"");
    BOOST_TEST(instance_mistake(json::parse("[1, 2]"), schema) == "#/1 is 2, but its type must be \"string\"");
  }
  BOOST_TEST(schema_mistake({{"$schema", newest_schema}}) == "");
  BOOST_TEST(
      schema_mistake({{"$schema", "http://json-schema.org/draft-03/schema#"}}) ==
      "#/$schema is \"http://json-schema.org/draft-03/schema#\", which is not the URI of a JSON Schema of draft 7, "
      "2019-09 or 2020-12");
  BOOST_TEST(schema_mistake(json::parse(R"({"items": [{}]})")) == "#/items is [{}], which is not a schema");
}

BOOST_AUTO_TEST_CASE(unknown_keywords_are_read_as_annotations) {
  BOOST_TEST(schema_mistake(
                 json::parse(R"({"x-order": 1, "nullable": true, "example": [], "markdownDescription": ""})")) == "");
}

// Each row has a schema, a value that it allows, and a value that it does not allow, with what is said about that value.
BOOST_AUTO_TEST_CASE(each_keyword_allows_what_it_means_and_says_what_is_wrong) {
  struct Row {
    const char* schema;
    const char* good;
    const char* bad;
    const char* mistake;
  };
  const Row rows[] = {
      {R"({"const": {"a": 1}})", R"({"a": 1.0})", R"({"a": 2})", R"(the value is {"a":2}, but must be {"a":1})"},
      {R"({"enum": [1, "a"]})", R"("a")", R"("b")", R"(the value is "b", but must be one of [1,"a"])"},
      {R"({"minimum": 1})", "1", "0", "the value is 0, but its minimum is 1"},
      {R"({"maximum": 1})", "1", "1.5", "the value is 1.5, but its maximum is 1"},
      {R"({"exclusiveMinimum": 1})", "2", "1", "the value is 1, but its exclusiveMinimum is 1"},
      {R"({"exclusiveMaximum": 1})", "0", "1", "the value is 1, but its exclusiveMaximum is 1"},
      {R"({"multipleOf": 0.1})", "0.3", "0.35", "the value is 0.35, but its multipleOf is 0.1"},
      {R"({"multipleOf": 2})", "9007199254740994", "9007199254740993",
       "the value is 9007199254740993, but its multipleOf is 2"},
      {R"({"multipleOf": 3})", "18446744073709551615", "18446744073709551614",
       "the value is 18446744073709551614, but its multipleOf is 3"},
      {R"({"multipleOf": 2})", "-4", "-3", "the value is -3, but its multipleOf is 2"},
      {R"({"minLength": 2})", R"("\u00e9\u00e9")", R"("\u00e9")", "the value has the size 1, but its minLength is 2"},
      {R"({"maxLength": 1})", R"("\u00e9")", R"("ab")", "the value has the size 2, but its maxLength is 1"},
      {R"({"pattern": "^a"})", R"("ab")", R"("ba")", R"(the value is "ba", which does not match "^a")"},
      {R"({"minItems": 1})", "[1]", "[]", "the value has the size 0, but its minItems is 1"},
      {R"({"maxItems": 1})", "[1]", "[1, 2]", "the value has the size 2, but its maxItems is 1"},
      {R"({"contains": {"type": "null"}})", "[1, null]", "[1]", "the value has too few items that match \"contains\""},
      {R"({"contains": {"type": "null"}, "minContains": 0})", "[]", "7", ""},
      {R"({"contains": {"type": "null"}, "minContains": 2})", "[null, null]", "[null]",
       "the value has too few items that match \"contains\""},
      {R"({"contains": {"type": "null"}, "maxContains": 1})", "[null, 1]", "[null, null]",
       R"(the value has too many items that match "contains")"},
      {R"({"minProperties": 1})", R"({"a": 1})", "{}", "the value has the size 0, but its minProperties is 1"},
      {R"({"maxProperties": 0})", "{}", R"({"a": 1})", "the value has the size 1, but its maxProperties is 0"},
      {R"({"required": ["a"]})", R"({"a": null})", "{}", R"(the value has no "a")"},
      {R"({"propertyNames": {"maxLength": 1}})", R"({"a": 1})", R"({"ab": 1})",
       R"(#/(the name "ab") has the size 2, but its maxLength is 1)"},
      {R"({"patternProperties": {"^x": {"type": "null"}}, "additionalProperties": false})", R"({"xa": null})",
       R"({"xa": 1})", R"(#/xa is 1, but its type must be "null")"},
      {R"({"patternProperties": {"^x": {"type": "null"}}, "additionalProperties": false})", "{}", R"({"y": null})",
       "#/y must not be there"},
      {R"({"allOf": [{"minimum": 1}, {"maximum": 2}]})", "2", "3", "the value is 3, but its maximum is 2"},
      {R"({"anyOf": [{"type": "null"}, {"minimum": 5}]})", "null", "4",
       R"(the value is 4, which matches no schema of "anyOf")"},
      {R"({"oneOf": [{"minimum": 1}, {"maximum": 2}]})", "3", "2",
       R"(the value is 2, which must match exactly one schema of "oneOf", but does not)"},
      {R"({"not": {"type": "null"}})", "1", "null", R"(the value is null, which "not" excludes)"},
      {R"({"if": {"type": "number"}, "then": {"minimum": 1}, "else": {"type": "null"}})", "1", "0",
       "the value is 0, but its minimum is 1"},
      {R"({"if": {"type": "number"}, "then": {"minimum": 1}, "else": {"type": "null"}})", "null", "true",
       R"(the value is true, but its type must be "null")"},
      {R"({"if": {"type": "number"}})", "1", "null", ""},
  };
  for (const Row& row : rows) {
    BOOST_TEST_CONTEXT(row.schema) {
      const json schema = json::parse(row.schema);
      BOOST_TEST(schema_mistake(schema) == "");
      BOOST_TEST(unjudged_part(schema) == "");
      BOOST_TEST(instance_mistake(json::parse(row.good), schema) == "");
      BOOST_TEST(instance_mistake(json::parse(row.bad), schema) == row.mistake);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_keyword_with_a_value_of_another_kind_is_a_mistake_of_the_schema) {
  for (const char* schema :
       {R"({"required": "a"})", R"({"required": ["a", "a"]})", R"({"minimum": "1"})", R"({"minItems": -1})",
        R"({"minItems": 1.5})", R"({"uniqueItems": "yes"})", R"({"pattern": 1})", R"({"enum": 1})",
        R"({"type": "text"})", R"({"properties": []})", R"({"anyOf": {}})", R"({"not": 1})"}) {
    BOOST_TEST(schema_mistake(json::parse(schema)).starts_with("#/"), schema);
  }
}

// The least value shows a person how a call looks.
BOOST_AUTO_TEST_CASE(a_least_value_is_one_that_the_schema_allows) {
  const auto least = [](const char* schema) {
    const auto made = least_instance(json::parse(schema));
    return made ? made->dump() : "nothing";
  };
  BOOST_TEST(least("true") == "null");
  BOOST_TEST(least("false") == "nothing");
  BOOST_TEST(least(R"({"const": 7})") == "7");
  BOOST_TEST(least(R"({"type": "integer", "default": 3})") == "3");
  BOOST_TEST(least(R"({"examples": ["a", "b"]})") == R"("a")");
  BOOST_TEST(least(R"({"type": "integer", "exclusiveMinimum": 4})") == "5");
  BOOST_TEST(least(R"({"type": "integer", "minimum": 2.0})") == "2");
  BOOST_TEST(least(R"({"type": "number", "maximum": -1.5})") == "-1.5");
  BOOST_TEST(least(R"({"type": ["string", "null"], "minLength": 2})") == R"("aa")");
  BOOST_TEST(least(R"({"type": "array", "minItems": 2, "prefixItems": [{"type": "null"}], "items": {"const": 1}})") ==
             "[null,1]");
  BOOST_TEST(least(R"({"type": "array", "minItems": 1, "items": false})") == "nothing");
  BOOST_TEST(
      least(R"({"required": ["a"], "properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {"enum": [5]}}})") ==
      R"({"a":5})");
  BOOST_TEST(least(R"({"required": ["a"], "properties": {"a": {"$ref": "#"}}})") == "nothing");
  BOOST_TEST(least(R"({"anyOf": [{"type": "boolean"}]})") == "false");
  BOOST_TEST(least(R"({"type": "string", "pattern": "^b"})") == "nothing");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace json_schema_test
