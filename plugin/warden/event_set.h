// Waits for several descriptors, by epoll. Not by poll(2), which a command can break from outside: with a limit of
// descriptors (RLIMIT_NOFILE) below the number of those that are watched, poll only answers EINVAL.
#pragma once

#include <sys/epoll.h>

#include <cerrno>

#include "base/descriptor.h"

namespace wtool::warden {

class EventSet {
 public:
  EventSet() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

  explicit operator bool() const { return static_cast<bool>(epoll_); }

  // `source`, 0 to 31, stands for the descriptor in what wait() gives. None (-1) is no error, and never has news.
  bool add(int descriptor, unsigned source, unsigned events = EPOLLIN) {
    if (descriptor < 0) return true;
    epoll_event event{};
    event.events = events;
    event.data.u32 = source;
    return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0;
  }

  // Before the descriptor is closed, where another process has it open as well: it would stay watched else.
  void remove(int descriptor) {
    if (descriptor >= 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
  }

  // A bit for each source that has news; 0 when there are none within the time (milliseconds; -1: no end).
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
};

}  // namespace wtool::warden
