// Starts one command as a child of this process, by vfork.
#pragma once

#include <sys/types.h>

#include "warden/protocol.h"
#include "warden/sandbox_child.h"

namespace wtool::warden {

// Everything that the child needs, made before the fork, because the child allocates nothing.
struct SpawnPlan {
  char* const* paths = nullptr;  // Files to try, NULL-terminated.
  char** arguments = nullptr;    // argv, NULL-terminated; a spare element is *before* arguments[0], for ENOEXEC.
  char* const* variables = nullptr;
  char* shell = nullptr;  // The shell that runs an executable file of unknown format (ENOEXEC).
  int standard_input = -1;
  int standard_output = -1;
  int standard_error = -1;
  bool has_terminal = false;  // Standard input is a terminal, and becomes the controlling one.
  int directory = -1;
  int cgroup = -1;  // the directory of the cgroup to start in; -1: the command stays in the custodian's
  ProtocolLimits limits{};
  SandboxPlan* sandbox = nullptr;  // The command's sandbox; nullptr: none.
};

// Returns the child's number. On failure, returns -1 with the stage in `failure`, and no child is left.
pid_t spawn(const SpawnPlan& plan, SpawnFailure& failure);

}  // namespace wtool::warden
