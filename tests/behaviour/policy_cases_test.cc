// tests/data/*.jsonl: commands that walked through other tools' checks, and ordinary ones that must not be refused.
// Each row says under which configuration. Rows that must be refused are only explained, never run: some of them would
// do harm.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "support/sandboxed.h"

using namespace wtool::test;

namespace {

std::vector<Json> rows_of(const std::string& name) {
  std::ifstream file(WTOOL_TEST_SOURCE_DIR "/tests/data/" + name);
  BOOST_REQUIRE_MESSAGE(file, "tests/data/" + name + " cannot be read");
  std::vector<Json> rows;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) rows.push_back(Json::parse(line));
  }
  return rows;
}

// The configuration that a row's `policy` stands for, with the workspace as `<ws>`.
Json configuration_of(const Json& policy, const std::string& workspace) {
  const std::string mode = policy.at("mode");
  const auto place = [&](const std::string& path) { return path == "<ws>" ? workspace : path; };
  Json config = Json::object();
  if (mode == "allow" || mode == "exact") config["commands"]["allow"] = policy.at("commands");
  if (policy.value("args", "") == "safe") config["commands"]["arguments"] = "safe";
  if (mode == "deny") config["commands"]["deny"] = policy.at("commands");
  if (mode == "mixed") config["commands"] = {{"allow", policy.at("allow")}, {"deny", policy.at("deny")}};
  if (mode == "path_confine") {
    config["directories"] = {{"roots", {place(policy.at("root"))}}, {"confine_arguments", true}};
  }
  if (mode == "cwd_roots") config["directories"]["roots"] = policy.at("roots");
  if (mode == "sandbox_write") config["sandbox"] = {{"write", {place(policy.at("root"))}}};
  return config;
}

struct Workspace : Sandboxed {
  Workspace() {
    for (const char* name : {"file.txt", "README.md", "data.txt", "M", "f", ".bashrc"})
      scratch.file("inside/" + std::string(name), "one\n");
  }

  Json arguments_of(const Json& row) const {
    Json arguments{{"command", row.at("command")}, {"working_directory", inside}};
    // A place that need not exist here: what matters is that it is none of the roots.
    if (row.contains("cwd")) arguments["working_directory"] = outside;
    return arguments;
  }
};

void check_rows(const std::string& name) {
  for (const Json& row : rows_of(name)) {
    Workspace workspace;
    const std::string mode = row.at("policy").at("mode");
    const Json config = configuration_of(row.at("policy"), workspace.inside);
    const ToolUnderTest tool(workspace.plugin, config);
    const Json arguments = workspace.arguments_of(row);
    const Json explained = tool.explain(arguments);
    BOOST_TEST_CONTEXT(row.at("id") << ": " << row.at("command") << " under " << config << ": " << explained) {
      const std::string verdict = explained.at("verdict");
      if (mode == "sandbox_write") {
        if (!has_landlock(1)) continue;
        tool.run(arguments);
        BOOST_TEST(!std::filesystem::exists("/tmp/outside"));
        BOOST_TEST(Sandboxed::content(workspace.inside + "/.bashrc") == "one\n");
      } else if (row.at("expect") == "allow") {
        BOOST_TEST(verdict == "allow");
        const std::string code = tool.run(arguments).code();
        BOOST_TEST(code != "policy_denied");
        BOOST_TEST(code != "approval_unavailable");
      } else {
        BOOST_TEST(verdict != "allow");
        BOOST_TEST(!explained.at("reason").get<std::string>().empty());
        BOOST_TEST(!explained.at("rule").get<std::string>().empty());
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(policy_cases)

BOOST_AUTO_TEST_CASE(bypasses_of_other_tools_are_refused_and_ordinary_commands_run) {
  check_rows("command-policy.jsonl");
}

BOOST_AUTO_TEST_CASE(each_class_of_bypass_is_refused_and_its_innocent_neighbours_run) {
  check_rows("policy-classes.jsonl");
}

BOOST_AUTO_TEST_SUITE_END()
