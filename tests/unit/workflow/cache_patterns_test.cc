// Patterns name the inputs and outputs of a step.
#include "cache/patterns.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cached_project.h"

using namespace wtool::test;

namespace {

std::string listed(const FoundFiles& found) {
  std::string out;
  for (const std::string& path : found.paths) out += path + " ";
  for (const std::string& pattern : found.unmatched) out += "!" + pattern + " ";
  return out + found.problem;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(patterns, CachedProject)

BOOST_AUTO_TEST_CASE(patterns_name_files) {
  scratch.file("project/.git/config", "");
  scratch.file("project/.hidden", "");
  scratch.file("project/a[1]", "");
  const auto found = [&](const std::vector<std::string>& names, const std::vector<std::string>& without = {}) {
    return listed(find_files(project(), names, without));
  };
  BOOST_TEST(found({"src/**"}) == "src/a.c src/deep/b.c ");
  BOOST_TEST(found({"src"}) == "src/a.c src/deep/b.c ");
  BOOST_TEST(found({"src/*.c"}) == "src/a.c ");
  BOOST_TEST(found({"**/*.c"}) == "src/a.c src/deep/b.c ");
  BOOST_TEST(found({"src/?.c", "src/[ab].c"}) == "src/a.c ");
  BOOST_TEST(found({"src/**", "!src/deep/**"}) == "src/a.c ");
  BOOST_TEST(found({"./src//a.c"}) == "src/a.c ");
  BOOST_TEST(found({"**"}) == ".hidden Makefile a[1] src/a.c src/deep/b.c ");
  BOOST_TEST(found({"a[1]"}) == "a[1] ");
  BOOST_TEST(matches("a[1]", "a[1]"));
  BOOST_TEST(found({"."}) == ".hidden Makefile a[1] src/a.c src/deep/b.c ");
  BOOST_TEST(found({".git/*"}) == ".git/config ");
  BOOST_TEST(found({"src/../Makefile"}) == "src/../Makefile ");
  BOOST_TEST(found({project("Makefile")}) == project("Makefile") + " ");
  BOOST_TEST(found({"scr/**", "none.c", "src/a.c"}) == "src/a.c !scr/** !none.c ");
  BOOST_TEST(found({"src/**", "!src"}) == "!src/** ");
  BOOST_TEST(found({"**"}, {"src/**"}) == ".hidden Makefile a[1] ");
  BOOST_TEST(found({"src/a.c"}, {"src/**"}) == "src/a.c ");
  BOOST_TEST(found({"src/a.c", "!none"}, {"src/**"}) == "src/a.c ");
}

BOOST_AUTO_TEST_CASE(folders_that_are_nested_too_deeply_are_a_problem) {
  std::string deep = "deep";
  for (int i = 0; i < 200; ++i) deep += "/a";
  scratch.file("project/" + deep + "/f.c", "");
  const FoundFiles found = find_files(project(), {"deep/**"});
  BOOST_TEST(found.problem.ends_with("/a/a is nested in too many folders"), found.problem);
}

BOOST_AUTO_TEST_CASE(the_folder_and_the_plain_spelling_of_a_pattern_are_known) {
  BOOST_TEST(folder_of("a/b/c") == "a/b");
  BOOST_TEST(folder_of("a/b/*/c") == "a/b");
  BOOST_TEST(folder_of("./a//b") == "a");
  BOOST_TEST(folder_of("/usr/lib/x") == "/usr/lib");
  BOOST_TEST(folder_of("/x") == "/");
  BOOST_TEST(folder_of("*/x") == "");
  BOOST_TEST(folder_of("x") == "");
  BOOST_TEST(plain_path("a//./b/") == "a/b");
  BOOST_TEST(plain_path("/a/.//b") == "/a/b");
  BOOST_TEST(plain_path("a") == "a");
  BOOST_TEST(plain_path("./.") == "");
}

BOOST_AUTO_TEST_CASE(many_wildcards_for_folders_take_a_bounded_time, *boost::unit_test::timeout(60)) {
  std::string deep = "deep";
  for (int i = 0; i < 40; ++i) deep += "/a";
  scratch.file("project/" + deep + "/f.c", "");
  std::string pattern = "deep";
  for (int i = 0; i < 20; ++i) pattern += "/**/a";
  BOOST_TEST(listed(find_files(project(), {pattern + "/**/f.c"})) == deep + "/f.c ");
  BOOST_TEST(listed(find_files(project(), {pattern + "/**/none"})) == "!" + pattern + "/**/none ");
  BOOST_TEST(listed(find_files(project(), {"**/**/**/**/f.c"})) == deep + "/f.c ");
  BOOST_TEST(matches(pattern, deep + "/f.c"));
  BOOST_TEST(matches("**/**/*.c", deep + "/f.c"));
  BOOST_TEST(!matches(pattern + "/**/none", deep + "/f.c"));
  BOOST_TEST(matches("src", "src/a.c"));
  for (const char* all : {".", "./", "**"}) BOOST_TEST(matches(all, "src/a.c"), all);
  BOOST_TEST(!matches("src/a.c", "src"));
  BOOST_TEST(!matches("src/*.c", "src/deep/b.h"));
}

BOOST_AUTO_TEST_CASE(links_are_followed_and_circles_are_a_problem) {
  scratch.file("elsewhere/c.c", "");
  fs::create_directory_symlink(scratch.path() + "/elsewhere", project("src/lib"));
  BOOST_TEST(listed(find_files(project(), {"src/**"})) == "src/a.c src/deep/b.c src/lib/c.c ");
  fs::create_directory_symlink(project("src"), project("src/deep/up"));
  BOOST_TEST(find_files(project(), {"src/**"}).problem.find("is a link to a folder that contains it") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_folder_below_which_something_may_match_is_known_without_looking) {
  const std::pair<const char*, const char*> some[] = {
      {"src/**", "src"}, {"src/**", "src/a/b"}, {"src/*/*.c", "src"}, {"src/*/*.c", "src/x"},
      {"src", "src/a"},  {"s[ru]c/x", "src"},   {"**/*.c", "a/b/c"},  {"**", "a"}};
  for (const auto& [pattern, folder] : some) BOOST_TEST(may_match_below(pattern, folder), pattern << " " << folder);
  const std::pair<const char*, const char*> none[] = {
      {"src/**", "lib"}, {"src/*/*.c", "lib/x"}, {"*.txt", "src"}, {"s[ab]c/x", "src"}};
  for (const auto& [pattern, folder] : none) BOOST_TEST(!may_match_below(pattern, folder), pattern << " " << folder);
}

BOOST_AUTO_TEST_CASE(patterns_that_may_name_one_file_are_known_without_looking) {
  const std::pair<const char*, const char*> some[] = {
      {"o", "o"},        {"o", "o/a"},       {"o/**", "o"},    {"o/**", "o/a/b"},  {"**", "a/b"},
      {"**/a", "b/**"},  {"o/*.c", "o/a.c"}, {"o/*", "*/a"},   {"o/a*c", "o/ab*"}, {"o/[ab]", "o/a"},
      {"./o//a", "o/a"}, {"**/x/**", "a/x"}, {"a[1]", "a[1]"}, {"*.c", "**/*.c"}};
  for (const auto& [one, other] : some) {
    BOOST_TEST(may_name_one_file(one, other), one << " " << other);
    BOOST_TEST(may_name_one_file(other, one), other << " " << one);
  }
  const std::pair<const char*, const char*> none[] = {{"o", "p"},   {"o/a", "o/b"},     {"o/*.c", "o/*.h"},
                                                      {"a*", "b*"}, {"o/*.c", "o/a.h"}, {"a/**", "b/**"}};
  for (const auto& [one, other] : none) {
    BOOST_TEST(!may_name_one_file(one, other), one << " " << other);
    BOOST_TEST(!may_name_one_file(other, one), other << " " << one);
  }
}

BOOST_AUTO_TEST_CASE(outputs_lie_below_the_directory) {
  BOOST_TEST(output_problem("build/**") == "");
  BOOST_TEST(output_problem("/etc/x") != "");
  BOOST_TEST(output_problem("a/../../x") != "");
  BOOST_TEST(output_problem("!x") != "");
}

BOOST_AUTO_TEST_SUITE_END()
