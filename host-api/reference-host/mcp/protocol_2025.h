// The protocol of 2024 and 2025 (2024-11-05 to 2025-11-25): a session begins with initialize, and the server can send
// questions to its client. Two differences between the versions matter here: the two oldest have batches, and the
// newest has tasks.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/call.h"
#include "mcp/jobs.h"
#include "mcp/log_notifications.h"
#include "mcp/message.h"
#include "mcp/tool_methods.h"

namespace wtool::host::mcp {

// The versions with sessions, the latest first.
inline constexpr std::array<std::string_view, 4> session_versions{"2025-11-25", "2025-06-18", "2025-03-26",
                                                                  "2024-11-05"};

// The reply to a request: a line that is sent immediately, or a call that is answered later. Neither: the request is
// answered when a task ends.
struct Reply {
  std::string line;
  std::shared_ptr<ClientCall> call;
};

// What the server tells a client about itself, in either protocol.
struct About {
  std::string version;           // of the program
  std::string policy;            // what commands can do, in words for models; empty: models are not told
  bool questions_wait = false;   // for `wtool approve`, if the client shows no forms
  bool workflows_alone = false;  // no tool runs a command of the model's choice
};
nlohmann::ordered_json server_info(const About& about);
std::string instructions(const About& about, const ToolMethods& tools, bool client_shows_forms);

// The client's name for itself, from the member `key`; empty if the client sends none.
std::string client_name(const nlohmann::json& parent, std::string_view key);

// Only one thread may use an object of this class.
class Protocol2025 {
 public:
  // Borrows all objects that it gets by reference.
  Protocol2025(const ToolMethods& tools, Jobs& jobs, LogNotifications& logs, About about);

  Reply answer(const Message& request);

  // True if the version of the session has batches.
  bool takes_batches() const { return takes_batches_; }

 private:
  std::string initialize(const Message& request);
  std::string set_level(const Message& request);
  bool take_task(const Message& request, ClientCall& call, Error& error) const;

  const ToolMethods& tools_;
  Jobs& jobs_;
  LogNotifications& logs_;
  const About about_;
  std::string client_;  // its name
  bool initialized_ = false;
  bool can_be_asked_ = false;
  bool takes_batches_ = false;
  bool has_tasks_ = false;    // the version has tasks, and some tools can use them
  bool lists_tasks_ = false;  // has_tasks_, and the client supports tasks: the list of tools mentions them
};

}  // namespace wtool::host::mcp
