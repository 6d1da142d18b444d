// system/process_files.h: what /proc says about one process.
#include "system/process_files.h"

#include <boost/test/unit_test.hpp>

namespace process_files_test {

using namespace wtool;

BOOST_AUTO_TEST_SUITE(process_files)

BOOST_AUTO_TEST_CASE(swapped_memory_counts_as_held) {
  const ProcessMemory memory = memory_of(
      "Name:\ttail\nVmSize:\t   61000 kB\nVmRSS:\t   13932 kB\nRssAnon:\t    7120 kB\nRssFile:\t    6800 kB\n"
      "RssShmem:\t      12 kB\nVmData:\t   50000 kB\nVmSwap:\t   40960 kB\nThreads:\t1\n");
  BOOST_TEST(memory.held_kib == 13932U + 40960U);
  BOOST_TEST(memory.private_kib == 7120U);
}

BOOST_AUTO_TEST_CASE(a_process_that_has_ended_holds_no_memory) {
  const ProcessMemory memory = memory_of("Name:\ttail\nState:\tZ (zombie)\nThreads:\t1\n");
  BOOST_TEST(memory.held_kib == 0U);
  BOOST_TEST(memory.private_kib == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace process_files_test
