// A custodian: a process that serves one call at a time, and is responsible for all processes of that call.
//
// Contract:
// - It is forked from the warden and never calls exec. It ends when told to retire, or when its socket, the host or the
//   warden is gone, and never by returning.
// - It is a subreaper: whatever a command starts, including orphans and daemons, becomes its child in the end. It
//   reports a call only when wait(2) says that nothing is left (or after 5 s of SIGKILL, naming what would not die).
// - It does not read the command's output (it only discards what kept processes write), knows no time limits, and
//   parses nothing. The plugin does all of that.
#pragma once

#include <cstdint>

#include "warden/own_state.h"

namespace wtool::warden {

// What a custodian inherits from the warden. Descriptors stay open for the custodian's whole life.
struct CustodianStation {
  int socket = -1;                  // its own, to the plugin
  int host = -1;                    // a pidfd of the host
  int warden = -1;                  // a pidfd of the warden
  int null_device = -1;             // /dev/null, for commands' stdin
  int cgroup_base = -1;             // the directory to make cgroups in; -1: none
  const OwnState* state = nullptr;  // the warden's at its start; a custodian that has another serves no more calls
  bool in_scope = false;            // made by a scope keeper (warden/scope_keeper.h), and in its domain
};

// Serves calls until it quits.
[[noreturn]] void run_custodian(const CustodianStation& station);

// Ends the calling custodian or scope keeper, but first continues the warden: a command may have stopped the warden
// after the host's end, or while the warden was leaving. The command is dead by now, and no other process may be left
// to continue the warden.
[[noreturn]] void quit(const CustodianStation& station);

// Reports on `socket` that its custodian could not be made. No other message follows.
void tell_not_spawned(int socket, int error);

// How long SIGKILL is repeated before a process counts as unkillable.
constexpr std::int64_t unkillable_after_ms = 5000;
// The grace period when the host is gone and nobody can choose another one.
constexpr std::int64_t orphaned_grace_ms = 250;

}  // namespace wtool::warden
