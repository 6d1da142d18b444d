// What both protocols share about tools: the list, page by page, and a call as the client asks for it.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/plugin.h"
#include "loader/toolbox.h"
#include "mcp/call.h"
#include "mcp/message.h"
#include "mcp/results.h"

namespace wtool::host::mcp {

// One thread.
class ToolMethods {
 public:
  static constexpr std::size_t usual_page = 100;

  struct Settings {
    std::vector<std::string> served{};  // names of the tools that there are for the client; empty: all of the plugin's
    std::vector<std::string> hidden{};  // names of those that are not listed, but can be called
    ResultStyle style = ResultStyle::text;
    std::size_t page = usual_page;
  };
  // Borrows both.
  ToolMethods(const Plugin& plugin, const Toolbox& toolbox, Settings settings);

  // {"tools": [...]}, with "nextCursor" where there are more. Nothing: `error` says why.
  std::optional<nlohmann::ordered_json> list(const nlohmann::json& params, Error& error) const;

  // The call of a request tools/call; nullptr: `error` says why. Arguments are the tool's business, if only they are an
  // object.
  std::shared_ptr<Call> call(const Message& request, Error& error) const;

 private:
  const ToolDescription* find(std::string_view name) const;

  const Toolbox& toolbox_;
  const Settings settings_;
  std::vector<const ToolDescription*> tools_;   // that can be called
  std::vector<const ToolDescription*> listed_;  // of these
};

// The member of an object, or nullptr.
const nlohmann::json* member(const nlohmann::json& object, std::string_view name);

}  // namespace wtool::host::mcp
