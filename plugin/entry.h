// The C interface, which entry.cc implements once for all plugins of this project. Each plugin adds one file
// (shell_tools.cc, cluster/entry.cc). That file defines wtool_entry_v1, which points to these functions, and defines
// the functions at the end of this header.
#pragma once

#include <wtool/tool.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/config/fleet.h"
#include "engine/command_runner.h"
#include "tools/tool.h"

namespace wtool::entry {

wtool_status init(const wtool_host* host, wtool_blob* error) noexcept;
void deinit() noexcept;
std::uint32_t tool_count() noexcept;
const wtool_descriptor* tool_at(std::uint32_t index) noexcept;
wtool_status tool_new(wtool_view id, wtool_view config, const wtool_tool** out, wtool_blob* error) noexcept;

// Where the commands of a plugin run. It lives from init to deinit, longer than all sessions.
class Backend {
 public:
  virtual ~Backend() = default;

  // The runner for a tool with this configuration. Applies the fleet policy to the keys of `configuration` that only
  // the backend reads, and then removes these keys. nullptr: `problem` says why there is no runner.
  virtual std::shared_ptr<engine::CommandRunner> runner(std::string& configuration, const FleetPolicy& fleet,
                                                        std::string& problem) = 0;

  // A tool that exists only for callers that ask for its id; it is not offered. nullptr: no tool has this id.
  virtual const tools::Tool* hidden_tool(std::string_view) const { return nullptr; }
};

// ---- Each plugin defines these functions.

// The tools that the plugin offers.
std::span<const tools::Tool> offered_tools();

// The message about an id for which the plugin has no tool.
std::string no_such_tool(std::string_view id);

// `client` supervises commands on this machine and outlives the backend. An exception becomes the error of init.
std::unique_ptr<Backend> make_backend(const wtool_host& host, engine::WardenClient& client);

}  // namespace wtool::entry
