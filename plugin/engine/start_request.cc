#include "engine/start_request.h"

#include <atomic>
#include <cerrno>
#include <cstring>

namespace wtool::engine {

StartRequest::StartRequest(const Command& command, const Limits& limits) {
  std::size_t size = command.shell.size() + 1;
  if (command.sandbox != nullptr) size += command.sandbox->message.size();
  for (const auto* list : {&command.paths, &command.arguments, &command.variables}) {
    for (const std::string& text : *list) size += text.size() + 1;
  }
  text_.reserve(size);
  for (const auto* list : {&command.paths, &command.arguments, &command.variables}) {
    for (const std::string& text : *list) text_.append(text.c_str(), text.size() + 1);
  }
  text_.append(command.shell.c_str(), command.shell.size() + 1);
  if (command.sandbox != nullptr) {
    text_ += command.sandbox->message;
    start_.sandbox_bytes = static_cast<std::uint32_t>(command.sandbox->message.size());
    ruleset_ = command.sandbox->ruleset;
  }
  start_.paths = static_cast<std::uint32_t>(command.paths.size());
  start_.arguments = static_cast<std::uint32_t>(command.arguments.size());
  start_.variables = static_cast<std::uint32_t>(command.variables.size());
  start_.limits = {limits.cpu_seconds, limits.memory_bytes, limits.file_bytes, limits.processes, limits.open_files};
}

std::uint64_t StartRequest::send(int socket, const int (&descriptors)[3]) const {
  if (text_.size() > warden::max_text) {
    errno = E2BIG;
    return 0;
  }
  static std::atomic<std::uint64_t> last_call{0};
  warden::Start start = start_;
  start.header = {warden::Kind::start, 0, ++last_call};
  start.text_bytes = static_cast<std::uint32_t>(text_.size());

  char buffer[warden::max_message];
  std::size_t sent = std::min(text_.size(), sizeof buffer - sizeof start);
  std::memcpy(buffer, &start, sizeof start);
  std::memcpy(buffer + sizeof start, text_.data(), sent);
  const int all[] = {descriptors[0], descriptors[1], descriptors[2], ruleset_};
  if (!warden::send_message(socket, buffer, sizeof start + sent, all, ruleset_ < 0 ? 3 : 4)) return 0;

  warden::Header more = start.header;
  more.kind = warden::Kind::more;
  while (sent < text_.size()) {
    const std::size_t part = std::min(text_.size() - sent, sizeof buffer - sizeof more);
    std::memcpy(buffer, &more, sizeof more);
    std::memcpy(buffer + sizeof more, text_.data() + sent, part);
    if (!warden::send_message(socket, buffer, sizeof more + part)) return 0;
    sent += part;
  }
  return start.header.call;
}

}  // namespace wtool::engine
