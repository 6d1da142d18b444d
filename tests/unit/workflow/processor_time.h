// Measures processor time so that neither a busy machine nor a sanitizer makes a test fail: compare two such times with
// each other, never one with a number of seconds.
#pragma once

#include <ctime>

namespace wtool::test {

// The processor time of the work in seconds, which does not grow when the machine is busy with other work.
template <class Work>
double processor_time(Work&& work) {
  const std::clock_t began = std::clock();
  work();
  return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
}

}  // namespace wtool::test
