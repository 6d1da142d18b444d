// The seccomp program that refuses system calls to a sandboxed command.
//
// It refuses what Landlock does not cover: if the network is denied, all socket families except AF_UNIX; and always
// namespaces and mounts, ways to affect other processes or to act through them, and parts of the kernel that no build
// or test needs and in which most flaws were found.
#pragma once

#include <string>

namespace wtool::engine {

struct FilterOptions {
  bool network = true;           // false: only AF_UNIX sockets are allowed
  bool refuse_truncate = false;  // for a Landlock that does not cover truncation: opening for reading must not truncate
  bool ipc = false;  // true: allows shared memory, semaphores and message queues of System V, and POSIX queues
};

// The program, as an array of struct sock_filter. Empty on failure; `error` is then a sentence.
std::string make_filter(const FilterOptions& options, std::string& error);

}  // namespace wtool::engine
