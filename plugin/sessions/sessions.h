// All terminal sessions of the plugin, from its init to its deinit. They do not belong to a tool object: when the
// configuration changes, the host makes new tool objects, and sessions live on.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "sessions/session.h"

namespace wtool {

// Any thread may call any member.
class Sessions {
 public:
  Sessions() = default;
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;
  ~Sessions();

  // Makes a session of what `details` has but for the id and the time of its creation. NULL: there are `most` already.
  std::shared_ptr<Session> create(SessionDetails details, std::size_t most);

  // NULL where there is no such session.
  std::shared_ptr<Session> find(std::string_view id) const;

  // Waits until nothing of it is left. False where there is no such session, or another thread is closing it.
  bool close(std::string_view id, std::chrono::milliseconds grace, std::vector<engine::ProcessName>& unkillable);

  // For tools without sessions, whose background processes are kept until the plugin's end.
  Background& background() { return background_; }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Session>, std::less<>> all_;
  std::map<std::string, std::shared_ptr<Session>, std::less<>> closing_;  // they count until they are closed
  Background background_;
};

// As the specification has it: 2025-10-13T12:34:56Z.
std::string to_iso_text(std::chrono::system_clock::time_point time);

}  // namespace wtool
