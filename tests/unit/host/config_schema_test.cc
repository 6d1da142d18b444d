// The JSON Schema of wtool.yaml agrees with the reader of the files: what the reader accepts is valid.
#include <yaml-cpp/yaml.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/config/config.h"
#include "base/config/keys.h"
#include "base/config/schema.h"
#include "base/json.h"
#include "base/json_schema.h"
#include "support/text.h"

namespace wtool::schema_test {

using nlohmann::json;
using test::holds;

namespace {

json json_of(const YAML::Node& node) {
  json value;
  if (node.IsMap()) {
    value = json::object();
    for (const auto& item : node) value[item.first.Scalar()] = json_of(item.second);
  } else if (node.IsSequence()) {
    value = json::array();
    for (const auto& item : node) value.push_back(json_of(item));
  } else if (node.IsScalar()) {
    std::string error;
    BOOST_TEST(parse_scalar(node.Scalar(), node.Tag(), value, error), error);
  }
  return value;
}

const json& schema() {
  static const json made = json::parse(config_schema().dump());
  return made;
}

// Why the text is not valid against the schema; empty: it is valid.
std::string problem(const std::string& text) { return instance_mistake(json_of(YAML::Load(text)), schema()); }

bool is_accepted(const std::string& text, std::string& error) {
  return parse_config(text, "wtool.yaml", "/etc/wtool", error).has_value();
}

// The blocks "```yaml" of a page.
std::vector<std::string> blocks_of(const std::string& page) {
  std::vector<std::string> blocks;
  bool within = false;
  for (const std::string& line : test::lines_of(page)) {
    if (!within && line.starts_with("```yaml")) {
      within = true;
      blocks.emplace_back();
    } else if (within && line.starts_with("```")) {
      within = false;
    } else if (within) {
      blocks.back() += line + '\n';
    }
  }
  return blocks;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(config_schema_of_files)

BOOST_AUTO_TEST_CASE(the_schema_is_well_formed_and_has_each_key_once) {
  BOOST_TEST(schema_mistake(schema()) == "");
  BOOST_TEST(unjudged_part(schema()) == "");
  BOOST_TEST(schema().at("$schema") == newest_schema);
  std::set<std::string> names{"lock"};
  for (const ConfigKey& key : config_keys()) {
    const json& section = schema().at("properties").at(std::string(key.section));
    const json& its = key.name.empty() ? section : section.at("properties").at(std::string(key.name));
    BOOST_TEST(!its.at("description").get<std::string>().empty());
    names.insert(full_name(key));
  }
  std::set<std::string> found;
  for (const auto& [name, section] : schema().at("properties").items()) {
    if (!section.contains("properties")) found.insert(name);
    const json keys = section.value("properties", json::object());
    for (const auto& [key, ignored] : keys.items()) found.insert(std::string(name).append(".").append(key));
  }
  BOOST_TEST(found == names, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_default_of_each_key_is_valid) {
  for (const auto& [name, section] : schema().at("properties").items()) {
    const json keys = section.value("properties", json::object());
    for (const auto& [key, its] : keys.items()) {
      if (!its.contains("default")) continue;
      BOOST_TEST(instance_mistake({{name, {{key, its.at("default")}}}}, schema()) == "", name << '.' << key);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_the_reader_accepts_is_valid) {
  for (const std::string text : {
           "",
           "sandbox:\ncommands:\n",
           "shell: {program: ./bin/sh, direct_exec: false}",
           "commands: {allow: [ls, true, 7z, 7, \"git log *\", ./run], path: default}",
           "commands: {path: [/usr/bin], interactive: [\"*\"], approvals: ./~}",
           "environment: {deny: [\"*_TOKEN\"], set: {CI: 1, A_b: yes, T: true, E: \"\"}}",
           "limits: {timeout_max: none, memory_bytes: 0, cpu_seconds: 1, grace_seconds: 0.5}",
           "limits: {timeout_max: 60, timeout_default: 10, open_files: 16}",
           "sandbox: {protect: none, read: [/]}",
           "sandbox: {protect: [default, .github/workflows], put_aside: true}",
           "background: keep",
           "audit: {max_bytes: 0, keep: 3, file: trail}",
           "cluster: {memory: 4G, address: 10.0.0.1, extra: --exclusive, classes: {big: {cpus: 8, memory: 1G}}, slot: "
           "big}",
           "mcp: {answer_within: auto, approve_within: none, results: both}",
           "mcp: {answer_within: 5, approve_within: 86400}",
           "mcp_servers: {s: {command: x, env: {A: 1}, tools: [\"get_*\"], timeout: 5, sandbox: read-only, network: "
           "deny, memory_bytes: 1048576, cpu_seconds: 1, processes: 2}}",
           "prompts: {command: \"cat {{ prompt_file }}\", directories: [prompts]}",
           "lock: [commands, limits.timeout_max, background]",
           "lock:",
       }) {
    std::string error;
    BOOST_TEST(is_accepted(text, error), text << error);
    BOOST_TEST(problem(text) == "", text);
  }
}

BOOST_AUTO_TEST_CASE(what_is_not_valid_the_reader_refuses) {
  for (const std::string text : {
           "[a]",
           "nonsense: 1",
           "commands: [ls]",
           "commands: {alow: [ls]}",
           "commands: {allow: ls}",
           "commands: {allow: [null]}",
           "cluster: {extra: \"\"}",
           "shell: {program: sh}",
           "shell: {program: ~/sh}",
           "shell: {direct_exec: 1}",
           "directories: {roots: [\"~\"]}",
           "environment: {inherit: some}",
           "environment: {set: {1A: x}}",
           "environment: {set: {A: null}}",
           "limits: {timeout_max: 1801}",
           "limits: {timeout_max: never}",
           "limits: {memory_bytes: 5}",
           "limits: {timeout_default: 0}",
           "limits: {grace_seconds: 61}",
           "limits: {cpu_seconds: 1.5}",
           "sandbox: {protect: some}",
           "background: maybe",
           "cluster: {classes: {big: {slot: x}}}",
           "cluster: {classes: {-big: {cpus: 1}}}",
           "mcp_servers: {s: {}}",
           "mcp_servers: {s: {command: x, sandbox: none}}",
           "mcp_servers: {s: {command: x, tool: [a]}}",
           "mcp_servers: {s: {command: x, processes: 0}}",
           "mcp_servers: {a/b: {command: x}}",
           "lock: [nonsense]",
           "lock: commands",
       }) {
    std::string error;
    BOOST_TEST(!is_accepted(text, error), text);
    BOOST_TEST(problem(text) != "", text);
  }
}

BOOST_AUTO_TEST_CASE(the_examples_of_the_documentation_are_valid) {
  namespace fs = std::filesystem;
  const fs::path docs = fs::path(WTOOL_TEST_SOURCE_DIR) / "docs";
  std::size_t valid = 0;
  for (const auto& file : fs::recursive_directory_iterator(docs)) {
    if (file.path().extension() != ".md") continue;
    for (const std::string& block : blocks_of(test::content_of(file.path()))) {
      std::string error;
      if (!is_accepted(block, error)) continue;  // such as the front matter of a workflow
      ++valid;
      BOOST_TEST(problem(block) == "", file.path() << "\n" << block);
    }
  }
  BOOST_TEST(valid >= 15U);
  const std::vector<std::string> page = blocks_of(test::content_of((docs / "guide/configuration.md").string()));
  std::string error;
  BOOST_TEST(is_accepted(page.at(0), error), error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::schema_test
