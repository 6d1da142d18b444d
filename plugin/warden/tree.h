// The processes below this one, as /proc tells them.
//
// Hazards:
// - Children move while the tree is read: one that forks and exits leaves its child with us, in a list that was read
//   already. So a walk that signals on its way misses most of a wide tree; collect first, signal then, and repeat until
//   nothing new is found.
// - A number that was read may be another process's by the time it is signalled, if its parent reaped it and the kernel
//   went round all numbers in between. Only our own children cannot be reaped behind our back; for the others the
//   window is the few microseconds of one round.
#pragma once

#include <sys/types.h>

#include <vector>

#include "warden/protocol.h"

namespace wtool::warden {

// Fills `members` with all processes that descend from this one, parents before children. Children of this process for
// which `spared` holds are left out, with all below them. Zombies may be among them.
void collect_tree(std::vector<pid_t>& members, const std::vector<pid_t>& spared);

// Sends SIGTERM, and SIGCONT so that a stopped process can act on it, to each member, parents first: a shell whose
// child is ended before it is would still write "Terminated", and a supervisor would start the next one. A process that
// is gone is no error.
void ask_to_end(const std::vector<pid_t>& members);

// Sends SIGSTOP to `members` and their process groups, then to all else that descends from this process, again and
// again until nothing new is found or there is no end to it. `members` are all of them, then.
void stop_tree(std::vector<pid_t>& members);

// Sends SIGKILL to each member's process group, and then to each member, the last collected (the deepest) first.
void kill_members(const std::vector<pid_t>& members);

// Names the members that live, at most max_named; returns how many live. Zombies do not, and neither does what is about
// to be one: a process closes its descriptors well before it can be waited for, and whoever saw that looks here next.
std::uint32_t name_living(const std::vector<pid_t>& members, NamedProcess* names);

}  // namespace wtool::warden
