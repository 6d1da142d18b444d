// What the pty tools share: how long a call waits for the screen, and the screen as a result.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "call/pty_calls.h"
#include "call/session_calls.h"
#include "screen/screen.h"
#include "tools/parameters.h"
#include "tools/tool.h"

namespace wtool::tools::pty {

using Json = nlohmann::ordered_json;

// The parameters wait_for, quiet_ms and wait_ms. `properties` is the part of a schema that describes them.
struct Waiting {
  std::string text;
  std::chrono::milliseconds quiet{200};
  std::chrono::milliseconds longest{1000};

  static constexpr std::string_view properties =
      R"("wait_for": {"type": "string", "minLength": 1,
      "description": "Wait until a line of the screen has this text. After typing, only text behind the cursor counts, without the echo; in full-screen programs, any text."},
    "quiet_ms": {"type": "integer", "minimum": 10, "maximum": 10000, "default": 200,
      "description": "Without wait_for: wait until something was shown, and then nothing for this long."},
    "wait_ms": {"type": "integer", "minimum": 0, "maximum": 60000,
      "description": "Wait no longer than this. Default: 1000, with wait_for 10000."})";

  void read(Parameters& parameters, std::chrono::milliseconds usual = std::chrono::milliseconds(1000));
  // What to wait for after `typed` was typed, at most until `deadline`, the host's deadline.
  Pty::Wish wish(const Pty::Mark& since, Pty::Clock::time_point deadline, std::string typed = {}) const;
};

// What a result shows besides the screen.
struct Shown {
  bool cells = false;
  std::size_t scrollback = 0;       // lines
  std::optional<Pty::Seen> seen{};  // if the call waited for something
  std::string wanted{};             // the text that it waited for
  bool typed = false;               // something was typed before
  std::string audit_error{};
};

extern const std::string_view output_schema;

// Shows the screen: as text, with one line about it, and as an object.
ToolResult show(Pty& pty, const Shown& shown);

// {"error": {"code", "message", "hint"}}, with the members of `more`.
ToolResult refusal(const CallError& error, const Json& more = Json::object());
// Like refusal(), but also records the refusal in the audit trail.
ToolResult recorded_refusal(const CallError& error, const Labels& labels, const CallContext& context);
// The recorded refusal of a call whose parameters are wrong.
ToolResult invalid(const std::string& problem, const Labels& labels, const CallContext& context);

// The result of a call that was cancelled.
ToolResult cancelled(const CallContext& context);

// What explain answers for a tool that starts nothing.
std::string explanation_of_look(const std::string& problem, const std::string& id, const Sessions& sessions);

// A call about one terminal. The constructors of derived classes read the name and the other parameters, and put what
// is wrong with them into `problem_`.
class TerminalCall : public PreparedCall {
 public:
  ToolResult run(CallContext& context) override;
  std::string explain(const Configuration& configuration, const Sessions& sessions) const override;

 protected:
  virtual ToolResult act(Pty& pty, CallContext& context) = 0;

  std::string id_;
  std::string problem_;
};

// One parameter, the name of a terminal.
constexpr std::string_view id_property =
    R"("pty": {"type": "string", "minLength": 1, "description": "As pty_start gave it, such as pty-1."})";

std::string schema(std::string_view properties, std::string_view required);

}  // namespace wtool::tools::pty
