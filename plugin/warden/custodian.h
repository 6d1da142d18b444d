// A custodian: a process that serves one call at a time, and is responsible for all processes of that call.
//
// Contract:
// - It is forked from the warden, never calls exec and never returns. It ends when told to retire, when its socket, the
//   host or the warden is gone, or when a command has changed it (own_state.h).
// - Once it has entered the filter of a sandbox (SandboxPart), it ends if it is asked to start a command that does not
//   have this filter.
// - It is a subreaper: whatever a command starts, including orphans and daemons, eventually becomes its child. It
//   reports a call only when wait(2) says that nothing is left (or after 5 s of SIGKILL; the report then names what did
//   not die).
// - The plugin reads the command's output, enforces time limits and does all parsing. The custodian only reads and
//   discards what kept processes write.
#pragma once

#include <cstdint>

#include "warden/own_state.h"

namespace wtool::warden {

// What a custodian inherits from the warden. Descriptors stay open for the custodian's whole life.
struct CustodianStation {
  int socket = -1;                  // the custodian's socket to the plugin
  int host = -1;                    // a pidfd of the host
  int warden = -1;                  // a pidfd of the warden
  int null_device = -1;             // /dev/null, for commands' stdin
  int cgroup_base = -1;             // the directory to make cgroups in; -1: none
  const OwnState* state = nullptr;  // the warden's, at its start; a custodian whose state differs takes no more calls
  bool in_scope = false;            // made by a scope keeper (warden/scope_keeper.h), and in its domain
};

// Serves calls until it quits.
[[noreturn]] void run_custodian(const CustodianStation& station);

// Continues the warden (SIGCONT) and then ends the calling custodian or scope keeper. A command may have stopped the
// warden after the host's end, or while the warden was shutting down. That command is dead by now, and perhaps no other
// process is left to continue the warden.
[[noreturn]] void quit(const CustodianStation& station);

// Reports on `socket` that its custodian could not be made. No other message follows.
void tell_not_spawned(int socket, int error);

// How long SIGKILL is repeated before a process is reported as unkillable.
constexpr std::int64_t unkillable_after_ms = 5000;
// The grace period when the host is gone and cannot choose one.
constexpr std::int64_t orphaned_grace_ms = 250;

}  // namespace wtool::warden
