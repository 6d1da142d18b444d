// A scope keeper: the process from which the custodians of one terminal session inherit a Landlock domain. The
// session's sandboxed commands can signal each other's processes, but no process outside the domain.
//
// Contract:
// - It is forked from the warden and never calls exec. It enters a domain that restricts only signals and abstract
//   sockets. Access to files is restricted for each command separately.
// - It runs no command. On request, it makes a custodian that is also in the domain. Like every custodian, this one is
//   a child of the warden. Everything that it starts is in the domain and cannot leave it.
// - It ends when its socket is closed, when the host or the warden is gone, or when a command has changed it
//   (own_state.h).
//
// Hazard: a command of the session can signal this process and the session's custodians, but not the warden. The warden
// kills the tree of a custodian that was killed, and continues one that was stopped.
#pragma once

#include "base/descriptor.h"
#include "warden/custodian.h"

namespace wtool::warden {

// Serves until it quits. `ruleset`: a Landlock ruleset that has only scopes.
[[noreturn]] void run_scope_keeper(const CustodianStation& station, Descriptor ruleset);

}  // namespace wtool::warden
