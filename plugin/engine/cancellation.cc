#include "engine/cancellation.h"

#include <sys/eventfd.h>

#include <cerrno>
#include <system_error>

namespace wtool::engine {

Cancellation::Cancellation() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void Cancellation::request(Mode mode, std::string_view reason) {
  {
    const std::lock_guard lock(mutex_);
    if (mode <= mode_.load(std::memory_order_relaxed)) return;
    if (mode_.load(std::memory_order_relaxed) == Mode::none) reason_ = reason;
    mode_.store(mode, std::memory_order_release);
  }
  const std::uint64_t one = 1;
  (void)!::write(event_.get(), &one, sizeof one);
}

std::string Cancellation::reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

void Cancellation::acknowledge() {
  std::uint64_t count;
  (void)!::read(event_.get(), &count, sizeof count);
}

}  // namespace wtool::engine
