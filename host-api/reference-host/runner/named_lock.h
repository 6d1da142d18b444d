// Locks with a name, of this user on this machine: one step (`lock="name"`) or one run (`concurrency: name`) holds it at a
// time, in whatever process it runs.
//
// A lock is a file in $XDG_STATE_HOME/wtool/locks (else ~/.local/state/wtool/locks), locked by flock, so that the kernel
// frees it when its process dies. The file says who holds it. It stays, because removing it would let two hold it.
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
  std::string process{};  // its id; not looked at where a lock is taken
};

class NamedLock {
 public:
  enum class Kind { step, run };

  // Waits until nobody else has it. `waits` is called once, with a sentence on who has it, before the wait. `must_not_wait`
  // is asked about the holder first: a sentence with the reason ends the wait with that error. Not held: `error` says
  // why, or it is empty where `stop` was requested.
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
