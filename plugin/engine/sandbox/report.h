// What a sandbox reports about one command.
#pragma once

#include <string>
#include <vector>

#include "engine/sandbox/put_aside.h"

namespace wtool::engine {

struct SandboxReport {
  // The parts that were active: landlock, scopes (signals and abstract sockets), seccomp, network, protected_names.
  std::vector<std::string> enforced;
  std::vector<std::string> lifted;        // parts that were off only for this command: network
  std::vector<std::string> not_enforced;  // "protected_names: why"
  std::vector<std::string> refused;       // "a write outside /site: /etc/x"
  // Paths: first the names that were made, then what has changed, then the first files in folders that were made. So
  // nobody hides a name behind many files.
  std::vector<std::string> protected_changed;
  std::size_t protected_left_out = 0;  // how many other files these folders have
  std::vector<PutAside> put_aside;     // the attempts to put aside what was added to repositories
};

// Why nothing was run.
struct SandboxRefusal {
  std::string code;  // configuration_invalid, policy_denied, spawn_failed
  std::string message;
  std::string hint;
};

}  // namespace wtool::engine
