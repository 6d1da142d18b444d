// docs/tutorial.md is true. Its console blocks are run in one folder, in their order: "$ COMMAND", followed by what the
// command writes to standard output, where "..." is any text. A block with a name after its language, such as
// "yaml wtool.yaml", is saved as that file. Other blocks are left alone.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "page_blocks.h"
#include "support/program.h"

using namespace wtool::test;

namespace {

struct Session {
  ScratchFolder folder;

  std::string run(const std::string& command) const {
    const std::string programs = std::filesystem::path(WTOOL_TEST_PROGRAM).parent_path();
    return wtool::test::run({"/bin/sh", "-c", command},
                            {.directory = folder.path(),
                             .set = {{"PATH", programs + ":/usr/bin:/bin"}, {"HOME", folder.path()}, {"LC_ALL", "C"}}})
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

BOOST_FIXTURE_TEST_CASE(the_tutorial_does_what_it_says, Session) {
  std::ostringstream page;
  page << std::ifstream(WTOOL_TEST_SOURCE_DIR "/docs/tutorial.md").rdbuf();
  std::size_t played = 0;
  for (const PageBlock& block : read_blocks(page.str())) {
    const std::size_t space = block.info.find(' ');
    if (space != std::string::npos) folder.file(block.info.substr(space + 1), block.text());
    if (block.info != "console") continue;
    play(block);
    ++played;
  }
  BOOST_TEST(played >= 5U);
}
