// A scope keeper: the process that holds the Landlock domain of one terminal session, so that the session's sandboxed
// commands can signal each other's processes, and nobody outside.
//
// Contract:
// - Forked from the warden and never exec'd. It enters a domain that scopes signals and abstract sockets, and nothing
//   else; what may be done with files is each command's own.
// - It runs no command. When told to, it makes a custodian that is in the domain as well, and a child of the warden, as
//   every custodian is. What that starts is in the domain too, and can leave it by no means.
// - It ends when its socket is closed, or the host or the warden is gone.
//
// Hazard: a command of the session can signal this process and the session's custodians. The warden, which ends what a
// killed custodian had, and continues one that was stopped, is out of its reach.
#pragma once

#include "base/descriptor.h"
#include "warden/custodian.h"

namespace wtool::warden {

// Serves until the end. `ruleset`: Landlock's, with scopes alone.
[[noreturn]] void run_scope_keeper(const CustodianStation& station, Descriptor ruleset);

}  // namespace wtool::warden
