// The tools that the server itself answers, besides those of the plugin: a description for clients, and the function
// that answers a call.
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
  // In the form of a plugin's tool. Its id must differ from all tools of the plugin and of the server.
  ToolDescription description;
  // The call ends at once, or as soon as what it ends has ended: it never waits behind running calls.
  bool is_urgent = false;
  // It may take longer than a client waits: its call becomes a job then (jobs.h). What is added to `reports` is what
  // the job shows until its end.
  bool may_become_job = false;
  // How a call ends that its client cancels. The end of the server ends all of them now.
  StopHow when_cancelled = StopHow::now;
  // Returns the result of tools/call: "content", "isError" (results.h has text_result and refusal); null if the tool
  // has answered the call by itself. It runs on the call's own thread, many at once, and ends early when call.stop asks
  // for it. call.arguments is the JSON text of an object, as the client has sent it. What is added to `reports` is sent
  // as progress. An exception is answered as an internal error.
  std::function<nlohmann::ordered_json(Call& call, Progress::Reports& reports)> answer;
};

using ServerTools = std::vector<ServerTool>;

}  // namespace wtool::host::mcp
