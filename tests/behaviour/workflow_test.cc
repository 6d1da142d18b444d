// `wtool run`: small workflows from end to end, the abort file, and a workflow that comes with the project.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(workflow_test)

using namespace wtool::test;

namespace {

// A repository with two commits by two people, and one change that is not committed.
struct Repository : Place {
  Repository() {
    scratch.file("main.c", "int main(void) { return 0; }\n/* TODO: more */\n");
    scratch.file("notes.md", "# Notes\n\ntext\n");
    git("git init -q -b main . && git add -A && "
        "git -c user.name=Ada -c user.email=ada@example.org commit -q -m first && "
        "echo more >>notes.md && git -c user.name=Bob -c user.email=bob@example.org commit -q -am second && "
        "echo dirt >>notes.md");
  }
  void git(const std::string& script) const {
    ProgramOptions options = here();
    options.set["GIT_CONFIG_GLOBAL"] = "/dev/null";
    const Finished finished = run({"/bin/sh", "-c", script}, options);
    BOOST_REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
  }
};

const std::string straight = "    [*] --> One\n    One --> Two\n    Two --> [*]\n";

}  // namespace

BOOST_FIXTURE_TEST_CASE(the_output_of_a_step_reaches_the_next, Place) {
  const std::string file_ = workflow(straight,
                                     "- One: Shell \"echo 'it is  $HOME'\" result=\"first\"\n"
                                     "- Two: Shell \"printf %s ${first} >second.txt\"\n");
  const Finished finished = run_workflow(file_);
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 0);
    // A value is quoted for the place in which it is inserted, so data does not become syntax.
    BOOST_TEST(holds(file("second.txt"), "it is  $HOME"));
  }
}

BOOST_FIXTURE_TEST_CASE(what_is_put_into_a_command_line_cannot_run, Place) {
  const std::string evil = "x'; touch evil; echo \"`touch evil`$(touch evil)";
  const std::string file_ =
      workflow("    [*] --> One\n    One --> [*]\n",
               "- One: Shell \"printf '%s|' bare ${value} \\\"in ${value}\\\" 'in ${value}' >out.txt\"\n");
  const Finished finished = run_workflow(file_, {"--var", "value=" + evil});
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 0);
    BOOST_TEST(!std::filesystem::exists(scratch.path() + "/evil"));
    BOOST_TEST(file("out.txt") == "bare|" + evil + "|in " + evil + "|in " + evil + "|");
  }
}

BOOST_FIXTURE_TEST_CASE(a_failing_step_takes_the_transition_for_a_failure, Place) {
  const std::string diagram =
      "    [*] --> Try\n    Try --> Good: success\n    Try --> Bad: failure\n    Good --> [*]\n    Bad --> [*]\n";
  const std::string actions = "- Good: Shell \"touch good\"\n- Bad: Shell \"touch bad\"\n";
  BOOST_TEST(run_workflow(workflow(diagram, "- Try: Shell \"exit 3\"\n" + actions)).exit_code == 0);
  BOOST_TEST(std::filesystem::exists(scratch.path() + "/bad"));
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/good"));
  BOOST_TEST(run_workflow(workflow(diagram, "- Try: Shell \"exit 0\"\n" + actions)).exit_code == 0);
  BOOST_TEST(std::filesystem::exists(scratch.path() + "/good"));
}

BOOST_FIXTURE_TEST_CASE(a_failing_step_without_a_transition_for_it_fails_the_workflow, Place) {
  const Finished finished = run_workflow(workflow("    [*] --> One\n    One --> Two: success\n    Two --> [*]\n",
                                                  "- One: Shell \"exit 3\"\n- Two: Shell \"touch two\"\n"));
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/two"));
}

BOOST_FIXTURE_TEST_CASE(mistakes_are_reported_before_anything_runs, Place) {
  const Finished finished =
      run_workflow(workflow(straight, "- One: Shell \"touch ran\"\n- Two: Conjure \"a rabbit\"\n"));
  BOOST_TEST_CONTEXT(finished.err) {
    BOOST_TEST(finished.exit_code == 2);
    BOOST_TEST(!std::filesystem::exists(scratch.path() + "/ran"));
    BOOST_TEST(holds(finished.err, "workflow.md:18:"));
    BOOST_TEST(holds(finished.err, "Conjure"));
  }
}

BOOST_FIXTURE_TEST_CASE(an_abort_file_stops_the_running_command_with_its_reason, Place) {
  const std::string file_ = workflow(straight,
                                     "- One: Shell \"echo ready; setsid sleep 61 & touch running; sleep 61\"\n"
                                     "- Two: Shell \"touch two\"\n");
  Program program({wtool_path, "run", file_}, Program::On::pipes, here());
  BOOST_REQUIRE(
      wait_until([&] { return std::filesystem::exists(scratch.path() + "/running"); }, std::chrono::seconds(30)));
  const auto began = std::chrono::steady_clock::now();
  scratch.file(".swissarmyhammer/.abort", "the coffee is ready");
  const Finished finished = program.wait();
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(!finished.limit_passed);
    BOOST_TEST((std::chrono::steady_clock::now() - began < within(1000)));
    BOOST_TEST(finished.exit_code == 130);
    BOOST_TEST(holds(finished.out + finished.err, "the coffee is ready"));
    BOOST_TEST(holds(finished.out + finished.err, "ready"));
    BOOST_TEST(!std::filesystem::exists(scratch.path() + "/two"));
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
}

BOOST_FIXTURE_TEST_CASE(an_abort_file_that_appears_by_renaming_counts_too, Place) {
  std::filesystem::create_directory(scratch.path() + "/.swissarmyhammer");
  const std::string file_ =
      workflow(straight, "- One: Shell \"touch running; sleep 61\"\n- Two: Shell \"touch two\"\n");
  Program program({wtool_path, "run", file_}, Program::On::pipes, here());
  BOOST_REQUIRE(
      wait_until([&] { return std::filesystem::exists(scratch.path() + "/running"); }, std::chrono::seconds(30)));
  const std::string written = scratch.file("prepared", "renamed into place");
  std::filesystem::rename(written, scratch.path() + "/.swissarmyhammer/.abort");
  const Finished finished = program.wait();
  BOOST_TEST(finished.exit_code == 130);
  BOOST_TEST(holds(finished.out + finished.err, "renamed into place"), finished.out << finished.err);
}

// The first run is too short for watches (runner/abort_watcher.h). In the others, the event comes after the step has ended.
BOOST_FIXTURE_TEST_CASE(an_abort_file_of_the_first_step_keeps_the_second_from_running, Place) {
  std::filesystem::create_directory(scratch.path() + "/.swissarmyhammer");
  for (const std::string before : {"", "sleep 0.1; ", "sleep 0.3; "}) {
    const Finished finished = run_workflow(workflow(
        straight, "- One: Shell \"" + before + "echo enough >.swissarmyhammer/.abort\"\n- Two: Shell \"touch two\"\n"));
    BOOST_TEST(finished.exit_code == 130, finished.out << finished.err);
    BOOST_TEST(holds(finished.out + finished.err, "enough"), finished.out << finished.err);
    BOOST_TEST(!std::filesystem::exists(scratch.path() + "/two"));
  }
}

BOOST_FIXTURE_TEST_CASE(an_abort_file_from_before_the_run_is_ignored, Place) {
  scratch.file(".swissarmyhammer/.abort", "old");
  const Finished finished =
      run_workflow(workflow(straight, "- One: Shell \"touch one\"\n- Two: Shell \"touch two\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.err);
  BOOST_TEST(std::filesystem::exists(scratch.path() + "/two"));
}

BOOST_FIXTURE_TEST_CASE(ctrl_c_on_a_terminal_aborts_the_workflow, Place) {
  const std::string file_ =
      workflow(straight, "- One: Shell \"touch running; sleep 61\"\n- Two: Shell \"touch two\"\n");
  Program program({wtool_path, "run", file_}, Program::On::terminal, here());
  BOOST_REQUIRE(
      wait_until([&] { return std::filesystem::exists(scratch.path() + "/running"); }, std::chrono::seconds(30)));
  program.type("\x03");
  const Finished finished = program.wait();
  BOOST_TEST_CONTEXT(finished.out) {
    BOOST_TEST(!finished.limit_passed);
    BOOST_TEST(finished.exit_code == 130);
    BOOST_TEST(!holds(finished.out, "engine_lost"));
    BOOST_TEST(!std::filesystem::exists(scratch.path() + "/two"));
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
}

BOOST_FIXTURE_TEST_CASE(the_repository_report_describes_a_repository, Repository) {
  const Finished finished = run_workflow(std::string(WTOOL_TEST_SOURCE_DIR) + "/workflows/repository-report.md");
  const std::string report = file("repository-report.md");
  BOOST_TEST_CONTEXT(finished.out << finished.err << report) {
    BOOST_TEST(finished.exit_code == 0);
    for (const char* part : {"Ada", "Bob", "main.c", "TODO", "notes.md"}) BOOST_TEST(holds(report, part), part);
  }
}

BOOST_FIXTURE_TEST_CASE(the_repository_report_of_an_empty_repository, Place) {
  ProgramOptions options = here();
  BOOST_REQUIRE(run({"/bin/sh", "-c", "git init -q ."}, options).exit_code == 0);
  const Finished finished = run_workflow(std::string(WTOOL_TEST_SOURCE_DIR) + "/workflows/repository-report.md");
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(!file("repository-report.md").empty());
}

BOOST_FIXTURE_TEST_CASE(the_repository_report_outside_of_a_repository, Place) {
  const Finished finished = run_workflow(std::string(WTOOL_TEST_SOURCE_DIR) + "/workflows/repository-report.md");
  BOOST_TEST(finished.exit_code != 0);
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/repository-report.md"));
}

BOOST_FIXTURE_TEST_CASE(lint_reports_on_all_files_and_runs_nothing, Place) {
  const std::string good = workflow(straight, "- One: Shell \"touch ran\"\n- Two: Run workflow \"nowhere\"\n");
  const std::string bad =
      scratch.file("bad.md", "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]: exit_cod == 0\n```\n");
  const auto lint = [this](std::vector<std::string> more) {
    more.insert(more.begin(), {wtool_path, "lint"});
    return run(more, here());
  };
  const Finished human = lint({good, bad, scratch.path() + "/none.md"});
  BOOST_TEST_CONTEXT(human.out << human.err) {
    BOOST_TEST(human.exit_code == 2);
    BOOST_TEST(holds(human.out, good + ":18:22: warning: there is no workflow \"nowhere\""));
    BOOST_TEST(
        holds(human.out, bad + ":4:12: error: the variable 'exit_cod' is not defined; did you mean 'exit_code'?"));
    BOOST_TEST(holds(human.out, "/none.md:1:1: error: there is no such file\n"));
    BOOST_TEST(holds(human.out, "3 files: 2 errors, 1 warning\n"));
  }
  BOOST_TEST(lint({good}).exit_code == 0);
  BOOST_TEST(lint({good, "--strict"}).exit_code == 2);
  BOOST_TEST(lint({bad, "--var", "exit_cod"}).exit_code == 0);
  const Finished json = lint({bad, "--json"});
  BOOST_TEST(json.exit_code == 2);
  BOOST_TEST(holds(json.out, "\"line\": 4,"));
  BOOST_TEST(holds(json.out, "\"suggestion\": \"exit_code\""));
  BOOST_TEST(holds(json.out, "\"errors\": 1,"));
  BOOST_TEST(file("ran").empty());
}

BOOST_FIXTURE_TEST_CASE(a_workflow_whose_sub_workflow_has_errors_is_not_run, Place) {
  const std::string file_ = workflow(straight, "- One: Shell \"touch ran\"\n- Two: Run workflow \"bad\"\n");
  scratch.file("bad.md", "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n\n## Actions\n\n- A: Log \"${x}\"\n");
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 2);
  BOOST_TEST(holds(finished.err, "/bad.md:9:11: error: the variable 'x' is not defined"), finished.err);
  BOOST_TEST(std::filesystem::exists(scratch.path() + "/ran") == false);
}

BOOST_AUTO_TEST_SUITE_END()
