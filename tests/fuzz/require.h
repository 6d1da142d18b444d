// Ends the program where something does not hold, so that the fuzzer, or ctest, takes notice.
#pragma once

#include <cstdlib>

namespace wtool::test {

inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace wtool::test
