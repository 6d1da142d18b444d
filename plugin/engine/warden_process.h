// One running shell-warden: its control socket, and whether it is alive.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/descriptor.h"
#include "engine/cancellation.h"

namespace wtool::engine {

// Why no custodian is available.
struct CustodyError {
  int error = 0;       // errno if a system call failed, else 0
  std::string detail;  // one sentence
};

class WardenProcess {
 public:
  // Starts the program at `path` and greets it. nullptr: the file is missing, does not start, is of another version or
  // cannot work here, or the patience is over; `error` says which, in a sentence that names the path.
  static std::shared_ptr<WardenProcess> start(const std::string& path, const Patience& patience, CustodyError& error);

  // False when this process, or its effective user or group, differs from those that started the warden: after a fork,
  // or after dropping privileges. The warden's commands would run with the old credentials.
  bool serves_us() const;

  // True if the warden is alive and accepts messages.
  bool serves() const;

  // Waits until the warden has ended. False if it has not ended within the time.
  bool wait_end(int timeout_ms) const;

  // Sends SIGCONT, in case a command has stopped the warden.
  void wake() const;
  void kill() const;

  int control() const { return control_.get(); }
  pid_t process() const { return process_; }
  // The process that inherits the warden's children when the warden dies: process 1, or a subreaper above the host. 0
  // if unknown.
  pid_t reaper() const { return reaper_; }
  // The directory in which custodians make cgroups; -1: none.
  int cgroup_base() const { return cgroup_base_.get(); }
  // True while the warden lives, so process() is still its number.
  bool alive() const;

 private:
  // Greets the warden, passes it what it needs, and reads whether it can serve. `host` is a handle of this process.
  // False: it cannot, and `error` says why.
  bool greet(const std::string& path, const Descriptor& host, const Patience& patience, CustodyError& error);

  Descriptor control_;
  Descriptor handle_;  // a pidfd
  Descriptor cgroup_base_;
  pid_t process_ = 0;
  pid_t reaper_ = 0;
  pid_t owner_ = 0;
  uid_t user_ = 0;
  gid_t group_ = 0;
};

}  // namespace wtool::engine
