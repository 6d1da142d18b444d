// Fuzzes warden/start_message.h. The input is what a custodian is sent to start a command: the number of descriptors, a
// Start, then its `more` messages, each with two bytes of length before it. Whatever the bytes are, a message is
// accepted or refused; in an accepted one, each text of the plan lies within the message.
// One input in: 100
#include "warden/start_message.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "fuzz/require.h"

namespace {

using namespace wtool::warden;

using wtool::test::require;

// Reads every byte of the texts: if one of them does not end within the message, the sanitizer reports it.
std::size_t read_all(char* const* texts) {
  std::size_t bytes = 0;
  for (; *texts != nullptr; ++texts) bytes += std::strlen(*texts);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const char* rest = reinterpret_cast<const char*>(data);
  std::size_t left = size;
  const auto next = [&](std::size_t most) {
    const std::size_t wanted =
        left < 2 ? 0 : static_cast<unsigned char>(rest[0]) * 256U + static_cast<unsigned char>(rest[1]);
    const std::size_t skipped = std::min<std::size_t>(left, 2);
    const std::size_t length = std::min({wanted, left - skipped, most});
    const char* at = rest + skipped;
    rest = at + length;
    left -= skipped + length;
    return std::string_view(at, length);
  };
  if (size < 2) return 0;
  // The number of descriptors that come with the first message.
  const std::size_t descriptors = data[0] % (max_descriptors + 1);
  ++rest;
  --left;
  const std::string_view first = next(max_message);
  Received received;
  received.size = static_cast<ssize_t>(first.size());
  received.descriptor_count = descriptors;
  for (std::size_t i = 0; i < descriptors; ++i) received.descriptors[i] = ::open("/dev/null", O_RDWR | O_CLOEXEC);

  int pair[2];
  require(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
  for (int messages = 0; messages < 4 && left > 2; ++messages) {
    const std::string_view more = next(max_message);
    if (!more.empty()) ::send(pair[0], more.data(), more.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  ::close(pair[0]);  // A reader that waits for another message sees the end.

  StartMessage message;
  if (message.receive(pair[1], first.data(), received)) {
    const SpawnPlan plan = message.plan();
    require(plan.paths[0] != nullptr && plan.arguments[0] != nullptr && plan.shell != nullptr);
    require(read_all(plan.paths) + read_all(plan.arguments) + read_all(plan.variables) + std::strlen(plan.shell) <
            size);
  }
  message.finish();
  ::close(pair[1]);
  return 0;
}
