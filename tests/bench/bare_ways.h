// Running a program without the plugin: the floors that it is measured against, and what people use instead.
#pragma once

#include <string>
#include <vector>

#include "way.h"

namespace wtool::bench {

// The minimum cost of capturing a program's output: two pipes, vfork, exec, reading both to their end, wait. There is
// no supervision at all: processes that the program leaves behind stay.
Way bare(std::vector<std::string> argv);

// The same by posix_spawnp, for a program that runs another one (sh -c, timeout, bwrap).
Way spawned(std::vector<std::string> argv);

// A bare read loop over the output of a program that writes much: one pipe that grows as the plugin's do.
Way drained(std::vector<std::string> argv);

// `threads` threads at once, each of which forks (or vforks), executes the program, and waits. Nothing is captured.
Way forked_in_threads(bool by_vfork, unsigned threads, std::vector<std::string> argv);

// A tree of processes in its own session, killed by its process group: the time from the signal until the last process
// has closed the output. A process that had left the group would survive this.
Way killed(std::vector<std::string> argv);

// Runs `body` in `threads` threads, all started at once. Returns the nanoseconds until the last has returned. Rethrows
// an exception that one of them threw.
std::int64_t at_once(unsigned threads, const std::function<void()>& body);

}  // namespace wtool::bench
