// The Landlock ruleset of a sandbox: what of the file system, of TCP and of other processes a command may reach.
//
// Rules only ever add to what is allowed, so a part of a root cannot be taken out again: protected_names.h does that.
#pragma once

#include <string>

#include "base/descriptor.h"
#include "engine/sandbox/roots.h"

namespace wtool::engine {

// Whether the processes of a command may signal none but their own, and connect to no other's abstract sockets.
// outside: the command is in a scope already (make_scope), which holds that.
enum class Scopes { own, outside };

// A ruleset with all that ABI version `abi` (at least 1) can handle. None with `error`, a sentence.
Descriptor make_ruleset(const Roots& roots, bool network, int abi, std::string& error, Scopes scopes = Scopes::own);

// A ruleset of scopes alone, for the commands of a session together. None with `error`.
Descriptor make_scope(std::string& error);

}  // namespace wtool::engine
