// What earlier programs have written can still be read: tests/data/formats/1 has a configuration, a workflow, the
// journal of a failed run of it and the audit trail of that run, as the first program with these formats left them; and
// the journal of a run that ended without reaching the state of --until, which was recorded as completed then.
//
// Never rewrite these files. If a case fails, users' files can no longer be read: give the format a new version in
// base/formats.h, and keep reading the old one.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "support/shell_tool.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(formats_test)

using namespace wtool::test;

namespace {

const std::string journal_run = "20261123-235134-c4ab";
const std::string missed_run = "20261125-102030-5d7e";
const std::string trail_head = "adc24a4920ba2622e7459ae8706500ddaea75788e7b63688f3e11d023cfbbdec";

// A project that an earlier program has left.
struct Project {
  ScratchFolder scratch;

  Project() {
    const std::filesystem::path from = WTOOL_TEST_SOURCE_DIR "/tests/data/formats/1", to = scratch.path();
    std::filesystem::create_directories(to / ".wtool/runs");
    for (const char* name : {"wtool.yaml", "release.md", "audit.jsonl"}) {
      std::filesystem::copy_file(from / name, to / name);
    }
    std::filesystem::copy_file(from / "run.jsonl", to / ".wtool/runs" / (journal_run + ".jsonl"));
    std::filesystem::copy_file(from / "missed.jsonl", to / ".wtool/runs" / (missed_run + ".jsonl"));
  }
  Finished wtool(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), WTOOL_TEST_PROGRAM);
    ProgramOptions options;
    options.directory = scratch.path();
    options.set["XDG_CONFIG_HOME"] = scratch.path() + "/config";
    return run(arguments, options);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_configuration_of_version_1_has_the_values_that_it_had, Project) {
  const Finished shown = wtool({"config", "show", "--json"});
  BOOST_TEST_REQUIRE(shown.exit_code == 0, shown.err);
  const Json keys = Json::parse(shown.out).at("keys");
  BOOST_TEST(keys.at("limits.timeout_max").at("value") == 600);
  BOOST_TEST(keys.at("limits.timeout_max").at("locked_by") == "wtool.yaml:19:8");
  BOOST_TEST(keys.at("limits.grace_seconds").at("value") == 1.5);
  BOOST_TEST((keys.at("commands.deny").at("value") == Json({"git push"})));
  BOOST_TEST((keys.at("environment.set").at("value") == Json({{"CI", "1"}})));
  BOOST_TEST(keys.at("output.spill").at("value") == "when_cut");
  BOOST_TEST(keys.at("mcp.approve_within").at("value") == "none");
  BOOST_TEST(keys.at("pty.idle_seconds").at("value") == 600);
}

BOOST_FIXTURE_TEST_CASE(a_workflow_of_version_1_has_no_findings_and_runs, Project) {
  const Finished linted = wtool({"lint", "release.md"});
  BOOST_TEST(linted.exit_code == 0, linted.out << linted.err);
  BOOST_TEST(holds(linted.out, "0 errors, 0 warnings"), linted.out);
  scratch.file("allowed", "");
  const Finished finished = wtool({"run", "release.md", "--var", "version=1.3.0"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(holds(finished.err, "published 1.3.0"), finished.err);
}

BOOST_FIXTURE_TEST_CASE(a_journal_of_version_1_is_shown_and_reported, Project) {
  const Finished shown = wtool({"show", journal_run, "--json"});
  BOOST_TEST_REQUIRE(shown.exit_code == 0, shown.err);
  const Json about = Json::parse(shown.out);
  BOOST_TEST(about.at("status") == "failed");
  BOOST_TEST(about.at("inputs").at("version") == "1.2.0");
  BOOST_TEST_REQUIRE(about.at("steps").size() == 4U);
  BOOST_TEST(about.at("steps").at(3).at("state") == "Publish");
  BOOST_TEST(about.at("steps").at(3).at("exit_code") == 1);
  BOOST_TEST(wtool({"show", journal_run, "--output", "Build"}).out == "built 1.2.0\n");
  const Finished reported = wtool({"report", journal_run, "--junit", "junit.xml", "--html", "run.html"});
  BOOST_TEST(reported.exit_code == 0, reported.err);
  std::ifstream junit(scratch.path() + "/junit.xml");
  const std::string text((std::istreambuf_iterator<char>(junit)), {});
  BOOST_TEST(holds(text, R"(<testsuites name="Release" tests="4" failures="1")"), text);
}

BOOST_FIXTURE_TEST_CASE(a_run_of_version_1_that_missed_the_state_of_until_has_failed, Project) {
  const std::string reason = "the run ended without reaching Publish, which --until names";
  const Finished attached = wtool({"attach", missed_run});
  BOOST_TEST(attached.exit_code == 1, attached.out << attached.err);
  BOOST_TEST(holds(attached.err, reason), attached.err);
  for (const Json& about : {Json::parse(wtool({"show", missed_run, "--json"}).out),
                            Json::parse(wtool({"runs", "--json", "--limit", "1"}).out).at(0)}) {
    BOOST_TEST(about.at("run") == missed_run);
    BOOST_TEST(about.at("status") == "failed");
    BOOST_TEST(about.at("reason") == reason);
    BOOST_TEST(about.at("until_reached") == false);
  }
}

BOOST_FIXTURE_TEST_CASE(a_run_of_version_1_resumes_where_it_failed, Project) {
  scratch.file("allowed", "");
  const Finished resumed = wtool({"resume", journal_run});
  BOOST_TEST(resumed.exit_code == 0, resumed.out << resumed.err);
  BOOST_TEST(holds(resumed.err, "published 1.2.0"), resumed.err);
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/built.txt"), "a step that had succeeded has run again");
}

BOOST_FIXTURE_TEST_CASE(an_audit_trail_of_version_1_is_verified_shown_and_continued, Project) {
  const Finished verified = wtool({"audit", "verify", "audit.jsonl", "--expect", trail_head});
  BOOST_TEST(verified.exit_code == 0, verified.out << verified.err);
  BOOST_TEST(holds(verified.out, "head: " + trail_head + " (number 6)"), verified.out);
  BOOST_TEST(holds(wtool({"audit", "show", "audit.jsonl"}).out, "printf 'built %s"));
  const Finished called = wtool({"call", "shell_execute", R"({"command": "true"})"});
  BOOST_TEST(called.exit_code == 0, called.out << called.err);
  const Finished continued = wtool({"audit", "verify", "audit.jsonl", "--expect", trail_head});
  BOOST_TEST(continued.exit_code == 0, continued.out << continued.err);
  BOOST_TEST(holds(continued.out, "(number 8)"), continued.out);
}

BOOST_AUTO_TEST_SUITE_END()
