// A command puts symbolic links in place of the files that the host writes for it (output.spill). Nothing outside is
// written or removed, the command's own result is the usual one, and the result names the link.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "support/sandboxed.h"

BOOST_AUTO_TEST_SUITE(spill_links_test)

using namespace wtool::test;
namespace fs = std::filesystem;

namespace {

constexpr const char* old_name = "20010101T000000.000Z-call-0000000a.out";

struct Fixture : Sandboxed {
  const std::string spilled = inside + "/.wtool/output";

  Json config(std::uint64_t max_bytes = 1ULL << 30) const {
    Json all = sandbox();
    all["output"] = {{"spill", "always"}, {"directory", spilled}, {"max_bytes", max_bytes}};
    return all;
  }
  std::size_t files_outside() const {
    return static_cast<std::size_t>(
        std::distance(fs::recursive_directory_iterator(outside), fs::recursive_directory_iterator()));
  }
  // Checks that the command was run, that its output is in the result, and that the result names the link.
  static void check_link(const Answer& answer, const std::string& link, const std::string& out) {
    BOOST_TEST_CONTEXT(answer.raw) {
      BOOST_TEST(!answer.is_error());
      BOOST_TEST(answer.out() == out);
      BOOST_TEST(!answer.metadata().contains("output_file"));
      const std::string error = answer.metadata().value("output_file_error", "");
      BOOST_TEST((error.find(link + " is a symbolic link") != std::string::npos));
    }
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_link_in_place_of_the_folder_leads_nowhere, Fixture) {
  const ToolUnderTest tool(plugin, config());
  const std::size_t before = files_outside();
  const std::string plant = "mkdir .wtool && ln -s " + outside + " .wtool/output && echo payload";
  check_link(run(tool, plant), spilled, "payload\n");
  BOOST_TEST(files_outside() == before);
  // The link is still there when the next call is made.
  const Answer next = run(tool, "echo again");
  check_link(next, spilled, "again\n");
  BOOST_TEST((next.metadata().at("output_file_error").get<std::string>().find(outside) != std::string::npos));
  BOOST_TEST(files_outside() == before);
}

BOOST_FIXTURE_TEST_CASE(a_link_above_the_folder_leads_nowhere, Fixture) {
  const ToolUnderTest tool(plugin, config());
  const std::size_t before = files_outside();
  check_link(run(tool, "ln -s " + outside + " .wtool && echo payload"), inside + "/.wtool", "payload\n");
  check_link(run(tool, "echo again"), inside + "/.wtool", "again\n");
  BOOST_TEST(files_outside() == before);
}

BOOST_FIXTURE_TEST_CASE(a_folder_that_is_exchanged_while_the_command_runs_is_still_the_first, Fixture) {
  const ToolUnderTest tool(plugin, config());
  BOOST_REQUIRE(!run(tool, "echo first").is_error());
  const std::size_t before = files_outside();
  const Answer answer = run(tool, "mv .wtool away && ln -s " + outside + " .wtool && echo payload");
  BOOST_TEST(answer.out() == "payload\n", answer.raw);
  BOOST_TEST(files_outside() == before);
  BOOST_TEST(std::distance(fs::directory_iterator(inside + "/away/output"), fs::directory_iterator()) == 2);
}

BOOST_FIXTURE_TEST_CASE(no_file_outside_is_removed_for_room, Fixture) {
  const std::string kept = scratch.file(std::string("outside/output/") + old_name, std::string(900'000, 'x'));
  const ToolUnderTest tool(plugin, config(1 << 20));
  check_link(run(tool, "ln -s " + outside + " .wtool && head -c 500000 /dev/zero | tr '\\0' x | wc -c"),
             inside + "/.wtool", "500000\n");
  for (int i = 0; i < 3; ++i) run(tool, "head -c 500000 /dev/zero");
  BOOST_TEST(fs::exists(kept));
  fs::remove(inside + "/.wtool");
  BOOST_TEST(
      !run(tool, "mkdir .wtool && ln -s " + outside + "/output .wtool/output && head -c 500000 /dev/zero").is_error());
  for (int i = 0; i < 3; ++i) run(tool, "head -c 500000 /dev/zero");
  BOOST_TEST(fs::exists(kept));
  BOOST_TEST(files_outside() == 3U);  // the secret, the folder and the file in it
}

BOOST_FIXTURE_TEST_CASE(a_file_in_place_of_an_older_one_is_not_followed, Fixture) {
  const ToolUnderTest tool(plugin, config(1 << 20));
  const std::string kept = scratch.file("outside/large", std::string(900'000, 'x'));
  run(tool, "mkdir -p .wtool/output && ln -s " + kept + " .wtool/output/" + old_name + " && ln " + old_name + " x");
  for (int i = 0; i < 3; ++i) BOOST_TEST(!run(tool, "head -c 500000 /dev/zero").is_error());
  BOOST_TEST(fs::file_size(kept) == 900'000U);
}

BOOST_FIXTURE_TEST_CASE(a_folder_of_the_commands_own_is_used, Fixture) {
  const ToolUnderTest tool(plugin, config());
  const Answer answer = run(tool, "mkdir -p .wtool/output && echo payload");
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(!answer.metadata().contains("output_file_error"));
    BOOST_TEST(content(answer.metadata().at("output_file")) == "payload\n");
  }
}

BOOST_FIXTURE_TEST_CASE(without_output_nothing_is_made, Fixture) {
  const ToolUnderTest tool(plugin, config());
  BOOST_TEST(!run(tool, "true").is_error());
  BOOST_TEST(fs::is_empty(inside));
}

BOOST_AUTO_TEST_SUITE_END()
