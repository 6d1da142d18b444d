// The plugin's end of one custodian (warden/custodian.h).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/descriptor.h"
#include "engine/outcome.h"
#include "engine/warden_process.h"
#include "warden/protocol.h"

namespace wtool::engine {

class SignalScope;

// After the grace period of an end, a custodian kills for 5 s. If it has not reported by then, it is itself in trouble.
constexpr std::chrono::milliseconds report_slack{7000};
// The time that SIGTERM gives to processes that are swept away, or must stop now.
constexpr std::chrono::milliseconds short_grace{50};
// How often keepers are continued, in case a command has stopped them, while nothing is heard from them.
constexpr std::chrono::milliseconds wake_interval{500};

// Serves one caller at a time. Can be moved but not copied, since it owns its socket.
struct Custodian {
  Descriptor socket;
  std::uint64_t number = 0;
  std::shared_ptr<WardenProcess> warden;
  // Both come with the custodian's first message; until then they are 0 and empty.
  pid_t process = 0;
  Descriptor handle;  // a pidfd
  // Set by WardenClient: the turn in which it was taken last, and whether no other custodian had a command then.
  std::uint64_t turn = 0;
  bool alone = false;
  // Set by WardenClient: no command has run since its own last one, after which it checked itself.
  bool checked = false;
  // It serves only the commands of this session; NULL: it serves any.
  std::shared_ptr<SignalScope> scope;

  // It ended without reading all that it was sent.
  bool left_unread = false;

  // Takes one message, which may fill only the first bytes of `report`. A message of the custodian about itself is
  // handled here, and header.kind is then `custodian_spawned`. After its last message: size 0 if it had read all that
  // it was sent, and otherwise -1 with ECONNRESET.
  warden::Received receive(warden::Report& report);

  // Call it before a start: the custodian ends if a command has changed what its children would inherit
  // (warden/own_state.h). False if the message cannot be sent.
  bool inspect() const;

  // Asks it to end its call: SIGTERM, then SIGKILL after `grace` for what is left. Does not wait. If the custodian is
  // gone, its socket says so.
  void send_end(std::uint64_t call, std::chrono::milliseconds grace) const;

  // SIGCONT to it and to its warden, in case a command has stopped them.
  void wake() const;

  // True while `process` is still its number.
  bool alive() const;
  // True if a signal has visibly stopped it.
  bool stopped() const;
  void kill() const;

  // True when it can be handed a call. It may still end at any moment.
  bool idle_and_alive();
};

// The first of `count` processes, as a message names them.
std::vector<ProcessName> names_of(const NamedProcess* named, std::size_t count);

}  // namespace wtool::engine
