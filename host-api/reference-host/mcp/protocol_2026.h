// The protocol of 2026 (2026-07-28): it has no sessions, every request names its version and its client's capabilities,
// and the server sends no requests. If a call needs an approval, its answer is the question, and the client repeats the
// call with the reply.
#pragma once

#include <string>

#include "mcp/call.h"
#include "mcp/log_notifications.h"
#include "mcp/message.h"
#include "mcp/protocol_2025.h"
#include "mcp/request_state.h"
#include "mcp/tool_methods.h"

namespace wtool::host::mcp {

// Only one thread may use an object of this class, except that any thread may call answer_call() and complete().
class Protocol2026 {
 public:
  // Borrows all objects that it gets by reference.
  Protocol2026(const ToolMethods& tools, LogNotifications& logs, About about);

  // True if the request says that it uses this protocol.
  static bool is_spoken_by(const Message& request);

  Reply answer(const Message& request);

  // The line that answers a call: with `result`, with a question, or with an error if nobody can be asked. Any thread
  // may call this.
  std::string answer_call(const ClientCall& call, nlohmann::ordered_json result);

  // The line that answers a request with `result`. Any thread may call this.
  std::string complete(std::string_view id, nlohmann::ordered_json result) const;

 private:
  Reply call_tool(const Message& request, const nlohmann::json& meta);
  bool take_answer(const Message& request, ClientCall& call, Error& error);

  const ToolMethods& tools_;
  LogNotifications& logs_;
  const About about_;
  RequestStates request_states_;
};

}  // namespace wtool::host::mcp
