// Threads that take none of the process's signals.
//
//   const BlockedSignals blocked;
//   std::thread thread(work);  // inherits the mask of the thread that starts it
#pragma once

#include <csignal>

namespace wtool {

// While it lives, the calling thread has all signals blocked. It must end on the same thread.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace wtool
