// Named locks, shared by all processes of this user on this machine: only one step (`lock="name"`) or one run
// (`concurrency: name`) holds a lock at a time.
//
// A lock is a file in $XDG_STATE_HOME/wtool/locks (else ~/.local/state/wtool/locks), locked by flock, so the kernel
// frees the lock when its holder dies. The file says who holds the lock. The file is never removed: otherwise two
// processes could hold the lock at once.
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
  std::string process{};  // its id; ignored when a lock is taken
};

class NamedLock {
 public:
  enum class Kind { step, run };

  // Takes the lock, and waits while somebody else holds it. Each time that the lock is found held, `must_not_wait` is
  // called with the holder. If it returns a reason, the wait ends, and the reason becomes `error`. `waits` is called
  // once, before the wait begins, with a sentence about the holder. Not held: `error` says why, or is empty because
  // `stop` was requested.
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
