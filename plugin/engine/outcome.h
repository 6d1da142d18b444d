// What became of a command. Closed: every call ends as exactly one of the alternatives of `How`.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

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
// It never ran.
struct NotStarted {
  enum class Stage { custody, fork, setup, directory, exec, namespaces, binds, sandbox };
  Stage stage;
  int error;           // errno; 0 where there is none
  std::string detail;  // what could not be done, which tells of the errno as well; empty where the stage says it
};
// Custodian or warden died under it. All its processes are dead, but its status is not known.
struct Lost {
  std::string detail;
};

// True for errors that say that the machine, the user or this process has no more of something.
bool is_exhaustion(int error);

using How = std::variant<Exited, Signalled, TimedOut, Cancelled, NotStarted, Lost>;

struct StreamText {
  std::string text;  // valid UTF-8
  std::uint64_t bytes = 0;
  bool truncated = false;
  bool lossy = false;  // bytes that were no UTF-8 were replaced
};

struct ProcessName {
  int pid;
  std::string name;
};

// CPU time and memory of all processes of the call.
struct Resources {
  std::chrono::microseconds user{0};
  std::chrono::microseconds system{0};
  std::uint64_t max_rss_kib = 0;
};

struct Outcome {
  How how = Lost{};
  StreamText standard_output;
  StreamText standard_error;
  std::chrono::milliseconds duration{0};
  std::uint32_t outlived = 0;          // How many processes the sweep after the command's own end had to end,
  std::vector<ProcessName> outliving;  // and the first of them.
  std::uint32_t left = 0;              // How many processes the kernel would not let us kill,
  std::vector<ProcessName> leaving;    // and the first of them.
  Resources resources;
};

}  // namespace wtool::engine
