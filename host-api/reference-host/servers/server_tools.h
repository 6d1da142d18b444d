// The tools of a run: those of the plugin, and those of the servers in `mcp_servers`.
//
// For each call of a server's tool, the server is started as a command of shell_execute, called, and ended together
// with everything that it has started. A server is therefore treated like every command: policy judges its command, the
// call's limits and the sandbox apply to it, a stop or a timeout ends it, and the audit trail records it. Its state is
// lost after the call.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "loader/tool_caller.h"
#include "servers/catalog.h"

namespace wtool::host::servers {

class ServerTools final : public ToolCaller {
 public:
  // `plugin` and `catalog` must outlive this object.
  ServerTools(ToolCaller& plugin, const Catalog& catalog) : plugin_(plugin), catalog_(catalog) {}

  bool has_tool(std::string_view id) const override;
  std::string unknown_tool(std::string_view id) const override;
  std::string input_schema(std::string_view id) const override;
  std::string unreadable_schema(std::string_view id) const override;
  ToolOutcome call(std::string_view id, const nlohmann::json& arguments, Stop& stop, const OutputSink& output) override;
  ToolOutcome call_at(const CallPlace& place, std::string_view id, const nlohmann::json& arguments, Stop& stop,
                      const OutputSink& output, const StateSink& state) override;
  ToolOutcome call_lasting(const CallPlace& place, std::string_view id, const nlohmann::json& arguments, Stop& stop,
                           const OutputSink& output, const StateSink& state) override;

 private:
  ToolCaller& plugin_;
  const Catalog& catalog_;
};

// Asks a server what it offers. Nothing: `problem` says why.
std::optional<Offer> offer_of(ToolCaller& plugin, const std::string& server, const Settings& settings, Stop& stop,
                              const ToolCaller::OutputSink& output, std::string& problem);

// The call that would start the server, for checks that do not start it.
nlohmann::json call_of(const Settings& settings);
// Where the server's command runs if its tool is called at `place`: on this machine, with the stricter limits of both.
CallPlace place_of(const Settings& settings, CallPlace place);

// Why `tools` in the server's settings forbids the tool; empty: it does not.
std::string refusal(const Catalog::Found& found);

}  // namespace wtool::host::servers
