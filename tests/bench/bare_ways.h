// Ways to run a program without the plugin: the floors that the plugin is measured against, and what people use
// instead.
#pragma once

#include <string>
#include <vector>

#include "way.h"

namespace wtool::bench {

// The minimum cost of capturing a program's output: two pipes, vfork, exec, reads to the end, and a wait. There is
// no supervision at all: processes that the program leaves behind stay.
Way bare(std::vector<std::string> argv);

// Like bare(), but with posix_spawnp, for a program that runs another one (sh -c, timeout, bwrap).
Way spawned(std::vector<std::string> argv);

// A bare read loop over the output of a program that writes much, through one pipe, which is enlarged like the plugin's
// pipes.
Way drained(std::vector<std::string> argv);

// `threads` threads at the same time, each of which forks (or vforks), executes the program, and waits. Nothing is
// captured.
Way forked_in_threads(bool by_vfork, unsigned threads, std::vector<std::string> argv);

// A tree of processes in its own session, killed by its process group: the time from the signal until the last process
// has closed the output. A process that had left the group would survive this.
Way killed(std::vector<std::string> argv);

// The nanoseconds until each of `threads` threads has run `way` `repeats` times. Several threads must be able to run
// `way` at the same time.
Way in_threads(Way way, unsigned threads, unsigned repeats);

// Runs `body` in `threads` threads, which all start at the same time. Returns the nanoseconds until the last has
// returned. Rethrows an exception that one of them threw.
std::int64_t at_once(unsigned threads, const std::function<void()>& body);

}  // namespace wtool::bench
