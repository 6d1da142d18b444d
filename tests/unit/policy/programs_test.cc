// policy/programs.h: programs are found where the author of a command cannot put them.
#include "policy/programs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdio>

#include "support/program.h"

namespace programs_test {

using namespace wtool::policy;

namespace {

struct Folders {
  wtool::test::ScratchFolder scratch;
  const std::string safe = make("safe", 0755);
  const std::string open_to_all = make("open", 0777);
  const std::string project = make("project", 0755);
  const std::string below = make("project/bin", 0755);

  std::string make(const std::string& name, mode_t mode) const {
    const std::string path = scratch.path() + '/' + name;
    ::mkdir(path.c_str(), mode);
    ::chmod(path.c_str(), mode);
    return path;
  }
  std::string program(const std::string& name, unsigned mode = 0755) const {
    return scratch.file(name, "#!/bin/sh\n", mode);
  }
  Programs by_default(const std::string& search_path) const { return {std::nullopt, search_path, {project}}; }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(programs, Folders)

BOOST_AUTO_TEST_CASE(folders_that_others_may_write_or_that_lie_in_a_root_are_left_out) {
  const Programs programs =
      by_default("relative::" + open_to_all + ":" + below + ":" + project + ":" + safe + ":/no/such");
  BOOST_TEST(programs.search_path() == safe);
}

BOOST_AUTO_TEST_CASE(a_link_to_a_folder_in_a_root_is_left_out_too) {
  const std::string link = scratch.path() + "/link";
  BOOST_REQUIRE(::symlink(below.c_str(), link.c_str()) == 0);
  BOOST_TEST(by_default(link + ":" + safe).search_path() == safe);
}

BOOST_AUTO_TEST_CASE(a_folder_above_that_becomes_a_link_into_a_root_is_noticed_at_the_next_call) {
  make("tools", 0755);
  const std::string tools = make("tools/bin", 0755);
  BOOST_TEST(by_default(tools + ":" + safe).search_path() == tools + ":" + safe);
  // Now the same folder is below a root, and a link is in its place.
  BOOST_REQUIRE(::rename((scratch.path() + "/tools").c_str(), (project + "/tools").c_str()) == 0);
  BOOST_REQUIRE(::symlink((project + "/tools").c_str(), (scratch.path() + "/tools").c_str()) == 0);
  BOOST_TEST(by_default(tools + ":" + safe).search_path() == safe);
}

BOOST_AUTO_TEST_CASE(one_folder_under_several_names_is_judged_by_where_it_is) {
  const std::string link = scratch.path() + "/link";
  BOOST_REQUIRE(::symlink(safe.c_str(), link.c_str()) == 0);
  BOOST_TEST(by_default(link + ":" + safe + "/:" + safe).search_path() == link + ":" + safe + "/:" + safe);
  BOOST_REQUIRE(::symlink("/proc/self/cwd", (scratch.path() + "/here").c_str()) == 0);
  BOOST_TEST(by_default(scratch.path() + "/here:/proc/self/cwd:" + below + "/../bin/.").search_path() ==
             "/nonexistent");
}

BOOST_AUTO_TEST_CASE(without_any_folder_nothing_is_found_and_the_path_is_not_empty) {
  const Programs programs = by_default("");
  BOOST_TEST(!programs.search_path().empty());
  BOOST_TEST(!programs.find("sh").has_value());
}

BOOST_AUTO_TEST_CASE(configured_folders_are_taken_as_they_are) {
  const Programs programs(std::vector<std::string>{safe, below}, "/bin", {project});
  BOOST_TEST(programs.search_path() == safe + ":" + below);
  const std::string tool = program("project/bin/tool");
  BOOST_TEST(programs.find("tool").value_or("") == tool);
  BOOST_TEST(!programs.find("sh").has_value());
}

BOOST_AUTO_TEST_CASE(only_files_that_may_be_executed_are_programs) {
  program("safe/plain", 0644);
  ::mkdir((safe + "/folder").c_str(), 0755);
  BOOST_TEST(!by_default(safe).find("plain").has_value());
  BOOST_TEST(!by_default(safe).find("folder").has_value());
}

BOOST_AUTO_TEST_CASE(a_path_is_found_where_it_is_the_very_file_under_its_own_name) {
  const std::string tool = program("safe/tool");
  const std::string other = program("project/tool");
  const std::string link = project + "/linked";
  const Programs programs = by_default(safe);
  BOOST_TEST(programs.is_found(tool));
  BOOST_TEST(!programs.is_found(other));
  BOOST_REQUIRE(::symlink(tool.c_str(), link.c_str()) == 0);
  BOOST_TEST(!programs.is_found(link));  // The same file under another name may do something else.
  BOOST_TEST(!programs.is_found("/no/such/tool"));
}

BOOST_AUTO_TEST_CASE(a_path_through_a_folder_that_may_change_is_not_found) {
  const std::string tool = program("safe/tool");
  const Programs programs = by_default(safe + "/");
  BOOST_TEST(programs.is_found(tool));
  BOOST_REQUIRE(::symlink(safe.c_str(), (project + "/folder").c_str()) == 0);
  BOOST_REQUIRE(::symlink(tool.c_str(), (project + "/tool").c_str()) == 0);
  BOOST_TEST(!programs.is_found(project + "/folder/tool"));
  BOOST_TEST(!programs.is_found(project + "/tool"));
  // This path leads to the same file for this process, but may lead to another one for the command.
  BOOST_TEST(!programs.is_found("/proc/self/root" + tool));
  BOOST_TEST(!programs.is_found(safe + "/../safe/tool"));
  const Programs of_the_system = by_default("/usr/bin:/bin");
  for (const char* path : {"/bin/sh", "/usr/bin/sh"}) BOOST_TEST(of_the_system.is_found(path), path);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace programs_test
