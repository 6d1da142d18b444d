// What this client sends to a server of the Model Context Protocol, and how it reads the answers: lines go in, lines
// come out. A conversation either calls one tool or lists the tools of the server, and is then over.
//
// A conversation can use both forms of the protocol: the one with sessions (2024-11-05 to 2025-11-25), and the one
// without sessions (2026-07-28). The second form is used if the server refuses `initialize`, or if it is the form that
// is pinned. Every request of the server is refused, except `ping`.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "servers/catalog.h"

namespace wtool::host::servers {

// Only one thread at a time may use an object of this class.
class Conversation {
 public:
  struct Call {
    std::string tool;
    nlohmann::json arguments;
  };
  // Gets a line without its newline. False: the server does not read, and too many bytes already wait for it.
  using Send = std::function<bool(std::string line)>;

  // Without a `call`, the tools are listed. `pinned`: the name and version that the server must have; nullptr: any are
  // accepted. `pinned` must outlive this object.
  Conversation(std::optional<Call> call, const Offer* pinned, Send send);

  void begin();
  // Text from the server for the log: a log message, or a line that is not a message of the protocol. Some servers print
  // such lines.
  struct Other {
    std::string text;
    bool is_message = true;
  };
  // Takes a line that the server has printed. The result has no text if the line is neither.
  Other take(std::string_view line);

  bool is_over() const { return over_; }
  // Why the conversation failed; empty: it has not failed.
  const std::string& problem() const { return problem_; }
  // The method of the last request, for a message that it was not answered: "tools/call".
  std::string awaited() const;
  // True if the server's name or version differs from the pinned one.
  bool is_other_server() const { return other_server_; }
  const Offer& offer() const { return offer_; }
  // What the tool has answered to the call.
  const nlohmann::json& result() const { return result_; }

  // The message to send before the server is ended in the middle of a call. Any thread may call this, even while other
  // members run.
  static std::string cancellation();

 private:
  enum class Waits { nothing, initialize, discover, list, call };

  void request(Waits waits, const char* method, nlohmann::json params);
  void answer(const nlohmann::json& message);
  void asked(const nlohmann::json& message);
  void initialized(const nlohmann::json& result);
  void discovered(const nlohmann::json& result);
  void introduced(std::string name, std::string version, std::string protocol);
  void listed(const nlohmann::json& result);
  void fail(std::string why);

  const std::optional<Call> call_;
  const Offer* const pinned_;
  const Send send_;
  Waits waits_ = Waits::nothing;
  std::string method_;            // of the last request
  std::string initialize_error_;  // what the server said when it refused initialize; empty: it has not refused
  int id_ = 0;
  int pages_ = 0;
  bool modern_ = false;
  bool over_ = false;
  bool other_server_ = false;
  std::string problem_;
  Offer offer_;
  nlohmann::json result_;
};

}  // namespace wtool::host::servers
