// System calls of another process that this program answers (seccomp's user notification): a chosen one fails with a
// chosen error, and all others go to the kernel.
//
// In the process, before it does what is to be tested:  const int number = install_call_listener();
// Here, with a pidfd of that process:                   CallListener listener(pidfd, number);
//                                                       listener.answer_until(done, limit, decide);
#pragma once

#include <linux/seccomp.h>

#include <chrono>
#include <functional>

namespace wtool::test {

// From now on, the system calls of the calling process, and of all that it starts, wait for an answer, except
// those that end a thread, wait for another one, sleep, or return from a signal handler. Returns the listener's descriptor; -1 if the kernel has none.
int install_call_listener();

class CallListener {
 public:
  // `number`: the listener in the process behind `pidfd`. Takes a copy of it.
  CallListener(int pidfd, int number);
  ~CallListener();
  CallListener(const CallListener&) = delete;
  CallListener& operator=(const CallListener&) = delete;

  bool works() const { return descriptor_ >= 0; }
  // The error with which a call fails; 0: it goes to the kernel.
  using Decide = std::function<int(const seccomp_notif& call)>;
  // Answers until `done` returns true. False: `limit` has passed.
  bool answer_until(const std::function<bool()>& done, std::chrono::milliseconds limit, const Decide& decide) const;

 private:
  int descriptor_;
};

}  // namespace wtool::test
