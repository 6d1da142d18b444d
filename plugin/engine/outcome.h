// What became of a command. Every call ends with exactly one of the alternatives of `Termination`.
#pragma once

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/limits.h"

namespace wtool::engine {

// The command ended by itself.
struct Exited {
  int status;  // 0 to 255
};
// The command was ended by a signal that we did not send.
struct Signalled {
  int signal;
};
// The time was up: we ended the command or, if it had not begun, did not start it.
struct TimedOut {
  bool begun = true;
};
// The caller cancelled the call: we ended the command or, if it had not begun, did not start it.
struct Cancelled {
  std::string reason;
  bool begun = true;
};
// The command exceeded a limit. Either we ended it, or the kernel ended it, with `status`. (A shell whose program the
// kernel has ended is Exited.)
struct Exhausted {
  LimitName limit;
  double used;                // in the unit of the limit
  std::optional<int> status;  // 0 to 255, a signal as 128 + its number
  std::string setter{};       // the key of the configuration that set the limit; empty: limits.NAME
  bool of_call = false;       // the call itself has set the limit, so there is no key

  // What set the limit, for messages.
  std::string key() const {
    if (of_call) return std::string("the call's limit ") + to_text(limit);
    return setter.empty() ? std::string("limits.") + to_text(limit) : setter;
  }
  // Where the limit can be raised, for hints.
  std::string way_out() const {
    return of_call ? std::string("raise this limit of the call (in a workflow: that of the step)")
                   : "raise " + key() + " in the configuration";
  }
};
// The command never ran.
struct NotStarted {
  enum class Stage { custody, fork, setup, directory, exec, namespaces, binds, sandbox };
  Stage stage;
  int error;           // errno, or 0
  std::string detail;  // what could not be done, with the errno in words; empty if the stage says enough
};
// The command's status is not known: its custodian or the warden died, did not report in time or could not work, or its
// pilot could not finish the call. `detail` says what is known about the command's processes.
struct Lost {
  std::string detail;
  std::string hint = "a command that kills its parent, or processes by name, can cause this; the next call will work";
};

// True for errors that mean that the machine, the user or this process has run out of something.
constexpr bool is_exhaustion(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == EAGAIN || error == ENOBUFS ||
         error == ENOSPC;
}

// The cluster node on which the command ran was lost or taken away. The command's status is not known. Its processes
// have been ended, unless `detail` says that the job could not be ended.
struct NodeLost {
  std::string detail;
};
// The command never ran, because there was no usable cluster node: none was free in time, none could be requested, or
// the nodes do not have the folders of this machine.
struct NoNode {
  std::string detail;     // a sentence
  bool unshared = false;  // the nodes do not have the folders of this machine
};

using Termination = std::variant<Exited, Signalled, TimedOut, Cancelled, Exhausted, NotStarted, Lost, NodeLost, NoNode>;

// How the command ended, in words that can follow "the command": "exited with 2", "timed out", "did not start: ...".
std::string in_words(const Termination& how);

// False if nothing of the command has run.
bool has_begun(const Termination& how);

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

// Processes of a command that the kernel would not let us kill.
struct ProcessesLeft {
  std::uint32_t count = 0;
  std::vector<ProcessName> names;  // the first of them

  void add(ProcessesLeft more) {
    count += more.count;
    names.insert(names.end(), std::make_move_iterator(more.names.begin()), std::make_move_iterator(more.names.end()));
  }
};

// What all processes of the call used, as far as it could be measured.
struct Resources {
  std::chrono::microseconds user{0};  // CPU time of all reaped processes, including orphans
  std::chrono::microseconds system{0};
  std::uint64_t peak_memory_kib = 0;  // of the largest process, or of all together if a sample showed more
  std::uint32_t processes = 0;        // the most that were seen at the same time
};

// The spill file, if one was wanted.
struct WholeOutputFile {
  std::string path;  // absolute; empty: no file was made
  std::uint64_t bytes = 0;
  std::string error;  // a sentence: why the file ends too early or was not made; empty: no error
};

class KeptTree;

struct CommandOutcome {
  Termination termination = Lost{};
  StreamText standard_output;
  StreamText standard_error;
  WholeOutputFile output_file;
  std::chrono::milliseconds duration{0};      // until the last process (if some are kept, the command itself) had ended
  std::uint32_t background_count = 0;         // how many processes outlived the command, and were ended or kept
  std::vector<ProcessName> background_names;  // the first of these processes
  std::shared_ptr<KeptTree> kept;             // the processes that outlived the command and are kept; nullptr: none
  ProcessesLeft unkillable;
  std::optional<Resources> resources;  // nothing if no custodian was left to report them
  bool in_cgroup = false;              // the kernel enforced the limits on memory and processes
  std::string node;                    // the cluster node on which the command ran; empty: this machine
  std::string job;                     // the id of the Slurm job that has that node; empty: none
};

}  // namespace wtool::engine
