// Where a command's cgroup may be made, found from the texts of /proc and a tree of directories. The test makes up
// both: the kernel's own are plain files and lines, too.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "engine/cgroup.h"
#include "support/program.h"

namespace cgroup_base_test {

using namespace wtool::engine;
using Paths = std::vector<std::string>;

namespace {

// A line of mountinfo for a cgroup file system, as systemd mounts it.
std::string mount(const std::string& root, const std::string& point, const std::string& type = "cgroup2") {
  return "31 23 0:28 " + root + " " + point + " rw,nosuid,relatime shared:4 - " + type + " cgroup rw,nsdelegate\n";
}

const std::string others = "23 1 254:0 / / rw,relatime - ext4 /dev/root rw\n25 23 0:22 / /proc rw - proc proc rw\n";

void check(const Paths& found, const Paths& expected) {
  BOOST_TEST(found == expected, boost::test_tools::per_element());
}

struct Tree {
  wtool::test::ScratchFolder scratch;

  // A cgroup at `path` below the scratch folder that passes `controllers` on to its children.
  std::string cgroup(const std::string& path, const std::string& controllers) const {
    std::filesystem::create_directories(scratch.path() + path);
    scratch.file(path.substr(1) + "/cgroup.procs", "");
    scratch.file(path.substr(1) + "/cgroup.subtree_control", controllers + "\n");
    return scratch.path() + path;
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(cgroup_directories_of_a_process)

BOOST_AUTO_TEST_CASE(version_1_alone_gives_no_directories) {
  check(cgroup_directories(others + mount("/", "/sys/fs/cgroup/memory", "cgroup"), "4:memory:/a\n1:cpu:/a\n"), {});
}

BOOST_AUTO_TEST_CASE(beside_version_1_it_is_found_where_it_is_mounted) {
  check(
      cgroup_directories(others + mount("/", "/sys/fs/cgroup/memory", "cgroup") + mount("/", "/sys/fs/cgroup/unified"),
                         "4:memory:/other\n0::/a\n"),
      {"/sys/fs/cgroup/unified/a", "/sys/fs/cgroup/unified"});
}

BOOST_AUTO_TEST_CASE(they_go_from_the_cgroup_of_the_process_up_to_the_root) {
  check(cgroup_directories(others + mount("/", "/sys/fs/cgroup"), "0::/user.slice/app.slice/x.scope\n"),
        {"/sys/fs/cgroup/user.slice/app.slice/x.scope", "/sys/fs/cgroup/user.slice/app.slice",
         "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"});
}

BOOST_AUTO_TEST_CASE(a_process_in_the_root_has_the_root) {
  check(cgroup_directories(mount("/", "/sys/fs/cgroup"), "0::/\n"), {"/sys/fs/cgroup"});
}

BOOST_AUTO_TEST_CASE(a_mount_that_shows_a_part_begins_there) {
  check(cgroup_directories(mount("/docker/ab", "/sys/fs/cgroup"), "0::/docker/ab/x\n"),
        {"/sys/fs/cgroup/x", "/sys/fs/cgroup"});
  check(cgroup_directories(mount("/docker/ab", "/sys/fs/cgroup"), "0::/docker/ab\n"), {"/sys/fs/cgroup"});
}

BOOST_AUTO_TEST_CASE(a_mount_that_does_not_show_the_cgroup_of_the_process_is_skipped) {
  check(cgroup_directories(mount("/docker/ab", "/mnt/part"), "0::/docker/abc\n"), {});
  check(cgroup_directories(mount("/docker/ab", "/mnt/part") + mount("/", "/mnt/all"), "0::/x\n"),
        {"/mnt/all/x", "/mnt/all"});
}

BOOST_AUTO_TEST_CASE(in_a_cgroup_namespace_what_is_outside_of_it_is_not_guessed) {
  check(cgroup_directories(mount("/../..", "/sys/fs/cgroup"), "0::/\n"), {});  // mounted before the namespace was made
  check(cgroup_directories(mount("/", "/sys/fs/cgroup"), "0::/../other\n"), {});  // The process is outside.
}

BOOST_AUTO_TEST_CASE(blanks_in_paths_are_read_as_the_kernel_writes_them) {
  check(cgroup_directories(mount("/a\\040b", "/mnt/c\\134\\040d"), "0::/a b/e f\n"), {"/mnt/c\\ d/e f", "/mnt/c\\ d"});
  // Not what the kernel writes, so it stays.
  check(cgroup_directories(mount("/", "/mnt/c\\089\\04"), "0::/\n"), {"/mnt/c\\089\\04"});
}

BOOST_AUTO_TEST_CASE(malformed_texts_give_no_directories) {
  check(cgroup_directories("", ""), {});
  check(cgroup_directories(mount("/", "/sys/fs/cgroup"), "0::\n0:\n::/\n0::relative\n"), {});
  check(cgroup_directories("31 23 0:28 /\n- cgroup2\n31 - cgroup2 cgroup2 rw\n\n   \n", "0::/\n"), {});
  check(cgroup_directories("31 23 0:28 / /sys/fs/cgroup rw cgroup2 cgroup2 rw", "0::/\n"), {});  // no dash
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(the_base_for_cgroups, Tree)

BOOST_AUTO_TEST_CASE(is_the_nearest_that_passes_on_both_controllers) {
  const std::string root = cgroup("/r", "cpu io memory pids");
  const std::string slice = cgroup("/r/slice", "memory pids");
  const std::string scope = cgroup("/r/slice/scope", "");
  BOOST_TEST(choose_cgroup_base({scope, slice, root}) == slice);
  cgroup("/r/slice/scope", "cpu pids memory");
  BOOST_TEST(choose_cgroup_base({scope, slice, root}) == scope);
}

BOOST_AUTO_TEST_CASE(one_controller_or_another_name_is_not_enough) {
  const std::string root = cgroup("/r", "memory cpu");
  const std::string inner = cgroup("/r/a", "memorypids pidsmemory");
  BOOST_TEST(choose_cgroup_base({inner, root}).empty());
}

BOOST_AUTO_TEST_CASE(without_controllers_no_base_is_chosen) {
  // A machine that gives all controllers to version 1 looks like this.
  const std::string root = cgroup("/r", "");
  BOOST_TEST(choose_cgroup_base({root}).empty());
  BOOST_TEST(choose_cgroup_base({}).empty());
}

BOOST_AUTO_TEST_CASE(directories_that_are_gone_are_skipped) {
  const std::string root = cgroup("/r", "memory pids");
  BOOST_TEST(choose_cgroup_base({root + "/gone (deleted)", root}) == root);
}

BOOST_AUTO_TEST_CASE(one_that_we_may_not_use_is_skipped) {
  const std::string root = cgroup("/r", "memory pids");
  const std::string slice = cgroup("/r/slice", "memory pids");
  const std::string scope = cgroup("/r/slice/scope", "memory pids");
  // Without the file by which processes are moved, not even root can use the cgroup.
  std::filesystem::remove(scope + "/cgroup.procs");
  BOOST_TEST(choose_cgroup_base({scope, slice, root}) == slice);
  if (::geteuid() == 0) {
    BOOST_TEST_MESSAGE("root may write anywhere: permissions are not tested");
    return;
  }
  std::filesystem::permissions(slice, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  BOOST_TEST(choose_cgroup_base({scope, slice, root}) == root);
  std::filesystem::permissions(root + "/cgroup.procs", std::filesystem::perms::owner_read);
  BOOST_TEST(choose_cgroup_base({scope, slice, root}).empty());
  std::filesystem::permissions(slice, std::filesystem::perms::owner_all);  // The test can remove the folder again.
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace cgroup_base_test
