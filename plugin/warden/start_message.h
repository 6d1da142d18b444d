// Receives the command of a Start, which may come in several messages, and lays it out for spawn.
#pragma once

#include <vector>

#include "base/descriptor.h"
#include "warden/protocol.h"
#include "warden/sandbox_child.h"
#include "warden/spawn.h"

namespace wtool::warden {

// Memory is kept from call to call, so that a usual call allocates nothing.
class StartMessage {
 public:
  // Takes over the first message, whose Start header is at `bytes`, and receives the rest from `socket`. False when the
  // message is malformed or the peer is gone.
  bool receive(int socket, const char* bytes, const Received& received);

  std::uint64_t call() const { return start_.header.call; }
  const ProtocolLimits& limits() const { return start_.limits; }
  bool tells_start() const { return start_.tells_start != 0; }
  std::int64_t deadline_ms() const { return start_.deadline_ms; }
  std::uint32_t grace_ms() const { return start_.grace_ms; }
  bool in_scope() const { return start_.in_scope != 0; }
  bool inspects_itself() const { return start_.inspects_itself != 0; }

  // Valid until the next receive. The descriptors of the plan are set, except for standard input if the command has
  // none of its own. The caller then sets it.
  SpawnPlan plan();

  // Call it once the command has been started, or has failed to start. Closes the command's descriptors, because the
  // pipes would otherwise never end, and frees an unusually large buffer.
  void finish();

 private:
  bool lay_out();

  Start start_{};
  std::vector<char> text_;
  std::vector<char*> pointers_;
  SandboxMessage sandbox_;
  Descriptor standard_output_, standard_error_, directory_, ruleset_, standard_input_;
};

}  // namespace wtool::warden
