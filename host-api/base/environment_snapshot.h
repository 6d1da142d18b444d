// The environment of this process, as it was at one moment. A host may change its environment (setenv) while calls run in
// other threads, so the plugin reads `environ` only in functions in which the host knows that nobody changes it, and uses
// the copy from then on.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace wtool {

class EnvironmentSnapshot {
 public:
  // Copies the variables of `environ`.
  EnvironmentSnapshot();
  EnvironmentSnapshot(const EnvironmentSnapshot&) = delete;
  EnvironmentSnapshot& operator=(const EnvironmentSnapshot&) = delete;

  // The value of `name`, as from getenv. nullptr: the variable is not set.
  const char* find(std::string_view name) const;

  // All variables, as "NAME=value". The last element is nullptr, as in `environ`.
  const char* const* variables() const { return variables_.data(); }

  // True if `environ` still has the same variables.
  bool is_current() const;

 private:
  std::string text_;                    // all variables, each with its zero byte
  std::vector<const char*> variables_;  // in text_
};

// The environment of this moment. No other thread may change the environment meanwhile. If nothing has changed, this is the
// snapshot that was taken last, because comparing costs a third of what copying costs.
std::shared_ptr<const EnvironmentSnapshot> snapshot_environment();

// The snapshot that was taken last, by any thread; if none was, one is taken now.
std::shared_ptr<const EnvironmentSnapshot> latest_environment();

}  // namespace wtool
