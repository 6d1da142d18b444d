// The workflows that come with the project, each run on real input. (The repository report is in workflow_test.cc.)
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "flaky_server.h"
#include "support/shell_tool.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(workflows_test)

using namespace wtool::test;

namespace {

const std::filesystem::path workflows = std::filesystem::path(WTOOL_TEST_SOURCE_DIR) / "workflows";

std::vector<std::string> all_workflows() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(workflows)) {
    if (entry.path().extension() == ".md") names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

struct Place {
  ScratchFolder scratch;

  ProgramOptions here() const {
    ProgramOptions options;
    options.directory = scratch.path();
    options.set["GIT_CONFIG_GLOBAL"] = "/dev/null";
    options.set["GIT_CONFIG_NOSYSTEM"] = "1";
    for (const char* who : {"GIT_AUTHOR", "GIT_COMMITTER"}) {
      options.set[std::string(who) + "_NAME"] = "Ada";
      options.set[std::string(who) + "_EMAIL"] = "ada@example.org";
    }
    options.limit = std::chrono::minutes(5);
    return options;
  }
  Finished wtool(const std::string& command, const std::string& name, const std::vector<std::string>& variables) const {
    std::vector<std::string> argv{WTOOL_TEST_PROGRAM, command, (workflows / name).string()};
    for (const std::string& variable : variables) argv.insert(argv.end(), {"--var", variable});
    return run(argv, here());
  }
  // Runs the workflow with a secret for the parameter `token`.
  Finished run_with_token(const std::string& name, const std::vector<std::string>& variables,
                          const std::string& token) const {
    ProgramOptions options = here();
    options.set["TOKEN_OF_TEST"] = token;
    std::vector<std::string> argv{WTOOL_TEST_PROGRAM, "run", (workflows / name).string(), "--var-env",
                                  "token=TOKEN_OF_TEST"};
    for (const std::string& variable : variables) argv.insert(argv.end(), {"--var", variable});
    return run(argv, options);
  }
  Finished run_workflow(const std::string& name, const std::vector<std::string>& variables = {}) const {
    return wtool("run", name, variables);
  }
  void sh(const std::string& script) const {
    const Finished finished = run({"/bin/sh", "-ec", script}, here());
    BOOST_REQUIRE_MESSAGE(finished.exit_code == 0, finished.out + finished.err);
  }
  std::string content(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(scratch.path() + "/" + name, std::ios::binary).rdbuf();
    return text.str();
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(scratch.path() + "/" + name); }
};

// A CMake project whose only test is the program itself.
struct Project : Place {
  Finished build(const std::string& code) const {
    scratch.file("project/CMakeLists.txt",
                 "cmake_minimum_required(VERSION 3.20)\nproject(tiny C)\nenable_testing()\n"
                 "add_executable(tiny main.c)\nadd_test(NAME tiny COMMAND tiny)\n");
    scratch.file("project/main.c", code);
    return run_workflow("build-and-test.md", {"source=project", "build_dir=made here", "build_type=Debug", "jobs=1"});
  }
};

struct Repository : Place {
  Repository() { sh("git init -q -b main ."); }
};

}  // namespace

BOOST_DATA_TEST_CASE(a_workflow_is_without_warnings_and_has_a_plan, boost::unit_test::data::make(all_workflows()),
                     name) {
  const Place place;
  // A workflow that executes prompts needs a command for them.
  const ScratchFolder elsewhere;
  const std::string config = elsewhere.file("wtool.yaml", "prompts: {command: \"cat {{ prompt_file }}\"}\n");
  const std::string file = (workflows / name).string();
  const Finished linted = run({WTOOL_TEST_PROGRAM, "--config", config, "lint", "--strict", file}, place.here());
  BOOST_TEST(linted.exit_code == 0, linted.out << linted.err);
  const Finished planned = run({WTOOL_TEST_PROGRAM, "--config", config, "plan", file}, place.here());
  BOOST_TEST(planned.exit_code == 0, planned.out << planned.err);
  BOOST_TEST(std::filesystem::is_empty(place.scratch.path()));
}

BOOST_AUTO_TEST_SUITE(build_and_test)

BOOST_FIXTURE_TEST_CASE(a_project_that_is_good, Project) {
  const Finished finished = build("int main(void) { return 0; }\n");
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(exists("made here/tiny"));
  BOOST_TEST(!exists("build-report.md"));
}

BOOST_FIXTURE_TEST_CASE(a_project_whose_test_fails, Project) {
  const Finished finished = build("#include <stdio.h>\nint main(void) { puts(\"the answer is 41\"); return 1; }\n");
  const std::string report = content("build-report.md");
  BOOST_TEST(finished.exit_code == 1, finished.out << finished.err);
  BOOST_TEST(holds(report, "# Testing failed"), report);
  BOOST_TEST(holds(report, "the answer is 41"), report);
}

BOOST_FIXTURE_TEST_CASE(a_project_that_does_not_compile, Project) {
  const Finished finished = build("int main(void) { return nothing; }\n");
  const std::string report = content("build-report.md");
  BOOST_TEST(finished.exit_code == 1, finished.out << finished.err);
  BOOST_TEST(holds(report, "# Building failed"), report);
  BOOST_TEST(holds(report, "nothing"), report);
  BOOST_TEST(!exists("made here/tiny"));
}

BOOST_FIXTURE_TEST_CASE(a_folder_without_a_project, Place) {
  const Finished finished = run_workflow("build-and-test.md");
  BOOST_TEST(finished.exit_code == 1, finished.out << finished.err);
  BOOST_TEST(holds(content("build-report.md"), "# Configuring failed"), content("build-report.md"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(parallel_checks)

BOOST_FIXTURE_TEST_CASE(of_a_clean_repository_are_all_good, Repository) {
  scratch.file("good one.sh", "#!/bin/bash\nwords=(a b)\n");
  scratch.file("good.json", "{\"a\": [1, 2]}\n");
  scratch.file(".gitignore", "ignored.json\n");
  scratch.file("ignored.json", "{\n");
  for (int round = 0; round < 2; ++round) {  // also with the report of the first run in the folder
    const Finished finished = run_workflow("parallel-checks.md");
    const std::string report = content("checks.md");
    BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
    BOOST_TEST(!holds(report, "FAILED"), report);
    BOOST_TEST(!holds(report, "unknown"), report);
  }
}

BOOST_FIXTURE_TEST_CASE(find_what_is_wrong_and_still_write_the_report, Repository) {
  scratch.file("blank.txt", "a \nb\n");
  scratch.file("merge.c", "<<<<<<< ours\n=======\n>>>>>>> theirs\n");
  scratch.file("sub/bad name.sh", "if true; then\n");
  scratch.file("bad.json", "{\"a\": }\n");
  scratch.file("big.bin", std::string(5000, 'x'));
  const Finished finished = run_workflow("parallel-checks.md", {"largest=2", "report=out of the way.md"});
  const std::string report = content("out of the way.md");
  BOOST_TEST(finished.exit_code == 1, finished.out << finished.err);
  for (const char* part : {"blank.txt:1:a", "merge.c:1:", "sub/bad name.sh", "bad.json: ", "5000 big.bin"}) {
    BOOST_TEST(holds(report, part), report << " lacks " << part);
  }
  std::size_t failed = 0;
  for (std::size_t at = report.find("FAILED"); at != std::string::npos; at = report.find("FAILED", at + 1)) ++failed;
  BOOST_TEST(failed == 5U, report);
}

BOOST_FIXTURE_TEST_CASE(that_find_one_thing_leave_the_others_good, Repository) {
  scratch.file("bad.json", "[1,\n");
  const Finished finished = run_workflow("parallel-checks.md");
  const std::string report = content("checks.md");
  BOOST_TEST(finished.exit_code == 1, finished.out << finished.err);
  BOOST_TEST(holds(report, "| syntax of JSON | FAILED |"), report);
  BOOST_TEST(holds(report, "| syntax of shell scripts | good |"), report);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(release_notes)

BOOST_FIXTURE_TEST_CASE(without_a_tag_have_the_whole_history, Repository) {
  sh("git commit -q --allow-empty -m 'feat: first'; git commit -q --allow-empty -m 'Something else'");
  const Finished finished = run_workflow("release-notes.md");
  const std::string notes = content("release-notes.md");
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(holds(notes, "## Features\n\n- first ("), notes);
  BOOST_TEST(holds(notes, "## Other changes\n\n- Something else ("), notes);
}

BOOST_FIXTURE_TEST_CASE(begin_after_the_last_tag, Repository) {
  sh("git commit -q --allow-empty -m 'feat: old'; git tag v1; git commit -q --allow-empty -m 'fix(parser): new'; "
     "git commit -q --allow-empty -m 'perf!: quick'; git tag v2; git commit -q --allow-empty -m 'docs: later'");
  BOOST_TEST(run_workflow("release-notes.md").exit_code == 0);
  std::string notes = content("release-notes.md");
  BOOST_TEST(holds(notes, "## Documentation\n\n- later ("), notes);
  BOOST_TEST(!holds(notes, "quick"), notes);
  // The notes for a tag are those since the previous tag.
  BOOST_TEST(run_workflow("release-notes.md", {"to=v2", "file=v2 notes.md"}).exit_code == 0);
  notes = content("v2 notes.md");
  BOOST_TEST(holds(notes, "## Breaking changes\n\n- quick ("), notes);
  BOOST_TEST(holds(notes, "## Fixes\n\n- parser: new ("), notes);
  BOOST_TEST(!holds(notes, "old"), notes);
  BOOST_TEST(run_workflow("release-notes.md", {"from=v2", "to=v2"}).exit_code == 0);
  BOOST_TEST(holds(content("release-notes.md"), "Nothing has changed."));
}

BOOST_FIXTURE_TEST_CASE(hold_what_hostile_subjects_say_as_text, Repository) {
  const std::vector<std::string> subjects = {"feat: $(touch evil) `touch evil` ${HOME} {{ x }} {% if %}",
                                             "fix: '; touch evil; echo \"",
                                             "NOTES_END",
                                             "docs: <script>alert(1)</script> | [a](b) *c*",
                                             "feat: \x1b[31mred\x07 %s%n \\",
                                             "break: in disguise",
                                             "feat(: never closed"};
  for (const std::string& subject : subjects) {
    BOOST_REQUIRE(run({"/usr/bin/env", "git", "commit", "-q", "--allow-empty", "-m", subject}, here()).exit_code == 0);
  }
  const Finished finished = run_workflow("release-notes.md");
  const std::string notes = content("release-notes.md");
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(!exists("evil"));
  for (const char* part : {"$(touch evil) \\`touch evil\\` ${HOME} {{ x }}", "'; touch evil; echo \"", "NOTES\\_END",
                           "\\<script\\>alert(1)\\</script\\> \\| \\[a\\](b) \\*c\\*", "red %s%n \\\\",
                           "- break: in disguise (", "- feat(: never closed ("}) {
    BOOST_TEST(holds(notes, part), notes << " lacks " << part);
  }
  BOOST_TEST(!holds(notes, "\x1b"));
  BOOST_TEST(std::count(notes.begin(), notes.end(), '(') >= 7);
}

BOOST_FIXTURE_TEST_CASE(release_notes_of_what_is_not_a_commit_are_refused, Repository) {
  BOOST_TEST(run_workflow("release-notes.md").exit_code != 0);  // there is no commit
  sh("git commit -q --allow-empty -m one");
  for (const char* variable : {"to=nothing", "from=nothing", "from=--output=evil", "to=--all"}) {
    const Finished finished = run_workflow("release-notes.md", {variable});
    BOOST_TEST(finished.exit_code != 0, variable << finished.out);
    BOOST_TEST(holds(finished.out + finished.err, "is not a commit"), variable << finished.out);
  }
  BOOST_TEST(!exists("evil"));
  BOOST_TEST(!exists("release-notes.md"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(flaky_download)

BOOST_FIXTURE_TEST_CASE(tries_again_until_the_server_answers, Place) {
  FlakyServer server(2, "what was wanted\n");
  const Finished finished =
      run_with_token("flaky-download.md", {"url=" + server.url(), "file=got it"}, "hunter2 \"x\"");
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(content("got it") == "what was wanted\n");
  BOOST_TEST(server.requests().size() == 3U);
  BOOST_TEST(!exists("got it.part"));
  BOOST_TEST(!holds(finished.out + finished.err, "hunter2"));
}

BOOST_FIXTURE_TEST_CASE(sends_the_secret_and_shows_it_nowhere, Place) {
  FlakyServer server(0, "x");
  const Finished finished = run_with_token("flaky-download.md", {"url=" + server.url()}, "hunter2");
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_REQUIRE(server.requests().size() == 1U);
  BOOST_TEST(holds(server.requests()[0], "Authorization: Bearer hunter2\r\n"), server.requests()[0]);
  const Finished found = run({"/usr/bin/env", "grep", "-r", "hunter2", scratch.path()}, here());
  BOOST_TEST(found.exit_code == 1, found.out);
}

BOOST_FIXTURE_TEST_CASE(gives_up_when_its_time_is_over, Place) {
  FlakyServer server(1000, "");
  const Finished finished = run_workflow("flaky-download.md", {"url=" + server.url(), "patience=1"});
  BOOST_TEST(finished.exit_code == 1, finished.out << finished.err);
  BOOST_TEST(!exists("download.out"));
  BOOST_TEST(server.requests().size() >= 1U);
}

BOOST_FIXTURE_TEST_CASE(refuses_what_is_not_what_was_wanted, Place) {
  FlakyServer server(0, "abc");
  const std::string abc = "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD";
  BOOST_TEST(run_workflow("flaky-download.md", {"url=" + server.url(), "sha256=" + abc}).exit_code == 0);
  const Finished other = run_workflow("flaky-download.md", {"url=" + server.url(), "sha256=" + std::string(64, '0')});
  BOOST_TEST(other.exit_code == 1, other.out << other.err);
}

BOOST_FIXTURE_TEST_CASE(works_without_a_url, Place) {
  BOOST_TEST(run_workflow("flaky-download.md").exit_code == 0);
  BOOST_TEST(!content("download.out").empty());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(loop_until_tests_pass)

BOOST_FIXTURE_TEST_CASE(tests_that_pass_at_the_third_time, Place) {
  scratch.file("test.sh", "echo round >>rounds; echo 'two are missing'; [ -f fix1 ] && [ -f fix2 ]\n");
  scratch.file("fix.sh", "cp \"$TEST_STDOUT\" said; if [ -f fix1 ]; then touch fix2; else touch fix1; fi; exit 1\n");
  const Finished finished =
      run_workflow("loop-until-tests-pass.md", {"test_command=sh test.sh", "fix_command=sh fix.sh", "attempts=5"});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(content("rounds") == "round\nround\nround\n");
  BOOST_TEST(content("said") == "two are missing\n");
  BOOST_TEST(holds(finished.out + finished.err, "The tests pass, at try 3 of 5"), finished.out << finished.err);
}

BOOST_FIXTURE_TEST_CASE(tests_that_never_pass, Place) {
  const Finished finished = run_workflow("loop-until-tests-pass.md",
                                         {"test_command=echo round >>rounds; false", "fix_command=echo fix >>fixes"});
  BOOST_TEST(finished.exit_code == 1, finished.out << finished.err);
  BOOST_TEST(content("rounds") == "round\nround\nround\n");
  BOOST_TEST(content("fixes") == "fix\nfix\n");
  BOOST_TEST(holds(finished.out + finished.err, "still fail after 3 tries"), finished.out << finished.err);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(check_changes)

BOOST_FIXTURE_TEST_CASE(of_a_good_change_lists_the_files, Repository) {
  scratch.file("a.txt", "one\n");
  sh("git add a.txt && git commit -qm one");
  scratch.file("a.txt", "one\ntwo\n");
  const Finished finished = run_workflow("check-changes.md");
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(holds(finished.err, "a.txt | 1 +"), finished.err);
}

BOOST_FIXTURE_TEST_CASE(find_what_is_wrong_with_a_change, Repository) {
  scratch.file("a.txt", "one\n");
  sh("git add a.txt && git commit -qm one");
  scratch.file("a.txt", "one \n" + std::string(3000, 'x') + "\n");
  const Finished finished = run_workflow("check-changes.md", {"base=HEAD~0", "largest=2"});
  BOOST_TEST(finished.exit_code == 1, finished.out << finished.err);
  BOOST_TEST(holds(finished.out, "a.txt:1: trailing whitespace"), finished.out);
  BOOST_TEST(holds(finished.out, "too large: 3006 a.txt"), finished.out);
}

BOOST_FIXTURE_TEST_CASE(look_at_new_files_too, Repository) {
  scratch.file("a.txt", "one\n");
  sh("git add a.txt && git commit -qm one");
  scratch.file("new.txt", "<<<<<<< HEAD\n");
  scratch.file("large.txt", std::string(3000, 'x') + "\n");
  const Finished finished = run_workflow("check-changes.md", {"largest=2"});
  BOOST_TEST(finished.exit_code == 1, finished.out << finished.err);
  BOOST_TEST(holds(finished.out, "new.txt:1: leftover conflict marker"), finished.out);
  BOOST_TEST(holds(finished.out, "too large: 3001 large.txt"), finished.out);
  BOOST_TEST(!holds(finished.out + finished.err, "a.txt"), finished.out);
  std::filesystem::remove(scratch.path() + "/large.txt");
  scratch.file("new.txt", "two\n");
  const Finished good = run_workflow("check-changes.md");
  BOOST_TEST(good.exit_code == 0, good.out << good.err);
  BOOST_TEST(holds(good.err, "new.txt | 1 +"), good.err);
  BOOST_TEST(holds(run({"/bin/sh", "-c", "git status --porcelain"}, here()).out, "?? new.txt"));
}

BOOST_FIXTURE_TEST_CASE(take_no_option_for_a_commit, Repository) {
  for (const char* base : {"base=--output=made", "base=-p", "base=a b", "base="}) {
    const Finished finished = run_workflow("check-changes.md", {base});
    BOOST_TEST(finished.exit_code == 2, base << finished.out << finished.err);
  }
  BOOST_TEST(!exists("made"));
}

BOOST_AUTO_TEST_SUITE_END()

// A script plays the agents: it gets the name of a prompt, and gives the answer for it.
struct ChangeByAgents : Place {
  ChangeByAgents() {
    scratch.file("wtool.yaml", "prompts: {command: \"sh agent.sh {{ prompt_name }} {{ prompt_file }}\"}\n");
    scratch.file(
        "agent.sh",
        "echo $1 >>calls; cp $2 last-$1\n"
        "case $1 in\n"
        "agent-plan) printf '{\"summary\": \"Say hello\", \"steps\": [\"a\", \"b\"], \"risk\": \"%s\"}' $(cat risk);;\n"
        "agent-work) echo helo >greeting;;\n"
        "agent-repair) if test -e able; then echo hello >greeting; fi;;\n"
        "agent-review) if test -e reviewed; then echo '{\"verdict\": \"pass\", \"findings\": []}'\n"
        "  else touch reviewed; echo '{\"verdict\": \"fail\", \"findings\": [\"greeting:1 is short\"]}'; fi;;\n"
        "esac\n");
    scratch.file("risk", "low");
  }
  Finished change(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> argv{WTOOL_TEST_PROGRAM, "run", (workflows / "agent-change.md").string(), "--var",
                                  "test_command=grep -qx hello greeting || { echo no hello; exit 1; }"};
    argv.insert(argv.end(), more.begin(), more.end());
    return run(argv, here());
  }
  // The run waits for the person, who then approves the plan.
  Finished approved_change() const {
    BOOST_TEST(change().exit_code == 5);
    return run({WTOOL_TEST_PROGRAM, "approve", "last", "--answer", "yes"}, here());
  }
};

BOOST_AUTO_TEST_SUITE(change_by_agents)

BOOST_FIXTURE_TEST_CASE(works_until_the_tests_pass_and_the_verdict_is_good, ChangeByAgents) {
  scratch.file("able", "");
  const Finished finished = approved_change();
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(content("calls") == "agent-plan\nagent-work\nagent-repair\nagent-review\nagent-repair\nagent-review\n");
  BOOST_TEST(holds(content("last-agent-repair"), "A reviewer found: greeting:1 is short"),
             content("last-agent-repair"));
  BOOST_TEST(holds(finished.err, "Done after 6 calls: Say hello"), finished.err);
}

BOOST_FIXTURE_TEST_CASE(ends_when_the_tests_never_pass, ChangeByAgents) {
  const Finished finished = approved_change();
  BOOST_TEST(finished.exit_code == 130, finished.out << finished.err);
  BOOST_TEST(content("calls") ==
             "agent-plan\nagent-work\nagent-repair\nagent-repair\nagent-repair\nagent-repair\nagent-repair\n");
  BOOST_TEST(holds(finished.out, "did not finish within their bounds, after 7 calls"), finished.out);
}

BOOST_FIXTURE_TEST_CASE(needs_somebody_who_approves_the_plan, ChangeByAgents) {
  const Finished unasked = change({"--yes"});
  BOOST_TEST(unasked.exit_code == 5, unasked.out << unasked.err);
  BOOST_TEST(holds(unasked.out, "Say hello (2 steps, risk low). Continue?"), unasked.out);
  const Finished refused = run({WTOOL_TEST_PROGRAM, "approve", "last", "--answer", "no"}, here());
  BOOST_TEST(refused.exit_code == 130, refused.out << refused.err);
  BOOST_TEST(holds(refused.out, "the plan was not approved (risk low): Say hello"), refused.out);
  scratch.file("risk", "high");
  BOOST_TEST(change({"--yes"}).exit_code == 130);
  BOOST_TEST(content("calls") == "agent-plan\nagent-plan\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
