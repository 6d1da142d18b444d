// docs/guide/results.md names every key of a result. The OpenAPI description of the terminal tools, in docs/contracts,
// agrees with their descriptors.
#include <yaml-cpp/yaml.h>

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>

#include "support/plugin.h"
#include "support/program.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(contracts_test)

using namespace wtool::test;

namespace {

// A scalar in quotes is a text. Any other scalar is parsed as JSON, or is a text if it is not JSON.
Json to_json(const YAML::Node& node) {
  if (node.IsMap()) {
    Json object = Json::object();
    for (const auto& pair : node) object[pair.first.Scalar()] = to_json(pair.second);
    return object;
  }
  if (node.IsSequence()) {
    Json list = Json::array();
    for (const YAML::Node& one : node) list.push_back(to_json(one));
    return list;
  }
  Json value = node.Tag() == "!" ? Json() : Json::parse(node.Scalar(), nullptr, false);
  return value.is_boolean() || value.is_number() ? value : Json(node.Scalar());
}

Json schema_of(std::string_view text) {
  Json schema = Json::parse(text);
  schema.erase("$schema");
  return schema;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_contract_of_the_terminal_tools_is_that_of_their_descriptors) {
  const Json contract =
      to_json(YAML::LoadFile(std::string(WTOOL_TEST_SOURCE_DIR) + "/docs/contracts/mcp-terminal-tools.yaml"));
  BOOST_TEST(contract.at("openapi") == "3.1.0");
  const Plugin plugin;
  std::size_t described = 0;
  for (std::uint32_t i = 0; i < plugin.entry().tool_count(); ++i) {
    const wtool_descriptor& tool = *plugin.entry().tool_at(i);
    const std::string id(tool.id.data, tool.id.size);
    if (!id.starts_with("terminal_")) continue;
    BOOST_TEST_CONTEXT(id) {
      BOOST_REQUIRE(contract.at("paths").contains("/" + id));
      const Json& operation = contract["paths"]["/" + id]["post"];
      const auto schema = [](const Json& body) { return body.at("content").at("application/json").at("schema"); };
      BOOST_TEST(operation.at("operationId") == id);
      BOOST_TEST((operation.at("description") == std::string(tool.description.data, tool.description.size)));
      BOOST_TEST((schema(operation.at("requestBody")) == schema_of({tool.input_schema.data, tool.input_schema.size})));
      BOOST_TEST((schema(operation.at("responses").at("200")) ==
                  schema_of({tool.output_schema.data, tool.output_schema.size})));
      ++described;
    }
  }
  BOOST_TEST(contract.at("paths").size() == described);
}

BOOST_AUTO_TEST_CASE(the_page_of_results_names_every_key_of_a_result) {
  std::ifstream file(std::string(WTOOL_TEST_SOURCE_DIR) + "/docs/guide/results.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  const Plugin plugin;
  std::size_t named = 0;
  for (std::uint32_t i = 0; i < plugin.entry().tool_count(); ++i) {
    const wtool_descriptor& tool = *plugin.entry().tool_at(i);
    if (std::string_view(tool.id.data, tool.id.size) != "shell_execute") continue;
    const Json schema = schema_of({tool.output_schema.data, tool.output_schema.size});
    for (const auto& [key, value] : schema.at("properties").items()) {
      BOOST_TEST(holds(page, "`" + key + "`"), key);
      ++named;
    }
  }
  BOOST_TEST(named > 20U);
}

BOOST_AUTO_TEST_SUITE_END()
