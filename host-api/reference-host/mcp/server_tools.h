// The tools that the server itself answers, beside those of the plugin: a name, what clients are told of it, and what
// answers a call.
//
//   ServerTools tools;
//   tools.push_back({.description = {.id = "job_list", .title = "List jobs", .description = "Lists jobs",
//                                    .input_schema = R"({"type":"object","properties":{}})"},
//                    .is_urgent = true,
//                    .answer = [&](Call&, Progress::Reports&) { return text_result("no jobs"); }});
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "loader/plugin.h"
#include "mcp/call.h"
#include "mcp/progress.h"

namespace wtool::host::mcp {

struct ServerTool {
  // As a plugin has it. The id is none of the plugin's and no other server tool's.
  ToolDescription description;
  // It is over at once, or as soon as what it ends is: it never waits behind the calls that run.
  bool is_urgent = false;
  // How a call ends that its client cancels. The end of the server ends all of them now.
  StopHow when_cancelled = StopHow::now;
  // What tools/call answers: "content", "isError" (results.h has text_result and refusal); null where the tool has
  // answered the call by itself. On a thread of the call's own, many at once; ends early when call.stop asks for it.
  // call.arguments is JSON text of an object, as the client has sent it. Progress is told of what is put into the
  // reports. An exception is answered as an internal error.
  std::function<nlohmann::ordered_json(Call& call, Progress::Reports& reports)> answer;
};

using ServerTools = std::vector<ServerTool>;

}  // namespace wtool::host::mcp
