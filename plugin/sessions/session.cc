#include "sessions/session.h"

#include <utility>

namespace wtool {

Session::State Session::state() const {
  const std::lock_guard lock(mutex_);
  if (closed_) return State::completed;
  return running_ ? State::running : last_;
}

std::uint64_t Session::commands() const {
  const std::lock_guard lock(mutex_);
  return commands_;
}

Session::Begin Session::begin(std::function<void(std::string_view reason)> abort) {
  const std::lock_guard lock(mutex_);
  if (closed_) return Begin::closed;
  if (running_) return Begin::busy;
  running_ = true;
  abort_ = std::move(abort);
  return Begin::begun;
}

void Session::end(Ending ending) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !aborting_; });
  running_ = false;
  abort_ = nullptr;
  if (ending == Ending::succeeded || ending == Ending::failed) ++commands_;
  if (ending != Ending::refused) last_ = ending == Ending::succeeded ? State::idle : State::failed;
  // Notified under the lock, because a waiter may be the last owner of this object and destroy it.
  changed_.notify_all();
}

std::vector<engine::ProcessName> Session::close(std::chrono::milliseconds grace) {
  {
    std::unique_lock lock(mutex_);
    const auto abort = abort_;
    closed_ = true;
    if (abort) {
      aborting_ = true;
      // Not under the lock: it may reach the host, which may ask for the status of this very session.
      lock.unlock();
      abort("its session is being closed");
      lock.lock();
      aborting_ = false;
      changed_.notify_all();
    }
    changed_.wait(lock, [this] { return !running_; });
  }
  return background_.end(grace);
}

}  // namespace wtool
