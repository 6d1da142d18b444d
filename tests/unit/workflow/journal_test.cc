// journal/journal.h, journal_reader.h and runs_folder.h: what is written survives, and damage is reported.
#include "journal/journal.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "journal/journal_reader.h"
#include "journal/runs_folder.h"
#include "reporting_support.h"
#include "support/program.h"
#include "support/text.h"

namespace journal_test {

using namespace wtool::host::journal;
using namespace wtool::host::runner;
using namespace wtool::host::workflow;
using namespace wtool::test;
using wtool::host::expressions::Value;
namespace fs = std::filesystem;

namespace {

void put(const std::string& file, const std::string& bytes) { std::ofstream(file, std::ios::binary) << bytes; }

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

struct Folder {
  ScratchFolder scratch;
  Workflow workflow = made_workflow();
  std::vector<std::string> notices;
  Secrets secrets;
  std::string error;

  Journal::Options options() {
    return {&secrets, [this](const std::string& text) { notices.push_back(text); }};
  }
  std::unique_ptr<Journal> create() {
    auto journal = Journal::create(scratch.path(), options(), error);
    BOOST_REQUIRE_MESSAGE(journal, error);
    return journal;
  }
  // Records Build, Tell, then a failed Build; returns the file.
  std::string failed_run() {
    auto journal = create();
    ToldRun run(workflow, *journal);
    run.start(journal->run());
    run.visit("Build", "built");
    run.visit("Tell");
    run.fail("Build", "exit 3");
    run.finish(RunReport::Status::failed, "it failed");
    return journal->file();
  }
  JournalContent read(const std::string& file) {
    auto content = read_journal(file, error);
    BOOST_REQUIRE_MESSAGE(content, error);
    return *content;
  }
};

// Files of this process cannot become larger than `bytes`, for as long as the object lives.
class SizeLimit {
 public:
  explicit SizeLimit(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    BOOST_REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~SizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  sighandler_t handler_;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_run_is_read_as_it_was_recorded, Folder) {
  auto journal = create();
  ToldRun told(workflow, *journal);
  told.inputs.emplace("level", Value(2.0));
  told.start(journal->run());
  told.visit("Build", "one\ntwo");
  Step open = told.enter("Build");
  journal->logged(open, LogAction::Level::warning, "careful");
  journal->noticed("look here");
  told.end(open);
  told.visit("Tell", "", "/2:A");
  told.finish();
  struct stat about {};
  BOOST_REQUIRE(::stat(journal->file().c_str(), &about) == 0);
  BOOST_TEST((about.st_mode & 07777) == 0600U);

  const JournalContent content = read(journal->file());
  BOOST_TEST(content.damage == "");
  BOOST_TEST(content.notices.empty());
  BOOST_TEST(content.whole_bytes == fs::file_size(journal->file()));
  BOOST_TEST(content.run.run == journal->run());
  BOOST_TEST(content.run.name == "release");
  BOOST_TEST(content.run.file == "release.md");
  BOOST_TEST(content.run.directory == scratch.path());
  BOOST_TEST(content.run.sha256().size() == 64U);
  BOOST_TEST(content.run.pid == ::getpid());
  BOOST_TEST(*content.run.inputs.at("level").as_double() == 2.0);
  BOOST_TEST((content.run.status == RunReport::Status::completed));
  BOOST_REQUIRE(content.run.steps.size() == 3U);
  BOOST_TEST(content.run.steps[0].end.outcome.standard_output == "one\ntwo");
  BOOST_TEST((content.run.steps[2].place == StepPlace{"/2:A", 1}));
  BOOST_REQUIRE(content.run.logs.size() == 2U);
  BOOST_TEST(content.run.logs[0].text == "careful");
  BOOST_TEST(content.run.logs[1].text == "look here");
  const PastRun past = past_of(content.run);
  BOOST_TEST(past.size() == 3U);
  BOOST_REQUIRE(past.find({"", 1}) != nullptr);
  BOOST_TEST(past.find({"", 1})->state == "Build");
  const auto ends = read_journal_ends(journal->file(), error);
  BOOST_REQUIRE(ends.has_value());
  BOOST_TEST((ends->status == RunReport::Status::completed));
  BOOST_TEST(ends->steps.empty());
}

BOOST_FIXTURE_TEST_CASE(a_list_of_runs_sees_a_resumption_in_the_middle_of_a_long_journal, Folder) {
  const auto record = [](const std::string& type, int second, const std::string& more) {
    return R"({"v":1,"type":")" + type + R"(","time":"2026-01-02T03:04:)" + std::to_string(second) + ".000Z\"" + more +
           "}\n";
  };
  const std::string output =
      record("output", 41,
             R"(,"step":1,"branch":"","seq":1,"state":"A","stream":"stdout","text":")" + std::string(1000, 'x') + "\"");
  std::string text = record("run_started", 10, R"(,"run":"r","name":"n","sha256":"","directory":"/","inputs":{})") +
                     record("run_ended", 12, R"(,"status":"failed","ms":2000)") +
                     record("run_resumed", 40, R"(,"run":"r","inputs":{})");
  for (int i = 0; i < 200; ++i) text += output;
  text += record("run_ended", 43, R"(,"status":"completed","ms":3000)");
  const std::string file = scratch.file("long.jsonl", text);
  const auto ends = read_journal_ends(file, error);
  BOOST_REQUIRE_MESSAGE(ends.has_value(), error);
  BOOST_TEST((ends->took == read(file).run.took));
  BOOST_TEST((ends->took == std::chrono::seconds(5)));
}

BOOST_FIXTURE_TEST_CASE(a_completed_run_that_never_came_to_the_state_of_until_is_read_as_failed, Folder) {
  const auto read_run = [&](const std::string& place, const std::string& state) {
    const auto record = [](const std::string& type, const std::string& more) {
      return R"({"v":1,"type":")" + type + R"(","time":"2026-01-02T03:04:05.000Z")" + more + "}\n";
    };
    std::string text =
        record("run_started", R"(,"run":"r","name":"n","directory":"/","until":"B","inputs":{})") +
        record("state_started", R"(,"step":1,"branch":")" + place + R"(","seq":1,"state":")" + state + "\"");
    for (int i = 0; i < 200; ++i) text += record("notice", R"(,"text":")" + std::string(1000, 'x') + "\"");
    text += record("run_ended", R"(,"status":"completed","ms":1)");
    const std::string file = scratch.file("long.jsonl", text);
    const auto ends = read_journal_ends(file, error);
    BOOST_REQUIRE_MESSAGE(ends.has_value(), error);
    RunRecord run = read(file).run;
    BOOST_TEST((ends->status == run.status));
    BOOST_TEST(ends->missed_until == run.missed_until);
    BOOST_TEST(ends->reason == run.reason);
    BOOST_TEST(ends->steps.empty());
    BOOST_TEST((run.status == RunReport::Status::failed) == run.missed_until);
    return run;
  };
  const RunRecord run = read_run("", "A");
  BOOST_TEST(run.missed_until);
  BOOST_TEST(run.reason == "the run ended without reaching B, which --until names");
  BOOST_TEST(!read_run("", "B").missed_until);
  BOOST_TEST(!read_run("/0:finally", "B").missed_until);
  // Other branches cannot end the run.
  BOOST_TEST(read_run("/1:B", "B").missed_until);
}

BOOST_FIXTURE_TEST_CASE(records_wait_only_until_something_is_called, Folder) {
  auto journal = create();
  ToldRun run(workflow, *journal);
  const auto written = [&] { return lines_in(content_of(journal->file())); };
  run.start(journal->run());
  BOOST_TEST(written() == 1U);
  run.visit("Tell");
  run.visit("Keep");
  BOOST_TEST(written() == 1U);
  Step build = run.enter("Build");
  BOOST_TEST(written() == 6U);
  run.end(build);
  BOOST_TEST(written() == 7U);
  for (int i = 0; i < 1000; ++i) run.visit("Tell");
  BOOST_TEST(written() > 1000U);
  BOOST_TEST(written() < 2007U);
  journal.reset();
  BOOST_TEST(lines_in(content_of(journal_file(scratch.path(), list_runs(scratch.path(), error).front()))) == 2007U);
}

BOOST_FIXTURE_TEST_CASE(names_of_runs_are_unique_and_sort_by_time, Folder) {
  std::vector<std::unique_ptr<Journal>> journals;
  for (int i = 0; i < 50; ++i) journals.push_back(create());
  const std::vector<std::string> runs = list_runs(scratch.path(), error);
  BOOST_TEST(runs.size() == 50U);
  BOOST_TEST(run_id(Moment(std::chrono::milliseconds(1'795'302'902'500))) == "20261121-231502-8000");
  BOOST_TEST(find_run(scratch.path(), "last", error) == runs.front());
  BOOST_TEST(find_run(scratch.path(), runs[7], error) == runs[7]);
  BOOST_TEST(find_run(scratch.path(), "2", error) == "");
  BOOST_TEST(error.find("is the beginning of the ids of 50 runs") != std::string::npos);
  BOOST_TEST(find_run(scratch.path(), "nothing", error = "") == "");
  BOOST_TEST(error.find("`wtool runs`") != std::string::npos);
  BOOST_TEST(!resume_run(scratch.path(), "nothing", "", options(), error = "").has_value());
  BOOST_TEST(error.starts_with("there is no run \"nothing\""), error);
}

BOOST_FIXTURE_TEST_CASE(the_last_run_is_not_one_that_was_killed_before_it_had_started, Folder) {
  const std::string run = fs::path(failed_run()).stem().string();
  put(journal_file(scratch.path(), "29991231-235959-ffff"), "");
  BOOST_TEST(list_runs(scratch.path(), error).size() == 2U);
  BOOST_TEST(find_run(scratch.path(), "last", error) == run);
}

BOOST_FIXTURE_TEST_CASE(one_process_at_a_time_writes_a_journal, Folder) {
  auto journal = create();
  ToldRun run(workflow, *journal);
  run.start(journal->run());
  BOOST_TEST(is_being_written(journal->file()));
  BOOST_TEST(!resume_run(scratch.path(), "last", "", options(), error).has_value());
  BOOST_TEST(error.find("is still running, PID " + std::to_string(::getpid())) != std::string::npos);
  const std::string file = journal->file();
  journal.reset();
  BOOST_TEST(!is_being_written(file));
  BOOST_TEST(resume_run(scratch.path(), "last", "", options(), error).has_value());
}

// The record of a matrix has the outputs of all combinations.
BOOST_FIXTURE_TEST_CASE(a_record_may_be_as_long_as_the_outputs_of_a_run, Folder) {
  const std::string file = failed_run();
  {
    std::ofstream out(file, std::ios::binary | std::ios::app);
    const std::string blanks(1UL << 20, ' ');
    out << R"({"v":1,"type":"notice","time":"2026-11-21T23:15:02.123Z")";
    for (int i = 0; i < 4; ++i) out << blanks;
    out << R"(,"text":"x"})" << '\n';
  }
  BOOST_TEST(resume_run(scratch.path(), "last", "", options(), error).has_value(), error);
}

BOOST_FIXTURE_TEST_CASE(a_torn_last_line_counts_for_nothing_and_is_cut_off, Folder) {
  const std::string file = failed_run();
  const std::string whole = content_of(file);
  put(file, whole + R"({"v":1,"type":"state_sta)");
  const JournalContent content = read(file);
  BOOST_TEST(content.whole_bytes == whole.size());
  BOOST_TEST(content.damage == "");
  BOOST_REQUIRE(content.notices.size() == 1U);
  BOOST_TEST(content.notices[0].find("is torn (24 bytes") != std::string::npos);
  BOOST_TEST(content.notices[0].find("was killed, or the disk was full") != std::string::npos);
  {
    auto resumed = resume_run(scratch.path(), "last", "", options(), error);
    BOOST_REQUIRE_MESSAGE(resumed, error);
    BOOST_TEST(resumed->notices.size() == 1U);
    BOOST_TEST(resumed->past.size() == 2U);
    ToldRun run(workflow, *resumed->journal);
    run.inputs.emplace("level", Value("high"));
    run.start(resumed->run.run, true);
    run.replaying = true;
    run.visit("Build");
    run.visit("Tell");
    run.replaying = false;
    run.visit("Build", "at last");
    run.finish();
  }
  BOOST_TEST(content_of(file).starts_with(whole + R"({"v":1,"type":"run_resumed")"));
  const RunRecord run = read(file).run;
  BOOST_TEST(run.resumed == 1);
  BOOST_TEST(run.inputs.contains("level"));
  BOOST_TEST((run.status == RunReport::Status::completed));
  BOOST_TEST(run.reason == "");
  BOOST_REQUIRE(run.steps.size() == 3U);
  BOOST_TEST(run.steps[0].replayed);
  BOOST_TEST(!run.steps[2].replayed);
  BOOST_TEST(run.steps[2].end.outcome.standard_output == "at last");
}

BOOST_FIXTURE_TEST_CASE(a_damaged_line_is_reported_and_the_rest_is_read, Folder) {
  const std::string file = failed_run();
  std::string bytes = content_of(file);
  const std::size_t second = bytes.find('\n') + 1;
  bytes[second + 3] = '\0';
  put(file, bytes);
  const JournalContent content = read(file);
  BOOST_TEST(content.damage == file + ":2: it is not a JSON object");
  BOOST_TEST(content.run.steps.size() == 3U);
  BOOST_TEST(!resume_run(scratch.path(), "last", "", options(), error).has_value());
  BOOST_TEST(error.find("damaged: " + file + ":2: ") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(a_file_that_is_not_a_journal_is_refused, Folder) {
  const std::string file = scratch.path() + "/x.jsonl";
  const auto reason = [&](const std::string& bytes) {
    put(file, bytes);
    BOOST_TEST(!read_journal(file, error = "").has_value());
    return error;
  };
  BOOST_TEST(reason("").find("is empty") != std::string::npos);
  BOOST_TEST(reason("hello").find("is not the journal of a run") != std::string::npos);
  BOOST_TEST(reason("hello\n").find("line 1: it is not a JSON object") != std::string::npos);
  BOOST_TEST(reason("[]\n").find("line 1: it is not a JSON object") != std::string::npos);
  BOOST_TEST(reason("{}\n").find("has no version") != std::string::npos);
  BOOST_TEST(reason(R"({"v":1,"type":"log","time":"2026-11-21T23:15:02.045Z"})"
                    "\n")
                 .find("begins with the record run_started, but the type of this record is log") != std::string::npos);
  const std::string newer = reason("{\"v\":2,\"type\":\"run_started\"}\n");
  BOOST_TEST(newer.find(":1: it is a record of version 2, but this wtool reads version 1; use") != std::string::npos);
  BOOST_TEST(!read_journal(scratch.path(), error).has_value());
  BOOST_TEST(error.find("not a regular file") != std::string::npos);
  BOOST_TEST(!read_journal(scratch.path() + "/none", error).has_value());
}

BOOST_FIXTURE_TEST_CASE(from_a_state_on_everything_runs_again, Folder) {
  std::string file;
  {
    auto journal = create();
    file = journal->file();
    ToldRun run(workflow, *journal);
    run.start(journal->run());
    run.visit("Build");              // 1
    run.visit("Pass");               // 2: a fork
    run.visit("Build", "", "/2:A");  // A 1
    run.visit("Keep", "", "/2:A");   // A 2
    run.visit("Build", "", "/2:B");  // B 1
    run.visit("Tell");               // 3
    run.finish();
  }
  BOOST_TEST(!resume_run(scratch.path(), "last", "", options(), error).has_value());
  BOOST_TEST(error.find("has completed") != std::string::npos);
  BOOST_TEST(!resume_run(scratch.path(), "last", "Nowhere", options(), error).has_value());
  BOOST_TEST(error.find("was never in the state \"Nowhere\"") != std::string::npos);
  {
    auto resumed = resume_run(scratch.path(), "last", "Keep", options(), error);
    BOOST_REQUIRE_MESSAGE(resumed, error);
    BOOST_TEST(resumed->past.size() == 3U);
    BOOST_TEST(resumed->past.find({"", 1}) != nullptr);
    BOOST_TEST(resumed->past.find({"/2:A", 1}) != nullptr);
    BOOST_TEST(resumed->past.find({"/2:B", 1}) != nullptr);
    ToldRun run(workflow, *resumed->journal);
    run.start(resumed->run.run, true);
  }
  // The resumed run was killed before it did anything: what was dropped stays dropped.
  BOOST_TEST(read(file).run.steps.size() == 3U);
  BOOST_TEST(!read(file).run.status.has_value());
}

BOOST_FIXTURE_TEST_CASE(steps_with_secrets_run_again, Folder) {
  secrets.add("hunter2");
  std::string file;
  {
    auto journal = create();
    file = journal->file();
    ToldRun run(workflow, *journal);
    run.start(journal->run());
    run.visit("Build", "the password is hunter2");
    run.visit("Build", "nothing");
    Step step = run.enter("Keep");
    StepEnd end;
    end.secret = true;
    run.end(step, end);
    run.visit("Tell");
    run.finish(RunReport::Status::aborted, "because of hunter2");
  }
  BOOST_TEST(content_of(file).find("hunter2") == std::string::npos);
  auto resumed = resume_run(scratch.path(), "last", "", options(), error);
  BOOST_REQUIRE_MESSAGE(resumed, error);
  BOOST_TEST(resumed->past.size() == 2U);
  BOOST_TEST(resumed->past.find({"", 1}) == nullptr);
  BOOST_TEST(resumed->past.find({"", 3}) == nullptr);
  BOOST_REQUIRE(resumed->notices.size() == 1U);
  BOOST_TEST(resumed->notices[0].ends_with("so the states run again: Build, Keep"));
}

BOOST_FIXTURE_TEST_CASE(a_step_that_was_aborted_is_aborted_in_the_journal, Folder) {
  std::string file;
  {
    auto journal = create();
    file = journal->file();
    ToldRun run(workflow, *journal);
    run.start(journal->run());
    Step step = run.enter("Build");
    step.status = Step::Status::aborted;
    StepEnd end;
    end.outcome.is_error = end.outcome.aborted = true;
    run.end(step, end);
  }
  BOOST_TEST(content_of(file).find("\"aborted\":true") != std::string::npos, content_of(file));
}

BOOST_FIXTURE_TEST_CASE(a_full_disk_is_reported_and_nothing_is_lost_once_there_is_space, Folder) {
  auto journal = create();
  ToldRun run(workflow, *journal);
  run.start(journal->run());
  {
    const SizeLimit limit(fs::file_size(journal->file()) + 100);
    run.visit("Build", "one");
    BOOST_REQUIRE(notices.size() == 1U);
    BOOST_TEST(notices[0].find("cannot be written: File too large; the run continues") != std::string::npos);
    BOOST_TEST(!content_of(journal->file()).ends_with('\n'));
    run.visit("Build", "two");
    BOOST_TEST(notices.size() == 1U);
  }
  run.visit("Build", "three");
  BOOST_REQUIRE(notices.size() == 2U);
  BOOST_TEST(notices[1].find("can be written again; no record is missing") != std::string::npos);
  run.finish();
  const JournalContent content = read(journal->file());
  BOOST_TEST(content.damage == "");
  BOOST_REQUIRE(content.run.steps.size() == 3U);
  BOOST_TEST(content.run.steps[1].end.outcome.standard_output == "two");
}

BOOST_FIXTURE_TEST_CASE(a_disk_that_stays_full_is_reported_again_at_the_end, Folder) {
  auto journal = create();
  ToldRun run(workflow, *journal);
  run.start("full");
  const SizeLimit limit(fs::file_size(journal->file()));
  run.visit("Build");
  run.finish();
  BOOST_REQUIRE(notices.size() == 2U);
  BOOST_TEST(notices[0].find("cannot be written: File too large") != std::string::npos);
  BOOST_TEST(notices[1].find("still cannot be written") != std::string::npos);
}

// A command may clean up too much, such as `git clean -fdx`.
BOOST_FIXTURE_TEST_CASE(a_journal_that_was_deleted_is_reported_at_the_end, Folder) {
  auto journal = create();
  ToldRun run(workflow, *journal);
  run.start(journal->run());
  fs::remove(journal->file());
  run.visit("Build");
  run.finish();
  BOOST_REQUIRE(notices.size() == 1U);
  BOOST_TEST(notices[0].ends_with("was deleted during the run, so the run can be neither shown nor resumed"));
}

BOOST_FIXTURE_TEST_CASE(a_journal_that_was_cut_is_reported_at_the_end, Folder) {
  auto journal = create();
  ToldRun run(workflow, *journal);
  run.start(journal->run());
  fs::resize_file(journal->file(), 0);
  run.visit("Build");
  run.finish();
  BOOST_REQUIRE(notices.size() == 1U);
  BOOST_TEST(notices[0].starts_with("another process has removed records from the journal "), notices[0]);
}

BOOST_FIXTURE_TEST_CASE(a_run_that_could_not_begin_leaves_no_journal, Folder) {
  auto journal = create();
  const std::string file = journal->file();
  BOOST_TEST(fs::exists(file));
  journal.reset();
  BOOST_TEST(!fs::exists(file));
  // Another file in its place stays.
  journal = create();
  fs::remove(journal->file());
  const std::string other = journal->file();
  put(other, "");
  journal.reset();
  BOOST_TEST(fs::exists(other));
}

BOOST_FIXTURE_TEST_CASE(one_record_may_be_larger_than_what_is_kept_in_memory, Folder) {
  auto journal = create();
  ToldRun run(workflow, *journal);
  run.start(journal->run());
  run.visit("Build", std::string(65UL * 1024 * 1024, 'x'));
  run.finish();
  BOOST_TEST(notices.empty());
  BOOST_TEST(fs::file_size(journal->file()) > 65UL * 1024 * 1024);
}

BOOST_FIXTURE_TEST_CASE(what_cannot_be_kept_in_memory_ends_the_journal, Folder) {
  auto journal = create();
  ToldRun run(workflow, *journal);
  run.start("full");
  const SizeLimit limit(fs::file_size(journal->file()));
  const std::string much(9UL * 1024 * 1024, 'x');
  for (int i = 0; i < 9; ++i) run.visit("Build", much);
  BOOST_REQUIRE(notices.size() == 2U);
  BOOST_TEST(notices[1].find("more than 64 MiB are missing") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(without_a_folder_there_is_no_journal, Folder) {
  put(scratch.path() + "/.wtool", "a file");
  BOOST_TEST(Journal::create(scratch.path(), options(), error) == nullptr);
  BOOST_TEST(error.find("cannot create the folder") != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(branches_write_at_the_same_time, Folder) {
  auto journal = create();
  ToldRun start(workflow, *journal);
  start.start(journal->run());
  std::vector<std::thread> branches;
  for (int b = 0; b < 4; ++b) {
    branches.emplace_back([&, b] {
      ToldRun run(workflow, *journal);
      for (int i = 0; i < 200; ++i) run.visit(i % 10 == 0 ? "Build" : "Tell", "x", "/1:" + std::to_string(b));
    });
  }
  for (std::thread& branch : branches) branch.join();
  start.finish();
  const JournalContent content = read(journal->file());
  BOOST_TEST(content.damage == "");
  BOOST_TEST(content.run.steps.size() == 800U);
}

}  // namespace journal_test
