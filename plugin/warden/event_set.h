// Waits for several descriptors with epoll. It does not use poll(2), because a command can make poll fail with EINVAL:
// by lowering this process's limit of descriptors (RLIMIT_NOFILE) below the number of watched descriptors.
#pragma once

#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>

#include "base/descriptor.h"

namespace wtool::warden {

// True if this source is among those that EventSet::wait() has returned.
constexpr bool holds(unsigned sources, unsigned source) { return (sources & (1U << source)) != 0; }

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
  // `timeout_ms` of -1, waits without a limit. Ends the process if the kernel does not let it wait any more: it could
  // only go round in circles. The warden then ends the tree of a custodian, and the plugin that of a warden.
  unsigned wait(int timeout_ms) {
    epoll_event events[8];
    const int count = ::epoll_wait(epoll_.get(), events, 8, timeout_ms);
    failures_ = count < 0 && errno != EINTR ? failures_ + 1 : 0;
    if (failures_ == most_failures) ::_exit(1);
    unsigned sources = 0;
    for (int i = 0; i < count; ++i) sources |= 1U << events[i].data.u32;
    return sources;
  }

  void close() { epoll_.reset(); }

 private:
  static constexpr int most_failures = 100;  // one after another; a single one may be passing

  Descriptor epoll_;
  int error_;
  int failures_ = 0;
};

}  // namespace wtool::warden
