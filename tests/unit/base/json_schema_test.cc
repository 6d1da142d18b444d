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
  BOOST_TEST(instance_mistake(list, {{"uniqueItems", true}}) == "# has an item twice");
}

BOOST_AUTO_TEST_CASE(numbers_that_a_schema_declares_as_integers_become_integers) {
  const auto made = [](const char* value, const char* schema) {
    json changed = json::parse(value);
    make_integers(changed, json::parse(schema));
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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace json_schema_test
