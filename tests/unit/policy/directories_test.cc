// policy/directories.h: a directory is what was opened, whatever the path says later.
#include "policy/directories.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "support/program.h"

using namespace wtool::policy;

BOOST_AUTO_TEST_SUITE(directories)

BOOST_AUTO_TEST_CASE(a_link_is_resolved_and_the_descriptor_is_what_it_led_to) {
  const wtool::test::ScratchFolder scratch;
  const std::string real = scratch.path() + "/real";
  const std::string link = scratch.path() + "/link";
  BOOST_REQUIRE(::mkdir(real.c_str(), 0755) == 0 && ::symlink("real", link.c_str()) == 0);
  const auto opened = open_directory(link);
  BOOST_REQUIRE(std::holds_alternative<Directory>(opened));
  BOOST_TEST(std::get<Directory>(opened).path == real);
  BOOST_REQUIRE(::unlink(link.c_str()) == 0 && ::symlink("/", link.c_str()) == 0);
  struct stat by_descriptor {
  }, by_path{};
  ::fstat(std::get<Directory>(opened).descriptor.get(), &by_descriptor);
  ::stat(real.c_str(), &by_path);
  BOOST_TEST(by_descriptor.st_ino == by_path.st_ino);
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_said_with_the_path) {
  const wtool::test::ScratchFolder scratch;
  const std::string file = scratch.file("file", "");
  const std::string loop = scratch.path() + "/loop";
  BOOST_REQUIRE(::symlink("loop", loop.c_str()) == 0);
  const std::pair<std::string, std::string> rows[] = {{scratch.path() + "/none", "does not exist"},
                                                      {file, "is not a directory"},
                                                      {loop, "symbolic links"},
                                                      {std::string(5000, 'a'), "too long"}};
  for (const auto& [path, expected] : rows) {
    const auto opened = open_directory(path);
    BOOST_REQUIRE(std::holds_alternative<DirectoryError>(opened));
    BOOST_TEST(std::get<DirectoryError>(opened).message.find(expected) != std::string::npos);
  }
}

BOOST_AUTO_TEST_SUITE_END()
