// A small host that is killed while one of its terminal sessions has processes in the background and a running command.
//
// Usage: session_host FOLDER
//   FOLDER  has tools-allow.json, and the scripts `background` and `foreground`; `foreground` writes "ready" and waits
// All processes get the value of the variable WTOOL_SESSION_MARK as their WTOOL_TEST_MARK.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/plugin.h"

using namespace wtool::test;

int main(int argc, char** argv) {
  const char* const mark = std::getenv("WTOOL_SESSION_MARK");
  if (argc != 2 || mark == nullptr) return 2;
  const std::string folder = argv[1];
  Plugin plugin;
  const Json config{{"sessions", {{"tools_allow", folder + "/tools-allow.json"}}},
                    {"environment", {{"allow", {"WTOOL_TEST_MARK"}}}}};
  const Json created = ToolUnderTest(plugin, config, "terminal_create_session")
                           .run({{"taskId", "T"},
                                 {"agentId", "A"},
                                 {"workingDirectory", folder},
                                 {"environment", {{"WTOOL_TEST_MARK", mark}}}})
                           .metadata();
  const ToolUnderTest tool(plugin, config, "terminal_execute_command");
  const std::string id = created.at("sessionId");
  const Json kept = tool.run({{"sessionId", id}, {"command", "sh"}, {"args", {"background"}}}).metadata();
  std::printf("kept %s\n", kept.dump().c_str());
  std::fflush(stdout);
  tool.run({{"sessionId", id}, {"command", "sh"}, {"args", {"foreground"}}}, {.on_event = [](const Event& event) {
             std::fwrite(event.payload.data(), 1, event.payload.size(), stdout);
             std::fflush(stdout);
             return 0;
           }});
  return 0;
}
