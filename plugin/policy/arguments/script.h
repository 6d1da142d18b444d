// What is found when a script of sed or a program of awk is read.
#pragma once

#include <optional>
#include <string>

namespace wtool::policy::programs {

struct Script {
  // Clauses; empty where nothing was found.
  std::string executes;     // it runs a program
  std::string writes;       // it writes to a file
  std::string reaches_out;  // it reads what is not its input
  std::string unclear;      // it cannot be read, so nobody knows what it does
};

// What counts first, for a tool whose arguments must be safe; empty when nothing was found.
inline const std::string& worst(const Script& script) {
  if (!script.executes.empty()) return script.executes;
  if (!script.writes.empty()) return script.writes;
  return script.unclear.empty() ? script.reaches_out : script.unclear;
}

}  // namespace wtool::policy::programs
