// A call's wish to stop: set from any thread, heard by the thread that runs the call through a descriptor.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace wtool::engine {

class Cancellation {
 public:
  enum class Mode : std::uint32_t { none = 0, graceful = 1, now = 2 };

  Cancellation();  // Throws std::system_error when there is no descriptor to be had.

  // Never waits. The first reason stands; now overrides graceful. Any thread.
  void request(Mode mode, std::string_view reason);

  Mode mode() const { return mode_.load(std::memory_order_acquire); }
  std::string reason() const;

  // Readable when a request has come that acknowledge() has not seen.
  int descriptor() const { return event_.get(); }
  void acknowledge();

 private:
  Descriptor event_;
  std::atomic<Mode> mode_{Mode::none};
  mutable std::mutex mutex_;
  std::string reason_;
};

}  // namespace wtool::engine
