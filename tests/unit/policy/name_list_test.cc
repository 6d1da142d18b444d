// Lists of programs: what is listed, and what only looks like it.
#include "policy/name_list.h"

#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "support/program.h"

namespace name_list_test {

using namespace wtool::policy;
using wtool::test::ScratchFolder;
using Parts = std::vector<std::string>;

namespace {

// One trusted folder, with a program `tool` in it.
struct Fixture {
  ScratchFolder scratch;
  const std::string tool = scratch.file("tool", "#!/bin/sh\n", 0755);
  const Programs programs{std::vector<std::string>{scratch.path()}, "", {}};

  bool allows(Parts entries, std::string_view program) const {
    return NameList(std::move(entries)).allows(program, programs);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(name_list, Fixture)

BOOST_AUTO_TEST_CASE(parts_are_trimmed_and_empty_ones_left_out) {
  BOOST_TEST(comma_separated("ls,cat") == (Parts{"ls", "cat"}));
  BOOST_TEST(comma_separated("  ls ,\tcat\n, git status ") == (Parts{"ls", "cat", "git status"}));
  BOOST_TEST(comma_separated(",,ls,, ,") == (Parts{"ls"}));
  for (const char* nothing : {"", " ", ",", " , \t,\n"}) BOOST_TEST(comma_separated(nothing).empty());
}

BOOST_AUTO_TEST_CASE(an_empty_list_allows_nothing) {
  BOOST_TEST(!allows({}, "ls"));
  BOOST_TEST(!allows({}, ""));
  BOOST_TEST(NameList({}).empty());
}

BOOST_AUTO_TEST_CASE(a_star_allows_everything_wherever_it_stands) {
  BOOST_TEST(allows({"*"}, "anything"));
  BOOST_TEST(allows({"ls", "*"}, "/tmp/anything"));
}

BOOST_AUTO_TEST_CASE(a_star_within_a_name_is_not_a_wildcard) {
  BOOST_TEST(!allows({"l*"}, "ls"));
  BOOST_TEST(!allows({"**"}, "ls"));
}

BOOST_AUTO_TEST_CASE(a_name_is_equal_or_it_is_not_listed) {
  BOOST_TEST(allows({"ls", "cat"}, "cat"));
  for (const char* other : {"LS", "l", "lsx", "ls ", "ls,cat", "./ls", "/tmp/ls", "../ls", "bin/ls", ""}) {
    BOOST_TEST(!allows({"ls", "cat"}, other), other);
  }
}

BOOST_AUTO_TEST_CASE(an_absolute_path_is_the_listed_name_only_where_it_is_the_very_file) {
  const ScratchFolder elsewhere;
  const std::string fake = elsewhere.file("tool", "#!/bin/sh\n", 0755);
  const std::string link = elsewhere.path() + "/linked";
  BOOST_REQUIRE(::symlink(scratch.path().c_str(), link.c_str()) == 0);
  BOOST_TEST(allows({"tool"}, tool));
  // The path leads to that file now, but may lead to another one when it is executed.
  BOOST_TEST(!allows({"tool"}, link + "/tool"));
  BOOST_TEST(
      !allows({"tool"}, scratch.path() + "/../" + scratch.path().substr(scratch.path().rfind('/') + 1) + "/tool"));
  BOOST_TEST(!allows({"tool"}, fake));
  BOOST_TEST(!allows({"other"}, tool));
  BOOST_TEST(!allows({"tool"}, "/no/such/tool"));
}

BOOST_AUTO_TEST_CASE(a_path_can_be_listed_itself) {
  BOOST_TEST(allows({"./build.sh"}, "./build.sh"));
  BOOST_TEST(!allows({"./build.sh"}, "build.sh"));
  BOOST_TEST(!allows({tool}, "tool"));
}

BOOST_AUTO_TEST_CASE(a_list_is_shown_in_its_order) { BOOST_TEST(NameList({"ls", "cat"}).shown() == "ls, cat"); }

BOOST_AUTO_TEST_SUITE_END()

}  // namespace name_list_test
