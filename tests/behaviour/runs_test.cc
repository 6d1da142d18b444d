// wtool runs, show, report and graph, on journals as runs leave them.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/program.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(runs_test)

using namespace wtool::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr const char* id = "20261121-231502-3f9a";

// One record, with the members that all records have.
std::string record(const std::string& type, const std::string& rest) {
  return R"({"v":1,"type":")" + type + R"(","time":"2026-11-21T23:15:02.045Z")" + rest + "}\n";
}

std::string step(int seq, const std::string& state, const std::string& status, const std::string& rest) {
  return record("state_ended", R"(,"step":)" + std::to_string(seq) + R"(,"branch":"","seq":)" + std::to_string(seq) +
                                   R"(,"state":")" + state + R"(","action":"shell","status":")" + status + "\"" + rest);
}

struct Runs {
  ScratchFolder scratch;
  std::string folder = scratch.path() + "/.wtool/runs";
  std::string begun =
      record("run_started", std::string(R"(,"run":")") + id + R"(","name":"release","file":"release.md","inputs":{})");
  std::string failed =
      begun + step(1, "Build", "succeeded", R"(,"ms":1500,"went_on":true,"tries":2,"outcome":{"stdout":"built\n"})") +
      step(2, "Test", "failed",
           R"(,"ms":500,"exit_code":3,"command":"make test",)"
           R"("outcome":{"is_error":true,"stderr":"no good\n","message":"exit code 3"})") +
      record("run_ended", R"(,"status":"failed","reason":"Test failed","ms":2000)");

  Runs() { fs::create_directories(folder); }
  std::string put(const std::string& run, const std::string& bytes) const {
    const std::string file = folder + "/" + run + ".jsonl";
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }
  Finished wtool(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), WTOOL_TEST_PROGRAM);
    ProgramOptions options;
    options.directory = scratch.path();
    return run(arguments, options);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(runs_are_listed_with_what_became_of_them, Runs) {
  // A folder above this one, such as /tmp, may have runs of its own, and is then named, too.
  BOOST_TEST(wtool({"runs"}).out.starts_with("No run of a workflow is recorded in this directory"));
  BOOST_TEST(wtool({"runs", "--json"}).out == "[]\n");
  put(id, failed);
  put("20261121-231502-0001", begun);
  const std::string held = put("20261122-000000-0000", begun);
  const int lock = ::open(held.c_str(), O_RDONLY | O_CLOEXEC);
  BOOST_REQUIRE(::flock(lock, LOCK_EX) == 0);
  const Finished listed = wtool({"runs", "--json"});
  ::close(lock);
  BOOST_TEST(listed.exit_code == 0);
  const Json rows = Json::parse(listed.out);
  BOOST_REQUIRE(rows.size() == 3U);
  BOOST_TEST(rows[0]["status"] == "running");
  BOOST_TEST(rows[1]["run"] == id);
  BOOST_TEST(rows[1]["status"] == "failed");
  BOOST_TEST(rows[1]["ms"] == 2000.0);
  BOOST_TEST(rows[2]["status"] == "interrupted");
  const Finished limited = wtool({"runs", "--limit", "1"});
  BOOST_TEST(holds(limited.out, "20261122-000000-0000"));
  BOOST_TEST(!holds(limited.out, id));
  BOOST_TEST(holds(limited.err, "there are 3 runs"));
}

BOOST_FIXTURE_TEST_CASE(a_number_with_a_leading_zero_is_decimal, Runs) {
  for (int i = 1; i <= 9; ++i) {
    const std::string run = "20261121-23150" + std::to_string(i) + "-3f9a";
    put(run, record("run_started", R"(,"run":")" + run + R"(","name":"w","file":"w.md","inputs":{})"));
  }
  BOOST_TEST(Json::parse(wtool({"runs", "--json", "--limit", "010"}).out).size() == 9U);
  for (const char* wrong : {"0x10", "0", "1e1", " 1", "-1", "1000001", "99999999999999999999"}) {
    const Finished refused = wtool({"runs", std::string("--limit=") + wrong});
    BOOST_TEST(refused.exit_code == 2, wrong);
    BOOST_TEST(holds(refused.err, "--limit: got " + std::string(wrong) +
                                      "; allowed is a whole number from 1 to 1000000, in decimal digits"),
               refused.err);
  }
}

BOOST_FIXTURE_TEST_CASE(only_runs_of_a_workflow_and_with_a_status_are_listed, Runs) {
  put("20261121-231502-0001", begun);
  put("20261121-231502-0002", failed);
  put("20261121-231502-0003", failed);
  const std::string other = record("run_started", R"(,"run":"x","name":"Nightly build","file":"ci/nightly.md")");
  put("20261121-231502-0004", other + record("run_ended", R"(,"status":"failed","ms":1)"));
  put("20261121-231502-0005", other + record("run_ended", R"(,"status":"completed","ms":1)"));
  const auto listed = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"runs", "--json"});
    const Finished finished = wtool(words);
    BOOST_TEST(finished.exit_code == 0, finished.err);
    std::string all;
    for (const Json& row : Json::parse(finished.out)) all += row.at("run").get<std::string>().back();
    return all;
  };
  BOOST_TEST(listed({"--workflow", "release"}) == "321");
  for (const char* name : {"Nightly build", "nightly", "ci/nightly.md"}) {
    BOOST_TEST(listed({"--workflow", name}) == "54", name);
  }
  fs::create_directory(scratch.path() + "/ci");
  scratch.file("ci/nightly.md", "# x\n");
  BOOST_TEST(listed({"--workflow", "./ci/../ci/nightly.md"}) == "54");
  BOOST_TEST(listed({"--status", "failed"}) == "432");
  BOOST_TEST(listed({"--status", "interrupted"}) == "1");
  BOOST_TEST(listed({"--status", "failed", "--workflow", "release"}) == "32");
  // The limit counts the runs that are wanted.
  BOOST_TEST(listed({"--status", "failed", "--workflow", "release", "--limit", "1"}) == "3");
  const Finished limited = wtool({"runs", "--workflow", "release", "--limit", "2"});
  BOOST_TEST(holds(limited.err, "there are more such runs; --limit N shows more"), limited.err);
  BOOST_TEST(wtool({"runs", "--workflow", "release", "--limit", "3"}).err == "");
}

BOOST_FIXTURE_TEST_CASE(a_filter_that_no_run_passes_says_so_and_a_wrong_status_lists_the_right_ones, Runs) {
  put(id, failed);
  const Finished none = wtool({"runs", "--workflow", "relase", "--status", "failed"});
  BOOST_TEST(none.exit_code == 0);
  BOOST_TEST(
      none.out ==
      "No run of \"relase\" with the status failed is recorded in this directory; did you mean 'release'? There are "
      "runs of release.\n");
  BOOST_TEST(holds(wtool({"runs", "--workflow", "xyz"}).out, "; there are runs of release.\n"));
  BOOST_TEST(wtool({"runs", "--status", "running", "--json"}).out == "[]\n");
  const Finished wrong = wtool({"runs", "--status", "fialed"});
  BOOST_TEST(wrong.exit_code == 2);
  for (const char* part : {"running", "interrupted", "completed", "failed", "aborted", "suspended", "did you mean"}) {
    BOOST_TEST(holds(wrong.err, part), wrong.err);
  }
  BOOST_TEST(wtool({"runs", "--status", "failed", "clear", "--keep", "1"}).exit_code == 2);
}

BOOST_FIXTURE_TEST_CASE(runs_that_cannot_be_read_are_not_no_runs, Runs) {
  fs::create_directory(folder + "/20261120-000000-0000.jsonl");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"runs"}, {"runs", "--json"}}) {
    const Finished listed = wtool(words);
    BOOST_TEST(listed.exit_code == 2, listed.out);
    BOOST_TEST(listed.out.empty(), listed.out);
    BOOST_TEST(holds(listed.err, "20261120-000000-0000"), listed.err);
  }
}

BOOST_FIXTURE_TEST_CASE(older_runs_are_removed_with_all_that_they_left, Runs) {
  const std::string old = put("20261120-000000-0000", failed);
  const std::string stem = old.substr(0, old.rfind('.'));
  std::filesystem::create_directory(stem + ".outputs");
  std::ofstream(stem + ".outputs/1-A.stdout") << "text";
  std::ofstream(stem + ".log") << "text";
  const std::string held = put("20261120-000000-0001", begun);
  const std::string suspended =
      put("20261120-000000-0002", begun + record("run_ended", R"(,"status":"suspended","reason":"","ms":1)"));
  const std::string older = put("20261120-000000-0003", begun);
  const std::string newest = put("20261120-000000-0004", failed);

  const Finished unclear = wtool({"runs", "clear"});
  BOOST_TEST(unclear.exit_code == 2);
  BOOST_TEST(holds(unclear.err, "--keep"), unclear.err);
  BOOST_TEST(std::filesystem::exists(old));

  const int lock = ::open(held.c_str(), O_RDONLY | O_CLOEXEC);
  BOOST_REQUIRE(::flock(lock, LOCK_EX) == 0);
  const Finished cleared = wtool({"runs", "clear", "--keep", "1"});
  ::close(lock);
  BOOST_TEST(cleared.exit_code == 0, cleared.err);
  BOOST_TEST(cleared.out == "Removed 2 runs of 5\n");
  BOOST_TEST(holds(cleared.err, "the run 20261120-000000-0001 stays: it is running"), cleared.err);
  BOOST_TEST(holds(cleared.err, "the run 20261120-000000-0002 stays: it is suspended"), cleared.err);
  for (const std::string& gone : {old, stem + ".outputs", stem + ".log", older}) {
    BOOST_TEST(!std::filesystem::exists(gone), gone);
  }
  for (const std::string& stays : {held, suspended, newest}) BOOST_TEST(std::filesystem::exists(stays), stays);
}

BOOST_FIXTURE_TEST_CASE(only_runs_are_removed_and_not_behind_a_link, Runs) {
  const std::string foreign = put("notes", "text");
  const Finished cleared = wtool({"runs", "clear", "--keep", "0"});
  BOOST_TEST(!holds(cleared.out + cleared.err, "notes"), cleared.out << cleared.err);
  BOOST_TEST(fs::exists(foreign));
  BOOST_TEST(wtool({"runs", "--limit", "2", "clear", "--keep", "0"}).exit_code == 2);
  const std::string elsewhere = scratch.path() + "/elsewhere";
  fs::rename(folder, elsewhere);
  fs::create_directory_symlink(elsewhere, folder);
  const std::string behind = put("20261120-000000-0000", failed);
  const Finished refused = wtool({"runs", "clear", "--keep", "0"});
  BOOST_TEST(refused.exit_code == 1);
  BOOST_TEST(holds(refused.err, "its folder cannot be opened"), refused.err);
  BOOST_TEST(fs::exists(behind));
}

BOOST_FIXTURE_TEST_CASE(a_run_whose_journal_cannot_be_opened_stays, Runs) {
  fs::create_directory(folder + "/20261120-000000-0000.jsonl");
  fs::create_directory(folder + "/20261120-000000-0000.outputs");
  const Finished cleared = wtool({"runs", "clear", "--keep", "0"});
  BOOST_TEST(cleared.exit_code == 1);
  BOOST_TEST(holds(cleared.err, "its journal cannot be opened"), cleared.err);
  BOOST_TEST(fs::exists(folder + "/20261120-000000-0000.outputs"));
}

BOOST_FIXTURE_TEST_CASE(a_link_in_place_of_outputs_is_removed_and_not_followed, Runs) {
  const std::string old = put("20261120-000000-0000", failed);
  const std::string kept = old + "-target";
  std::filesystem::create_directory(kept);
  std::ofstream(kept + "/file") << "text";
  std::filesystem::create_directory_symlink(kept, old.substr(0, old.rfind('.')) + ".outputs");
  BOOST_TEST(wtool({"runs", "clear", "--keep", "0"}).out == "Removed 1 run of 1\n");
  BOOST_TEST(std::filesystem::exists(kept + "/file"));
}

BOOST_FIXTURE_TEST_CASE(a_run_that_still_runs_takes_its_time_up_to_now, Runs) {
  // The run was started ten seconds ago. Its only step began at the same time, and still runs.
  const std::time_t then = std::time(nullptr) - 10;
  std::tm parts{};
  ::gmtime_r(&then, &parts);
  char time[32];
  std::strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S.000Z", &parts);
  std::string records = begun + record("state_started", R"(,"step":1,"branch":"","seq":1,"state":"Build")");
  for (std::size_t at; (at = records.find("2026-11-21T23:15:02.045Z")) != std::string::npos;) {
    records.replace(at, 24, time);
  }
  const std::string held = put(id, records);
  // If no process writes the journal, nobody knows when the run ended.
  BOOST_TEST(Json::parse(wtool({"show", id, "--json"}).out)["ms"] == 0.0);
  const int lock = ::open(held.c_str(), O_RDONLY | O_CLOEXEC);
  BOOST_REQUIRE(::flock(lock, LOCK_EX) == 0);
  const Json shown = Json::parse(wtool({"show", id, "--json"}).out);
  const Json listed = Json::parse(wtool({"runs", "--json"}).out);
  ::close(lock);
  BOOST_TEST(shown["ms"].get<double>() >= 10'000);
  BOOST_TEST(shown["steps"][0]["ms"].get<double>() >= 10'000);
  BOOST_TEST(listed[0]["ms"].get<double>() >= 10'000);
}

BOOST_FIXTURE_TEST_CASE(a_run_is_shown, Runs) {
  put(id, failed);
  const Finished shown = wtool({"show", "last"});
  BOOST_TEST(shown.exit_code == 0);
  for (const char* part : {"release: failed in 2.00 s\n", "Reason: Test failed", "Build  ok (2 tries)",
                           "    | make test", "    | no good", "wtool resume 20261121-231502-3f9a"}) {
    BOOST_TEST(holds(shown.out, part), part);
  }
  BOOST_TEST(wtool({"show", "2026", "--output", "Build"}).out == "built\n");
  BOOST_TEST(Json::parse(wtool({"show", id, "--json"}).out)["steps"][1]["stderr"] == "no good\n");
  const Finished nowhere = wtool({"show", id, "--output", "Nowhere"});
  BOOST_TEST(nowhere.exit_code == 2);
  BOOST_TEST(holds(nowhere.err, "was never in the state \"Nowhere\""));
  BOOST_TEST(wtool({"show", "1999"}).exit_code == 2);
}

BOOST_FIXTURE_TEST_CASE(damage_is_reported_and_the_rest_is_shown, Runs) {
  put(id, begun + "{\n" + step(1, "Build", "succeeded", "") + R"({"v":1,"ty)");
  const Finished shown = wtool({"show", "last"});
  BOOST_TEST(shown.exit_code == 0);
  BOOST_TEST(holds(shown.err, ".jsonl:2: it is not a JSON object"));
  BOOST_TEST(holds(shown.err, "is torn"));
  BOOST_TEST(holds(shown.out, "interrupted"));
  BOOST_TEST(holds(shown.out, "Build"));
  put(id, R"({"v":9,"type":"run_started"})" + std::string("\n"));
  const Finished newer = wtool({"show", "last"});
  BOOST_TEST(newer.exit_code == 2);
  BOOST_TEST(holds(newer.err, "version 9, but this wtool reads version 1"));
}

BOOST_FIXTURE_TEST_CASE(a_path_that_is_not_a_file_is_never_waited_for, Runs) {
  put("20261121-231502-0001", failed);
  BOOST_REQUIRE(::mkfifo((folder + "/" + id + ".jsonl").c_str(), 0600) == 0);
  const Finished listed = wtool({"runs"});
  BOOST_TEST(listed.exit_code == 0);
  BOOST_TEST(holds(listed.out, "20261121-231502-0001"));
  for (const char* command : {"show", "resume"}) {
    const Finished refused = wtool({command, "last"});
    BOOST_TEST(refused.exit_code == 2);
    BOOST_TEST(holds(refused.err, "not a regular file"), refused.err);
  }
}

BOOST_FIXTURE_TEST_CASE(reports_of_an_earlier_run_are_written, Runs) {
  put(id, failed);
  const Finished reported = wtool({"report", "last", "--junit", "junit.xml", "--html", "-"});
  BOOST_TEST(reported.exit_code == 0);
  BOOST_TEST(holds(reported.out, "<!DOCTYPE html>"));
  BOOST_TEST(holds(reported.err, "without the diagram"));
  std::ostringstream junit;
  junit << std::ifstream(scratch.path() + "/junit.xml").rdbuf();
  BOOST_TEST(holds(junit.str(), R"(tests="2" failures="1")"));
  BOOST_TEST(wtool({"report", "last"}).exit_code == 2);
  BOOST_TEST(wtool({"report", "last", "--junit", "/dev/full"}).exit_code == 2);
}

BOOST_FIXTURE_TEST_CASE(a_workflow_is_drawn_with_the_states_of_a_run, Runs) {
  put(id, failed);
  scratch.file("release.md", "```mermaid\nstateDiagram-v2\n[*] --> Build\nBuild --> Test\nTest --> [*]\n```\n");
  const Finished drawn = wtool({"graph", "release.md", "last"});
  BOOST_TEST(drawn.exit_code == 0);
  BOOST_TEST(holds(drawn.out, "    Build --> Test\n"));
  BOOST_TEST(holds(drawn.out, "    class Test failed\n"));
  BOOST_TEST(holds(wtool({"graph", "release.md", "--format", "dot"}).out, "digraph \"release.md\""));
  ProgramOptions options;
  options.directory = scratch.path();
  options.set["PATH"] = scratch.path();
  const Finished missing =
      run({WTOOL_TEST_PROGRAM, "graph", "release.md", "--format", "png", "--output", "release.png"}, options);
  BOOST_TEST(missing.exit_code == 2);
  BOOST_TEST(holds(missing.err, "apt install graphviz"));
  const Finished picture = run({WTOOL_TEST_PROGRAM, "graph", "release.md", "last", "--format", "svg"}, options);
  BOOST_TEST(picture.exit_code == 0);
  BOOST_TEST(picture.out.starts_with("<svg "));
  BOOST_TEST(holds(picture.out, "svg { background: #fff; }"));
  BOOST_TEST(holds(picture.out, "@media (prefers-color-scheme: dark) {"));
  BOOST_TEST(holds(picture.out, "svg { background: #1c1c1e; }"));
  BOOST_TEST(holds(picture.out, "class=\"node failed\""));
  BOOST_TEST(holds(picture.out, ".node.failed rect"));
}

BOOST_FIXTURE_TEST_CASE(what_the_steps_of_a_run_said_is_shown, Runs) {
  const std::string said =
      begun +
      record("log", R"(,"step":1,"branch":"","seq":1,"state":"Build","level":"warning","text":"careful\u001b[2J")") +
      step(1, "Build", "succeeded", R"(,"ms":1500,"went_on":true,"outcome":{"stdout":"built\n","stderr":"odd\n"})") +
      step(2, "Test", "failed", R"(,"ms":500,"exit_code":3,"outcome":{"is_error":true,"stderr":"no good\nat all"})");
  put(id, said + record("run_ended", R"(,"status":"failed","reason":"Test failed","ms":2000)"));
  const Finished all = wtool({"logs", "last"});
  BOOST_TEST(all.exit_code == 0, all.err);
  for (const char* part : {"    Build: warning: careful\n", "  ok Build  1.50 s\n    | built\n    ! odd\n",
                           "  failed Test  0.500 s\n    ! no good\n    ! at all\n"}) {
    BOOST_TEST(holds(all.out, part), all.out);
  }
  const Finished one = wtool({"logs", "last", "Build", "--stderr"});
  BOOST_TEST(one.out == "  ok Build  1.50 s\n    ! odd\n");
  const Finished nowhere = wtool({"logs", "last", "Nowhere"});
  BOOST_TEST(nowhere.exit_code == 2);
  BOOST_TEST(holds(nowhere.err, "was never in the state \"Nowhere\""), nowhere.err);
}

// Each process of a run counts its steps from 1.
BOOST_FIXTURE_TEST_CASE(the_steps_of_a_resumed_run_are_not_taken_for_earlier_ones_of_the_same_number, Runs) {
  put(id,
      begun + step(1, "Build", "succeeded", R"(,"ms":1500,"went_on":true,"outcome":{"stdout":"built\n"})") +
          record("run_resumed", std::string(R"(,"run":")") + id + R"(","inputs":{})") +
          record("log", R"(,"step":1,"branch":"","seq":2,"state":"Test","level":"warning","text":"careful")") +
          record("state_ended", R"(,"step":1,"branch":"","seq":2,"state":"Test","action":"shell","status":"succeeded",)"
                                R"("outcome":{"stdout":"tested\n"})") +
          record("run_ended", R"(,"status":"completed","ms":2000)"));
  const Finished said = wtool({"logs", "last"});
  for (const char* part : {"  ok Build  1.50 s\n    | built\n", "    Test: warning: careful\n", "    | tested\n"}) {
    BOOST_TEST(holds(said.out, part), said.out);
  }
  const Json steps = Json::parse(wtool({"show", "last", "--json"}).out)["steps"];
  BOOST_TEST(steps[0]["step"] != steps[1]["step"]);
  BOOST_REQUIRE(wtool({"report", "last", "--html", "run.html"}).exit_code == 0);
  std::ifstream file(scratch.path() + "/run.html");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  BOOST_TEST(page.find("id=\"step-1\"") == page.rfind("id=\"step-1\""));
}

BOOST_FIXTURE_TEST_CASE(without_a_run_the_newest_one_is_shown, Runs) {
  put("20261121-231502-0001", begun);
  put(id, failed);
  for (const std::string command : {"show", "logs", "attach"}) {
    const Finished nameless = wtool({command});
    const Finished last = wtool({command, "last"});
    BOOST_TEST(!nameless.out.empty(), command << nameless.err);
    BOOST_TEST(nameless.out == last.out, command);
    BOOST_TEST(nameless.exit_code == last.exit_code, command);
  }
  BOOST_TEST(Json::parse(wtool({"show", "--json"}).out).at("run") == id);
  BOOST_TEST(holds(wtool({"report", "--junit", "-"}).out, "release"));
  BOOST_TEST(wtool({"stop"}).exit_code == 2);
  BOOST_TEST(wtool({"resume"}).exit_code == 2);
  const Finished state = wtool({"logs", "Test"});
  BOOST_TEST(state.exit_code == 2);
  BOOST_TEST(holds(state.err, "; `wtool logs last Test` shows the state of this name"), state.err);
  BOOST_TEST(!holds(wtool({"logs", "Tset"}).err, "shows the state"));
}

BOOST_FIXTURE_TEST_CASE(a_state_and_a_run_that_are_misspelt_are_named, Runs) {
  put(id, failed);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"logs", "last", "Tset"},
                                                {"show", "last", "--output", "Tset"},
                                                {"resume", "last", "--from", "Tset"}}) {
    const Finished finished = wtool(words);
    BOOST_TEST(finished.exit_code == 2);
    BOOST_TEST(holds(finished.err, "was never in the state \"Tset\"; did you mean 'Test'? `wtool show "), finished.err);
  }
  BOOST_TEST(
      holds(wtool({"show", "lats"}).err, "there is no run \"lats\"; did you mean 'last'? `wtool runs` lists all runs"));
}

BOOST_FIXTURE_TEST_CASE(a_run_that_could_not_begin_is_not_the_last_one, Runs) {
  put(id, failed);
  const std::string empty = put("20991231-235959-0000", "");  // its process was killed before the run started
  const Finished shown = wtool({"show", "last"});
  BOOST_TEST(shown.exit_code == 0, shown.err);
  BOOST_TEST(holds(shown.out, id), shown.out);
  // A run that has only just begun holds the lock of its journal.
  const int lock = ::open(empty.c_str(), O_WRONLY | O_CLOEXEC);
  BOOST_REQUIRE(::flock(lock, LOCK_EX) == 0);
  BOOST_TEST(!holds(wtool({"show", "last"}).out, id));
  ::close(lock);
  fs::remove(empty);
  scratch.file("one.md", "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n- A: Log \"x\"\n");
  BOOST_TEST(wtool({"run", "one.md", "--events", "/nonexistent/events"}).exit_code == 2);
  BOOST_TEST(std::distance(fs::directory_iterator(folder), {}) == 1);
}

BOOST_FIXTURE_TEST_CASE(a_running_run_is_followed_to_its_end, Runs) {
  const std::string file =
      put(id, begun + step(1, "Build", "succeeded", R"(,"ms":1500,"outcome":{"stdout":"built\n"})"));
  const int lock = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  BOOST_REQUIRE(::flock(lock, LOCK_EX) == 0);
  const Finished until_now = wtool({"logs", "last"});
  BOOST_TEST(holds(until_now.err, "--follow"), until_now.err);
  BOOST_TEST(holds(wtool({"report", "last", "--junit", "-"}).err, "the run has not ended yet"));
  ProgramOptions options;
  options.directory = scratch.path();
  Program following({WTOOL_TEST_PROGRAM, "logs", "last", "--follow"}, Program::On::pipes, options);
  BOOST_TEST(following.wait_for_output("    | built\n"));
  const std::string more = step(2, "Test", "succeeded", R"(,"ms":500,"outcome":{"stdout":"tested\n"})");
  BOOST_REQUIRE(::write(lock, more.data(), more.size()) == static_cast<ssize_t>(more.size()));
  BOOST_TEST(following.wait_for_output("    | tested\n"));
  const std::string end = record("run_ended", R"(,"status":"completed","ms":2000)");
  BOOST_REQUIRE(::write(lock, end.data(), end.size()) == static_cast<ssize_t>(end.size()));
  ::close(lock);
  const Finished finished = following.wait();
  BOOST_TEST(finished.exit_code == 0);
  BOOST_TEST(finished.out.find("built") == finished.out.rfind("built"));
}

BOOST_FIXTURE_TEST_CASE(a_page_shows_suspended_and_running_runs_as_such, Runs) {
  put(id, begun + record("run_ended", R"(,"status":"suspended","ms":2000)"));
  const std::string suspended = wtool({"report", "last", "--html", "-"}).out;
  BOOST_TEST(holds(suspended, R"(<span class="badge suspended">suspended</span>)"), suspended);
  BOOST_TEST(holds(suspended, ".badge.suspended"), suspended);
  const std::string file = put(id, begun);
  BOOST_TEST(holds(wtool({"report", "last", "--html", "-"}).out, R"(<span class="badge interrupted">)"));
  const int lock = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  BOOST_REQUIRE(::flock(lock, LOCK_EX) == 0);
  const Finished running = wtool({"report", "last", "--html", "-"});
  ::close(lock);
  BOOST_TEST(holds(running.out, R"(<span class="badge running">running</span>)"), running.out);
  BOOST_TEST(!holds(running.out + running.err, ">interrupted"), running.out << running.err);
}

BOOST_FIXTURE_TEST_CASE(a_page_shows_what_prompts_used, Runs) {
  put(id, begun + step(1, "Ask", "succeeded", R"(,"ms":1500)") +
              record("usage", R"(,"step":1,"branch":"","seq":1,"calls":2,"tokens":1200,"cost":0.25,"time_ms":3100)") +
              record("run_ended", R"(,"status":"completed","ms":2000)"));
  const char* used = "Prompts: 2 calls in 3.10 s, 1200 tokens, cost 0.25";
  BOOST_TEST(holds(wtool({"show", "last"}).out, used));
  BOOST_TEST(holds(wtool({"report", "last", "--html", "-"}).out, used));
}

BOOST_FIXTURE_TEST_CASE(a_page_names_the_exit_code_and_has_the_text_of_a_log_once, Runs) {
  const std::string said = R"(,"step":3,"branch":"","seq":3,"state":"Say")";
  put(id, failed.substr(0, failed.rfind(R"({"v":1)")) + record("state_started", said + R"(,"action":"log")") +
              record("log", said + R"(,"level":"info","text":"said once")") +
              record("state_ended", said + R"(,"action":"log","status":"succeeded","outcome":{"stdout":"said once"})"));
  const std::string page = wtool({"report", "last", "--html", "-"}).out;
  BOOST_TEST(holds(page, ">failed (exit code 3)</td>"), page);
  BOOST_TEST(page.find("said once") != std::string::npos);
  BOOST_TEST(page.find("said once") == page.rfind("said once"), page);
}

BOOST_FIXTURE_TEST_CASE(a_page_can_be_read_by_a_screen_reader, Runs) {
  scratch.file("release.md",
               "---\ntitle: A \"good\" release\n---\n```mermaid\nstateDiagram-v2\n[*] --> Build\nBuild --> [*]\n```\n"
               "## Actions\n- Build: Shell \"true\"\n");
  BOOST_TEST(wtool({"run", "release.md"}).exit_code == 0);
  const std::string page = wtool({"report", "last", "--html", "-"}).out;
  for (const char* part : {"<main>", "</main>", R"(role="group" aria-label="Diagram of A &quot;good&quot; release")",
                           R"(<th scope="col">State</th>)", ">When</th>"}) {
    BOOST_TEST(holds(page, part), part << page);
  }
  BOOST_TEST(!holds(page, "<th>"));
  BOOST_TEST(!holds(page, "role=\"img\""));
  const std::string picture = wtool({"graph", "release.md", "--format", "svg"}).out;
  BOOST_TEST(holds(picture, "<title>Diagram of A &quot;good&quot; release</title>"), picture);
}

BOOST_FIXTURE_TEST_CASE(a_diagram_that_is_too_large_for_a_picture_can_be_printed_as_text, Runs) {
  // A chain of `count` states, which is a diagram of two more nodes: the start and the end.
  const auto chain = [&](int count) {
    std::string text = "    [*] --> S1\n";
    for (int i = 1; i < count; ++i) text += "    S" + std::to_string(i) + " --> S" + std::to_string(i + 1) + "\n";
    text += "    S" + std::to_string(count) + " --> [*]\n";
    scratch.file("chain.md", "```mermaid\nstateDiagram-v2\n" + text + "```\n");
  };
  chain(298);
  BOOST_TEST(holds(wtool({"graph", "chain.md", "--format", "svg"}).out, "</svg>"));
  chain(299);
  const Finished refused = wtool({"graph", "chain.md", "--format", "svg", "--output", "chain.svg"});
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(holds(refused.err, "it has 301 nodes, and at most 300 can be drawn"), refused.err);
  BOOST_TEST(holds(refused.err, "--format dot"), refused.err);
  BOOST_TEST(!fs::exists(scratch.path() + "/chain.svg"));
  BOOST_TEST(wtool({"graph", "chain.md", "--format", "dot"}).exit_code == 0);
}

BOOST_FIXTURE_TEST_CASE(in_a_subfolder_the_folder_that_has_runs_is_named, Runs) {
  put(id, failed);
  fs::create_directory(scratch.path() + "/sub");
  ProgramOptions options;
  options.directory = scratch.path() + "/sub";
  BOOST_TEST(holds(run({WTOOL_TEST_PROGRAM, "runs"}, options).out, "there are runs in " + scratch.path() + "."));
  BOOST_TEST(holds(run({WTOOL_TEST_PROGRAM, "show", "last"}, options).err, "and " + scratch.path() + " has runs"));
}

BOOST_FIXTURE_TEST_CASE(commands_of_other_programs_are_answered_with_the_one_to_use_here, Runs) {
  BOOST_TEST(holds(wtool({"resume", "--dry-run", "last"}).err, "`wtool plan WORKFLOW`"));
  BOOST_TEST(holds(wtool({"ls"}).err, "`wtool list` lists workflows, `wtool runs` lists runs"));
  BOOST_TEST(holds(wtool({"validate", "x.md"}).err, "`wtool lint`"));
  BOOST_TEST(holds(wtool({"version"}).err, "`wtool --version`"));
  BOOST_TEST(holds(wtool({"runs", "list"}).err,
                   "there is no command \"runs list\"; `wtool list` lists workflows, `wtool runs` lists runs"));
  BOOST_TEST(holds(wtool({"rnu"}).err, "did you mean 'run'?"));
}

BOOST_FIXTURE_TEST_CASE(the_help_of_a_command_never_ends_with_the_examples_of_another, Runs) {
  const std::string of_wtool = "wtool COMMAND --help";
  BOOST_TEST(holds(wtool({"--help"}).out, of_wtool));
  for (const auto& [command, parts] :
       std::vector<std::pair<std::string, std::vector<std::string>>>{{"audit", {"verify", "show"}},
                                                                     {"cache", {"list", "clear"}},
                                                                     {"cluster", {"status", "test"}},
                                                                     {"config", {"check", "schema", "show"}},
                                                                     {"servers", {"list", "lock"}}}) {
    BOOST_TEST(!holds(wtool({command, "--help"}).out, of_wtool), command);
    for (const std::string& part : parts) {
      const Finished help = wtool({command, part, "--help"});
      BOOST_TEST(help.exit_code == 0, command << ' ' << part);
      BOOST_TEST(holds(help.out, "wtool " + command + ' ' + part), command << ' ' << part);
      BOOST_TEST(!holds(help.out, of_wtool), command << ' ' << part);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_person_at_a_terminal_sees_local_times_in_lines_that_fit, Runs) {
  put(id, failed);
  // The time zone is given by its rule, so that no file of time zones is needed.
  ProgramOptions options;
  options.directory = scratch.path();
  options.set["TZ"] = "XYZ-5:30";
  options.columns = 60;
  const auto on_terminal = [&](const std::string& command) {
    return Program({WTOOL_TEST_PROGRAM, command}, Program::On::terminal, options).wait().out;
  };
  const std::string listed = on_terminal("runs");
  BOOST_TEST(holds(listed, "STARTED (XYZ)"), listed);
  BOOST_TEST(holds(listed, "2026-11-22 04:45:02  failed"), listed);
  BOOST_TEST(!holds(listed, "release.md"), listed);
  options.columns = 40;
  const std::string narrow = on_terminal("runs");
  BOOST_TEST(holds(narrow, "20261121-231502-3f9a  failed"), narrow);
  BOOST_TEST(!holds(narrow, "STARTED"), narrow);
  options.columns = 60;
  std::istringstream lines(listed + on_terminal("tools"));
  for (std::string line; std::getline(lines, line);) BOOST_TEST(line.size() <= 63U, line);  // with "…" and \r
  const std::string shown = Program({WTOOL_TEST_PROGRAM, "show", "last"}, Program::On::terminal, options).wait().out;
  BOOST_TEST(holds(shown, "started 2026-11-22 04:45:02 XYZ"), shown);
  const Finished piped = run({WTOOL_TEST_PROGRAM, "runs"}, options);
  BOOST_TEST(holds(piped.out, "STARTED (UTC)"), piped.out);
  BOOST_TEST(holds(piped.out, "2026-11-21 23:15:02  failed"), piped.out);
  BOOST_TEST(holds(piped.out, "release.md"), piped.out);
}

BOOST_AUTO_TEST_SUITE_END()
