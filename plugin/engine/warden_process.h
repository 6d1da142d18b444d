// One running shell-warden: its control socket, and knowing whether it lives.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "system/descriptor.h"

namespace wtool::engine {

// Why there is no custody to be had.
struct CustodyError {
  int error = 0;       // errno where a system call failed, else 0
  std::string detail;  // one sentence
};

class WardenProcess {
 public:
  // Starts the program at `path` and greets it. NULL with `error`, whose sentence names the path, when it is missing,
  // will not start or is of another version.
  static std::shared_ptr<WardenProcess> start(const std::string& path, CustodyError& error);

  // False when this process, or its credentials, are others than those that the warden was started by: a fork, or
  // privileges that were dropped. Its commands would run with the old ones.
  bool serves_us() const;

  bool alive() const;

  // Waits until it has ended; false when it has not within the time.
  bool wait_end(int timeout_ms) const;

  // SIGCONT, in case a command stopped it; then it answers again.
  void wake() const;
  void kill() const;

  int control() const { return control_.get(); }

 private:
  Descriptor control_;
  Descriptor handle_;  // a pidfd
  pid_t owner_ = 0;
  uid_t user_ = 0;
  gid_t group_ = 0;
};

}  // namespace wtool::engine
