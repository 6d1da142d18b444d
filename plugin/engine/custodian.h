// The plugin's end of one custodian (warden/custodian.h).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "engine/outcome.h"
#include "engine/warden_process.h"
#include "warden/protocol.h"

namespace wtool::engine {

class SignalScope;

// How long the report may take after the grace period of an End message. A custodian reports after at most 5 s of
// SIGKILL, so one that has not reported after 7 s is itself in trouble.
constexpr std::chrono::milliseconds report_slack{7000};
// The time between SIGTERM and SIGKILL for processes that have outlived their command, or that must stop now.
constexpr std::chrono::milliseconds short_grace{50};
// How often SIGCONT is sent to keepers that are silent, in case a command has stopped them.
constexpr std::chrono::milliseconds wake_interval{500};

// Serves one caller at a time. Can be moved but not copied, since it owns its socket.
struct Custodian {
  Descriptor socket;
  std::uint64_t number = 0;
  std::shared_ptr<WardenProcess> warden;
  // Set by the custodian's first message. Until then, `process` is 0 and `handle` is empty.
  pid_t process = 0;
  Descriptor handle;  // a pidfd
  // Set by WardenClient: the turn in which this custodian was last taken, and whether it was then the only custodian in
  // use. If it was not, it need not check itself after its command, because it is asked to do so before the next one.
  std::uint64_t turn = 0;
  bool alone = false;
  // Set by WardenClient: this custodian checked itself after its last command, and no command has run since.
  bool checked = false;
  // The filter of system calls that this custodian has entered: it serves only commands that share this filter. Empty:
  // it serves any command.
  std::string filter;
  // The custodian serves only the commands of the session with this scope; nullptr: it serves any command.
  std::shared_ptr<SignalScope> scope;

  // The custodian ended without reading everything that it was sent.
  bool left_unread = false;

  // True if this custodian can serve a command that can share this filter (Confinement::shared_filter).
  bool accepts(std::string_view shared_filter) const { return filter.empty() || filter == shared_filter; }

  // Receives one message, which may fill only the first bytes of `report`. A message with the custodian's own process
  // number is handled here, and header.kind is then `custodian_spawned`. After the custodian's last message, the size
  // is 0 if the custodian had read everything that it was sent, and otherwise -1 with ECONNRESET.
  warden::Received receive(warden::Report& report);

  // Call it before a start: the custodian ends if a command has changed what the custodian's children would inherit
  // (warden/own_state.h). False if the message cannot be sent.
  bool inspect() const;

  // Asks the custodian to end its call: SIGTERM, and after `grace` SIGKILL for the remaining processes. Does not wait.
  // If the custodian is gone, its socket shows that.
  void send_end(std::uint64_t call, std::chrono::milliseconds grace) const;
  // The same without wake(), so that another thread may call it while this custodian is in use.
  void tell_end(std::uint64_t call, std::chrono::milliseconds grace) const;

  // Sends SIGCONT to the custodian, its warden, and a command's process that has not executed its program yet, in case
  // some command has stopped them.
  void wake() const;

  // True while the custodian lives, so `process` is still its number.
  bool alive() const;
  // True if /proc shows that a signal has stopped the custodian.
  bool stopped() const;
  void kill() const;

  // True if the custodian can be handed a call. It may still end at any moment.
  bool idle_and_alive();
};

// The processes that a message names: the first max_named of `count`.
std::vector<ProcessName> names_of(const NamedProcess* named, std::size_t count);

}  // namespace wtool::engine
