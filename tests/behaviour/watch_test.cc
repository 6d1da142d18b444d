// wtool watch: runs a workflow again when files change, loses no change, and ends at Ctrl-C at any time.
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(watch_test)

using namespace wtool::test;

namespace {

namespace fs = std::filesystem;

const std::string one = "    [*] --> A\n    A --> [*]\n";

struct Watching : Place {
  std::size_t runs() const {
    const std::string text = file("log");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  bool comes_to(std::size_t count) const {
    return wait_until([&] { return runs() >= count; }, std::chrono::seconds(30));
  }
  std::string path(const std::string& name) const { return scratch.path() + "/" + name; }
  bool comes(const std::string& name) const {
    return wait_until([&] { return fs::exists(path(name)); }, std::chrono::seconds(30));
  }
};

// Between two runs, the program may not handle the signal yet. The signal then kills it.
bool was_ended_by(const Finished& finished, int signal) {
  return finished.exit_code == 128 + signal || finished.signal == signal;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(watch, Watching)

BOOST_AUTO_TEST_CASE(each_change_of_a_watched_file_runs_the_workflow_again) {
  fs::create_directories(path("src"));
  const std::string file_ = workflow(one, "- A: Shell \"echo run >>log\"\n");
  Program program({wtool_path, "watch", file_, "--on", "src/**", "--on", "sorce/**"}, Program::On::pipes, here());
  BOOST_REQUIRE(comes_to(1));
  scratch.file("src/a.c", "1");
  BOOST_REQUIRE(comes_to(2));
  // New folders are watched, too.
  fs::create_directories(path("src/deep/er"));
  BOOST_REQUIRE(comes_to(3));
  scratch.file("src/deep/er/b.c", "1");
  BOOST_REQUIRE(comes_to(4));
  fs::rename(path("src/deep/er/b.c"), path("src/c.c"));
  BOOST_REQUIRE(comes_to(5));
  fs::remove(path("src/c.c"));
  BOOST_REQUIRE(comes_to(6));
  program.kill(SIGINT);
  const Finished finished = program.wait();
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(was_ended_by(finished, SIGINT));
    BOOST_TEST(holds(finished.err, "watch: src/a.c changed"));
    BOOST_TEST(holds(finished.err, "watch: no file matches --on 'sorce/**' yet"));
    BOOST_TEST(!holds(finished.err, "'src/**'"));
  }
}

BOOST_AUTO_TEST_CASE(a_file_that_may_be_executed_from_now_on_or_no_longer_has_changed) {
  scratch.file("src/tool", "true");
  const std::string file_ = workflow(one, "- A: Shell \"stat -c %a src/tool >>log\"\n");
  ::chmod(path("src/tool").c_str(), 0644);
  Program program({wtool_path, "watch", file_, "--on", "src/**"}, Program::On::pipes, here());
  BOOST_REQUIRE(comes_to(1));
  ::chmod(path("src/tool").c_str(), 0755);
  BOOST_REQUIRE(comes_to(2));
  // Neither the same mode again, nor another mode that changes nothing about this, nor times count as a change.
  ::chmod(path("src/tool").c_str(), 0755);
  ::chmod(path("src/tool").c_str(), 0711);
  fs::last_write_time(path("src/tool"), fs::file_time_type::clock::now());
  ::chmod(path("src/tool").c_str(), 0644);
  BOOST_REQUIRE(comes_to(3));
  program.kill(SIGINT);
  BOOST_TEST(was_ended_by(program.wait(), SIGINT));
  BOOST_TEST(file("log") == "644\n755\n644\n");
}

BOOST_AUTO_TEST_CASE(the_working_directory_itself_may_be_watched) {
  fs::create_directories(path("src/deep"));
  const std::string file_ = workflow(one, "- A: Shell \"echo run >>\\\"$HOME/log\\\"\"\n");
  ProgramOptions options = here();
  const ScratchFolder home;
  options.set["HOME"] = home.path();
  const auto comes_to = [&](std::size_t count) {
    return wait_until(
        [&] {
          const std::string text = content_of(home.path() + "/log");
          return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) >= count;
        },
        std::chrono::seconds(30));
  };
  for (const char* name : {".", "./"}) {
    fs::remove(home.path() + "/log");
    Program program({wtool_path, "watch", file_, "--on", name}, Program::On::pipes, options);
    BOOST_REQUIRE(comes_to(1));
    scratch.file("src/deep/a.c", name);
    BOOST_TEST(comes_to(2), name);
    program.kill(SIGINT);
    BOOST_TEST(was_ended_by(program.wait(), SIGINT));
  }
}

BOOST_AUTO_TEST_CASE(the_workflow_itself_is_watched_and_may_have_errors_meanwhile) {
  const std::string file_ = workflow(one, "- A: Shell \"echo run >>log\"\n");
  Program program({wtool_path, "watch", file_, "--on", "nothing"}, Program::On::pipes, here());
  BOOST_REQUIRE(comes_to(1));
  workflow(one, "- A: Shel \"echo run >>log\"\n");
  workflow(one, "- A: Shell \"echo again >>log; echo end >>log\"\n");
  BOOST_REQUIRE(comes_to(3));
  program.kill(SIGINT);
  BOOST_TEST(was_ended_by(program.wait(), SIGINT));
  BOOST_TEST(file("log") == "run\nagain\nend\n");
}

BOOST_AUTO_TEST_CASE(a_missing_workflow_is_not_waited_for) {
  const Finished finished = run({wtool_path, "watch", path("missing.md")}, here());
  BOOST_TEST_CONTEXT(finished.out << finished.err) {
    BOOST_TEST(finished.exit_code == 2);
    BOOST_TEST(holds(finished.err, "missing.md"));
    BOOST_TEST(!holds(finished.err, "waiting for changes"));
  }
}

BOOST_AUTO_TEST_CASE(an_option_that_no_change_of_a_file_mends_is_not_waited_for) {
  const std::string file_ =
      scratch.file("w.md",
                   "---\nparameters:\n  - {name: n, type: number, required: true}\n---\n```mermaid\n"
                   "stateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n- A: Log \"${n}\"\n");
  using Words = std::vector<std::string>;
  for (const Words& more : {Words{}, Words{"--var", "n=x"}, Words{"--var", "n=1", "--var", "nn=1"},
                            Words{"--var", "n=1", "--until", "B"}, Words{"--var", "n=1", "--config", "none.yaml"}}) {
    Words words{wtool_path, "watch", file_};
    words.insert(words.end(), more.begin(), more.end());
    const Finished finished = run(words, here());
    BOOST_TEST(finished.exit_code == 2, finished.err);
    BOOST_TEST(!holds(finished.err, "waiting for changes"), finished.err);
  }
}

BOOST_AUTO_TEST_CASE(a_watched_folder_that_is_deleted_or_moved_ends_the_watch) {
  const std::string file_ = workflow(one, "- A: Shell \"echo run >>../log\"\n");
  const auto remove = [&](const std::string& name) { fs::remove_all(path(name)); };
  const auto move = [&](const std::string& name) { fs::rename(path(name), path(name) + "-moved"); };
  std::size_t before = 0;
  const auto ends_after = [&](const std::string& name, const auto& change) {
    fs::create_directories(path("here"));
    fs::create_directories(path("flows"));
    fs::copy_file(file_, path("flows/w.md"), fs::copy_options::overwrite_existing);
    ProgramOptions options = here();
    options.directory = path("here");
    Program program({wtool_path, "watch", path("flows/w.md")}, Program::On::pipes, options);
    BOOST_REQUIRE(comes_to(++before));
    change(name);
    const Finished finished = program.wait();
    before = runs();
    BOOST_TEST_CONTEXT(name << finished.out << finished.err) {
      BOOST_TEST(finished.exit_code == 2);
      BOOST_TEST(holds(finished.err, "wtool: the folder " + path(name) + " is watched, and has been deleted or moved"));
    }
  };
  ends_after("here", remove);
  ends_after("here", move);
  ends_after("flows", remove);
  ends_after("flows", move);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_not_watched_in_silence,
                     *boost::unit_test::precondition(an_ordinary_user_may_run_wtool)) {
  const std::string file_ = workflow(one, "- A: Shell \"echo run >>log\"\n");
  fs::create_directories(path("src/deep"));
  fs::permissions(scratch.path(), fs::perms(0777));
  fs::permissions(path("src"), fs::perms(0311));
  // In a folder that a pattern names, and in the folder itself.
  for (const char* pattern : {"src/**", "src", "./src/*/a.c", "src/deep/a.c"}) {
    const Finished finished = run(as_ordinary_user({wtool_path, "watch", file_, "--on", pattern}), here());
    BOOST_TEST_CONTEXT(pattern << finished.out << finished.err) {
      BOOST_TEST(finished.exit_code == 2);
      BOOST_TEST(holds(finished.err, "the folder " + path("src") + " cannot be watched: Permission denied"));
    }
  }
  fs::permissions(scratch.path(), fs::perms(0311));
  const Finished finished = run(as_ordinary_user({wtool_path, "watch", file_}), here());
  BOOST_TEST(finished.exit_code == 2, finished.out << finished.err);
  BOOST_TEST(holds(finished.err, "the folder " + scratch.path() + " cannot be watched"), finished.err);
  BOOST_TEST(!fs::exists(path("log")));
  // Other folders are named once.
  fs::permissions(scratch.path(), fs::perms(0777));
  Program program(as_ordinary_user({wtool_path, "watch", file_}), Program::On::pipes, here());
  BOOST_REQUIRE(comes_to(1));
  program.kill(SIGINT);
  const Finished noticed = program.wait();
  BOOST_TEST(was_ended_by(noticed, SIGINT));
  BOOST_TEST(holds(noticed.err, "changes in folders that cannot be read are not noticed: src\n"), noticed.err);
  fs::permissions(path("src"), fs::perms(0700));
}

BOOST_AUTO_TEST_CASE(a_change_during_a_run_is_not_lost) {
  const std::string file_ =
      workflow(one, "- A: Shell \"touch busy; until test -e go; do sleep 0.01; done; echo run >>log\"\n");
  Program program({wtool_path, "watch", file_, "--on", "src/*/*.c"}, Program::On::pipes, here());
  BOOST_REQUIRE(comes("busy"));
  fs::create_directories(path("src/new"));
  scratch.file("src/new/a.c", "1");
  scratch.file("go", "");
  BOOST_TEST(comes_to(2));
  program.kill(SIGINT);
  const Finished finished = program.wait();
  BOOST_TEST(was_ended_by(finished, SIGINT));
  BOOST_TEST(holds(finished.err, "watch: src/new/a.c changed"), finished.err);
}

BOOST_AUTO_TEST_CASE(what_no_pattern_names_runs_nothing) {
  fs::create_directories(path("src/.git"));
  const std::string file_ = workflow(one, "- A: Shell \"echo run >>log\"\n");
  Program program({wtool_path, "watch", file_, "--on", "src/", "--on", "[ab].txt"}, Program::On::pipes, here());
  BOOST_REQUIRE(comes_to(1));
  for (const char* name : {"other", "src/.git/HEAD", "a.tx", "c.txt"}) scratch.file(name, "1");
  // Changes are seen in their order, so watch has seen the changes of the other files when the second run begins.
  scratch.file("a.txt", "1");
  BOOST_REQUIRE(comes_to(2));
  scratch.file("src/x", "1");
  BOOST_REQUIRE(comes_to(3));
  program.kill(SIGTERM);
  const Finished finished = program.wait();
  BOOST_TEST(was_ended_by(finished, SIGTERM));
  BOOST_TEST(runs() == 3U);
  BOOST_TEST(holds(finished.err, "watch: a.txt changed"), finished.err);
}

BOOST_AUTO_TEST_CASE(an_exclamation_mark_excludes_files_of_the_other_patterns) {
  const std::string file_ = workflow(one, "- A: Shell \"echo run >>log\"\n");
  Program program({wtool_path, "watch", file_, "--on", "**", "--on", "!log", "--on", "!made/**"}, Program::On::pipes,
                  here());
  BOOST_REQUIRE(comes_to(1));
  fs::create_directories(path("made"));
  scratch.file("made/x", "1");
  scratch.file(".wtool-restoring-1-1", "1");
  scratch.file("a.txt", "1");
  BOOST_REQUIRE(comes_to(2));
  program.kill(SIGTERM);
  const Finished finished = program.wait();
  BOOST_TEST(was_ended_by(finished, SIGTERM));
  BOOST_TEST(runs() == 2U);
  BOOST_TEST(holds(finished.err, "watch: a.txt changed"), finished.err);
  const Finished refused = run({wtool_path, "watch", file_, "--on", "!log"}, here());
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(holds(refused.err, "--on '!log' only excludes files"), refused.err);
}

BOOST_AUTO_TEST_CASE(a_run_that_changes_what_is_watched_is_repeated_after_ever_longer_pauses) {
  const std::string file_ = workflow(one, "- A: Shell \"echo run >>log\"\n");
  Program program({wtool_path, "watch", file_}, Program::On::pipes, here());
  BOOST_REQUIRE(comes_to(3));
  program.kill(SIGINT);
  const Finished finished = program.wait();
  BOOST_TEST(was_ended_by(finished, SIGINT));
  BOOST_TEST(holds(finished.err, "watch: the same files change whenever the workflow runs (log)"), finished.err);
  BOOST_TEST(holds(finished.err, "the next run begins in 1 s"), finished.err);
}

BOOST_AUTO_TEST_CASE(a_change_ends_the_pause_after_a_run_that_changes_what_is_watched) {
  const std::string file_ = workflow(one, "- A: Shell \"echo run >>log; test ! -e other || touch .wtool/seen\"\n");
  Program program({wtool_path, "watch", file_}, Program::On::pipes, here());
  // The fourth run comes after pauses of 1 and 2 seconds. The pause after it would last 4 seconds, and the next one 8.
  BOOST_REQUIRE(comes_to(4));
  scratch.file("other", "1");
  BOOST_REQUIRE(comes(".wtool/seen"));
  BOOST_TEST(comes_to(runs() + 2));
  program.kill(SIGINT);
  const Finished finished = program.wait();
  BOOST_TEST(was_ended_by(finished, SIGINT));
  BOOST_TEST(!holds(finished.err, "begins in 8 s"), finished.err);
}

BOOST_AUTO_TEST_CASE(a_pattern_that_can_match_nothing_is_refused) {
  const std::string file_ = workflow(one, "- A: Shell \"echo run >>log\"\n");
  for (const char* pattern : {"/etc/**", "../x"}) {
    const Finished finished = run({wtool_path, "watch", file_, "--on", pattern}, here());
    BOOST_TEST(finished.exit_code == 2);
    BOOST_TEST(holds(finished.err, "--on must name files below the working directory"), finished.err);
  }
  BOOST_TEST(runs() == 0U);
}

BOOST_AUTO_TEST_CASE(a_value_that_can_be_read_only_once_is_refused) {
  const std::string file_ = workflow(one, "- A: Shell \"echo run >>log\"\n");
  BOOST_REQUIRE(run({"/bin/sh", "-c", "mkfifo pipe"}, here()).exit_code == 0);
  for (const char* value : {"word=-", "word=pipe"}) {
    const Finished finished = run({wtool_path, "watch", file_, "--var-file", value}, here());
    BOOST_TEST(!finished.limit_passed);
    BOOST_TEST(finished.exit_code == 2);
    BOOST_TEST(holds(finished.err, "can be read only once"), finished.err);
  }
  BOOST_TEST(runs() == 0U);
}

BOOST_AUTO_TEST_CASE(ctrl_c_during_a_run_ends_run_and_watch) {
  const std::string file_ = workflow(one, "- A: Shell \"touch busy; sleep 61\"\n");
  Program program({wtool_path, "watch", file_, "--on", "src/**"}, Program::On::pipes, here());
  BOOST_REQUIRE(comes("busy"));
  program.kill(SIGINT);
  const Finished finished = program.wait();
  BOOST_TEST(!finished.limit_passed);
  BOOST_TEST(finished.exit_code == 130, finished.out << finished.err);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(a_run_that_fails_or_aborts_does_not_end_the_watch) {
  fs::create_directories(path("src"));
  const std::string file_ = workflow("    [*] --> A\n    A --> Stop\n    Stop --> [*]\n",
                                     "- A: Shell \"echo run >>log; test ! -e src/a\"\n- Stop: Abort \"enough\"\n");
  Program program({wtool_path, "watch", file_, "--on", "src/**"}, Program::On::pipes, here());
  BOOST_REQUIRE(comes_to(1));
  scratch.file("src/a", "1");
  BOOST_REQUIRE(comes_to(2));
  scratch.file("src/a", "2");
  BOOST_REQUIRE(comes_to(3));
  program.kill(SIGINT);
  BOOST_TEST(was_ended_by(program.wait(), SIGINT));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
