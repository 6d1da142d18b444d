// Finds the base: the cgroup (version 2) in which custodians make a cgroup for each call, so that the kernel can limit
// the call's memory and processes.
//
// Contract:
// - Changes nobody's cgroup.subtree_control, and moves no process.
// - The base is the nearest suitable cgroup, from the host's own upwards: it delegates both controllers, `memory` and
//   `pids`, and this user may make a cgroup in it and move a process there. A cgroup that delegates controllers has no
//   processes of its own (except the root), so the kernel's rule against processes in inner cgroups is obeyed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"

namespace wtool::engine {

// The directories of the process's cgroup and of those above it, up to the root of the mount, innermost first. Empty
// without version 2, or if no mount shows this cgroup. The arguments are the texts of /proc/self/mountinfo and
// /proc/self/cgroup.
std::vector<std::string> cgroup_directories(std::string_view mounts, std::string_view membership);

// The first directory that can be the base; empty when none can.
std::string choose_cgroup_base(const std::vector<std::string>& directories);

// Opens the base of this process. Empty: this process has no base.
Descriptor open_cgroup_base();

// Kills every process in the cgroup of one call, and waits up to a second until the cgroup is empty. False if there is
// no such cgroup, the kernel cannot kill it (before Linux 5.14), or a process in it is still alive after that time.
bool kill_cgroup(int base, pid_t custodian, std::uint64_t call);

}  // namespace wtool::engine
