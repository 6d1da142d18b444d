// Waits for several descriptors with epoll. It does not use poll(2), because a command can make poll fail with EINVAL:
// by lowering this process's limit of descriptors (RLIMIT_NOFILE) below the number of watched descriptors.
#pragma once

#include <sys/epoll.h>

#include <cerrno>

#include "base/descriptor.h"

namespace wtool::warden {

class EventSet {
 public:
  EventSet() : epoll_(::epoll_create1(EPOLL_CLOEXEC)), error_(epoll_ ? 0 : errno) {}

  // False: error() says why.
  explicit operator bool() const { return static_cast<bool>(epoll_); }
  int error() const { return error_; }

  // `source`, 0 to 31, is the bit that wait() sets for this descriptor. A `descriptor` of -1 is ignored.
  bool add(int descriptor, unsigned source, unsigned events = EPOLLIN) {
    if (descriptor < 0) return true;
    epoll_event event{};
    event.events = events;
    event.data.u32 = source;
    return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0;
  }

  // Call this before closing a descriptor that another process also has open. Otherwise, the set would continue to
  // watch it.
  void remove(int descriptor) {
    if (descriptor >= 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
  }

  // Returns one bit for each source that has an event; 0 if `timeout_ms` have passed without an event. With a
  // `timeout_ms` of -1, waits without a limit.
  unsigned wait(int timeout_ms) const {
    epoll_event events[8];
    // Fails only with EINTR, since the set and the array are valid.
    const int count = ::epoll_wait(epoll_.get(), events, 8, timeout_ms);
    unsigned sources = 0;
    for (int i = 0; i < count; ++i) sources |= 1U << events[i].data.u32;
    return sources;
  }

  void close() { epoll_.reset(); }

 private:
  Descriptor epoll_;
  int error_;
};

}  // namespace wtool::warden
