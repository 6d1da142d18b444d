// What became of a command. Closed: every call ends as exactly one of the alternatives of `Termination`.
#pragma once

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/limits.h"

namespace wtool::engine {

// The command ended by itself,
struct Exited {
  int status;  // 0 to 255
};
// or by a signal that was not ours.
struct Signalled {
  int signal;
};
// We ended it: its time was up,
struct TimedOut {};
// or the caller wanted it.
struct Cancelled {
  std::string reason;
};
// It exceeded a limit: we ended it, or the kernel ended a part of it, whereupon the command itself ended with `status`.
struct Exhausted {
  LimitName limit;
  double used;                // in the unit of the limit
  std::optional<int> status;  // 0 to 255, a signal as 128 + its number
};
// It never ran.
struct NotStarted {
  enum class Stage { custody, fork, setup, directory, exec, namespaces, binds, sandbox };
  Stage stage;
  int error;           // errno, or 0
  std::string detail;  // what could not be done, with the errno in words; empty if the stage says it
};
// Custodian or warden died under it. All its processes are dead, but its status is not known.
struct Lost {
  std::string detail;
  std::string hint = "a command that kills its parent, or processes by name, does this; the next call works";
};

// True for errors that mean that the machine, the user or this process has run out of something.
constexpr bool is_exhaustion(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == EAGAIN || error == ENOBUFS ||
         error == ENOSPC;
}

// The node of a cluster on which it ran went away, or was taken away. Nothing of it lives, and its status is not known.
struct NodeLost {
  std::string detail;
};
// It never ran: no node of a cluster was free in time.
struct NoNode {
  std::string detail;     // a sentence
  bool unshared = false;  // the nodes do not have the folders of this machine
};

using Termination = std::variant<Exited, Signalled, TimedOut, Cancelled, Exhausted, NotStarted, Lost, NodeLost, NoNode>;

struct StreamText {
  std::string text;  // valid UTF-8
  std::uint64_t bytes = 0;
  bool truncated = false;
  bool lossy = false;  // bytes that were not UTF-8 were replaced
};

struct ProcessName {
  int pid;
  std::string name;
};

// What all processes of the call used, as far as it could be measured.
struct Resources {
  std::chrono::microseconds user{0};  // CPU time of all that were waited for, orphans too
  std::chrono::microseconds system{0};
  std::uint64_t peak_memory_kib = 0;  // of the largest process, or of all at once where that was seen to be more
  std::uint32_t processes = 0;        // the most that were seen at once
};

// The file with the whole output, where one was wanted.
struct WholeOutputFile {
  std::string path;  // absolute; empty when there is none
  std::uint64_t bytes = 0;
  std::string error;  // why it ends too early, or was not made: a sentence; empty without an error
};

class KeptTree;

struct CommandOutcome {
  Termination termination = Lost{};
  StreamText standard_output;
  StreamText standard_error;
  WholeOutputFile output_file;
  std::chrono::milliseconds duration{0};      // until the last process was dead; if some are kept, the command itself
  std::uint32_t background_count = 0;         // How many processes the sweep after the command's own end had to end,
  std::vector<ProcessName> background_names;  // and the first of them.
  std::shared_ptr<KeptTree> kept;             // The processes that outlived it and live on, where that was wanted.
  std::uint32_t unkillable_count = 0;         // How many processes the kernel would not let us kill,
  std::vector<ProcessName> unkillable_names;  // and the first of them.
  std::optional<Resources> resources;         // Nothing if nobody is left to report it.
  bool in_cgroup = false;                     // The kernel enforced the limits on memory and processes.
  std::string node;                           // The node of a cluster on which it ran; empty: this machine,
  std::string job;                            // and the job there.
};

}  // namespace wtool::engine
