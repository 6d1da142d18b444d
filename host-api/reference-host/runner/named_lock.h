// Named locks, shared by all processes of this user on this machine: only one step (`lock="name"`) or one run
// (`concurrency: name`) holds a lock at a time.
//
// A lock is a file in $XDG_STATE_HOME/wtool/locks (else ~/.local/state/wtool/locks), locked by flock, so the kernel
// frees the lock when its holder dies. The file says who holds the lock. It is never removed: otherwise two processes
// could hold the lock at the same time.
#pragma once

#include <functional>
#include <string>

#include "base/descriptor.h"
#include "base/stop.h"

namespace wtool::host::runner {

// Who holds a lock.
struct LockHolder {
  std::string run;        // its id; may be empty
  std::string step;       // branch and number of the step, as BRANCH/NUMBER; empty: the whole run
  std::string what;       // for people: "'Deploy' of release.md"
  std::string process{};  // its id; not needed to take a lock
};

class NamedLock {
 public:
  enum class Kind { step, run };

  // Takes the lock, and waits while somebody else holds it. Whenever an attempt fails because of a holder,
  // `must_not_wait` is called with that holder. If it returns a reason, the wait ends, and the reason becomes `error`.
  // `waits` is called once, before the wait begins, with a sentence about the holder. If the lock is not held
  // afterwards, `error` says why, or is empty because `stop` was requested.
  NamedLock(Kind kind, const std::string& name, const LockHolder& holder, Stop& stop,
            const std::function<void(const std::string& sentence)>& waits,
            const std::function<std::string(const LockHolder& other)>& must_not_wait, std::string& error);
  NamedLock(const NamedLock&) = delete;
  NamedLock& operator=(const NamedLock&) = delete;

  bool held() const { return held_; }

 private:
  Descriptor file_;
  bool held_ = false;
};

}  // namespace wtool::host::runner
