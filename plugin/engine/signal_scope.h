// What lets the sandboxed commands of one terminal session signal each other's processes and connect to each other's
// abstract sockets, and to nobody else's: the Landlock domain of a scope keeper (warden/scope_keeper.h), and custodians
// in it.
//
// WardenClient fills and uses it. Any thread; where two calls use it at once, the second gets its own domain.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "engine/custodian.h"

namespace wtool::engine {

class SignalScope {
 public:
  SignalScope() { idle_.reserve(max_idle); }
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;

 private:
  friend class WardenClient;
  // A session runs one command at a time.
  static constexpr std::size_t max_idle = 1;

  std::mutex mutex_;
  Custodian keeper_;  // without a socket until the first call, and while a call uses it
  std::vector<Custodian> idle_;
};

}  // namespace wtool::engine
