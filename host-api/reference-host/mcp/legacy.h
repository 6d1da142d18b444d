// The older era of the protocol (2025-06-18 and 2025-11-25): a session that begins with initialize, and whose client
// can be asked.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/call.h"
#include "mcp/log_news.h"
#include "mcp/message.h"
#include "mcp/tool_methods.h"

namespace wtool::host::mcp {

inline constexpr std::array<std::string_view, 2> legacy_versions{"2025-11-25", "2025-06-18"};  // the latest first

// What is said to a request: a line at once, or a call that answers later.
struct Reply {
  std::string line;
  std::shared_ptr<Call> call;
};

// How the program names itself, in whatever era.
nlohmann::ordered_json server_info(std::string_view version);

// For the models that use the tools.
std::string_view instructions();

// One thread.
class Legacy {
 public:
  // Borrows all.
  Legacy(const ToolMethods& tools, LogNews& logs, std::string version);

  Reply answer(const Message& request);

 private:
  std::string initialize(const Message& request);
  std::string set_level(const Message& request);

  const ToolMethods& tools_;
  LogNews& logs_;
  const std::string version_;
  bool initialized_ = false;
  bool can_be_asked_ = false;
};

}  // namespace wtool::host::mcp
