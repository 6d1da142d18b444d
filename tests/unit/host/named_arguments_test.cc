// Words of a command line as the arguments of a call, by schemas that shell_tools does not have.
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "cli/named_arguments.h"

BOOST_AUTO_TEST_SUITE(host_named_arguments_test)

using namespace wtool::host;

namespace {

// The object, or what is wrong.
std::string read(const std::string& schema, const std::vector<std::string>& words) {
  std::string error;
  return object_of_named_arguments(words, schema, error).value_or("error: " + error);
}

const std::string schema = R"({"type":"object","properties":{
    "args":{"type":"array","items":{"type":"string"}},
    "ports":{"type":"array","items":{"type":"integer"}},
    "deep":{"type":"object","properties":{"on":{"type":"boolean"}}},
    "maybe":{"type":["integer","null"]},
    "either":{"type":["integer","string"]},
    "any":{},
    "with.dot":{"type":"integer"}
  },"additionalProperties":false})";

}  // namespace

BOOST_AUTO_TEST_CASE(words_of_one_name_are_the_elements_of_a_list) {
  BOOST_TEST(read(schema, {"args=[%s]", "args=a b"}) == R"({"args":["[%s]","a b"]})");
  BOOST_TEST(read(schema, {"args="}) == R"({"args":[""]})");
  BOOST_TEST(read(schema, {"ports=1", "ports=2"}) == R"({"ports":[1,2]})");
  BOOST_TEST(read(schema, {R"(args:=["a"])"}) == R"({"args":["a"]})");
  BOOST_TEST(read(schema, {R"(args:=["a"])", "args=b"}) == "error: args is given twice");
  BOOST_TEST(read(schema, {"args=b", R"(args:=["a"])"}) == "error: args is given twice");
  BOOST_TEST(read(schema, {"ports=x"}) == "error: ports: got \"x\"; it takes a value of type integer");
}

BOOST_AUTO_TEST_CASE(a_value_has_the_type_that_the_schema_names) {
  BOOST_TEST(read(schema, {"deep.on=true"}) == R"({"deep":{"on":true}})");
  BOOST_TEST(read(schema, {"maybe=null"}) == R"({"maybe":null})");
  BOOST_TEST(read(schema, {"maybe=7"}) == R"({"maybe":7})");
  BOOST_TEST(read(schema, {"maybe=x"}) == "error: maybe: got \"x\"; it takes a value of type integer or null");
  BOOST_TEST(read(schema, {"either=7"}) == R"({"either":"7"})");  // text is never guessed to be a number
  BOOST_TEST(read(schema, {"any=7"}) == R"({"any":"7"})");
  BOOST_TEST(read(schema, {"any.inner=1"}) == "error: any.inner: any is text and has no keys");
  BOOST_TEST(read(schema, {"any:={\"a\":1}", "any.inner=1"}) == "error: any.inner: any is text and has no keys");
  BOOST_TEST(read(schema, {"deep:=1", "deep.on=true"}) == "error: deep.on is given twice");
  for (const char* wrong : {R"({"a":1,"a":2})", R"(1,"x":2)", "1}", "", "nul"}) {
    BOOST_TEST(read(schema, {std::string("any:=") + wrong}).starts_with("error: any: "), wrong);
  }
  BOOST_TEST(read(schema, {"with.dot=7"}) == R"({"with.dot":7})");
}

BOOST_AUTO_TEST_CASE(schemas_may_be_anything) {
  BOOST_TEST(read("{}", {"a=1"}) == R"({"a":"1"})");
  BOOST_TEST(read(R"({"properties":7,"additionalProperties":{"type":"number"}})", {"a=1.5"}) == R"({"a":1.5})");
  BOOST_TEST(read(R"({"properties":{"a":true,"b":{"type":[7]}}})", {"a=1"}) == R"({"a":"1"})");
  BOOST_TEST(read(R"({"properties":{"b":{"type":[7]}}})", {"b=1"}).starts_with("error: b: got"));
  BOOST_TEST(read(R"({"additionalProperties":false})", {"a=1"}).starts_with("error: there is no parameter"));
}

BOOST_AUTO_TEST_CASE(only_words_with_a_name_are_named_arguments) {
  for (const char* word : {"a=", "a=b", "a:=1", "a.b=c", "_x-y=1"}) BOOST_TEST(is_named_argument(word), word);
  for (const char* word : {"", "=", ":=1", "a", "-a=b", ".a=b", "a.=b", "a b=c", "{\"a=b\":1}", "@a=b", "[a=b]"}) {
    BOOST_TEST(!is_named_argument(word), word);
  }
}

BOOST_AUTO_TEST_SUITE_END()
