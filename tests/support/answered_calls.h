// System calls of another process that this program answers (seccomp's user notification): a chosen one fails with a
// chosen error, and all others go to the kernel.
//
//   const ListenerHandover handover;
//   if (const pid_t child = fork(); child == 0) {
//     handover.install();              // then what is to be tested, perhaps execve
//   }
//   const auto listener = handover.take(pidfd_of_the_child);
//   listener->answer_until(done, limit, decide);
#pragma once

#include <linux/seccomp.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>

#include "base/descriptor.h"

namespace wtool::test {

class CallListener {
 public:
  // The error with which a call fails; 0: the call goes to the kernel.
  using Decide = std::function<int(const seccomp_notif& call)>;
  explicit CallListener(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  // Answers until `done` returns true. False: `limit` has passed.
  bool answer_until(const std::function<bool()>& done, std::chrono::milliseconds limit, const Decide& decide) const;

 private:
  Descriptor descriptor_;
};

// A value that a process and its forked children share.
template <typename Value>
class SharedMemory {
 public:
  SharedMemory() {
    void* const memory = ::mmap(nullptr, sizeof(Value), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    value_ = new (memory) Value;
  }
  ~SharedMemory() { ::munmap(value_, sizeof(Value)); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  Value* operator->() const { return value_; }

 private:
  Value* value_;
};

// Hands the listener of a child to its parent. Make it before the fork.
class ListenerHandover {
 public:
  // In the child. From now on, its system calls, and those of all that it starts, wait for an answer. The exceptions
  // are calls that end a thread, wait for another one, sleep, or return from a signal handler. Returns when the parent
  // has taken the listener. False: the kernel does not support listeners.
  bool install() const;
  // In the parent. NULL: the kernel does not support listeners, or the child has not installed one within 30 s.
  std::unique_ptr<CallListener> take(const Descriptor& child) const;
  // In the parent, after take().
  bool kernel_has_none() const { return state_->number == none; }

 private:
  static constexpr int none = -2;
  struct State {
    std::atomic<int> number{-1};  // of the listener's descriptor in the child
    std::atomic<bool> taken{false};
  };
  SharedMemory<State> state_;
};

}  // namespace wtool::test
