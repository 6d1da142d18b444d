#include "base/environment_snapshot.h"

#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/lasting.h"

namespace wtool {

namespace {

struct LatestSnapshot {
  std::mutex mutex;
  std::shared_ptr<const EnvironmentSnapshot> snapshot;
};

LatestSnapshot& latest() {
  static auto& one = lasting<LatestSnapshot>();
  return one;
}

std::shared_ptr<const EnvironmentSnapshot> taken_last() {
  const std::lock_guard lock(latest().mutex);
  return latest().snapshot;
}

}  // namespace

EnvironmentSnapshot::EnvironmentSnapshot() {
  std::vector<std::size_t> begins;
  for (const char* const* at = ::environ; at != nullptr && *at != nullptr; ++at) {
    begins.push_back(text_.size());
    text_.append(*at).push_back('\0');
  }
  variables_.reserve(begins.size() + 1);
  for (const std::size_t begin : begins) variables_.push_back(text_.data() + begin);
  variables_.push_back(nullptr);
}

const char* EnvironmentSnapshot::find(std::string_view name) const {
  for (const char* const variable : variables_) {
    if (variable == nullptr) break;
    if (std::strncmp(variable, name.data(), name.size()) == 0 && variable[name.size()] == '=') {
      return variable + name.size() + 1;
    }
  }
  return nullptr;
}

bool EnvironmentSnapshot::is_current() const {
  const char* const* now = ::environ;
  for (const char* const variable : variables_) {
    if (now == nullptr || *now == nullptr) return variable == nullptr;
    if (variable == nullptr || std::strcmp(variable, *now) != 0) return false;
    ++now;
  }
  return true;
}

std::shared_ptr<const EnvironmentSnapshot> snapshot_environment() {
  std::shared_ptr<const EnvironmentSnapshot> snapshot = taken_last();
  if (snapshot && snapshot->is_current()) return snapshot;
  snapshot = std::make_shared<const EnvironmentSnapshot>();
  const std::lock_guard lock(latest().mutex);
  latest().snapshot = snapshot;
  return snapshot;
}

std::shared_ptr<const EnvironmentSnapshot> latest_environment() {
  if (auto snapshot = taken_last()) return snapshot;
  return snapshot_environment();
}

}  // namespace wtool
