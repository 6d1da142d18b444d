// system/process_files.h: what /proc says about one process.
#include "system/process_files.h"

#include <sys/mman.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <string>

#include "base/descriptor.h"

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

BOOST_AUTO_TEST_CASE(a_user_with_many_groups_does_not_hide_the_memory) {
  std::string groups = "Groups:\t";
  for (int group = 100'000; groups.size() < 100'000; ++group) groups += std::to_string(group) + ' ';
  const Descriptor file(::memfd_create("status", MFD_CLOEXEC));
  const std::string status =
      "Name:\ttail\nTracerPid:\t0\n" + groups + "\nVmRSS:\t   13932 kB\nRssAnon:\t    7120 kB\nVmSwap:\t       4 kB\n";
  BOOST_REQUIRE(::write(file.get(), status.data(), status.size()) == static_cast<ssize_t>(status.size()));
  BOOST_REQUIRE(::lseek(file.get(), 0, SEEK_SET) == 0);
  char text[4096];
  BOOST_TEST(read_lines(file.get(), text, sizeof text) < sizeof text);
  const ProcessMemory memory = memory_of(text);
  BOOST_TEST(memory.held_kib == 13932U + 4U);
  BOOST_TEST(memory.private_kib == 7120U);
}

BOOST_AUTO_TEST_CASE(a_process_that_has_ended_holds_no_memory) {
  const ProcessMemory memory = memory_of("Name:\ttail\nState:\tZ (zombie)\nThreads:\t1\n");
  BOOST_TEST(memory.held_kib == 0U);
  BOOST_TEST(memory.private_kib == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace process_files_test
