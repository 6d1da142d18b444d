// Keeps SIGXFSZ from the calling thread while it writes to a file. The kernel sends it to a thread that writes beyond
// the limit of a file's size (RLIMIT_FSIZE), and it would end a host that does not expect it; the error EFBIG is
// enough. Only this thread's signal mask is changed, and it is restored.
#pragma once

#include <cerrno>
#include <csignal>
#include <ctime>
#include <string_view>

#include "base/files.h"

namespace wtool {

class SizeSignalBlocked {
 public:
  SizeSignalBlocked() {
    ::sigemptyset(&signal_);
    ::sigaddset(&signal_, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    if (::sigismember(&before_, SIGXFSZ) == 1) {
      sigset_t pending;
      ::sigpending(&pending);
      was_pending_ = ::sigismember(&pending, SIGXFSZ) == 1;
    }
  }
  ~SizeSignalBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SizeSignalBlocked(const SizeSignalBlocked&) = delete;
  SizeSignalBlocked& operator=(const SizeSignalBlocked&) = delete;

  // After a write that failed with EFBIG: removes the signal that this write raised. One that was pending before stays,
  // for the code that blocked it.
  void take_away() const {
    const timespec at_once{};
    if (!was_pending_) ::sigtimedwait(&signal_, nullptr, &at_once);
  }

 private:
  sigset_t signal_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

// As write_all; the limit on the size of a file is an error (EFBIG) and no signal.
inline Written write_without_signal(int descriptor, std::string_view bytes) {
  const SizeSignalBlocked guard;
  const Written written = write_all(descriptor, bytes);
  if (written.error == EFBIG) guard.take_away();
  return written;
}

}  // namespace wtool
