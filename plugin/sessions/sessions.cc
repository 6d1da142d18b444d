#include "sessions/sessions.h"

#include <sys/random.h>

#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>
#include <vector>

#include "base/time_text.h"

namespace wtool {

namespace {

// How long processes have for SIGTERM when the plugin itself ends.
constexpr std::chrono::milliseconds last_grace{250};

// 128 bits in hexadecimal, not to be guessed: knowing a session's id is enough to run commands in it.
std::string unguessable() {
  unsigned char bytes[16];
  if (::getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes)) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) text += {digits[byte >> 4U], digits[byte & 0xFU]};
  return text;
}

}  // namespace

Sessions::~Sessions() {
  // All at once, so that their graces do not add up.
  for (auto& [id, session] : all_) session->background().request_end(last_grace);
  background_.request_end(last_grace);
  for (auto& [id, session] : all_) {
    const auto unkillable = session->close(last_grace);
    if (session->on_plugin_shutdown) session->on_plugin_shutdown(unkillable);
  }
  background_.end(last_grace);
}

std::shared_ptr<Session> Sessions::create(SessionDetails details, std::size_t most) {
  details.created = std::chrono::system_clock::now();
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(details.created.time_since_epoch()).count();
  details.id = "term-" + details.task + '-' + std::to_string(ms) + '-' + unguessable();
  const std::lock_guard lock(mutex_);
  if (all_.size() + closing_.size() >= most) return nullptr;
  auto session = std::make_shared<Session>(std::move(details));
  all_.emplace(session->details().id, session);
  return session;
}

std::shared_ptr<Session> Sessions::find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  for (const auto* sessions : {&all_, &closing_}) {
    if (const auto found = sessions->find(id); found != sessions->end()) return found->second;
  }
  return nullptr;
}

bool Sessions::close(std::string_view id, std::chrono::milliseconds grace,
                     std::vector<engine::ProcessName>& unkillable) {
  std::shared_ptr<Session> session;
  {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(id);
    if (found == all_.end()) return false;
    session = found->second;
    closing_.insert(all_.extract(found));
  }
  unkillable = session->close(grace);
  const std::lock_guard lock(mutex_);
  closing_.erase(session->details().id);
  return true;
}

std::string to_iso_text(std::chrono::system_clock::time_point time) { return utc_text(time, "%Y-%m-%dT%H:%M:%SZ"); }

}  // namespace wtool
