// A folder with workflows, and clients of a server that serves them (`wtool mcp --workflows tools`).
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/mcp_client.h"
#include "workflow_place.h"

namespace wtool::test::mcp_workshop {

using Json = nlohmann::json;

inline const Json with_forms{{"elicitation", {{"form", Json::object()}}}};

inline std::string workflow(const std::string& front, const std::string& diagram, const std::string& actions) {
  return "---\n" + front + "---\n\n```mermaid\nstateDiagram-v2\n" + diagram + "```\n\n## Actions\n\n" + actions;
}

inline const std::string one_state = "[*] --> A\nA --> [*]\n";
inline const std::string two_states = "[*] --> A\nA --> B\nB --> [*]\n";
inline const std::string two_branches =
    "state Split <<fork>>\nstate Meet <<join>>\n[*] --> Split\nSplit --> A\nSplit --> B\nA --> Meet\nB --> "
    "Meet\n"
    "Meet --> [*]\n";

// A folder in which a server runs workflows of the folder `tools`.
struct Workshop {
  Mark mark;
  ScratchFolder folder;

  void add(const std::string& name, const std::string& text) const { folder.file("tools/" + name, text); }
  std::string path(const std::string& name) const { return folder.path() + '/' + name; }
  bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }
  std::string content(const std::string& name) const { return content_of(path(name)); }
  ProgramOptions here() const { return {.directory = folder.path(), .set = {{"WTOOL_TEST_MARK", mark.text()}}}; }
  std::vector<std::string> runs() const {
    std::vector<std::string> ids;
    for (const auto& file : std::filesystem::directory_iterator(path(".wtool/runs"))) {
      if (file.path().extension() == ".jsonl") ids.push_back(file.path().stem());
    }
    return ids;
  }
  // True if, within this time, no marked process is left except the process `server`.
  bool nothing_is_left(int milliseconds, pid_t server = 0) const {
    return wait_until(
        [&] {
          const std::vector<pid_t> all = mark.bearers();
          return std::all_of(all.begin(), all.end(), [&](pid_t one) { return one == server; });
        },
        within(milliseconds));
  }
};

inline std::vector<std::string> with_workflows(std::vector<std::string> more) {
  more.insert(more.end(), {"--workflows", "tools"});
  return more;
}

struct Client : McpClient {
  explicit Client(const Workshop& shop, std::vector<std::string> more = {}, const Json& capabilities = Json::object())
      : McpClient(with_workflows(std::move(more)), shop.here()), started(initialize(capabilities)) {}

  std::set<std::string> listed() {
    std::set<std::string> names;
    const Json answer = ask("tools/list");
    for (const Json& tool : answer.at("result").at("tools")) names.insert(tool.at("name"));
    return names;
  }
  Json begin(const std::string& tool, const Json& arguments = Json::object(), bool wants_progress = false) {
    Json params{{"name", tool}, {"arguments", arguments}};
    if (wants_progress) params["_meta"]["progressToken"] = "progress";
    return request("tools/call", params);
  }
  Json run_tool(const std::string& tool, const Json& arguments = Json::object()) {
    const Json said = answer(begin(tool, arguments));
    BOOST_REQUIRE_MESSAGE(said.contains("result"), said.dump());
    return said["result"];
  }
  void reply(const Json& question, const std::string& choice) {
    say({{"jsonrpc", "2.0"},
         {"id", question.at("id")},
         {"result", {{"action", "accept"}, {"content", {{"answer", choice}}}}}});
  }
  // Ends the server, and returns what it has written to standard error.
  std::string end() {
    program.end_input();
    return program.wait().err;
  }

  const Json started;
};

// A client that names the version of the protocol in each request, and gets questions as the answers to its requests.
struct Modern : McpClient {
  explicit Modern(const Workshop& shop, std::vector<std::string> more = {})
      : McpClient(with_workflows(std::move(more)), shop.here(), "2026-07-28") {}

  Json call(const std::string& tool, const Json& capabilities = with_forms, Json params = Json::object()) {
    const std::string prefix = "io.modelcontextprotocol/";
    params["name"] = tool;
    params["_meta"] = {{prefix + "protocolVersion", "2026-07-28"},
                       {prefix + "clientCapabilities", capabilities},
                       {prefix + "clientInfo", {{"name", "test"}, {"version", "1"}}}};
    return ask("tools/call", params);
  }
  Json come_back(const std::string& tool, const Json& asking, const std::string& choice) {
    return call(tool, with_forms,
                {{"requestState", asking.at("requestState")},
                 {"inputResponses", {{"approval", {{"action", "accept"}, {"content", {{"answer", choice}}}}}}}});
  }
};

// The number of the job that a call has become.
inline int job_of(const std::string& text) {
  const std::size_t found = text.rfind("[job ");
  BOOST_REQUIRE_MESSAGE(found != std::string::npos, text);
  BOOST_TEST(holds(text, " has been running for "), text);
  return std::stoi(text.substr(found + 5));
}

inline std::string text_of(const Json& result) { return result.at("content").at(0).at("text"); }
inline const Json& structure(const Json& result) { return result.at("structuredContent"); }

}  // namespace wtool::test::mcp_workshop
