// Runs that outlive their terminal: `wtool run --detach`, `wtool attach` and `wtool stop`.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(detached_runs_test)

using namespace wtool::test;
using Json = nlohmann::json;

namespace {

namespace fs = std::filesystem;

struct Detached : Place {
  void wait_for_file(const std::string& name) const {
    BOOST_REQUIRE(wait_until([&] { return there(name); }, std::chrono::seconds(30)));
  }
  std::string one_step(const std::string& command) const {
    return workflow("    [*] --> A\n    A --> [*]\n", "- A: Shell \"" + command + "\"\n");
  }
  std::string status() const {
    return Json::parse(wtool({"runs", "--json"}).out).at(0).at("status").get<std::string>();
  }
  // Ends a run that a test has left running.
  ~Detached() { run({wtool_path, "stop", "last", "--now"}, here()); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(detached_runs, Detached)

BOOST_AUTO_TEST_CASE(a_detached_run_continues_and_is_shown_by_attach_with_its_exit_status) {
  const std::string file_ = one_step("touch began; mkfifo go; read x < go; echo the word is $x; exit 3");
  const Finished begun = wtool({"run", file_, "--detach"});
  BOOST_TEST(begun.exit_code == 0, begun.out << begun.err);
  BOOST_REQUIRE(begun.out.ends_with('\n'));
  const std::string id = begun.out.substr(0, begun.out.size() - 1);
  wait_for_file("began");
  BOOST_TEST(status() == "running");
  Program attached({wtool_path, "attach", id}, Program::On::pipes, here());
  BOOST_REQUIRE(attached.wait_for_output("> A"));
  run({"/bin/sh", "-c", "echo open > go"}, here());
  const Finished ended = attached.wait();
  BOOST_TEST(ended.exit_code == 1, ended.out << ended.err);
  BOOST_TEST(holds(ended.out, "the word is open"), ended.out);
  BOOST_TEST(holds(ended.out, "failed in"), ended.out);
  // A run that has ended can still be shown by attach.
  BOOST_TEST(wtool({"attach", id}).exit_code == 1);
}

// Attach used to return once the journal was complete, even if the run had not shown yet how it ended.
BOOST_AUTO_TEST_CASE(attach_returns_only_when_a_detached_run_has_shown_all_and_written_its_reports) {
  // The report does not fit into a pipe, so that writing it waits for a reader.
  const std::string file_ = one_step("seq 50000");
  BOOST_REQUIRE(::mkfifo((scratch.path() + "/report").c_str(), 0600) == 0);
  wtool::Descriptor both_ends(::open((scratch.path() + "/report").c_str(), O_RDWR | O_CLOEXEC));
  const Finished begun = wtool({"run", file_, "--detach", "--html", "report"});
  BOOST_REQUIRE(begun.out.ends_with('\n'));
  const std::string journal = ".wtool/runs/" + begun.out.substr(0, begun.out.size() - 1);
  BOOST_REQUIRE(wait_until([&] { return holds(file(journal + ".log"), "completed in"); }, std::chrono::seconds(30)));
  const wtool::Descriptor reading(::open((scratch.path() + "/" + journal + ".log").c_str(), O_RDONLY | O_CLOEXEC));
  BOOST_TEST(::flock(reading.get(), LOCK_SH | LOCK_NB) != 0, "for attach, the run has ended");
  Program attached({wtool_path, "attach", "last"}, Program::On::pipes, here());
  BOOST_TEST(attached.wait_for_output("completed in"));
  Program reader({"/bin/sh", "-c", "exec cat report"}, Program::On::pipes, here());
  BOOST_TEST(reader.wait_for_output("<html"));
  both_ends.reset();
  const Finished shown = attached.wait();
  BOOST_TEST(shown.exit_code == 0, shown.err);
  BOOST_TEST(holds(reader.wait().out, "</html>"));
}

BOOST_AUTO_TEST_CASE(a_detached_run_survives_its_terminal_and_keeps_no_output_open) {
  const std::string file_ = one_step("touch began; mkfifo go; read x < go; touch done");
  Program shell({"/bin/sh", "-c", wtool_path + " run '" + file_ + "' --detach; read end"}, Program::On::terminal,
                here());
  wait_for_file("began");
  shell.hang_up();
  shell.wait();
  run({"/bin/sh", "-c", "echo open > go"}, here());
  BOOST_TEST(wtool({"attach", "last"}).exit_code == 0);
  BOOST_TEST(there("done"));
}

BOOST_AUTO_TEST_CASE(a_run_can_be_stopped_as_soon_as_its_id_is_known) {
  const std::string file_ = one_step("sleep 1000 & sleep 1000");
  for (int i = 0; i < 5; ++i) {
    const Finished begun = wtool({"run", file_, "--detach"});
    BOOST_REQUIRE(begun.out.ends_with('\n'));
    const Finished stopped = wtool({"stop", begun.out.substr(0, begun.out.size() - 1)});
    BOOST_TEST(stopped.exit_code == 0, stopped.err);
    BOOST_TEST(holds(stopped.out, "aborted"), stopped.out);
  }
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

// The messages of the run's process cannot be written with this limit, as with a full disk.
BOOST_AUTO_TEST_CASE(a_run_that_cannot_begin_says_so_even_if_its_messages_are_lost) {
  const Finished lost =
      run({"/bin/sh", "-c", "ulimit -f 0; TMPDIR=/nowhere exec " + wtool_path + " run --detach " + one_step("true")},
          here());
  BOOST_TEST(lost.exit_code == 2);
  BOOST_TEST(lost.out.empty(), lost.out);
  BOOST_TEST(holds(lost.err, "wtool: the run has not begun: "), lost.err);
}

BOOST_AUTO_TEST_CASE(mistakes_are_reported_before_anything_is_detached) {
  const Finished wrong = wtool({"run", workflow("    [*] --> A\n    A --> [*]\n", "- A: Shel \"x\"\n"), "--detach"});
  BOOST_TEST(wrong.exit_code == 2);
  BOOST_TEST(wrong.out.empty(), wrong.out);
  BOOST_TEST(holds(wrong.err, "unknown action"), wrong.err);
  BOOST_TEST(wtool({"run", one_step("true"), "--detach", "--no-journal"}).exit_code == 2);
  BOOST_TEST(wtool({"attach", "last"}).exit_code == 2);
  BOOST_TEST(wtool({"stop", "last"}).exit_code == 2);
  const std::string file_ = workflow("    [*] --> A\n    A --> [*]\n", "- A: Log \"x\"\n");
  const Finished events = wtool({"run", file_, "--detach", "--events", "/nonexistent/events"});
  BOOST_TEST(events.exit_code == 2);
  BOOST_TEST(events.out == "");
  BOOST_TEST(holds(events.err, "/nonexistent/events"), events.err);
  BOOST_TEST(wtool({"run", one_step("false")}).exit_code == 1);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", file_}, {"run", one_step("false"), "--from", "A"}, {"resume", "last"}}) {
    for (const std::string option : {"--events", "--junit", "--html"}) {
      std::vector<std::string> detached = words;
      detached.insert(detached.end(), {"--detach", option, "-"});
      const Finished lost = wtool(detached);
      BOOST_TEST(lost.exit_code == 2, lost.out << lost.err);
      BOOST_TEST(lost.out == "");
      BOOST_TEST(holds(lost.err, "name a file with " + option), lost.err);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_run_whose_id_cannot_be_printed_is_named_all_the_same) {
  ProgramOptions options = here();
  options.output_to = "/dev/full";
  const Finished begun = run({wtool_path, "run", one_step("true"), "--detach"}, options);
  BOOST_TEST(begun.exit_code == 4);
  BOOST_TEST(holds(begun.err, "No space left"), begun.err);
  const Finished attached = wtool({"attach", "last"});
  BOOST_TEST(attached.exit_code == 0, attached.err);
  const std::string id = Json::parse(wtool({"runs", "--json"}).out).at(0).at("run");
  BOOST_TEST(holds(begun.err, "the run " + id + " has begun all the same"), begun.err);
}

BOOST_AUTO_TEST_CASE(a_run_whose_journal_cannot_be_written_is_not_detached) {
  // With this limit, a file has no room for a first record, but that in which the message waits has room for it.
  const auto on_full_disk = [&](const std::string& words) {
    return run({"/bin/sh", "-c", "ulimit -f 2; exec " + wtool_path + " " + words}, here());
  };
  const Finished refused = on_full_disk("run '" + one_step("mkdir began; test -d go") + "' --detach");
  BOOST_TEST(refused.exit_code == 2, refused.out << refused.err);
  BOOST_TEST(refused.out == "");
  BOOST_TEST(holds(refused.err, "a detached run needs its journal, but "), refused.err);
  BOOST_TEST(holds(refused.err, "File too large"), refused.err);
  BOOST_TEST(!there("began"));
  BOOST_TEST(Json::parse(wtool({"runs", "--json"}).out).empty());
  BOOST_TEST(wtool({"run", workflow("    [*] --> A\n    A --> [*]\n", "- A: Shell \"test -e go\"\n")}).exit_code == 1);
  const std::string before = wtool({"show", "last"}).out;
  const Finished resumed = on_full_disk("resume last --detach");
  BOOST_TEST(resumed.exit_code == 2, resumed.out << resumed.err);
  BOOST_TEST(holds(resumed.err, "a detached run needs its journal, but "), resumed.err);
  BOOST_TEST(wtool({"show", "last"}).out == before);
}

BOOST_AUTO_TEST_CASE(a_detached_run_takes_a_value_from_standard_input) {
  const std::string file_ = scratch.file("w.md",
                                         "---\nparameters:\n  - {name: word, required: true}\n---\n"
                                         "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n"
                                         "## Actions\n- A: Shell \"echo ${word} >said\"\n");
  ProgramOptions given = here();
  given.input = "hello\n";
  const Finished begun = run({wtool_path, "run", file_, "--detach", "--var-file", "word=-"}, given);
  BOOST_TEST(begun.exit_code == 0, begun.out << begun.err);
  const Finished ended = wtool({"attach", "last"});
  BOOST_TEST(ended.exit_code == 0, ended.out << ended.err);
  BOOST_TEST(file("said") == "hello\n");
}

BOOST_AUTO_TEST_CASE(a_pipe_in_the_place_of_the_log_delays_nothing) {
  BOOST_TEST(wtool({"run", one_step("test -e go")}).exit_code == 1);
  const std::string id = Json::parse(wtool({"runs", "--json"}).out).at(0).at("run").get<std::string>();
  BOOST_REQUIRE(run({"/bin/sh", "-c", "mkfifo .wtool/runs/" + id + ".log"}, here()).exit_code == 0);
  const Finished resumed = wtool({"resume", id, "--detach"});
  BOOST_TEST(!resumed.limit_passed);
  BOOST_TEST(resumed.exit_code == 2, resumed.out << resumed.err);
  BOOST_TEST(holds(resumed.err, "cannot write "), resumed.err);
  const Finished attached = wtool({"attach", id});
  BOOST_TEST(!attached.limit_passed);
  BOOST_TEST(attached.exit_code == 2);
  BOOST_TEST(holds(attached.err, ".log is not a file"), attached.err);
}

BOOST_AUTO_TEST_CASE(a_run_that_is_stopped_leaves_nothing) {
  const std::string file_ = scratch.file(
      "w.md",
      "---\nfinally: Clean\n---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\nClean --> [*]\n```\n"
      "## Actions\n- A: Shell \"(trap '' TERM; sleep 61) & touch began; sleep 61\"\n- Clean: Shell \"touch "
      "cleaned\"\n");
  BOOST_TEST(wtool({"run", file_, "--detach"}).exit_code == 0);
  wait_for_file("began");
  BOOST_TEST(!mark.bearers().empty());
  const Finished stopped = wtool({"stop", "last"});
  BOOST_TEST(mark.bearers().empty(), mark.description());
  BOOST_TEST(stopped.exit_code == 0, stopped.out << stopped.err);
  BOOST_TEST(holds(stopped.out, ": aborted"), stopped.out);
  BOOST_TEST(there("cleaned"));
  BOOST_TEST(holds(wtool({"show", "last"}).out, "Reason: stopped by `wtool stop`"), wtool({"show", "last"}).out);
  BOOST_TEST(wtool({"attach", "last"}).exit_code == 130);
  const Finished again = wtool({"stop", "last"});
  BOOST_TEST(again.exit_code == 0);
  BOOST_TEST(holds(again.err, "is not running"), again.err);
}

BOOST_AUTO_TEST_CASE(a_run_that_is_suspended_by_ctrl_z_is_stopped) {
  for (const char* how : {"", "--now"}) {
    fs::remove(scratch.path() + "/began");
    Program running({wtool_path, "run", one_step("touch began; sleep 61")}, Program::On::pipes, here());
    wait_for_file("began");
    running.kill(SIGSTOP);
    std::vector<std::string> words{wtool_path, "stop", "last"};
    if (*how != 0) words.emplace_back(how);
    ProgramOptions soon = here();
    soon.limit = std::chrono::seconds(30);
    const Finished stopped = run(words, soon);
    BOOST_TEST(!stopped.limit_passed);
    BOOST_TEST(stopped.exit_code == 0, stopped.out << stopped.err);
    running.kill(SIGCONT);
    BOOST_TEST(running.wait().exit_code == 143);
  }
}

BOOST_AUTO_TEST_CASE(what_a_stop_waits_for_is_said) {
  const std::string file_ =
      scratch.file("w.md",
                   "---\nfinally: Clean\n---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\nClean --> [*]\n```\n"
                   "## Actions\n- A: Shell \"touch began; sleep 61\"\n"
                   "- Clean: Shell \"while ! test -e go; do sleep 0.1; done\"\n");
  BOOST_TEST(wtool({"run", file_, "--detach"}).exit_code == 0);
  wait_for_file("began");
  Program stop({"/bin/sh", "-c", "exec " + wtool_path + " stop last 2>&1"}, Program::On::pipes, here());
  BOOST_TEST(stop.wait_for_output("was told to end; waiting for the process "), stop.output());
  scratch.file("go", "");
  BOOST_TEST(stop.wait().exit_code == 0);
}

BOOST_AUTO_TEST_CASE(several_stops_at_once_leave_the_time_to_clean_up) {
  const std::string file_ =
      scratch.file("w.md",
                   "---\nfinally: Clean\n---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\nClean --> [*]\n```\n"
                   "## Actions\n- A: Shell \"trap 'sleep 0.5; touch saved; exit 1' TERM; touch began; while :; do "
                   "sleep 0.1; done\"\n"
                   "- Clean: Shell \"touch cleaned\"\n");
  BOOST_TEST(wtool({"run", file_, "--detach"}).exit_code == 0);
  wait_for_file("began");
  Program one({wtool_path, "stop", "last"}, Program::On::pipes, here());
  Program two({wtool_path, "stop", "last"}, Program::On::pipes, here());
  Program three({wtool_path, "stop", "last"}, Program::On::pipes, here());
  for (Program* stop : {&one, &two, &three}) BOOST_TEST(stop->wait().exit_code == 0);
  BOOST_TEST(there("saved"));
  BOOST_TEST(there("cleaned"));
}

BOOST_AUTO_TEST_CASE(a_run_with_the_word_mcp_on_its_command_line_is_stopped) {
  const std::string file_ = workflow("    [*] --> mcp\n    mcp --> [*]\n", "- mcp: Shell \"touch began; sleep 61\"\n");
  BOOST_TEST(wtool({"--log", "off", "run", file_, "--until", "mcp", "--detach"}).exit_code == 0);
  wait_for_file("began");
  const Finished stopped = wtool({"stop", "last"});
  BOOST_TEST(stopped.exit_code == 0, stopped.out << stopped.err);
  BOOST_TEST(holds(stopped.out, ": aborted"), stopped.out);
}

BOOST_AUTO_TEST_CASE(a_run_in_a_terminal_can_be_attached_to_and_stopped) {
  const std::string file_ = workflow("    [*] --> A\n    A --> B\n    B --> [*]\n",
                                     "- A: Shell \"echo the first\"\n- B: Shell \"touch began; sleep 61\"\n");
  Program running({wtool_path, "run", file_}, Program::On::pipes, here());
  wait_for_file("began");
  Program attached({wtool_path, "attach", "last"}, Program::On::pipes, here());
  BOOST_REQUIRE(attached.wait_for_output("the first"));
  // Ctrl-C ends only the program that shows the run.
  Program left({wtool_path, "attach", "last"}, Program::On::pipes, here());
  BOOST_REQUIRE(left.wait_for_output("the first"));
  left.kill(SIGINT);
  BOOST_TEST(left.wait().exit_code == 130);
  BOOST_TEST(status() == "running");
  BOOST_TEST(wtool({"stop", "last", "--now"}).exit_code == 0);
  BOOST_TEST(attached.wait().exit_code == 130);
  BOOST_TEST(running.wait().exit_code == 143);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(a_detached_run_asks_nobody_and_is_suspended) {
  const std::string file_ = workflow("    [*] --> A\n    A --> [*]\n", "- A: Approve \"Go on?\"\n");
  Program begun({wtool_path, "run", file_, "--detach"}, Program::On::terminal, here());
  BOOST_TEST(begun.wait().exit_code == 0);
  BOOST_TEST(wtool({"attach", "last"}).exit_code == 5);
  const Finished resumed = wtool({"resume", "last", "--detach"});
  BOOST_TEST(resumed.exit_code == 0, resumed.out << resumed.err);
  BOOST_TEST(wtool({"attach", "last"}).exit_code == 5);
  BOOST_TEST(wtool({"approve", "last", "--answer", "yes"}).exit_code == 0);
}

BOOST_AUTO_TEST_CASE(another_process_with_the_process_id_of_the_run_is_not_stopped) {
  BOOST_TEST(wtool({"run", one_step("touch began; sleep 61"), "--detach"}).exit_code == 0);
  wait_for_file("began");
  std::string journal;
  for (const auto& entry : fs::directory_iterator(scratch.path() + "/.wtool/runs")) {
    if (entry.path().extension() == ".jsonl") journal = entry.path();
  }
  Program other({"/bin/sleep", "61"}, Program::On::pipes, here());
  std::string text = content_of(journal);
  const std::size_t at = text.find("\"pid\":") + 6;
  const std::string number = text.substr(at, text.find(',', at) - at);
  text.replace(at, number.size(), std::to_string(other.pid()));
  scratch.file(".wtool/runs/" + fs::path(journal).filename().string(), text);
  const Finished refused = wtool({"stop", "last"});
  BOOST_TEST(refused.exit_code == 1);
  BOOST_TEST(holds(refused.err, "does not write the journal"), refused.err);
  BOOST_TEST(::kill(other.pid(), 0) == 0);
  text.replace(at, std::to_string(other.pid()).size(), number);
  scratch.file(".wtool/runs/" + fs::path(journal).filename().string(), text);
  other.kill(SIGKILL);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
