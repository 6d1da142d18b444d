// docs/tutorial.md and the pages of docs/how-to are true. The console blocks of a page are run in one folder, in their
// order: "$ COMMAND", followed by what the command writes to standard output, where "..." is any text. A block with a
// name after its language, such as "yaml wtool.yaml", is saved as that file. All other blocks are ignored.
#include <algorithm>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "page_blocks.h"
#include "support/program.h"

BOOST_AUTO_TEST_SUITE(console_pages_test)

using namespace wtool::test;
namespace fs = std::filesystem;

namespace {

const fs::path documentation = fs::path(WTOOL_TEST_SOURCE_DIR) / "docs";

std::vector<std::string> pages() {
  std::vector<std::string> names{"tutorial.md"};
  for (const auto& file : fs::directory_iterator(documentation / "how-to")) {
    names.push_back("how-to/" + file.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// A person at a terminal, with a home and a project of their own.
struct Session {
  ScratchFolder home;
  const std::string folder = home.path() + "/project";

  Session() { fs::create_directory(folder); }

  std::string run(const std::string& command) const {
    const std::string programs = fs::path(WTOOL_TEST_PROGRAM).parent_path();
    return wtool::test::run({"/bin/sh", "-c", command},
                            {.directory = folder,
                             .set = {{"PATH", programs + ":/usr/bin:/bin"}, {"HOME", home.path()}, {"LC_ALL", "C"}}})
        .out;
  }

  void play(const PageBlock& block) const {
    std::size_t at = 0;
    while (at < block.lines.size()) {
      BOOST_TEST_REQUIRE(block.lines[at].starts_with("$ "), "line " << block.line + at + 1 << " is no command");
      const std::string command = block.lines[at].substr(2);
      std::string expected;
      for (++at; at < block.lines.size() && !block.lines[at].starts_with("$ "); ++at) {
        expected += block.lines[at] + '\n';
      }
      const std::string got = run(command);
      BOOST_TEST(matches(expected, got), "line " << block.line << ": " << command << "\nexpected\n"
                                                 << expected << "got\n"
                                                 << got);
    }
  }
};

}  // namespace

BOOST_DATA_TEST_CASE(a_page_does_what_it_says, boost::unit_test::data::make(pages()), name) {
  const Session session;
  std::ostringstream page;
  page << std::ifstream(documentation / name).rdbuf();
  std::size_t played = 0;
  for (const PageBlock& block : read_blocks(page.str())) {
    const std::size_t space = block.info.find(' ');
    if (space != std::string::npos) session.home.file("project/" + block.info.substr(space + 1), block.text());
    if (block.info != "console") continue;
    session.play(block);
    ++played;
  }
  BOOST_TEST(played >= 1U);
}

BOOST_AUTO_TEST_SUITE_END()
