// The fixture for tests of the terminal tools: the four tools of one plugin, a folder to work in, and a
// tools-allow.json for them.
#pragma once

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "support/shell_tool.h"

namespace wtool::test {

struct Terminal {
  ScratchFolder scratch;  // before the plugin, which closes the sessions at its end and records that in files here
  Plugin plugin;
  std::string allow_file = scratch.file("tools-allow.json", R"(["sh", "sleep", "env", "pwd", "echo", "cat", "true",
    "false", "seq", "head", "npm", "not-installed-anywhere"])");
  Json config{{"sessions", {{"tools_allow", allow_file}}},
              {"environment", {{"allow", {"WTOOL_TEST_MARK", "WHOSE", "ONLY_ONE", "SECRET_TOKEN_OF_MINE"}}}}};

  // The metadata of a call of terminal_NAME.
  Json call(const std::string& name, const Json& arguments) {
    return ToolUnderTest(plugin, config, "terminal_" + name).run(arguments).metadata();
  }

  Json create(const Json& more = Json::object()) {
    Json arguments{{"taskId", "TASK-001"}, {"agentId", "agent-worker-1"}, {"workingDirectory", scratch.path()}};
    arguments.update(more);
    return call("create_session", arguments);
  }
  std::string open(const Json& more = Json::object()) { return create(more).at("sessionId"); }

  Json arguments(const std::string& session, const std::vector<std::string>& words, const Json& more = Json::object()) {
    Json arguments{{"sessionId", session}, {"command", words.at(0)}};
    arguments["args"] = std::vector<std::string>(words.begin() + 1, words.end());
    arguments.update(more);
    return arguments;
  }
  Json execute(const std::string& session, const std::vector<std::string>& words, const Json& more = Json::object()) {
    return call("execute_command", arguments(session, words, more));
  }
  // Runs a new script with this text, which is written into the folder.
  Json script(const std::string& session, const std::string& text, const Json& more = Json::object()) {
    const std::string name = "script-" + std::to_string(++scripts_);
    scratch.file(name, text);
    return execute(session, {"sh", name}, more);
  }
  Json close(const std::string& session) { return call("close_session", {{"sessionId", session}}); }
  Json status(const std::string& session) { return call("get_status", {{"sessionId", session}}); }
  std::string state(const std::string& session) { return status(session).at("session").at("state"); }

  // The error's code; empty without an error.
  static std::string code(const Json& metadata) {
    return metadata.contains("error") ? metadata["error"].at("code").get<std::string>() : std::string();
  }
  static std::string message(const Json& metadata) { return metadata.at("error").at("message"); }

 private:
  int scripts_ = 0;
};

}  // namespace wtool::test
