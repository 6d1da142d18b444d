// pty_send: types into the program in a terminal, and waits for what it shows.
#include <algorithm>
#include <utility>

#include "base/lasting.h"
#include "screen/keys.h"
#include "tools/parameters.h"
#include "tools/pty/reply.h"
#include "tools/tool.h"

namespace wtool::tools {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t max_text = 64UL * 1024;
constexpr std::size_t max_keys = 200;
// How long a program may take to read its input.
constexpr milliseconds time_to_take{5000};

constexpr std::string_view send_properties = R"("text": {"type": "string", "maxLength": 65536,
      "description": "Typed first, as it is; a line end is the key enter."},
    "keys": {"type": "array", "items": {"type": "string"}, "maxItems": 200,
      "description": "Typed next: enter, tab, escape, up, down, left, right, home, end, pageup, pagedown, backspace, delete, insert, space, f1 to f12, a character; each also with ctrl+, alt+ or shift+ in front, such as ctrl+c."},
    )";

class Send : public pty::TerminalCall {
 public:
  explicit Send(std::string_view arguments) {
    Parameters parameters(arguments);
    id_ = parameters.required_text("pty");
    text_ = parameters.content("text", max_text, "type it in parts, or have the program read a file")
                .value_or(std::string());
    const std::vector<std::string> names = parameters.texts("keys");
    waiting_.read(parameters);
    parameters.end({"pty", "text", "keys", "wait_for", "quiet_ms", "wait_ms"});
    problem_ = parameters.problem();
    if (problem_.empty() && names.size() > max_keys) {
      problem_ =
          "keys: got " + std::to_string(names.size()) + " keys; at most " + std::to_string(max_keys) + " are allowed";
    }
    for (std::size_t i = 0; i < names.size() && problem_.empty(); ++i) {
      if (auto key = screen::key_of(names[i])) {
        keys_.push_back(*std::move(key));
      } else {
        problem_ = "keys[" + std::to_string(i) + "]: there is no key " + dumped(Json(names[i])) + "; the keys are " +
                   std::string(screen::key_names());
      }
    }
  }

 protected:
  ToolResult act(Pty& pty, CallContext& context) override {
    const Pty::Mark before = pty.mark(waiting_.text);
    const auto deadline = deadline_of(context);
    std::string bytes;
    if (!text_.empty() || !keys_.empty()) {
      bytes = pty.bytes_of(text_, keys_);
      if (const std::string problem = record_typing(pty, bytes.size(), context); !problem.empty()) {
        return pty::refusal({"policy_denied", problem,
                             "nothing is typed unrecorded; to allow it, set audit.when_unwritable to continue"});
      }
      switch (pty.send(bytes, std::min(Pty::Clock::now() + time_to_take, deadline), context.cancellation)) {
        case Pty::Sent::all:
          break;
        case Pty::Sent::ended:
          return pty::refusal({"not_running",
                               "The program of " + id_ + " has ended, and has not read all that was typed",
                               "pty_read shows how it has ended; pty_start starts another one"});
        case Pty::Sent::not_taken:
          return pty::refusal(
              {"timed_out",
               "The program of " + id_ + " has not read all that was typed within " +
                   std::to_string(std::min(time_to_take, context.ceiling.value_or(time_to_take)).count()) + " ms",
               "it is busy or waits for something else; pty_read shows its screen, and the key ctrl+c "
               "may interrupt it"});
        case Pty::Sent::cancelled:
          return pty::cancelled(context);
      }
    }
    pty::Shown shown;
    shown.wanted = waiting_.text;
    shown.typed = !bytes.empty();
    if (waiting_.longest.count() > 0) {
      shown.seen = pty.wait(waiting_.wish(before, deadline, std::move(bytes)), context.cancellation);
    }
    if (shown.seen == Pty::Seen::cancelled) return pty::cancelled(context);
    return pty::show(pty, shown);
  }

 private:
  using Json = nlohmann::json;

  std::string text_;
  std::vector<screen::Key> keys_;
  pty::Waiting waiting_;
};

}  // namespace

Tool pty_send() {
  static const auto& input = lasting<std::string>(pty::schema(
      std::string(pty::id_property).append(", ").append(send_properties).append(pty::Waiting::properties), "\"pty\""));
  return {{"pty_send", "Type to a program in a terminal", "1.0.0",
           "Types text, then keys, to the program of a terminal, waits for what it shows, and shows the screen. "
           "Without text and keys, it only waits.",
           input, pty::output_schema},
          prepare<Send>};
}

}  // namespace wtool::tools
