// A Command as the bytes that a custodian takes.
#pragma once

#include <cstdint>
#include <string>

#include "engine/command.h"
#include "engine/limits.h"
#include "warden/protocol.h"

namespace wtool::engine {

class StartRequest {
 public:
  StartRequest(const Command& command, const Limits& limits);

  // Sends it, with the command's stdout, stderr and directory, and the ruleset of its sandbox. The number of the call,
  // never 0; 0 with errno when the custodian is gone or the text is larger than any command may be (E2BIG).
  std::uint64_t send(int socket, const int (&descriptors)[3]) const;

 private:
  warden::Start start_{};
  int ruleset_ = -1;
  std::string text_;
};

}  // namespace wtool::engine
