#include "engine/start_request.h"

#include <algorithm>
#include <atomic>
#include <cerrno>

namespace wtool::engine {

StartRequest::StartRequest(const Command& command, const Limits& limits, const Confinement* sandbox, bool in_scope) {
  std::size_t size = command.shell.size() + 1;
  if (sandbox != nullptr) size += sandbox->message.size();
  for (const auto* list : {&command.paths, &command.arguments, &command.variables}) {
    for (const std::string& text : *list) size += text.size() + 1;
  }
  text_.reserve(size);
  for (const auto* list : {&command.paths, &command.arguments, &command.variables}) {
    for (const std::string& text : *list) text_.append(text.c_str(), text.size() + 1);
  }
  text_.append(command.shell.c_str(), command.shell.size() + 1);
  if (sandbox != nullptr) {
    text_ += sandbox->message;
    start_.sandbox_bytes = static_cast<std::uint32_t>(sandbox->message.size());
    ruleset_ = in_scope ? sandbox->ruleset_in_scope : sandbox->ruleset;
    start_.in_scope = in_scope ? 1 : 0;
  }
  start_.paths = static_cast<std::uint32_t>(command.paths.size());
  start_.arguments = static_cast<std::uint32_t>(command.arguments.size());
  start_.variables = static_cast<std::uint32_t>(command.variables.size());
  static std::atomic<std::uint64_t> last_call{0};
  start_.header = {warden::Kind::start, 0, ++last_call};
  start_.text_bytes = static_cast<std::uint32_t>(text_.size());
  start_.limits = {limits.cpu_seconds, limits.memory_bytes, limits.file_bytes, limits.processes, limits.open_files, {}};
  static_assert(sizeof start_.limits.processors == sizeof limits.processors);
  std::copy(limits.processors.begin(), limits.processors.end(), start_.limits.processors);
}

void StartRequest::set_deadline(std::chrono::steady_clock::time_point deadline, std::chrono::milliseconds grace) {
  using std::chrono::milliseconds;
  start_.deadline_ms = std::chrono::ceil<milliseconds>(deadline.time_since_epoch()).count();
  start_.grace_ms = static_cast<std::uint32_t>(std::clamp<milliseconds::rep>(grace.count(), 0, UINT32_MAX));
}

StartRequest::Sending StartRequest::send(int socket, const int (&descriptors)[3], int input) {
  if (text_.size() > warden::max_text) {
    errno = E2BIG;
    return Sending::failed;
  }
  int all[warden::max_descriptors] = {descriptors[0], descriptors[1], descriptors[2]};
  std::size_t count = 3;
  for (const int further : {ruleset_, input}) {
    if (further >= 0) all[count++] = further;
  }
  start_.has_input = input >= 0 ? 1 : 0;
  const warden::Header more{warden::Kind::more, 0, start_.header.call};
  while (!begun_ || sent_ < text_.size()) {
    const std::size_t head = begun_ ? sizeof more : sizeof start_;
    const std::size_t part = std::min(text_.size() - sent_, warden::max_message - head);
    const bool done = begun_ ? warden::send_parts(socket, &more, head, text_.data() + sent_, part)
                             : warden::send_parts(socket, &start_, head, text_.data() + sent_, part, all, count);
    if (!done) return errno == EAGAIN || errno == ENOBUFS ? Sending::waiting : Sending::failed;
    begun_ = true;
    sent_ += part;
  }
  return Sending::complete;
}

}  // namespace wtool::engine
