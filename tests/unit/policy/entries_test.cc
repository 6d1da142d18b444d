// policy/entries.h: which words an entry covers. policy/confinement.h: which commands may move links.
#include "policy/entries.h"

#include <boost/test/unit_test.hpp>

#include "policy/confinement.h"

namespace entries_test {

using namespace wtool::policy;

BOOST_AUTO_TEST_SUITE(entries)

BOOST_AUTO_TEST_CASE(an_entry_is_its_words_and_a_last_star_makes_it_a_prefix) {
  BOOST_TEST(Entry("git log *").prefix);
  BOOST_TEST(Entry("git log *").words.size() == 2U);
  BOOST_TEST(!Entry("git log").prefix);
  BOOST_TEST(!Entry("*").prefix);
  BOOST_TEST(Entry("a  b").words.size() == 2U);
}

BOOST_AUTO_TEST_CASE(an_absolute_entry_is_about_that_file_by_its_path_and_by_its_name) {
  const Programs programs(std::nullopt, "/usr/bin:/bin", {});
  const auto sh = programs.find("sh");
  BOOST_REQUIRE(sh.has_value());
  const auto coverage = [&](const std::string& entry, const std::string& word) {
    return covers(Entry(entry), {{word, true, {}}}, programs, {"/site"}) != Coverage::none;
  };
  BOOST_TEST(coverage(*sh, *sh));
  BOOST_TEST(coverage(*sh, "sh"));
  BOOST_TEST(coverage("sh", *sh));
  BOOST_TEST(!coverage("/opt/other/sh", "sh"));
  BOOST_TEST(!coverage("sh", "/opt/other/sh"));
  BOOST_TEST(!coverage("sh", "./sh"));
  BOOST_TEST(coverage("./sh", "./sh"));
  BOOST_TEST(coverage("/site/sh", "./sh"));
  BOOST_TEST(coverage("/site/sh", "../site/sh"));
  BOOST_TEST(!coverage("/site/sh", "../other/sh"));
  // After a cd that may have failed, the entry must name the same file either way.
  const std::vector<Word> script{{"./sh", true, {}}};
  BOOST_TEST((covers(Entry("./sh"), script, programs, {"/site", "/site/a"}) == Coverage::none));
  BOOST_TEST((covers(Entry("/site/sh"), {{"/site/sh", true, {}}}, programs, {"/a", "/b"}) != Coverage::none));
}

BOOST_AUTO_TEST_CASE(commands_that_may_make_or_move_links_are_known) {
  const auto moves = [](std::vector<std::string> words) { return moves_links(words[0], words); };
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"ln", "-s", "a", "b"},
           {"mv", "a", "b"},
           {"rsync"},
           {"cp", "-a", "-P", "b"},
           {"cp", "-vR", "a", "b"},
           {"cp", "--archive", "a", "b"},
           {"unzip", "a.zip"},
           {"unzip", "-o", "a.zip"},
           {"unzip", "--", "a.zip"},
           {"unzip", "-l", "--", "-l", "a.zip"},
           {"unzip", "-o", "a.zip", "-x", "-l"},
           {"unzip", "-o", "-dlib", "a.zip"},
           {"tar", "xf", "a.tar"},
           {"gtar", "-xf", "a.tar"},
           {"bsdtar", "-v", "-x"},
           {"tar", "--extract"},
           {"tar", "--get"},
           {"git", "checkout", "main"},
           {"git"},
       }) {
    BOOST_TEST(moves(words), words.back());
  }
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"cat", "x"},
           {"cp", "a", "b"},
           {"cp", "-v", "Rd", "b"},
           {"cp", "--", "a", "b"},
           {"unzip", "-l", "a.zip"},
           {"unzip", "-qp", "a.zip"},
           {"unzip", "-Z1", "a.zip"},
           {"tar", "tf", "a.tar"},
           {"tar", "-tf", "x"},
           {"tar", "--list", "x"},
           {"tar"},
           {"git", "status"},
           {"git", "grep", "x"},
       }) {
    BOOST_TEST(!moves(words), words.back());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace entries_test
