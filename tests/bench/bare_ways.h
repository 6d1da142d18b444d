// Running a program without the plugin: the floors that it is measured against, and what people use instead.
#pragma once

#include <string>
#include <vector>

#include "way.h"

namespace wtool::bench {

// The least that capturing a program's output can cost: two pipes, vfork, exec, both read to their end, wait. No
// supervision at all: what the program leaves behind, stays.
Way bare(std::vector<std::string> argv);

// The same by posix_spawnp: how a program is put behind another one (sh -c, timeout, bwrap).
Way spawned(std::vector<std::string> argv);

// A bare read loop over the output of a program that writes much: one pipe that grows as the plugin's do.
Way drained(std::vector<std::string> argv);

// So many threads at once, each of which forks (or vforks), executes the program, and waits. Nothing is captured.
Way forked_in_threads(bool by_vfork, unsigned threads, std::vector<std::string> argv);

// A tree of processes in a session of its own, killed by its process group: how long the kernel takes to be rid of it,
// from the signal until its last process has let go of the output. What has left the group would survive this.
Way killed(std::vector<std::string> argv);

// Runs `body` in so many threads, all set going at once; nanoseconds until the last has returned. Throws what one
// threw.
std::int64_t at_once(unsigned threads, const std::function<void()>& body);

}  // namespace wtool::bench
