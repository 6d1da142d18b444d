#include "base/stop.h"

#include <utility>

namespace wtool {

Stop::Subscription::Subscription(Subscription&& other) noexcept
    : stop_(std::exchange(other.stop_, nullptr)), where_(other.where_) {}

Stop::Subscription& Stop::Subscription::operator=(Subscription&& other) noexcept {
  if (this != &other) {
    end();
    stop_ = std::exchange(other.stop_, nullptr);
    where_ = other.where_;
  }
  return *this;
}

Stop::Subscription::~Subscription() { end(); }

void Stop::Subscription::end() noexcept {
  if (stop_ == nullptr) return;
  const std::lock_guard lock(stop_->mutex_);
  stop_->listeners_.erase(where_);
  stop_ = nullptr;
}

void Stop::request(StopHow how, std::string reason) {
  const std::lock_guard lock(mutex_);
  if (!request_) {
    request_ = StopRequest{how, std::move(reason)};
  } else if (how == StopHow::now && request_->how == StopHow::graceful) {
    request_->how = how;
  } else {
    return;
  }
  for (const Listener& listener : listeners_) listener(*request_);
}

std::optional<StopRequest> Stop::requested() const {
  const std::lock_guard lock(mutex_);
  return request_;
}

Stop::Subscription Stop::subscribe(Listener listener) {
  const std::lock_guard lock(mutex_);
  if (request_) listener(*request_);
  return {this, listeners_.insert(listeners_.end(), std::move(listener))};
}

}  // namespace wtool
