// Keeps SIGXFSZ from the calling thread while it writes to a file. A write beyond the limit of a file's size
// (RLIMIT_FSIZE) sends it to the thread that writes, and would end a host that does not expect it; the error EFBIG says
// the same. Nothing but the mask of this thread is touched, and that is put back.
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

  // After a write that failed with EFBIG: takes the signal away that it made. One that was waiting before is left to
  // whoever has blocked it.
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
