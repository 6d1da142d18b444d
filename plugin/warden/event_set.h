// Waits for several descriptors with epoll. A command can break poll(2) from outside: it fails with EINVAL once the
// command has lowered the limit of descriptors (RLIMIT_NOFILE) of this process below the number of watched descriptors.
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

  // `source`, 0 to 31, is the bit that wait() sets for this descriptor. -1 instead of a descriptor is allowed, and
  // never has events.
  bool add(int descriptor, unsigned source, unsigned events = EPOLLIN) {
    if (descriptor < 0) return true;
    epoll_event event{};
    event.events = events;
    event.data.u32 = source;
    return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0;
  }

  // Call it before closing a descriptor that another process has open as well: otherwise it would stay watched.
  void remove(int descriptor) {
    if (descriptor >= 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
  }

  // Returns one bit for each source with an event; 0 if the time has passed without an event (-1: wait forever).
  unsigned wait(int timeout_ms) const {
    epoll_event events[8];
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
