// What the kernel counts while a stage of a call runs: context switches, migrations between processors, system calls.
#pragma once

#include <sys/types.h>

#include <array>
#include <optional>

#include "base/descriptor.h"

namespace wtool::bench {

struct Counts {
  // Nothing: the kernel does not let this user count it.
  std::array<std::optional<double>, 3> of{};  // switches, migrations, system calls
};

// Counts one process, and those that it starts meanwhile, but not those that it has started before.
class Counter {
 public:
  explicit Counter(pid_t process);

  void start();
  // The counts since start(), divided by `times`.
  Counts stop(double times) const;

 private:
  std::array<Descriptor, 3> events_;
};

// The sum; nothing where one of the two is missing.
Counts operator+(const Counts& a, const Counts& b);

}  // namespace wtool::bench
