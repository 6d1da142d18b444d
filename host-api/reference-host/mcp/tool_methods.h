// What both protocols share about tools: the list, page by page, and how a request becomes a call.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "loader/plugin.h"
#include "mcp/call.h"
#include "mcp/message.h"
#include "mcp/results.h"
#include "mcp/server_tools.h"

namespace wtool::host::mcp {

// Only one thread may use an object of this class.
class ToolMethods {
 public:
  static constexpr std::size_t usual_page = 100;

  struct Settings {
    std::vector<std::string> served{};      // names of the tools that the client may use; empty: all
    std::vector<std::string> not_served{};  // names of the tools that it may not use all the same
    ResultStyle style = ResultStyle::text;
    std::string shell = "/bin/sh";  // runs the command lines of shell_execute
    std::size_t page = usual_page;
  };
  // Borrows `plugin` and `server_tools`. The tools of the server are listed after those of the plugin.
  ToolMethods(const Plugin& plugin, const ServerTools& server_tools, Settings settings);

  // {"tools": [...]}, with "nextCursor" if more follow. `shows_tasks`: each tool says whether its calls may be tasks.
  // Nothing: `error` says why.
  std::optional<nlohmann::ordered_json> list(const nlohmann::json& params, Error& error,
                                             bool shows_tasks = false) const;

  // True if calls of at least one tool may become jobs, and therefore tasks.
  bool has_lasting_tool() const;

  // True if a tool of this name can be called.
  bool has(std::string_view name) const { return find(name) != nullptr; }
  // The parameters of the tool that runs commands, as parameters_with_background() says.
  std::vector<std::string> command_parameters() const;

  // The call of a tools/call request; nullptr: `error` says why. Arguments must be an object; the tool checks the rest.
  std::shared_ptr<ClientCall> call(const Message& request, Error& error) const;

 private:
  struct Tool {
    const ToolDescription* description = nullptr;
    const ServerTool* server_tool = nullptr;  // nullptr: it is a tool of the plugin
  };

  void add(const Tool& tool);
  const Tool* find(std::string_view name) const;
  std::string unknown_tool(const std::string& name) const;

  const Settings settings_;
  std::vector<Tool> tools_;  // those that are served, in the order of the list
};

// The member of an object. nullptr: it has none of this name, the member is null, or this is not an object. Some clients
// send null for what they leave out.
const nlohmann::json* member(const nlohmann::json& object, std::string_view name);

}  // namespace wtool::host::mcp
