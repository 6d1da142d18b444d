// Wakes a thread that waits in poll(2).
//
//   const WakeUp wake;
//   pollfd watched[] = {{wake.descriptor(), POLLIN, 0}, ...};   // the thread that waits
//   wake.signal();                                               // any other thread
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/descriptor.h"

namespace wtool {

class WakeUp {
 public:
  WakeUp() noexcept : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  // False: the constructor could not make a descriptor, and has set errno. signal() then wakes nobody.
  explicit operator bool() const noexcept { return static_cast<bool>(event_); }

  // Readable from signal() until clear(). Without a descriptor: -1, which poll(2) ignores.
  int descriptor() const noexcept { return event_.get(); }

  // Any thread may call this.
  void signal() const noexcept {
    const std::uint64_t one = 1;
    // Retries, because a lost wake-up could leave a thread waiting forever. Any error other than EINTR means that the
    // counter is full, and then the descriptor is already readable.
    while (event_ && ::write(event_.get(), &one, sizeof one) < 0 && errno == EINTR) {
    }
  }

  void clear() const noexcept {
    std::uint64_t count = 0;
    while (event_ && ::read(event_.get(), &count, sizeof count) < 0 && errno == EINTR) {
    }
  }

 private:
  Descriptor event_;
};

}  // namespace wtool
