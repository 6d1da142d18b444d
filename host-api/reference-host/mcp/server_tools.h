// The tools that the server itself answers, besides those of the plugin: a description for clients, and the function
// that answers a call.
//
//   ServerTools tools;
//   tools.push_back({.description = {.id = "job_list", .title = "List jobs", .description = "Lists jobs",
//                                    .input_schema = R"({"type":"object","properties":{}})"},
//                    .is_urgent = true,
//                    .answer = [&](ClientCall&, CallProgress::Reports&) { return text_result("no jobs"); }});
#pragma once

#include <functional>
#include <vector>

#include "base/json.h"
#include "loader/plugin.h"
#include "mcp/call.h"
#include "mcp/progress.h"

namespace wtool::host::mcp {

struct ServerTool {
  // The same form as a plugin's tool. Its id must differ from those of all tools of the plugin and the server.
  ToolDescription description;
  // The call ends immediately, or as soon as the job that it stops has ended. It does not wait behind ordinary calls.
  bool is_urgent = false;
  // The tool may take longer than a client waits: its call then becomes a job (jobs.h). Until the job ends, polls of
  // it show what was added to `reports`.
  bool may_become_job = false;
  // How a call is stopped when its client cancels it. When the server ends, all calls are stopped now.
  StopHow when_cancelled = StopHow::now;
  // Returns the result of tools/call: "content" and "isError" (results.h has text_result and refusal); null if the tool
  // has answered the call itself. The function runs on the call's thread, for many calls at the same time, and must end
  // early when call.stop asks for it. call.arguments is the JSON text of an object, as the client has sent it, without
  // `background`. What is added to `reports` is sent as progress. An exception is answered as an internal error.
  std::function<nlohmann::ordered_json(ClientCall& call, CallProgress::Reports& reports)> answer;
};

using ServerTools = std::vector<ServerTool>;

}  // namespace wtool::host::mcp
