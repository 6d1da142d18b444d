// A client of `wtool mcp` for tests: sends lines, and keeps every line that comes back.
//
// The server has the policy `open` and answers with results in both forms, unless a test says otherwise.
//
// Each line must be a JSON-RPC message, or the test fails. With WTOOL_MCP_TRANSCRIPTS set to a folder, all lines are
// also written there for tests/mcp/validate.py: each with the version of the protocol, and an answer also with the
// method and the tool of its request.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/shell_tool.h"

namespace wtool::test {

class McpClient {
 public:
  using Json = nlohmann::json;

  explicit McpClient(std::vector<std::string> more = {}, ProgramOptions options = {},
                     std::string version = "2025-11-25")
      : version_(std::move(version)),
        program(command(std::move(more)), Program::On::pipes, talking(std::move(options))) {
    if (const char* folder = std::getenv("WTOOL_MCP_TRANSCRIPTS")) {
      static int number = 0;
      transcript_.open(std::string(folder) + '/' + std::to_string(getpid()) + '-' + std::to_string(++number) +
                       ".jsonl");
    }
  }

 private:
  std::string version_;
  struct Asked {
    std::string method, tool;
  };
  std::map<std::string, Asked> asked_;  // by id
  std::ofstream transcript_;

 public:
  Program program;
  std::vector<Json> news;      // notifications, in order
  std::vector<Json> requests;  // the server's, not answered yet

  // Begins a session, as in the protocols of 2024 and 2025.
  Json initialize(Json capabilities = Json::object()) {
    const Json answer = ask("initialize", {{"protocolVersion", version_},
                                           {"capabilities", std::move(capabilities)},
                                           {"clientInfo", {{"name", "test"}, {"version", "1"}}}});
    notify("notifications/initialized");
    return answer;
  }

  void say(const Json& message) { BOOST_REQUIRE(program.say(message.dump() + '\n')); }
  void notify(const std::string& method, const Json& params = Json::object()) {
    say({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
  }

  // Returns the id.
  Json request(const std::string& method, const Json& params = Json::object()) {
    const Json id = ++last_id_;
    return request_as(id, method, params);
  }
  Json request_as(const Json& id, const std::string& method, const Json& params = Json::object()) {
    asked_[id.dump()] = {method, params.contains("name") && params["name"].is_string() ? params["name"] : Json("")};
    say({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
    return id;
  }
  Json ask(const std::string& method, const Json& params = Json::object()) { return answer(request(method, params)); }

  // A call of shell_execute.
  Json call(const std::string& command, const Json& more = Json::object()) {
    Json params{{"name", "shell_execute"}, {"arguments", {{"command", command}}}};
    params.merge_patch(more);
    return request("tools/call", params);
  }
  Json run(const std::string& command, const Json& more = Json::object()) {
    const Json said = answer(call(command, more));
    BOOST_REQUIRE_MESSAGE(said.contains("result"), said.dump());
    return said["result"];
  }

  // The answer with this id, whatever comes before it.
  Json answer(const Json& id) {
    while (!answers_.contains(id.dump())) BOOST_REQUIRE_MESSAGE(read(), "no answer to " << id.dump());
    const Json found = answers_.at(id.dump());
    answers_.erase(id.dump());
    return found;
  }
  // The next error without an id.
  Json anonymous_error() {
    while (anonymous_.empty()) BOOST_REQUIRE(read());
    const Json found = anonymous_.front();
    anonymous_.erase(anonymous_.begin());
    return found.at("error");
  }
  // The next request of the server.
  Json question() {
    while (requests.empty()) BOOST_REQUIRE(read());
    const Json found = requests.front();
    requests.erase(requests.begin());
    return found;
  }
  bool has_answer(const Json& id) const { return answers_.contains(id.dump()); }
  void wait_for_news(const std::string& method) {
    const auto come = [&] {
      return std::any_of(news.begin(), news.end(), [&](const Json& one) { return one.at("method") == method; });
    };
    while (!come()) BOOST_REQUIRE(read());
  }

  // Reads one line; false at the end.
  bool read() {
    std::string line;
    return program.next_line(line) && take(line);
  }
  // Reads all lines that come within the time.
  void read_for(std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    std::string line;
    while (true) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      if (left.count() <= 0 || !program.next_line(line, left)) return;
      take(line);
    }
  }

 private:
  static std::vector<std::string> command(std::vector<std::string> more) {
    std::vector<std::string> all{WTOOL_TEST_PROGRAM, "mcp"};
    if (std::find(more.begin(), more.end(), "--policy") == more.end()) all.insert(all.end(), {"--policy", "open"});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  static ProgramOptions talking(ProgramOptions options) {
    options.talk = true;
    // Keeps out the configuration of the person who runs the tests.
    if (!options.set.contains("XDG_CONFIG_HOME")) options.set["XDG_CONFIG_HOME"] = user_configuration();
    // Keeps questions away from that person.
    static const ScratchFolder runtime;
    if (!options.set.contains("XDG_RUNTIME_DIR")) options.set["XDG_RUNTIME_DIR"] = runtime.path();
    return options;
  }

  static std::string user_configuration() {
    static const ScratchFolder folder;
    static const std::string file = [] {
      std::filesystem::create_directory(folder.path() + "/wtool");
      return folder.file("wtool/wtool.yaml", "mcp: {results: both}\n");
    }();
    return folder.path();
  }

  bool take(const std::string& line) {
    const Json message = Json::parse(line, nullptr, false);
    BOOST_REQUIRE_MESSAGE(message.is_object() && message.value("jsonrpc", "") == "2.0", "not a message: " << line);
    const bool is_answer = message.contains("result") || message.contains("error");
    const std::string id = message.contains("id") ? message["id"].dump() : "";
    if (transcript_.is_open()) {
      const Asked asked = is_answer ? asked_[id] : Asked{};
      transcript_
          << Json{{"version", version_}, {"method", asked.method}, {"tool", asked.tool}, {"line", message}}.dump()
          << '\n';
    }
    if (message.contains("method")) {
      (message.contains("id") ? requests : news).push_back(message);
    } else if (message.contains("id")) {
      BOOST_TEST(!answers_.contains(id), "answered twice: " << line);
      answers_[id] = message;
    } else {
      BOOST_REQUIRE_MESSAGE(message.contains("error"), line);
      anonymous_.push_back(message);
    }
    return true;
  }

  int last_id_ = 0;
  std::map<std::string, Json> answers_;
  std::vector<Json> anonymous_;
};

}  // namespace wtool::test
