// Ends the program if a condition does not hold, so that the fuzzer, or ctest, notices.
#pragma once

#include <cstdlib>

namespace wtool::test {

inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace wtool::test
