// One audit trail that several processes write to while they are killed, stopped, or run out of disk space; and what
// `wtool audit` says about it then.
#include <sys/wait.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <memory>
#include <random>
#include <set>
#include <sstream>

#include "support/shell_tool.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(audit_trail_test)

using namespace wtool::test;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

// The words after "wrote " in what writers print.
std::set<std::string> written(const std::string& output) {
  std::set<std::string> all;
  for (std::size_t at = 0; (at = output.find("wrote ", at)) != std::string::npos;) {
    const std::size_t end = output.find('\n', at);
    if (end == std::string::npos) break;
    all.insert(output.substr(at + 6, end - at - 6));
    at = end;
  }
  return all;
}

struct SharedTrail {
  ScratchFolder scratch;
  std::string file = scratch.path() + "/trail/audit.jsonl";

  SharedTrail() { fs::create_directory(scratch.path() + "/trail"); }

  Words writer(const Words& more) const {
    Words words{std::string(WTOOL_TEST_HOSTS) + "/audit_writer", "file=" + file};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Finished audit(Words words) const {
    words.insert(words.begin(), {WTOOL_TEST_PROGRAM, "audit"});
    return run(words);
  }
  void check_good() const {
    const Finished verified = audit({"verify", file});
    BOOST_TEST(verified.exit_code == 0, verified.out << verified.err);
    BOOST_TEST(verified.out.starts_with("good: "));
    BOOST_TEST(verified.err == "");
  }
  // Checks that `show` prints a start for each of these calls.
  void check_holds(const std::set<std::string>& calls) const {
    const Finished shown = audit({"show", file, "--event", "start", "--json"});
    BOOST_TEST(shown.exit_code == 0, shown.err);
    std::set<std::string> found;
    for (std::size_t at = 0; at < shown.out.size(); at = shown.out.find('\n', at) + 1) {
      found.insert(Json::parse(shown.out.substr(at, shown.out.find('\n', at) - at)).at("call").get<std::string>());
    }
    for (const std::string& call : calls) BOOST_TEST(found.contains(call), call << " is missing");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(processes_and_threads_write_one_trail_and_rotate_it, SharedTrail) {
  std::vector<std::unique_ptr<Program>> writers;
  for (int i = 0; i < 4; ++i) {
    writers.push_back(std::make_unique<Program>(
        writer({"name=" + std::to_string(i), "threads=3", "count=60", "max_bytes=5000", "pad=50"}),
        Program::On::pipes));
  }
  std::set<std::string> calls;
  for (auto& one : writers) {
    const Finished finished = one->wait();
    BOOST_TEST(finished.exit_code == 0, finished.err);
    BOOST_TEST(!holds(finished.out, "failed"), finished.out);
    calls.merge(written(finished.out));
  }
  BOOST_TEST(calls.size() == 4U * 3U * 60U);
  check_good();
  check_holds(calls);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(scratch.path() + "/trail")) {
    BOOST_TEST(entry.file_size() <= 5000U);
    ++files;
  }
  BOOST_TEST(files > 20U);
}

// The writers are killed between two system calls or within one. What they reported as written is there, and the chain
// is whole.
BOOST_FIXTURE_TEST_CASE(writers_that_are_killed_leave_a_good_trail, SharedTrail) {
  std::mt19937 random(20260102);  // NOLINT: the same points in each run, as far as the scheduler allows
  std::set<std::string> calls;
  for (int round = 0; round < repeats(25); ++round) {
    std::vector<std::unique_ptr<Program>> writers;
    for (int i = 0; i < 2; ++i) {
      const std::string name = std::to_string(round) + '.' + std::to_string(i);
      // The lines are so long that a write takes more than one page.
      writers.push_back(std::make_unique<Program>(
          writer({"name=" + name, "threads=2", "count=100000", "max_bytes=200000", "pad=9000", "keep=3"}),
          Program::On::pipes));
    }
    std::set<std::string> of_round;
    for (auto& one : writers) {
      // The kill comes after a number of lines, not after a time, so that it is at about the same point in each run.
      const auto number = static_cast<int>(random() % 15);
      one->wait_for_output("-0-" + std::to_string(number) + "\n");
      one->kill(SIGKILL);
    }
    for (auto& one : writers) {
      const Finished finished = one->wait();
      BOOST_TEST(finished.signal == SIGKILL);
      BOOST_TEST(!holds(finished.out, "failed"), finished.out.substr(0, 1000));
      of_round.merge(written(finished.out));
    }
    check_good();
    calls = std::move(of_round);
  }
  // The calls of earlier rounds may have been rotated away.
  BOOST_TEST(!calls.empty());
  const Finished again = run(writer({"name=last"}));
  BOOST_TEST(again.exit_code == 0);
  calls.insert("last-0-0");
  check_good();
  const Finished shown = audit({"show", file, "--last", "1"});
  BOOST_TEST(holds(shown.out, "last-0-0"), shown.out);
}

BOOST_FIXTURE_TEST_CASE(a_file_that_may_not_grow_is_an_error_and_stays_whole, SharedTrail) {
  const Finished finished = run(writer({"name=a", "count=40", "pad=100", "file_limit=3000"}));
  BOOST_TEST(finished.exit_code == 0);  // SIGXFSZ has not ended the writer.
  BOOST_TEST(finished.signal == 0);
  const std::set<std::string> calls = written(finished.out);
  BOOST_TEST(calls.size() > 3U);
  BOOST_TEST(calls.size() < 40U);
  BOOST_TEST(
      holds(finished.out, "failed a-0-39: the audit trail " + file + " cannot be written: a line cannot be added: " +
                              "File too large; the host may write files of 3000 bytes at most (RLIMIT_FSIZE)"),
      finished.out);
  BOOST_TEST(content_of(file).ends_with("}\n"));
  check_good();
  check_holds(calls);
  BOOST_TEST(run(writer({"name=b"})).exit_code == 0);
  const Finished verified = audit({"verify", file});
  BOOST_TEST(!holds(verified.out, "note"), verified.out);  // Nothing was torn.
}

BOOST_FIXTURE_TEST_CASE(a_full_disk_is_an_error_and_what_was_written_stays_whole, SharedTrail) {
  const std::string folder = scratch.path() + "/trail";
  // Only the writer sees the file system: it copies the trail out when it is done.
  Words words = writer({"name=a", "count=40", "pad=4000", "full=" + folder, "copy_to=" + scratch.path()});
  const Finished finished = run(words);
  if (finished.exit_code == 77) {
    BOOST_TEST_MESSAGE("not tested: nothing can be mounted here, so there is no file system to fill");
    return;
  }
  BOOST_TEST(finished.exit_code == 0, finished.err);
  const std::set<std::string> calls = written(finished.out);
  BOOST_TEST(calls.size() > 5U);
  BOOST_TEST(calls.size() < 40U);
  BOOST_TEST(holds(finished.out, "No space left on device; make room on its file system"), finished.out.substr(0, 500));
  file = scratch.path() + "/audit.jsonl";
  BOOST_TEST(content_of(file).ends_with("}\n"));
  check_good();
  check_holds(calls);
}

BOOST_FIXTURE_TEST_CASE(a_stopped_process_with_the_lock_delays_a_call_and_does_not_hang_it, SharedTrail) {
  BOOST_TEST(run(writer({"name=a"})).exit_code == 0);
  Program holder(writer({"hold=1"}), Program::On::pipes);
  BOOST_REQUIRE(holder.wait_for_output("holding"));
  holder.kill(SIGSTOP);
  const Finished finished = run(writer({"name=b", "lock_wait=100"}));
  BOOST_TEST(holds(finished.out, "failed b-0-0: the audit trail " + file +
                                     " cannot be written: another process has held its lock for 100 ms"),
             finished.out);
  holder.kill(SIGKILL);
  holder.wait();
  BOOST_TEST(holds(run(writer({"name=c"})).out, "wrote c-0-0"));
  check_good();
}

// As docs/guide/audit.md says: such a file can be written, but not rotated.
BOOST_FIXTURE_TEST_CASE(a_file_that_may_only_be_appended_to_is_written_but_not_rotated, SharedTrail) {
  const auto append_only = [&](const char* flag) { return run({"/usr/bin/env", "chattr", flag, file}).exit_code == 0; };
  BOOST_TEST(run(writer({"name=first", "max_bytes=0"})).exit_code == 0);
  if (!append_only("+a")) {
    BOOST_TEST_MESSAGE("not tested: this user or this file system cannot make a file append-only");
    return;
  }
  const Finished more = run(writer({"name=second", "max_bytes=0", "count=20"}));
  BOOST_TEST(written(more.out).size() == 20U, more.out);
  const Finished rotating = run(writer({"name=third", "max_bytes=500"}));
  BOOST_TEST(holds(rotating.out, "failed third-0-0: "), rotating.out);
  BOOST_TEST(append_only("-a"));
  check_good();
  check_holds(written(more.out));
}

// As docs/guide/audit.md says: what begins in the new file is a chain of its own, which does not go on from the old one.
BOOST_FIXTURE_TEST_CASE(a_file_that_another_program_renames_ends_the_chain, SharedTrail) {
  BOOST_TEST(run(writer({"name=first", "count=3"})).exit_code == 0);
  fs::rename(file, file + ".1");
  BOOST_TEST(run(writer({"name=second", "count=2"})).exit_code == 0);
  check_good();
  BOOST_TEST(holds(audit({"verify", file}).out, " 2 lines"));
}

BOOST_FIXTURE_TEST_CASE(a_synchronised_trail_is_the_same, SharedTrail) {
  const Finished finished = run(writer({"name=a", "threads=4", "count=10", "sync=data", "max_bytes=2000"}));
  BOOST_TEST(written(finished.out).size() == 40U, finished.out);
  check_good();
  check_holds(written(finished.out));
}

BOOST_FIXTURE_TEST_CASE(the_program_says_what_it_finds_and_its_exit_status_does_too, SharedTrail) {
  BOOST_TEST(run(writer({"name=a", "count=3"})).exit_code == 0);
  const Finished good = audit({"verify", file});
  BOOST_TEST(good.exit_code == 0);
  const std::string head = good.out.substr(good.out.find("head: ") + 6, 64);
  BOOST_TEST(good.out.ends_with("head: " + head + " (number 3)\n"), good.out);
  BOOST_TEST(run(writer({"name=b"})).exit_code == 0);

  const Finished later = audit({"verify", file, "--expect", head});
  BOOST_TEST(later.exit_code == 0);
  BOOST_TEST(holds(later.out, "note: the expected line is in the trail; 1 line came after it\n"), later.out);
  const Finished missing = audit({"verify", file, "--expect", std::string(64, 'F')});
  BOOST_TEST(missing.exit_code == 1);
  BOOST_TEST(missing.out.starts_with("BROKEN: 1 problem in 4 lines in 1 file, from "), missing.out);
  BOOST_TEST(holds(missing.out, "problem: the expected line " + std::string(64, 'f') + " is not in the trail"));

  const Finished not_a_hash = audit({"verify", file, "--expect", "abc"});
  BOOST_TEST(not_a_hash.exit_code == 2);
  BOOST_TEST(holds(not_a_hash.err, "--expect needs the 64 hexadecimal digits"), not_a_hash.err);
  const Finished none = audit({"verify", file + ".none"});
  BOOST_TEST(none.exit_code == 2);
  BOOST_TEST(none.err == "wtool: cannot read the audit trail " + file + ".none: No such file or directory\n");
  BOOST_TEST(none.out == "");
  BOOST_TEST(audit({"show", file + ".none"}).exit_code == 2);
  const Finished unknown = audit({"show", file, "--event", "refsal"});
  BOOST_TEST(unknown.exit_code == 2);
  BOOST_TEST(holds(unknown.err, "did you mean 'refusal'?"), unknown.err);
  // Every event of the page is known.
  std::istringstream page(content_of(WTOOL_TEST_SOURCE_DIR "/docs/guide/audit.md"));
  bool in_table = false;
  int known = 0;
  for (std::string line; std::getline(page, line);) {
    in_table = line.starts_with("| event ") || (in_table && line.starts_with("|"));
    if (!in_table || !line.starts_with("| `")) continue;
    std::string names = line.substr(0, line.find('|', 1));
    for (std::size_t at; (at = names.find('`')) != std::string::npos;) {
      const std::size_t end = names.find('`', at + 1);
      const std::string name = names.substr(at + 1, end - at - 1);
      names.erase(0, end + 1);
      if (name == "Approve") continue;
      ++known;
      BOOST_TEST(audit({"show", file, "--event", name}).exit_code == 0, name);
    }
  }
  BOOST_TEST(known >= 11);
  BOOST_TEST(holds(audit({}).err, "wtool: a command is missing\n  commands: verify, show\n"));
  BOOST_TEST(holds(audit({"verfy", file}).err, "there is no command \"audit verfy\"; did you mean 'verify'?\n"));
  BOOST_TEST(audit({}).exit_code == 2);
  BOOST_TEST(audit({"verify"}).exit_code == 2);
  BOOST_TEST(audit({"show", file, "--last", "0"}).exit_code == 2);

  const Finished shown = audit({"show", file, "--last", "1"});
  BOOST_TEST(shown.exit_code == 0);
  BOOST_TEST(shown.out.ends_with("Z  start      b-0-0  true \n"), shown.out);
}

BOOST_FIXTURE_TEST_CASE(a_file_that_is_not_a_trail_is_not_shown, SharedTrail) {
  const std::string plain = scratch.file("plain.md", "hello\n" + std::string(1'000'000, 'x') + "\nbye\n");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--json"}, {"--last", "2"}, {"--event", "start"}}) {
    std::vector<std::string> arguments{"show", plain};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished finished = audit(arguments);
    BOOST_TEST(finished.exit_code == 2);
    BOOST_TEST(finished.out == "");
    BOOST_TEST(finished.err == "wtool: " + plain + " is not an audit trail: none of its lines is an event\n");
  }
  // Nothing has been written to this file yet.
  BOOST_TEST(audit({"show", scratch.file("empty.jsonl", "")}).exit_code == 0);
}

// An emptied trail looks like one that nothing has been written to.
BOOST_FIXTURE_TEST_CASE(a_trail_without_lines_is_not_good, SharedTrail) {
  const std::string empty = scratch.file("empty.jsonl", "");
  const Finished verified = audit({"verify", empty});
  BOOST_TEST(verified.exit_code == 2);
  BOOST_TEST(verified.out == "");
  BOOST_TEST(verified.err ==
             "wtool: " + empty + " has no lines: nothing has been written to it yet, or all lines were removed\n");
  BOOST_TEST(audit({"verify", empty, "--expect", std::string(64, '0')}).exit_code == 1);
  // The beginning of a first line, which a killed writer has left, is reported as such.
  const std::string torn = scratch.file("torn.jsonl", R"({"time":"2026-01-02T03:04:05.678Z","seq":1,"ev)");
  BOOST_TEST(holds(audit({"verify", torn}).out, "torn"));
}

// On a terminal a line is cut, so that each event is one row.
BOOST_FIXTURE_TEST_CASE(on_a_terminal_lines_are_cut_to_its_width, SharedTrail) {
  BOOST_TEST(run(writer({"name=a", "pad=500"})).exit_code == 0);
  Program program(
      {"/bin/sh", "-c", "stty cols 60; LC_ALL=C.UTF-8 exec \"$0\" audit show \"$1\"", WTOOL_TEST_PROGRAM, file},
      Program::On::terminal);
  const Finished finished = program.wait();
  BOOST_TEST(holds(finished.out, "xxx\xE2\x80\xA6\r\n"), finished.out);
  BOOST_TEST(!holds(finished.out, std::string(60, 'x')));
}

BOOST_AUTO_TEST_SUITE_END()
