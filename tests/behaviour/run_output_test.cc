// What a run shows when nobody watches: the outputs of its steps, failures, names.
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(run_output_test)

using namespace wtool::test;

namespace {

struct Shows : Place {
  // Both outputs of a run in one stream, as a log has them.
  std::string log_of(const std::string& file, const std::string& options = "",
                     const std::map<std::string, std::string>& set = {}) const {
    ProgramOptions where = here();
    for (const auto& [name, value] : set) where.set[name] = value;
    return run({"/bin/sh", "-c", wtool_path + " run " + file + " " + options + " </dev/null 2>&1 | cat"}, where).out;
  }
  const std::string two = workflow("    [*] --> One\n    One --> Two\n    Two --> [*]\n",
                                   "- One: Shell \"echo first; echo careful >&2; printf last\"\n"
                                   "- Two: Shell \"echo second\"\n");
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_log_holds_what_each_step_said, Shows) {
  const std::string log = log_of(two);
  BOOST_TEST_CONTEXT(log) {
    for (const char* line : {"  > One\n", "  ok One  ", "    | first\n", "    ! careful\n", "    | last\n",
                             "    | second\n", "A test: run 20", "A test: completed in "}) {
      BOOST_TEST(holds(log, line), line);
    }
    BOOST_TEST(log.find("| second") > log.find("ok Two"));
  }
}

BOOST_FIXTURE_TEST_CASE(the_output_of_steps_is_shown_as_it_is_wanted, Shows) {
  BOOST_TEST(holds(log_of(two, "--output stream"), "\nfirst\n"));
  BOOST_TEST(holds(log_of(two, "--output prefixed"), "\nOne ! careful\n"));
  const std::string none = log_of(two, "--output none");
  BOOST_TEST(!holds(none, "first"), none);
  BOOST_TEST(holds(none, ", 1 line on stderr\n"), none);
  BOOST_TEST(holds(log_of(two, "-v"), "    $ echo second\n"));
  const std::string quiet = log_of(two, "-q");
  BOOST_TEST(quiet.starts_with("A test: completed in "), quiet);
  BOOST_TEST(std::count(quiet.begin(), quiet.end(), '\n') == 1);
  const Finished wrong = run_workflow(two, {"--output", "loud"});
  BOOST_TEST(wrong.exit_code == 2);
  BOOST_TEST(holds(wrong.err, "group"), wrong.err);
  BOOST_TEST(run_workflow(two, {"-q", "-v"}).exit_code == 2);
}

BOOST_FIXTURE_TEST_CASE(odd_outputs_do_nothing_to_a_log, Shows) {
  const std::string file_ =
      workflow("    [*] --> One\n    One --> [*]\n",
               "- One: Shell \"printf 'a\\\\033[2Jb\\\\007\\\\n10%%\\\\r99%%\\\\r\\\\nx'; head -c 200000 "
               "/dev/zero | tr '\\\\0' y\"\n");
  const std::string log = log_of(file_);
  BOOST_TEST(holds(log, "    | ab\n"), log.substr(0, 1000));
  BOOST_TEST(holds(log, "    | 99%\n"));
  BOOST_TEST(!holds(log, "\x1b"));
  BOOST_TEST(static_cast<std::size_t>(std::count(log.begin(), log.end(), 'y')) >= 200000U);
}

BOOST_FIXTURE_TEST_CASE(every_step_that_failed_is_shown_with_the_end_of_its_output_and_the_hint, Shows) {
  const std::string file_ = workflow(
      "    [*] --> F\n    state F <<fork>>\n    state J <<join>>\n    F --> A\n    F --> B\n    F --> C\n"
      "    A --> J\n    B --> J\n    C --> J\n    J --> [*]\n",
      "- A: Shell \"echo left; echo bad left >&2; exit 3\"\n- B: Shell \"echo right; exit 4\"\n"
      "- C: Shell \"sleep 61\" timeout=1\n");
  const Finished finished = run_workflow(file_, {"--no-fail-fast"});
  BOOST_TEST_CONTEXT(finished.out) {
    BOOST_TEST(finished.exit_code == 1);
    for (const char* part : {"  Failed: A\n", "    | bad left\n", "    | left\n", "  Exit code: 3\n", "  Failed: B\n",
                             "    | right\n", "  Failed: C\n", "  Hint: ", "timeout"}) {
      BOOST_TEST(holds(finished.out, part), part);
    }
    // The outputs of A and B already say everything, so only C has a hint.
    BOOST_TEST(finished.out.find("  Hint: ") == finished.out.rfind("  Hint: "));
    BOOST_TEST(finished.out.find("  Hint: ") > finished.out.find("  Failed: C\n"));
  }
}

BOOST_FIXTURE_TEST_CASE(a_hint_stays_where_it_says_what_the_output_does_not, Shows) {
  const std::string one = "    [*] --> A\n    A --> [*]\n";
  const Finished missing = run_workflow(workflow(one, "- A: Shell \"sh -c no-such-program-x\"\n"));
  BOOST_TEST(holds(missing.out, "  Hint: shells answer 127 when a program was not found"), missing.out);
  const Finished failed = run_workflow(workflow(one, "- A: Shell \"exit 3\"\n"));
  BOOST_TEST(!holds(failed.out, "Hint"), failed.out);
}

BOOST_FIXTURE_TEST_CASE(combinations_of_a_matrix_are_called_by_their_values, Shows) {
  const std::string file_ = workflow("    [*] --> Build\n    Build --> [*]\n",
                                     "- Build: Shell \"test ${matrix.mode} != broken\" matrix={\"arch\": [\"amd64\", "
                                     "\"arm64\"], \"mode\": [\"debug\", \"broken\"]}\n");
  const Finished finished = run_workflow(file_, {"--no-fail-fast"});
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(holds(finished.err, "  ok Build (amd64, debug)  "));
    BOOST_TEST(holds(finished.err, "  failed Build (arm64, broken)  "));
    BOOST_TEST(holds(finished.out, "  Failed: Build (amd64, broken)\n"));
    BOOST_TEST(holds(finished.out, "  Build  failed (4 combinations, 2 failed)  "));
  }
  const Finished junit = run({wtool_path, "report", "last", "--junit", "-"}, here());
  BOOST_TEST(holds(junit.out, "<testcase name=\"Build (amd64, debug)\""), junit.out << junit.err);
  BOOST_TEST(holds(junit.out, R"(tests="5" failures="2" errors="0" skipped="1")"), junit.out);
  const Finished github = run({wtool_path, "report", "last", "--github"}, here());
  BOOST_TEST_CONTEXT(github.out << github.err) { BOOST_TEST(holds(github.out, "Build (amd64%2C broken)")); }
}

BOOST_FIXTURE_TEST_CASE(one_failure_is_one_failure_in_junit_whatever_contains_it, Shows) {
  scratch.file("inner.md",
               "---\nparameters: [{name: n}]\n---\n```mermaid\nstateDiagram-v2\n[*] --> I\nI --> [*]\n```\n## Actions\n"
               "- I: Shell \"until test -e up || test ${n} = 1; do sleep 0.01; done; touch up; exit ${n}\"\n");
  const auto counts = [&](const std::string& diagram, const std::string& actions, const std::string& expected) {
    const Finished finished = run_workflow(workflow(diagram, actions), {"--junit", "-"});
    const std::string all = finished.out.substr(0, finished.out.find("<testsuite "));
    BOOST_TEST(holds(all, expected), finished.out << finished.err);
  };
  const std::string one = "    [*] --> M\n    M --> [*]\n";
  counts(one, "- M: Run workflow \"inner.md\" with n=${matrix.n} matrix={\"n\": [1, 0]}\n",
         R"( failures="1" errors="0")");
  const std::string fork =
      "    [*] --> F\n    state F <<fork>>\n    state J <<join>>\n    F --> A\n    F --> B\n    A --> J\n    B --> J\n";
  const std::string branches = "- A: Shell \"exit 3\"\n- B: Shell \"sleep 61\"\n";
  counts(fork + "    J --> [*]\n", branches, R"( failures="1" errors="0")");
  counts(fork + "    J --> C: failure\n    J --> [*]: success\n    C --> [*]\n", branches + "- C: Shell \"exit 4\"\n",
         R"( failures="1" errors="0")");
  counts(fork + "    J --> C: failure\n    J --> [*]: success\n    C --> [*]\n", branches + "- C: Log \"c\"\n",
         R"( failures="0" errors="0")");
  counts("    [*] --> M\n    M --> C: failure\n    M --> [*]: success\n    C --> [*]\n",
         "- M: Shell \"exit ${matrix.n}\" matrix={\"n\": [1, 0]}\n- C: Log \"c\"\n", R"( failures="0" errors="0")");
}

BOOST_FIXTURE_TEST_CASE(a_report_on_standard_output_is_alone_there, Shows) {
  const Finished junit = run_workflow(two, {"--junit", "-"});
  BOOST_TEST_CONTEXT(junit.out << junit.err) {
    BOOST_TEST(junit.exit_code == 0);
    BOOST_TEST(junit.out.starts_with("<?xml"));
    BOOST_TEST(junit.out.ends_with("</testsuites>\n"));
    BOOST_TEST(holds(junit.err, "A test: completed in "));
  }
  const Finished both = run_workflow(two, {"--junit", "-", "--html", "-"});
  BOOST_TEST(both.exit_code == 2);
  BOOST_TEST(both.out.empty(), both.out);
  BOOST_TEST(holds(both.err, "only one of --events, --junit and --html can be standard output"), both.err);
}

BOOST_FIXTURE_TEST_CASE(the_workflow_file_is_never_overwritten, Shows) {
  const std::string text = content_of(two);
  std::filesystem::create_symlink("workflow.md", scratch.path() + "/soft");
  std::filesystem::create_hard_link(two, scratch.path() + "/hard");
  BOOST_TEST(run_workflow("workflow.md").exit_code == 0);
  const auto refused = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), wtool_path);
    const Finished finished = run(arguments, here());
    BOOST_TEST(finished.exit_code == 2, finished.out << finished.err);
    BOOST_TEST(holds(finished.err, " is the workflow file itself"), finished.err);
    BOOST_TEST(!holds(finished.err, "> One"), finished.err);
    BOOST_TEST(content_of(two) == text);
    scratch.file("workflow.md", text);
  };
  for (const char* file : {"workflow.md", "./workflow.md", "soft", "hard"}) {
    refused({"graph", "workflow.md", "--output", file});
    for (const char* option : {"--html", "--junit", "--events"}) refused({"run", "workflow.md", option, file});
  }
  refused({"watch", "workflow.md", "--html", "workflow.md"});
  refused({"run", "workflow.md", "--from", "Two", "--html", "workflow.md"});
  refused({"resume", "last", "--from", "Two", "--junit", "workflow.md"});
  refused({"report", "last", "--html", "workflow.md"});
  refused({"report", "last", "--junit", "hard"});
}

BOOST_FIXTURE_TEST_CASE(no_report_replaces_another_one_or_the_journal, Shows) {
  BOOST_TEST(run_workflow("workflow.md").exit_code == 0);
  const auto refused = [&](std::vector<std::string> arguments, const std::string& why) {
    arguments.insert(arguments.begin(), wtool_path);
    const Finished finished = run(arguments, here());
    BOOST_TEST(finished.exit_code == 2, finished.out << finished.err);
    BOOST_TEST(holds(finished.err, why), finished.err);
  };
  refused({"run", "workflow.md", "--html", "z", "--junit", "./z"}, "two reports would be written to z");
  refused({"run", "workflow.md", "--events", "z", "--html", "z"}, "two reports would be written to z");
  refused({"report", "last", "--html", "z", "--junit", "z"}, "two reports would be written to z");
  std::string journal;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path() + "/.wtool/runs")) {
    if (entry.path().extension() == ".jsonl") journal = entry.path();
  }
  const std::string before = content_of(journal);
  refused({"report", "last", "--html", journal}, " is the journal of the run itself");
  refused({"resume", "last", "--from", "Two", "--html", journal}, " is the journal of the run itself");
  refused({"resume", "last", "--from", "Two", "--events", journal}, " is the journal of the run itself");
  BOOST_TEST(content_of(journal) == before);
}

BOOST_FIXTURE_TEST_CASE(a_fifo_in_place_of_a_report_is_not_waited_for, Shows) {
  const std::string file = workflow("    [*] --> A\n    A --> [*]\n", "- A: Shell \"rm -f z; mkfifo z\"\n");
  const Finished finished = run_workflow(file, {"--html", "z"});
  BOOST_TEST(finished.exit_code != 0, finished.out << finished.err);
  BOOST_TEST(holds(finished.err, "cannot write "), finished.err);
  BOOST_TEST(holds(finished.err, "z: nobody reads this named pipe"), finished.err);
}

BOOST_FIXTURE_TEST_CASE(a_run_whose_events_nobody_reads_yet_says_what_it_waits_for, Shows) {
  const std::string pipe = scratch.path() + "/events";
  BOOST_REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  Program program({"/bin/sh", "-c", "exec " + wtool_path + " run " + two + " --events events 2>&1"}, Program::On::pipes,
                  here());
  BOOST_TEST(program.wait_for_output("the run begins when somebody reads the named pipe events"));
  const Finished reader = run({"/bin/cat", pipe});
  BOOST_TEST(program.wait().exit_code == 0);
  BOOST_TEST(holds(reader.out, "\"type\":\"run_started\""), reader.out);
  BOOST_TEST(holds(reader.out, "\"type\":\"run_ended\""), reader.out);
}

// A script passes an empty value if a variable is not set.
BOOST_FIXTURE_TEST_CASE(an_empty_value_of_an_option_is_not_the_same_as_no_option, Shows) {
  for (const char* option : {"--html", "--junit", "--events", "--env-file"}) {
    const Finished finished = run({wtool_path, "run", "workflow.md", option, ""}, here());
    BOOST_TEST(finished.exit_code == 2, option);
    BOOST_TEST(holds(finished.err, "the value of " + std::string(option) + " is empty"), finished.err);
  }
  const Finished call = run({wtool_path, "call", "shell_execute", "command=touch made", "--limits", ""}, here());
  BOOST_TEST(call.exit_code == 2);
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/made"));
}

BOOST_FIXTURE_TEST_CASE(a_step_whose_background_processes_were_ended_says_so_once, Shows) {
  const std::string file_ = workflow("    [*] --> A\n    A --> B\n    B --> [*]\n",
                                     "- A: Shell \"(sleep 61; echo made > f) & test -e tried || { touch tried; exit 1; "
                                     "}; echo ok\" retry=1\n"
                                     "- B: Shell \"true & wait; echo ok\"\n");
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  const std::string notice = "the step 'A': when its command ended, ";
  const std::size_t at = finished.err.find("notice: " + notice);
  BOOST_TEST_REQUIRE(at != std::string::npos, finished.err);
  BOOST_TEST(finished.err.find(notice, at + 9 + notice.size()) == std::string::npos, finished.err);
  BOOST_TEST(holds(finished.err, " ended with it; let the command `wait` for what it starts"), finished.err);
  BOOST_TEST(!holds(finished.err, "the step 'B'"), finished.err);
  BOOST_TEST(holds(run({wtool_path, "show", "last"}, here()).out, "Notices:\n    " + notice));
  const Finished called = run_workflow(
      workflow("    [*] --> A\n    A --> [*]\n", "- A: Call tool shell_execute with command=\"sleep 61 & echo ok\"\n"));
  BOOST_TEST(holds(called.err, "notice: " + notice), called.err);
  // What is ended with an interrupted command needs no notice.
  const std::string late =
      workflow("    [*] --> A\n    A --> [*]\n", "- A: Shell \"sleep 61 & sleep 61\" timeout=0.3\n");
  const Finished timed_out = run_workflow(late);
  BOOST_TEST(timed_out.exit_code == 1);
  BOOST_TEST(!holds(timed_out.err, "notice: "), timed_out.err);
}

BOOST_FIXTURE_TEST_CASE(a_run_without_any_record_is_not_said_to_be_resumable, Shows) {
  const std::string file_ = workflow("    [*] --> A\n    A --> [*]\n", "- A: Shell \"false\"\n");
  BOOST_TEST(holds(run_workflow(file_).out, "To resume where it ended: wtool resume 20"));
  // With this limit, no file can get a byte, as on a full disk. Without a TMPDIR, the thread sanitizer makes no file.
  const Finished full =
      run({"/bin/sh", "-c", "ulimit -f 0; TMPDIR=/nowhere exec " + wtool_path + " run " + file_}, here());
  BOOST_TEST(full.exit_code == 1, full.out << full.err);
  BOOST_TEST(holds(full.err, "journal"), full.err);
  BOOST_TEST(holds(full.out, "Failed: A"), full.out);
  BOOST_TEST(!holds(full.out, "To resume"), full.out);
}

BOOST_FIXTURE_TEST_CASE(a_question_waits_only_in_a_journal_that_can_be_written, Shows) {
  const std::string file_ = workflow("    [*] --> A\n    A --> [*]\n", "- A: Approve \"Go on?\"\n");
  const auto with_limit = [&](int blocks) {
    return run({"/bin/sh", "-c",
                "ulimit -f " + std::to_string(blocks) + "; TMPDIR=/nowhere exec " + wtool_path + " run " + file_},
               here());
  };
  const Finished full = with_limit(0);
  BOOST_TEST(full.exit_code == 3, full.out << full.err);
  BOOST_TEST(holds(full.out, "the run cannot wait, because its journal cannot be written"), full.out);
  BOOST_TEST(!holds(full.out, "wtool approve"), full.out);
  // Wherever the journal ends: a run that is suspended can be answered.
  bool was_suspended = false;
  for (int blocks = 1; !was_suspended && blocks < 40; ++blocks) {
    const Finished finished = with_limit(blocks);
    was_suspended = finished.exit_code == 5;
    BOOST_TEST(was_suspended == holds(finished.out, "wtool approve 20"), blocks << finished.out << finished.err);
    if (was_suspended) BOOST_TEST(run({wtool_path, "approve", "last", "--answer", "yes"}, here()).exit_code == 0);
  }
  BOOST_TEST(was_suspended);
}

BOOST_FIXTURE_TEST_CASE(a_matrix_that_a_resumed_run_keeps_is_called_kept, Shows) {
  const std::string file_ = workflow("    [*] --> Build\n    Build --> Last\n    Last --> [*]\n",
                                     "- Build: Shell \"true\" matrix={\"arch\": [\"amd64\", \"arm64\"]}\n"
                                     "- Last: Shell \"test -e go\"\n");
  BOOST_TEST(run_workflow(file_).exit_code == 1);
  scratch.file("go", "");
  const Finished finished = run({wtool_path, "resume", "last"}, here());
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 0);
    BOOST_TEST(holds(finished.out, "  Build  ok (kept)  "));
  }
}

BOOST_FIXTURE_TEST_CASE(a_run_that_continued_after_failures_names_them, Shows) {
  const std::string file_ = workflow("    [*] --> A\n    A --> B: failure\n    A --> [*]: success\n    B --> [*]\n",
                                     "- A: Shell \"exit 3\"\n- B: Shell \"echo b\"\n");
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 0);
  BOOST_TEST(holds(finished.out, "(1 step failed, and the workflow continued: A)"), finished.out);
}

BOOST_FIXTURE_TEST_CASE(a_run_that_continued_counts_the_failed_steps_that_it_names, Shows) {
  scratch.file("inner.md",
               "```mermaid\nstateDiagram-v2\n[*] --> I\nI --> [*]\n```\n## Actions\n- I: Shell \"exit 7\"\n");
  scratch.file("stuck.md",
               "```mermaid\nstateDiagram-v2\n[*] --> I\nI --> [*]: exit_code == 5\n```\n## Actions\n- I: Log "
               "\"i\"\n");
  const std::string file_ =
      workflow("    [*] --> A\n    A --> B: always\n    B --> C: always\n    C --> [*]: always\n",
               "- A: Shell \"exit 3\"\n- B: Run workflow \"inner\"\n- C: Run workflow \"stuck\"\n");
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 0);
  const std::string ended = "; 1 step failed, and the workflow ended there: C)";
  BOOST_TEST(holds(finished.out, "(2 steps failed, and the workflow continued: A, inner / I" + ended), finished.out);
  const Finished shown = run({wtool_path, "show", "last"}, here());
  BOOST_TEST(holds(shown.out, "(2 steps failed, and the workflow continued: "), shown.out);
  BOOST_TEST(holds(shown.out, ended), shown.out);
}

BOOST_FIXTURE_TEST_CASE(a_failure_that_leads_straight_to_the_end_is_said_to_end_the_run, Shows) {
  const Finished finished = run_workflow(workflow("    [*] --> A\n    A --> [*]: always\n", "- A: Shell \"exit 3\"\n"),
                                         {"--junit", "junit.xml"});
  BOOST_TEST(finished.exit_code == 0);
  BOOST_TEST(holds(finished.out, "(1 step failed, and the workflow ended there: A)"), finished.out);
  BOOST_TEST(holds(file("junit.xml"), "<skipped message=\"failed, and the workflow ended there: "), file("junit.xml"));
}

BOOST_FIXTURE_TEST_CASE(an_earlier_run_is_shown_with_all_that_failed_and_what_was_said_on_standard_error, Shows) {
  const std::string file_ = workflow(
      "    state F <<fork>>\n    state J <<join>>\n    [*] --> S\n    S --> F\n    F --> A\n    F --> B\n    A --> J\n"
      "    B --> J\n    J --> [*]\n",
      "- S: Shell \"echo fine; echo careful >&2\"\n- A: Shell \"echo from A; exit 3\"\n"
      "- B: Shell \"echo from B >&2; exit 4\"\n");
  BOOST_TEST(run_workflow(file_, {"--no-fail-fast"}).exit_code == 1);
  const Finished shown = run({wtool_path, "show", "last"}, here());
  BOOST_TEST_CONTEXT(shown.out) {
    BOOST_TEST(holds(shown.out, "Standard error of steps that succeeded:\n  S:\n    | careful\n"));
    BOOST_TEST(holds(shown.out, "  Failed: A\n"));
    BOOST_TEST(holds(shown.out, "    | from A\n"));
    BOOST_TEST(holds(shown.out, "  Failed: B\n"));
    BOOST_TEST(holds(shown.out, "    | from B\n"));
    BOOST_TEST(holds(shown.out, "  Exit code: 4\n"));
  }
}

BOOST_FIXTURE_TEST_CASE(where_the_locale_is_not_utf8_nothing_else_is_printed, Shows) {
  const std::string longer =
      workflow("    [*] --> One\n    One --> [*]\n", "- One: Abort \"" + std::string(400, 'x') + "\"\n");
  const std::string log = log_of(longer, "", {{"LANG", "C"}, {"LC_ALL", "C"}});
  BOOST_TEST(holds(log, "xxx..."), log);
  BOOST_TEST(!holds(log, "\xe2\x80\xa6"), log);
}

BOOST_AUTO_TEST_SUITE_END()
