// The name of a signal, as results, logs and the audit trail show it: "SIGTERM", "SIGRTMIN+1", "signal 99".
#pragma once

#include <csignal>
#include <cstring>
#include <string>

namespace wtool {

inline std::string signal_name(int number) {
  if (const char* const name = ::sigabbrev_np(number)) return std::string("SIG") + name;
  if (number >= SIGRTMIN && number <= SIGRTMAX) return "SIGRTMIN+" + std::to_string(number - SIGRTMIN);
  return "signal " + std::to_string(number);
}

}  // namespace wtool
