// What the reports and the drawing of a run say, and when they cannot be written.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(run_reports_test)

using namespace wtool::test;

namespace {

namespace fs = std::filesystem;

struct Reported : Place {
  // A workflow with the states A and B, one after the other.
  std::string two_steps(const std::string& actions) const {
    return workflow("[*] --> A\nA --> B\nB --> [*]\n", actions);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(run_reports, Reported)

BOOST_AUTO_TEST_CASE(a_drawing_shows_the_last_run_of_its_own_file) {
  const std::string text =
      "```mermaid\nstateDiagram-v2\n[*] --> Build\nBuild --> [*]\n```\n## Actions\n- Build: Shell \"";
  scratch.file("good.md", text + "true\"\n");
  scratch.file("bad.md", text + "false\"\n");
  const Finished never = wtool({"graph", "good.md", "last"});
  BOOST_TEST(never.exit_code == 2);
  BOOST_TEST(wtool({"run", "good.md"}).exit_code == 0);
  BOOST_TEST(wtool({"run", "bad.md"}).exit_code == 1);
  const Finished good = wtool({"graph", "good.md", "last"});
  BOOST_TEST(good.exit_code == 0, good.err);
  BOOST_TEST(holds(good.out, "class Build succeeded"), good.out);
  BOOST_TEST(holds(wtool({"graph", "./bad.md", "last"}).out, "class Build failed"));
  BOOST_TEST(!holds(good.err, "may differ"), good.err);
  scratch.file("good.md", file("good.md") + "\nA note.\n");
  BOOST_TEST(holds(wtool({"graph", "good.md", "last"}).err,
                   "the diagram may differ from that of the run: good.md has changed since it ran"));
  const auto runs = nlohmann::json::parse(wtool({"runs", "--json"}).out);
  const Finished other = wtool({"graph", "good.md", runs[0]["run"].get<std::string>()});
  BOOST_TEST(other.exit_code == 2);
  BOOST_TEST(holds(other.err, "is a run of bad.md, not of good.md"), other.err);
}

BOOST_AUTO_TEST_CASE(a_completed_run_that_could_not_write_its_reports_has_a_distinct_status) {
  const std::string file_ = two_steps("- A: Shell \"true\"\n- B: Log \"b\"\n");
  BOOST_TEST(wtool({"run", file_, "--html", "/dev/full"}).exit_code == 4);
  BOOST_TEST(wtool({"run", file_, "--junit", "/dev/full"}).exit_code == 4);
  BOOST_TEST(wtool({"run", file_, "--events", "/dev/full"}).exit_code == 4);
  ProgramOptions full = here();
  full.output_to = "/dev/full";
  BOOST_TEST(run({wtool_path, "run", file_}, full).exit_code == 4);
}

BOOST_AUTO_TEST_CASE(a_missing_folder_of_a_report_is_made_but_not_through_a_link) {
  const std::string quick = two_steps("- A: Log \"a\"\n- B: Log \"b\"\n");
  const Finished made = wtool({"run", quick, "--junit", "reports/new/j.xml", "--html", "reports/run.html"});
  BOOST_TEST(made.exit_code == 0, made.err);
  BOOST_TEST(holds(file("reports/new/j.xml"), "<testsuite"));
  BOOST_TEST(holds(file("reports/run.html"), "<html"));
  const std::string links = two_steps("- A: Shell \"mkdir elsewhere && ln -s elsewhere linked\"\n- B: Log \"b\"\n");
  BOOST_TEST(wtool({"run", links, "--junit", "linked/new/j.xml"}).exit_code == 4);
  BOOST_TEST(!fs::exists(scratch.path() + "/elsewhere/new"));
}

BOOST_AUTO_TEST_CASE(a_run_does_not_begin_if_its_reports_or_events_could_not_be_written) {
  const std::string file_ = two_steps("- A: Shell \"touch began\"\n- B: Log \"b\"\n");
  for (const char* option : {"--html", "--junit", "--events"}) {
    for (const char* where : {"/nowhere/file", "workflow.md/file", "."}) {
      const Finished refused = wtool({"run", file_, option, where});
      BOOST_TEST(refused.exit_code == 2, option << ' ' << where << refused.out << refused.err);
      BOOST_TEST(holds(refused.err, where), refused.err);
      BOOST_TEST(!fs::exists(scratch.path() + "/began"));
      BOOST_TEST(!fs::exists(scratch.path() + "/.wtool"));
    }
  }
  // Nothing is left of a file that was only looked at, and an old report stays if the run cannot begin.
  scratch.file("old.html", "old");
  BOOST_TEST(wtool({"run", file_, "--html", "old.html", "--junit", "new.xml", "--events", "/nowhere/x"}).exit_code ==
             2);
  BOOST_TEST(file("old.html") == "old");
  BOOST_TEST(!fs::exists(scratch.path() + "/new.xml"));
  BOOST_TEST(wtool({"run", file_, "--html", "old.html", "--junit", "new.xml"}).exit_code == 0);
  BOOST_TEST(holds(file("old.html"), "<html"));
  BOOST_TEST(holds(file("new.xml"), "<testsuite"));
}

// Another run may make the report at the same time, so the file is not even made for a moment.
BOOST_AUTO_TEST_CASE(looking_whether_a_report_can_be_written_does_not_change_its_folder) {
  const std::string file_ = two_steps("- A: Log \"a\"\n- B: Log \"b\"\n");
  const fs::path reports = fs::path(scratch.path()) / "reports";
  fs::create_directory(reports);
  const auto before = fs::last_write_time(reports) - std::chrono::hours(1);
  fs::last_write_time(reports, before);
  BOOST_TEST(wtool({"run", file_, "--html", "reports/new.html", "--events", "/nowhere/x"}).exit_code == 2);
  BOOST_TEST((fs::last_write_time(reports) == before));
}

BOOST_AUTO_TEST_CASE(a_failed_run_stays_failed_when_its_report_cannot_be_written) {
  const std::string file_ = two_steps("- A: Shell \"true\"\n- B: Shell \"false\"\n");
  BOOST_TEST(wtool({"run", file_, "--html", "/dev/full"}).exit_code == 1);
}

BOOST_AUTO_TEST_CASE(all_reports_say_the_same_of_a_state_without_an_action) {
  const std::string file_ = two_steps("- A: Shell \"true\"\n");
  const Finished finished = wtool({"run", file_, "--html", "page.html", "--events", "events"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(holds(finished.out, "B      -"), finished.out);
  BOOST_TEST(holds(wtool({"show", "last"}).out, "B      -"));
  const auto shown = nlohmann::json::parse(wtool({"show", "last", "--json"}).out);
  BOOST_TEST(shown["steps"][0]["status"] == "succeeded");
  BOOST_TEST(shown["steps"][1]["status"] == "passed");
  BOOST_TEST(holds(file("events"), "\"status\":\"passed\""), file("events"));
  BOOST_TEST(holds(file("page.html"), "<td class=\"passed\">-</td>"));
}

BOOST_AUTO_TEST_CASE(all_reports_say_the_same_of_a_join_of_which_a_branch_failed) {
  scratch.file(
      "joined.md",
      "---\nfail_fast: false\n---\n```mermaid\nstateDiagram-v2\n[*] --> F\nstate F <<fork>>\nstate J <<join>>\n"
      "F --> A\nF --> B\nA --> J\nB --> J\nJ --> Good: success\nJ --> Bad: failure\nGood --> [*]\nBad --> [*]\n"
      "```\n## Actions\n- A: Shell \"false\"\n- B: Shell \"true\"\n- Good: Log \"good\"\n- Bad: Log \"bad\"\n");
  const Finished finished =
      wtool({"run", "joined.md", "--html", "page.html", "--junit", "junit.xml", "--events", "events"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(holds(finished.out, "J      failed"), finished.out);
  BOOST_TEST(holds(finished.out, "(1 step failed"), finished.out);
  BOOST_TEST(holds(wtool({"show", "last"}).out, "J      failed"));
  const auto shown = nlohmann::json::parse(wtool({"show", "last", "--json"}).out);
  std::string join;
  for (const auto& step : shown["steps"]) {
    if (step["state"] == "J") join = step["status"].get<std::string>();
  }
  BOOST_TEST(join == "failed");
  const std::string page = file("page.html");
  const std::size_t row = page.find("\"><td>J");
  BOOST_REQUIRE(row != std::string::npos);
  BOOST_TEST(holds(page.substr(row, page.find("</tr>", row) - row), "<td class=\"failed\">failed"),
             page.substr(row, 600));
  BOOST_TEST(holds(file("junit.xml"), "failed, and the workflow continued: 1 of 2 branches failed: A"),
             file("junit.xml"));
  BOOST_TEST(holds(wtool({"graph", "joined.md", "last"}).out, "class J,A failed"));
}

BOOST_AUTO_TEST_CASE(a_join_whose_action_succeeded_says_which_branch_failed_and_counts_once) {
  scratch.file("joined.md",
               "```mermaid\nstateDiagram-v2\n[*] --> F\nstate F <<fork>>\nstate J <<join>>\n"
               "F --> A\nF --> B\nA --> J\nB --> J\nJ --> [*]\n"
               "```\n## Actions\n- A: Shell \"false\"\n- B: Shell \"true\"\n- J: Shell \"echo collected\"\n");
  const Finished finished = wtool({"run", "joined.md", "--junit", "junit.xml"});
  BOOST_TEST(finished.exit_code == 1, finished.out << finished.err);
  const std::string junit = file("junit.xml");
  BOOST_TEST(holds(junit, R"(failures="1")"), junit);
  BOOST_TEST(holds(junit, "failed, because a step before it failed: 1 of 2 branches failed: A"), junit);
  BOOST_TEST(holds(junit, "collected"), junit);
  for (const std::string& told : {finished.out + finished.err, junit, wtool({"show", "last"}).out}) {
    BOOST_TEST(!holds(told, "executed successfully"), told);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
