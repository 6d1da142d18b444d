#include "mcp/server.h"

#include <utility>

#include "mcp/message.h"
#include "mcp/results.h"

namespace wtool::host::mcp {

Server::Server(const Plugin& plugin, Toolbox& toolbox, Elicitation& elicitation, Output& output,
               ServerSettings settings)
    : toolbox_(toolbox),
      elicitation_(elicitation),
      output_(output),
      settings_(std::move(settings)),
      tools_(plugin, toolbox, settings_.tools),
      logs_(plugin.tracing(), output),
      protocol_2025_(tools_, logs_, settings_.version),
      protocol_2026_(tools_, logs_, settings_.version),
      progress_(output),
      calls_(
          settings_.max_calls, [this](Call& call) { return run(call); },
          [this](std::string line) { output_.send(std::move(line)); }) {}

bool Server::serve(Input& input) {
  std::string line;
  while (true) {
    switch (input.next(line)) {
      case Input::Next::line:
        take(line);
        break;
      case Input::Next::too_long:
        output_.send(
            error_line({}, {invalid_request, "the message is longer than " + std::to_string(settings_.message_bytes) +
                                                 " bytes (mcp.message_bytes), and was skipped"}));
        break;
      case Input::Next::end:
      case Input::Next::woken:
        return true;
      case Input::Next::failed:
        return false;
    }
  }
}

void Server::end(const std::string& reason) { calls_.end(reason); }

void Server::take(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  const Message message = read_message(line);
  switch (message.kind) {
    case Message::Kind::request:
      return take_request(message);
    case Message::Kind::notification:
      return take_notification(message);
    case Message::Kind::response:
      return elicitation_.take(message);
    case Message::Kind::invalid:
      return output_.send(error_line(message.id, message.error));
  }
}

void Server::take_request(const Message& request) {
  Reply reply = Protocol2026::is_spoken_by(request) ? protocol_2026_.answer(request) : protocol_2025_.answer(request);
  if (!reply.call) return output_.send(std::move(reply.line));
  switch (calls_.add(std::move(reply.call))) {
    case Calls::Added::yes:
      return;
    case Calls::Added::id_in_use:
      // Without the id: with it, this would be the answer to the call that has it.
      return output_.send(error_line({}, {invalid_request, "the id " + request.id + " is that of a call that runs"}));
    case Calls::Added::too_many:
      return output_.send(error_line(request.id, {server_busy, "too many calls wait already; try again later"}));
  }
}

void Server::take_notification(const Message& notification) {
  if (notification.method != "notifications/cancelled") return;
  const nlohmann::json* id = member(notification.body, "requestId");
  const std::optional<std::string> text = id == nullptr ? std::nullopt : id_text(*id);
  if (!text) return;
  const nlohmann::json* reason = member(notification.body, "reason");
  calls_.cancel(*text, reason != nullptr && reason->is_string() ? reason->get<std::string>()
                                                                : "the client has cancelled the call");
}

std::string Server::run(Call& call) {
  TextOutcome outcome;
  {
    Progress::Reports reports(progress_, call.progress_token);
    ToolCaller::OutputSink sink;
    if (!call.progress_token.empty()) {
      sink = [&reports](OutputStream stream, std::string_view bytes) { reports.take(stream, bytes); };
    }
    outcome = toolbox_.call_text(call.tool->id, call.arguments, call.stop, sink);
  }
  nlohmann::ordered_json result = call_result(*call.tool, outcome, settings_.output_bytes);
  return call.speaks_2026 ? protocol_2026_.answer_call(call, std::move(result)) : result_line(call.id, dumped(result));
}

}  // namespace wtool::host::mcp
