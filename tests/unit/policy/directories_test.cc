// policy/directories.h: a Directory stays the folder that was opened, even if the path leads elsewhere later.
#include "policy/directories.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "support/program.h"

namespace directories_test {

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

BOOST_AUTO_TEST_CASE(however_a_directory_is_spelled_its_path_is_the_kernels) {
  const wtool::test::ScratchFolder scratch;
  const std::string real = scratch.path() + "/real";
  const std::string link = scratch.path() + "/link";
  BOOST_REQUIRE(::mkdir(real.c_str(), 0755) == 0 && ::mkdir((real + "/below").c_str(), 0755) == 0);
  BOOST_REQUIRE(::symlink("real", link.c_str()) == 0);
  for (const std::string below : {"/real/below", "/real/below/", "//real//below", "/real/./below", "/link/below",
                                  "/real/below/.", "/real/below/../below"}) {
    const auto opened = open_directory(scratch.path() + below);
    BOOST_REQUIRE(std::holds_alternative<Directory>(opened));
    BOOST_TEST(std::get<Directory>(opened).path == real + "/below", below);
  }
  for (const std::string root : {"/", "//", "/.", "/.."}) {
    const auto opened = open_directory(root);
    BOOST_REQUIRE(std::holds_alternative<Directory>(opened));
    BOOST_TEST(std::get<Directory>(opened).path == "/", root);
  }
}

BOOST_AUTO_TEST_CASE(no_path_is_the_current_directory_wherever_it_is_now) {
  const wtool::test::ScratchFolder scratch;
  const std::string old = scratch.path() + "/old";
  const std::string moved = scratch.path() + "/moved";
  BOOST_REQUIRE(::mkdir(old.c_str(), 0755) == 0);
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(old);
  BOOST_REQUIRE(::rename(old.c_str(), moved.c_str()) == 0);
  const auto opened = open_directory("");
  BOOST_REQUIRE(::rmdir(moved.c_str()) == 0);
  const auto removed = open_directory("");
  std::filesystem::current_path(before);
  BOOST_REQUIRE(std::holds_alternative<Directory>(opened));
  BOOST_TEST(std::get<Directory>(opened).path == moved);
  BOOST_REQUIRE(std::holds_alternative<DirectoryError>(removed));
  BOOST_TEST(std::get<DirectoryError>(removed).error == ENOENT);
  BOOST_TEST(std::get<DirectoryError>(removed).message == "the current directory of the host has been deleted");
}

BOOST_AUTO_TEST_CASE(errors_name_the_path) {
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

BOOST_AUTO_TEST_CASE(a_path_may_be_in_any_of_several_roots) {
  BOOST_TEST(is_within_any("/a/b", {"/x", "/a"}));
  BOOST_TEST(!is_within_any("/a/b", {}));
}

BOOST_AUTO_TEST_CASE(a_path_is_resolved_whether_or_not_all_of_it_exists) {
  const wtool::test::ScratchFolder scratch;
  const std::string& top = scratch.path();
  const std::string file = scratch.file("file", "");
  const auto link = [&](const std::string& to, const std::string& name) {
    BOOST_REQUIRE(::symlink(to.c_str(), (top + '/' + name).c_str()) == 0);
  };
  link("/etc", "away");
  link("/nowhere/new", "dangling");
  link("file", "near");
  link("loop", "loop");
  link("../" + top.substr(top.rfind('/') + 1) + "/near", "twice");
  BOOST_TEST(resolve_path(top, "file") == file);
  BOOST_TEST(resolve_path(top, "./x/../file") == file);
  BOOST_TEST(resolve_path(top, "new/deep") == top + "/new/deep");
  BOOST_TEST(resolve_path(top, "away/passwd") == "/etc/passwd");
  BOOST_TEST(resolve_path(top, "away/..") == "/");
  BOOST_TEST(resolve_path(top, "dangling") == "/nowhere/new");
  BOOST_TEST(resolve_path(top, "twice") == file);
  BOOST_TEST(resolve_path(top, "loop") == "/");
  BOOST_TEST(resolve_path(top, "//etc//passwd") == "/etc/passwd");
  BOOST_TEST(resolve_path("/", "..") == "/");
  BOOST_TEST(resolve_path("/", "a") == "/a");
  // For a command, these paths lead to other directories than for the host.
  link("/proc/self/cwd", "here");
  for (const char* path : {"/proc/self/cwd", "/proc/self/cwd/file", "/proc/thread-self/root/etc", "here/file"}) {
    BOOST_TEST(resolve_path(top, path) == "/", path);
    BOOST_TEST(resolve_folder(top, path) == unknown_folder, path);
  }
  BOOST_TEST(resolve_folder(top, "/proc/1/cwd") == unknown_folder);
}

BOOST_AUTO_TEST_CASE(from_a_folder_that_only_the_command_knows_every_relative_path_is_unknown) {
  const wtool::test::ScratchFolder scratch;
  for (const char* path : {"file", "..", "../..", "../self/fd/0", "."}) {
    BOOST_TEST(resolve_folder(unknown_folder, path) == unknown_folder, path);
    BOOST_TEST(resolve_path(unknown_folder, path) == "/", path);
    BOOST_TEST(!PathResolver(unknown_folder).resolve(path), path);
  }
  BOOST_TEST(resolve_folder(unknown_folder, scratch.path()) == scratch.path());
  BOOST_TEST(resolve_folder("/proc", "version") == "/proc/version");
}

BOOST_AUTO_TEST_CASE(roots_are_canonical_and_a_root_that_is_not_a_folder_contains_nothing) {
  const wtool::test::ScratchFolder scratch;
  const std::string link = scratch.path() + "/link";
  BOOST_REQUIRE(::symlink(scratch.path().c_str(), link.c_str()) == 0);
  const std::vector<std::string> roots = canonical_roots({link, "/no/such/root", scratch.file("file", "")});
  BOOST_TEST(roots == std::vector<std::string>{scratch.path()}, boost::test_tools::per_element());
  // A path that cannot be resolved must not become "/".
  const std::string loop = scratch.path() + "/loop";
  BOOST_REQUIRE(::symlink("loop", loop.c_str()) == 0);
  BOOST_TEST(canonical_roots({loop, std::string(5000, 'x')}).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace directories_test
