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

// Who holds a lock, or waits for it.
struct LockHolder {
  const void* of = nullptr;  // the run object, which is another one for each run of this process
  std::string run;           // its id; may be empty
  std::string step;          // branch and number of the step, as BRANCH/NUMBER; empty: the whole run
  std::string what;          // for people: "'Deploy' of release.md"
};

class NamedLock {
 public:
  enum class Kind { step, run };

  // Takes the lock, and waits while somebody else holds it. `waits` is called once, before the wait begins, with a
  // sentence about the holder. If the lock is not held afterwards, `error` says why, or is empty because `stop` was
  // requested.
  //
  // A step that runs inside another step may ask for a lock while the outer step holds one. The wait could then last
  // forever: the outer step holds the same lock, or the holder waits for a lock of the outer step. Both are errors. They
  // are found only if this process holds all these locks.
  NamedLock(Kind kind, const std::string& name, const LockHolder& holder, Stop& stop,
            const std::function<void(const std::string& sentence)>& waits, std::string& error);
  ~NamedLock();
  NamedLock(const NamedLock&) = delete;
  NamedLock& operator=(const NamedLock&) = delete;

  bool held() const { return state_ == State::held; }

 private:
  enum class State { failed, waits, held };

  void become(State state);
  std::string begin_waiting();
  std::string why_in_vain() const;

  const Kind kind_;
  const std::string name_;
  const LockHolder holder_;
  Descriptor file_;
  State state_ = State::failed;
};

}  // namespace wtool::host::runner
