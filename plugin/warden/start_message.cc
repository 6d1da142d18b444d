#include "warden/start_message.h"

#include <cstring>
#include <utility>

namespace wtool::warden {

namespace {

// Room for a usual command with its environment.
constexpr std::size_t kept_text = 256UL * 1024;

}  // namespace

bool StartMessage::receive(int socket, const char* bytes, const Received& received) {
  // The descriptors are taken first, so that they are closed even if the message is malformed.
  standard_output_ = Descriptor(received.descriptors[0]);
  standard_error_ = Descriptor(received.descriptors[1]);
  directory_ = Descriptor(received.descriptors[2]);
  ruleset_ = Descriptor(received.descriptors[3]);
  standard_input_ = Descriptor(received.descriptors[4]);
  const auto size = static_cast<std::size_t>(received.size);
  if (size < sizeof(Start) || received.descriptor_count < 3) return false;
  std::memcpy(&start_, bytes, sizeof start_);
  // Standard input comes last, even if the ruleset before it is missing.
  if (start_.has_input != 0 && !standard_input_) std::swap(standard_input_, ruleset_);
  if ((start_.has_input != 0) != static_cast<bool>(standard_input_)) return false;
  if (start_.has_terminal != 0 && start_.has_input == 0) return false;
  if (start_.text_bytes == 0 || start_.text_bytes > max_text || size - sizeof(Start) > start_.text_bytes) return false;
  text_.resize(start_.text_bytes);
  std::size_t have = size - sizeof(Start);
  std::memcpy(text_.data(), bytes + sizeof(Start), have);
  char buffer[max_message];
  while (have < start_.text_bytes) {
    const Received more = receive_message(socket, buffer, sizeof buffer);
    Header header;
    if (more.size < static_cast<ssize_t>(sizeof header)) return false;
    std::memcpy(&header, buffer, sizeof header);
    const std::size_t part = static_cast<std::size_t>(more.size) - sizeof header;
    if (header.kind != Kind::more || part > start_.text_bytes - have) return false;
    std::memcpy(text_.data() + have, buffer + sizeof header, part);
    have += part;
  }
  return lay_out();
}

// pointers_: paths NULL | spare arguments NULL | variables NULL | shell. The spare is needed for ENOEXEC (spawn.cc).
bool StartMessage::lay_out() {
  const std::size_t strings = std::size_t{start_.paths} + start_.arguments + start_.variables + 1;
  if (start_.sandbox_bytes > text_.size()) return false;
  const std::size_t size = text_.size() - start_.sandbox_bytes;
  if (start_.paths == 0 || start_.arguments == 0 || strings > size || text_[size - 1] != '\0') return false;
  if (!sandbox_.lay_out(text_.data() + size, start_.sandbox_bytes)) return false;
  // A ruleset without its sandbox would not be applied.
  if (ruleset_ && start_.sandbox_bytes == 0) return false;
  pointers_.clear();
  pointers_.reserve(strings + 4);
  char* at = text_.data();
  const char* const end = at + size;
  const auto take = [&](std::uint32_t count) {
    for (; count > 0 && at < end; --count) {
      pointers_.push_back(at);
      at += std::strlen(at) + 1;
    }
    return count == 0;
  };
  if (!take(start_.paths)) return false;
  pointers_.push_back(nullptr);
  pointers_.push_back(nullptr);
  if (!take(start_.arguments)) return false;
  pointers_.push_back(nullptr);
  if (!take(start_.variables)) return false;
  pointers_.push_back(nullptr);
  return take(1) && at == end;
}

SpawnPlan StartMessage::plan() {
  SpawnPlan plan;
  plan.paths = pointers_.data();
  plan.arguments = pointers_.data() + start_.paths + 2;
  plan.variables = plan.arguments + start_.arguments + 1;
  plan.shell = pointers_.back();
  plan.standard_input = standard_input_.get();
  plan.standard_output = standard_output_.get();
  plan.standard_error = standard_error_.get();
  plan.has_terminal = start_.has_terminal != 0;
  plan.directory = directory_.get();
  plan.limits = start_.limits;
  if (start_.sandbox_bytes != 0) plan.sandbox = &sandbox_.plan(ruleset_.get(), directory_.get());
  return plan;
}

void StartMessage::finish() {
  standard_output_.reset();
  standard_error_.reset();
  directory_.reset();
  ruleset_.reset();
  standard_input_.reset();
  if (text_.capacity() > kept_text) {
    // An assignment of {} would clear them but keep their memory.
    text_ = std::vector<char>();
    pointers_ = std::vector<char*>();
  }
}

}  // namespace wtool::warden
