// `wtool doctor` and `wtool init`: what a machine allows, and files to start from.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>
#include <string>

#include "support/shell_tool.h"
#include "support/text.h"
#include "wtool_program.h"

BOOST_AUTO_TEST_SUITE(doctor_test)

using namespace wtool::test;
using namespace wtool::test::cli;

BOOST_AUTO_TEST_CASE(the_doctor_tries_calls_and_says_what_to_do) {
  const Finished finished = wtool_with({"doctor", "--json"});
  BOOST_TEST_INFO(finished.out << finished.err);
  BOOST_REQUIRE(finished.exit_code == 0);
  const Json report = Json::parse(finished.out);
  std::map<std::string, std::string> levels;
  for (const Json& finding : report.at("findings")) {
    levels[finding.at("subject")] = finding.at("level");
    // A finding that something is missing also says what to do.
    BOOST_TEST((finding.at("level") == "good" || !finding.at("advice").get<std::string>().empty()), finding.dump());
  }
  BOOST_TEST(levels["kernel"] == "good");
  BOOST_TEST(levels["plugin"] == "good");
  BOOST_TEST(levels["call"] == "good");
  BOOST_TEST(levels.count("sandbox") == 1U);
  BOOST_TEST(levels.count("cgroup") == 1U);
  const Finished text = wtool_with({"doctor"});
  BOOST_TEST(text.exit_code == 0);
  BOOST_TEST(holds(text.out, "good     call"));
}

BOOST_FIXTURE_TEST_CASE(the_doctor_names_what_is_broken, Place) {
  scratch.file("wtool.yaml", "limits: {timeout_max: never}\n");
  ProgramOptions here;
  here.directory = scratch.path();
  const Finished broken = wtool_with({"doctor"}, here);
  BOOST_TEST(broken.exit_code == 1);
  BOOST_TEST(holds(broken.out, "problem  configuration"));
  BOOST_TEST(holds(broken.out, "timeout_max"));

  scratch.file("wtool.yaml",
               "sandbox: {read: [/], write: [missing]}\nshell: {program: /no/sh}\ndirectories: {roots: [gone, .]}\n");
  const Finished paths = wtool_with({"doctor", "--json"}, here);
  BOOST_TEST(paths.exit_code == 1);
  const Json findings = Json::parse(paths.out).at("findings");
  const auto names = [&](const std::string& level, const std::string& text) {
    for (const Json& finding : findings) {
      if (finding.at("level") == level && holds(finding.at("text").get<std::string>(), text)) return true;
    }
    return false;
  };
  BOOST_TEST(names("problem", "sandbox.write names " + scratch.path() + "/missing: No such file"), paths.out);
  BOOST_TEST(names("problem", "shell.program names /no/sh: No such file"), paths.out);
  BOOST_TEST(names("note", "directories.roots names " + scratch.path() + "/gone: No such file"), paths.out);
  BOOST_TEST(!names("problem", "sandbox.read"), paths.out);
  scratch.file("wtool.yaml", "directories: {roots: [gone]}\nshell: {program: /etc/passwd}\n");
  const Finished unusable = wtool_with({"doctor"}, here);
  BOOST_TEST(unusable.exit_code == 1);
  BOOST_TEST(holds(unusable.out, "problem  configuration  directories.roots"), unusable.out);
  BOOST_TEST(holds(unusable.out, "problem  configuration  shell.program names /etc/passwd: Permission denied"),
             unusable.out);

  const Finished without = wtool_with({"--plugin", "/nonexistent.so", "doctor"});
  BOOST_TEST(without.exit_code == 1);
  BOOST_TEST(holds(without.out, "problem  plugin"));

  ProgramOptions nowhere;
  nowhere.set["TMPDIR"] = "/nonexistent";
  const Finished no_room = wtool_with({"doctor"}, nowhere);
  BOOST_TEST(no_room.exit_code == 1);
  BOOST_TEST(holds(no_room.out, "TMPDIR"));
}

BOOST_FIXTURE_TEST_CASE(the_doctor_finds_what_would_stop_every_call_of_a_configuration, Place) {
  ProgramOptions here;
  here.directory = scratch.path();
  const auto is_found = [&](const std::string& level, const std::string& yaml, const std::string& text) {
    scratch.file("wtool.yaml", yaml);
    const Finished finished = wtool_with({"doctor", "--json"}, here);
    BOOST_TEST(finished.exit_code == (level == "problem" ? 1 : 0), yaml << finished.out);
    bool found = false;
    const Json report = Json::parse(finished.out);
    for (const Json& finding : report.at("findings")) {
      found = found || (finding.at("level") == level && holds(finding.at("text").get<std::string>(), text));
    }
    BOOST_TEST(found, yaml << finished.out);
  };
  scratch.file("elsewhere", "");
  std::filesystem::create_symlink("elsewhere", scratch.path() + "/link");
  is_found("problem", "audit: {file: /proc/nope/x}\n", "the audit trail /proc/nope/x cannot be written");
  is_found("problem", "audit: {file: link}\n", "/link cannot be written");
  is_found("note", "audit: {file: link, when_unwritable: continue}\n", "/link cannot be written");
  is_found("good", "audit: {file: logs/trail.jsonl}\n", scratch.path() + "/logs/trail.jsonl");
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/logs"));
  is_found("problem", "commands: {path: [/nonexist]}\n", "commands.path names /nonexist: No such file");
  is_found("note", "commands: {path: [/nonexist, /usr/bin]}\n", "commands.path names /nonexist: No such file");
  is_found("problem", "sandbox: {read: [.], write: [.]}\n", "`true` cannot run here: ");
  is_found("good", "commands: {path: default}\nsandbox: {read: [/], write: [.]}\n", "`true` took");
}

BOOST_FIXTURE_TEST_CASE(a_file_to_start_from_is_valid_and_replaces_nothing, Place) {
  ProgramOptions here;
  here.directory = scratch.path();
  BOOST_TEST(wtool_with({"init", "workflow"}, here).exit_code == 0);
  const Finished checked = wtool_with({"lint", "--strict", "first"}, here);
  BOOST_TEST(checked.exit_code == 0, checked.out << checked.err);
  BOOST_TEST(wtool_with({"run", "first"}, here).exit_code == 0);
  BOOST_TEST(wtool_with({"run", "first", "--var", "folder=missing"}, here).exit_code == 1);

  for (const std::string kind : {"mcp", "policy"}) {
    std::filesystem::remove(scratch.path() + "/wtool.yaml");
    const Finished made = wtool_with({"init", kind}, here);
    BOOST_TEST(made.exit_code == 0, made.err);
    const Finished shown = wtool_with({"config", "show"}, here);
    BOOST_TEST(shown.exit_code == 0, shown.err);
  }
  // The policy allows what the workflow does.
  const Finished planned = wtool_with({"plan", "first"}, here);
  BOOST_TEST(holds(planned.out, "2 commands: 2 allowed\n"), planned.out);
  const Finished fits = wtool_with({"lint", "--strict", "first"}, here);
  BOOST_TEST(fits.exit_code == 0, fits.out);
  const Finished allowed = wtool_with({"call", "shell_execute", R"({"command":"ls | wc -l"})", "--explain"}, here);
  BOOST_TEST(allowed.exit_code == 0, allowed.out);
  BOOST_TEST(wtool_with({"call", "shell_execute", R"({"command":"make"})", "--explain"}, here).exit_code == 4);

  const Finished elsewhere = wtool_with({"init", "workflow", "re\x1b[31mlease.md"}, here);
  BOOST_TEST(elsewhere.out ==
             "wrote re\\x1b[31mlease.md\n`wtool plan 're\\x1b[31mlease.md'` shows what it would do, and `wtool run "
             "'re\\x1b[31mlease.md'` runs it\n");

  BOOST_TEST(holds(wtool_with({"init", "policy", "strict.yaml"}, here).out,
                   "`wtool call shell_execute command=ls --config strict.yaml` tries the policy"));
  BOOST_TEST(
      holds(wtool_with({"init", "mcp", "agent.yaml"}, here).out, "`wtool mcp --install CLIENT --config agent.yaml`"));
  BOOST_TEST(holds(wtool_with({"init", "workflow", "a CONFIG b.md"}, here).out, "`wtool plan 'a CONFIG b.md'` shows"));
  const Finished again = wtool_with({"init", "policy"}, here);
  BOOST_TEST(again.exit_code == 2);
  BOOST_TEST(holds(again.err, "wtool.yaml already exists"));
  const Finished deep = wtool_with({"init", "workflow", "new/folder/x.md"}, here);
  BOOST_TEST(deep.exit_code == 0, deep.err);
  BOOST_TEST(wtool_with({"lint", "new/folder/x.md"}, here).exit_code == 0);
  const Finished no_folder = wtool_with({"init", "policy", "wtool.yaml/wtool.yaml"}, here);
  BOOST_TEST(no_folder.exit_code == 2);
  BOOST_TEST(holds(no_folder.err, "wtool.yaml"), no_folder.err);
  BOOST_TEST(wtool_with({"init", "everything"}, here).exit_code == 2);
}

BOOST_AUTO_TEST_SUITE_END()
