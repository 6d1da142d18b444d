// The Landlock ruleset of a sandbox: which files, TCP ports and other processes a command may reach.
//
// Rules can only add permissions, so they cannot exclude a part of a root. protected_names.h does that.
#pragma once

#include <string>

#include "base/descriptor.h"
#include "engine/sandbox/roots.h"

namespace wtool::engine {

// Where the limits on signals and on connections to abstract sockets come from. `own`: from this ruleset, for this
// command alone. `outside`: from the scope in which the command already runs (make_scope).
enum class Scopes { own, outside };

// A ruleset with everything that ABI version `abi` (at least 1) can handle. Empty on failure; `error` is then a
// sentence.
Descriptor make_ruleset(const Roots& roots, bool network, int abi, std::string& error, Scopes scopes = Scopes::own);

// A ruleset that has only scopes, shared by the commands of a session. Empty, with `error`, on failure.
Descriptor make_scope(std::string& error);

}  // namespace wtool::engine
