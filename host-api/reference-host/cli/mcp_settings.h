// What `wtool mcp` takes from the configuration.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/login_environment.h"
#include "mcp/server.h"

namespace wtool::host {

struct McpSettings {
  mcp::ServerSettings server;
  std::optional<LoginShell> login_shell;  // whose environment is taken
};

// Call it when the policy is in force. `tools`: those that --tools names; empty: the tools that are useful with this
// configuration are listed. `is_open`: the policy is open, which needs no audit trail. Nothing: the reason is on stderr.
std::optional<McpSettings> read_mcp_settings(Context& context, const std::vector<std::string>& tools, bool is_open);

}  // namespace wtool::host
