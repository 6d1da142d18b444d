// The plugin's tools for one call of a client that itself makes many calls, such as a run of a workflow.
//
// - Approvals are asked for through that call's client, on whatever thread needs them.
// - If the client can be asked only by answering the call, the first question suspends the call: running commands may
//   finish, no new ones begin, and then the run is stopped. The call that brings the reply continues from there.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "approval/question.h"
#include "base/stop.h"
#include "loader/tool_caller.h"
#include "mcp/call.h"

namespace wtool::host::mcp {

// Any thread may call any member.
class CallTools final : public ToolCaller {
 public:
  // Borrows all arguments. `stop` ends what the call does.
  CallTools(ToolCaller& tools, Approver& approver, ClientCall& call, Stop& stop)
      : tools_(tools), approver_(approver), call_(call), stop_(stop) {}

  bool has_tool(std::string_view id) const override { return tools_.has_tool(id); }
  std::string unknown_tool(std::string_view id) const override { return tools_.unknown_tool(id); }
  std::string input_schema(std::string_view id) const override { return tools_.input_schema(id); }
  ToolOutcome call(std::string_view id, const nlohmann::json& arguments, Stop& stop, const OutputSink& output) override;
  ToolOutcome call_at(const CallPlace& place, std::string_view id, const nlohmann::json& arguments, Stop& stop,
                      const OutputSink& output, const StateSink& state) override;

  // Asks the person at the client whether to continue. Nothing: nobody can be asked, nobody has answered in
  // time, or a stop was requested.
  std::optional<bool> confirm(const std::string& question, Stop& stop);

  bool is_suspended() const;

 private:
  void stop_when_idle();  // with mutex_ held

  ToolCaller& tools_;
  Approver& approver_;
  ClientCall& call_;
  Stop& stop_;
  mutable std::mutex mutex_;
  int running_ = 0;  // tool calls that are running
  bool is_suspended_ = false;
};

}  // namespace wtool::host::mcp
