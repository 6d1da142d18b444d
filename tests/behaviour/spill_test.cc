// The output file (output.spill): it has everything that the command wrote, and the result names it. Also what happens
// to the file and to the call when something goes wrong with it.
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "support/shell_tool.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(spill_test)

using namespace wtool::test;
namespace fs = std::filesystem;

namespace {

std::string content(const std::string& path) {
  BOOST_REQUIRE(std::ifstream(path).good());
  return content_of(path);
}

std::string file_of(const Answer& answer) { return answer.metadata().value("output_file", ""); }

struct Spilling : ShellTool {
  std::string folder = scratch.path() + "/out/put";

  Json config(const char* when, std::size_t cap = 4096, std::uint64_t max_bytes = 1ULL << 30) const {
    return Json{{"output", {{"bytes", cap}, {"spill", when}, {"directory", folder}, {"max_bytes", max_bytes}}}};
  }
  std::size_t files() const {
    if (!fs::exists(folder)) return 0;
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
  // Checks that the file is there, is complete, and contains `expected`.
  void check_file(const Answer& answer, const std::string& expected) const {
    BOOST_TEST_CONTEXT(answer.metadata().value("output_file_error", "")) {
      const std::string path = file_of(answer);
      BOOST_REQUIRE(path.starts_with(folder + "/"));
      BOOST_TEST((content(path) == expected));
      BOOST_TEST((answer.metadata().at("output_file_bytes") == Json(expected.size())));
      BOOST_TEST(!answer.metadata().contains("output_file_complete"));
      BOOST_TEST(!answer.metadata().contains("output_file_error"));
    }
  }
  // Checks that no file exists, and that the result does not mention one.
  void check_no_file(const Answer& answer) const {
    for (const char* key : {"output_file", "output_file_bytes", "output_file_complete", "output_file_error"}) {
      BOOST_TEST(!answer.metadata().contains(key), key);
    }
  }
};

// Makes hosts/spill_host.cc run its calls with this fault, and returns its report. null: this machine cannot produce
// the fault.
Json with_fault(const std::string& fault, const std::string& folder, const std::string& command) {
  const Finished finished = run({std::string(WTOOL_TEST_HOSTS) + "/spill_host", fault, folder, command});
  if (finished.exit_code == 77) {
    BOOST_TEST_MESSAGE("not tested: nothing can be mounted here, so there is no file system for " << fault);
    return nullptr;
  }
  BOOST_TEST_CONTEXT(fault << ": " << finished.out << finished.err << ", signal " << finished.signal) {
    BOOST_REQUIRE(finished.exit_code == 0);
  }
  return Json::parse(finished.out);
}

// Checks that the call went well, and that its file ends early, with an error that has these parts.
void check_cut_file(const Json& report, std::uint64_t bytes, const std::string& reason, const std::string& advice) {
  const Json& metadata = report.at("result").at("metadata");
  BOOST_TEST_CONTEXT(metadata.value("output_file_error", "no error")) {
    BOOST_TEST((metadata.at("exit_code") == Json(0)));
    BOOST_TEST((metadata.at("stdout_bytes") == Json(3'000'000)));
    BOOST_TEST((metadata.at("output_file_complete") == Json(false)));
    BOOST_TEST((metadata.at("output_file_bytes") == Json(bytes)));
    BOOST_TEST((report.at("spilled") == Json(bytes)));
    BOOST_TEST((report.at("is_prefix") == Json(true)));
    const auto error = metadata.at("output_file_error").get<std::string>();
    BOOST_TEST(error.starts_with("the output file ends after " + std::to_string(bytes) + " bytes: " + reason));
    BOOST_TEST((error.find(advice) != std::string::npos));
  }
}

constexpr const char* three_megabytes = "seq -w 1 1000000 | head -c 3000000";

}  // namespace

BOOST_FIXTURE_TEST_CASE(always_makes_a_file_for_short_output_too, Spilling) {
  const ToolUnderTest always(plugin, config("always"));
  const Answer answer = always.shell("echo one; sleep 0.02; echo two >&2; sleep 0.02; echo three",
                                     {.call_id = "step 1/build", .on_event = {}});
  check_file(answer, "one\ntwo\nthree\n");
  BOOST_TEST(answer.out() == "one\nthree\n");
  const std::string name = fs::path(file_of(answer)).filename();
  BOOST_TEST((name.find("Z-step_1_build-") == 19), name);
}

BOOST_FIXTURE_TEST_CASE(a_command_without_output_makes_no_file, Spilling) {
  const ToolUnderTest always(plugin, config("always"));
  check_no_file(always.shell("true"));
  check_no_file(always.shell("/nonexistent/program"));
  BOOST_TEST(files() == 0U);
}

BOOST_FIXTURE_TEST_CASE(never_makes_no_file, Spilling) {
  const ToolUnderTest never(plugin, config("never"));
  check_no_file(never.shell("seq 1 100000"));
  BOOST_TEST(files() == 0U);
}

BOOST_FIXTURE_TEST_CASE(when_cut_makes_a_file_from_the_first_byte_beyond_the_cap, Spilling) {
  const ToolUnderTest when_cut(plugin, config("when_cut"));
  check_no_file(when_cut.shell("seq 1 9999 | head -c 4096"));
  check_no_file(when_cut.shell("seq 1 9999 | head -c 4096 >&2; seq 1 9999 | head -c 4096"));
  BOOST_TEST(files() == 0U);
  const std::string all = when_cut.shell("seq 1 9999 | head -c 4096").out() + "x";
  const Answer answer = when_cut.shell("seq 1 9999 | head -c 4096; sleep 0.02; printf x");
  BOOST_TEST((answer.metadata().at("stdout_truncated") == Json(true)));
  check_file(answer, all);
}

BOOST_FIXTURE_TEST_CASE(when_cut_holds_what_both_streams_had_before, Spilling) {
  const ToolUnderTest when_cut(plugin, config("when_cut"));
  const std::string script =
      "printf out1; printf err1 >&2; sleep 0.02; printf out2; sleep 0.02; head -c 4093 /dev/zero | tr '\\0' e >&2; "
      "sleep "
      "0.02; printf out3; sleep 0.02; printf err3 >&2";
  const Answer answer = when_cut.shell(script);
  BOOST_TEST((answer.metadata().at("stdout_truncated") == Json(false)));
  BOOST_TEST((answer.metadata().at("stderr_truncated") == Json(true)));
  const std::string expected = content(file_of(answer));
  // Wherever the pauses fall, the file has all of both streams, each in its order.
  BOOST_TEST(expected.size() == 12U + 8 + 4093);
  BOOST_TEST(expected.starts_with("out1out2"));
  check_file(answer, expected);
}

// Once the capture is full, new bytes replace the oldest ones, which must then be in the file.
BOOST_FIXTURE_TEST_CASE(when_cut_is_complete_though_the_capture_was_full_to_the_byte, Spilling) {
  const ToolUnderTest when_cut(plugin, config("when_cut", 1 << 20));
  const Answer answer =
      when_cut.shell("(head -c 1048576 /dev/urandom; sleep 0.05; head -c 300000 /dev/urandom) | tee '" +
                     scratch.path() + "/original'");
  check_file(answer, content(scratch.path() + "/original"));
}

BOOST_FIXTURE_TEST_CASE(binary_output_is_kept_as_it_is, Spilling) {
  const ToolUnderTest always(plugin, config("always"));
  check_file(always.shell("printf 'a\\000b\\377\\r\\nc\\376'"), std::string("a\0b\xFF\r\nc\xFE", 8));
}

BOOST_FIXTURE_TEST_CASE(fifty_megabytes_are_kept_to_the_last_byte, Spilling) {
  for (const char* when : {"always", "when_cut"}) {
    const ToolUnderTest spilling(plugin, config(when, 1 << 20));
    const Answer answer = spilling.shell("head -c 50000000 /dev/urandom | tee '" + scratch.path() + "/original'");
    BOOST_TEST((answer.metadata().at("output_file_bytes") == Json(50'000'000)));
    BOOST_TEST((content(file_of(answer)) == content(scratch.path() + "/original")));
  }
}

BOOST_FIXTURE_TEST_CASE(both_streams_at_once_are_complete, Spilling) {
  const ToolUnderTest when_cut(plugin, config("when_cut"));
  const Answer answer =
      when_cut.shell("(head -c 3000000 /dev/zero | tr '\\0' e >&2) & head -c 3000000 /dev/zero | tr '\\0' o; wait");
  const std::string all = content(file_of(answer));
  BOOST_TEST(all.size() == 6'000'000U);
  BOOST_TEST(std::count(all.begin(), all.end(), 'e') == 3'000'000);
  BOOST_TEST(!answer.metadata().contains("output_file_error"));
}

BOOST_FIXTURE_TEST_CASE(a_command_that_fails_times_out_or_is_cancelled_has_its_file, Spilling) {
  const ToolUnderTest always(plugin, config("always"));
  check_file(always.shell("echo before; exit 3"), "before\n");
  const Answer late = always.run(marked("echo before; sleep 61"), {.deadline_ms = 300, .on_event = {}});
  BOOST_TEST(late.code() == "timed_out");
  if (late.metadata().at("partial_stdout") == "before\n") check_file(late, "before\n");
  RunningCall call(always, marked("echo before; sleep 61"));
  BOOST_TEST(call.wait_for_output("before"));
  call.cancel(WTOOL_CANCEL_NOW, "test");
  check_file(call.wait(), "before\n");
}

BOOST_FIXTURE_TEST_CASE(files_stay_for_later_calls_and_belong_only_to_their_user, Spilling) {
  const ToolUnderTest always(plugin, config("always"));
  const std::string first = file_of(always.shell("echo first"));
  const Answer second = always.shell("cat '" + first + "'");
  BOOST_TEST(second.out() == "first\n");
  BOOST_TEST(files() == 2U);
  struct stat about {};
  BOOST_REQUIRE(stat(first.c_str(), &about) == 0);
  BOOST_TEST((about.st_mode & 07777U) == 0600U);
  BOOST_REQUIRE(stat(folder.c_str(), &about) == 0);
  BOOST_TEST((about.st_mode & 07777U) == 0700U);
}

BOOST_FIXTURE_TEST_CASE(the_oldest_files_are_removed_when_room_runs_out, Spilling) {
  const ToolUnderTest always(plugin, config("always", 4096, 1 << 20));
  std::vector<std::string> paths;
  for (int i = 0; i < 5; ++i) paths.push_back(file_of(always.shell("head -c 400000 /dev/zero")));
  BOOST_TEST(files() == 2U);
  BOOST_TEST(fs::exists(paths[3]));
  BOOST_TEST(fs::exists(paths[4]));
}

BOOST_FIXTURE_TEST_CASE(a_file_that_a_call_is_writing_is_not_removed, Spilling) {
  const ToolUnderTest always(plugin, config("always", 4096, 1 << 20));
  const ToolUnderTest other(plugin, config("always", 4096, 1 << 20));  // cannot see the calls of `always`
  RunningCall call(always, marked("head -c 400000 /dev/zero; echo started; while [ ! -e '" + scratch.path() +
                                  "/go' ]; do sleep 0.01; done; echo end"));
  BOOST_REQUIRE(call.wait_for_output("started"));
  for (int i = 0; i < 3; ++i) other.shell("head -c 600000 /dev/zero");
  scratch.file("go", "");
  const Answer answer = call.wait();
  check_file(answer, std::string(400'000, '\0') + "started\nend\n");
}

BOOST_FIXTURE_TEST_CASE(one_call_that_writes_more_than_the_limit_says_so, Spilling) {
  const ToolUnderTest always(plugin, config("always", 4096, 1 << 20));
  const Answer answer = always.shell(three_megabytes);
  check_cut_file({{"result", answer.result}, {"spilled", fs::file_size(file_of(answer))}, {"is_prefix", true}}, 1 << 20,
                 "all output files in " + folder + " may have 1048576 bytes together (output.max_bytes)",
                 "raise output.max_bytes");
}

BOOST_FIXTURE_TEST_CASE(calls_at_once_have_a_file_each, Spilling) {
  const ToolUnderTest always(plugin, config("always"));
  std::vector<std::thread> threads;
  std::vector<std::set<std::string>> paths(4);
  std::atomic<int> wrong{0};
  for (std::size_t t = 0; t < paths.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < repeats(10); ++i) {
        const std::string word = std::to_string(t) + "-" + std::to_string(i);
        const Answer answer = always.shell("yes " + word + " | head -n 20000", {.call_id = "same", .on_event = {}});
        std::string expected;
        for (int line = 0; line < 20'000; ++line) expected += word + "\n";
        if (content_of(file_of(answer)) != expected) ++wrong;
        paths[t].insert(file_of(answer));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  BOOST_TEST(wrong == 0);
  BOOST_TEST(files() == 4U * static_cast<unsigned>(repeats(10)));
}

BOOST_FIXTURE_TEST_CASE(a_folder_that_cannot_exist_is_reported_and_the_call_succeeds, Spilling) {
  scratch.file("out", "a file");
  const ToolUnderTest always(plugin, config("always"));
  const Answer answer = always.shell("echo hi");
  BOOST_TEST(answer.exit_code() == 0);
  BOOST_TEST(answer.out() == "hi\n");
  BOOST_TEST(!answer.metadata().contains("output_file"));
  BOOST_TEST(!answer.metadata().contains("output_file_bytes"));
  BOOST_TEST(
      answer.metadata().at("output_file_error").get<std::string>() ==
      "no output file could be written in " + folder +
          ": Not a directory; something that is not a folder is in the way; remove it, or name another folder as "
          "output.directory");
}

BOOST_FIXTURE_TEST_CASE(a_folder_without_permission_is_reported, Spilling) {
  if (geteuid() == 0) {
    BOOST_TEST_MESSAGE("not tested: root may write everywhere");
    return;
  }
  fs::create_directories(folder);
  chmod(folder.c_str(), 0500);
  const ToolUnderTest always(plugin, config("always"));
  const Answer answer = always.shell("echo hi");
  BOOST_TEST(answer.out() == "hi\n");
  BOOST_TEST(
      (answer.metadata().at("output_file_error").get<std::string>().find("Permission denied; allow the host's user") !=
       std::string::npos));
}

BOOST_FIXTURE_TEST_CASE(a_full_disk_ends_the_file_and_not_the_call, Spilling) {
  fs::create_directories(folder);
  const Json report = with_fault("full", folder, three_megabytes);
  if (report.is_null()) return;
  check_cut_file(report, 1 << 20, "No space left on device", "make room on its file system");
  // The next call cannot write a byte, and does not leave an empty file.
  BOOST_TEST((report.at("files") == Json(1)));
  const Json& next = report.at("next").at("metadata");
  BOOST_TEST(next.at("stdout").get<std::string>() == "next\n");
  BOOST_TEST(!next.contains("output_file"));
  BOOST_TEST(next.at("output_file_error")
                 .get<std::string>()
                 .starts_with("no output file could be written in " + folder + ": No space left on device"));
}

BOOST_FIXTURE_TEST_CASE(a_file_system_that_is_read_only_is_reported, Spilling) {
  fs::create_directories(folder);
  const Json report = with_fault("read-only", folder, three_megabytes);
  if (report.is_null()) return;
  const Json& metadata = report.at("result").at("metadata");
  BOOST_TEST((metadata.at("stdout_bytes") == Json(3'000'000)));
  BOOST_TEST(!metadata.contains("output_file"));
  BOOST_TEST(
      (metadata.at("output_file_error").get<std::string>().find("Read-only file system; allow the host's user") !=
       std::string::npos));
}

// By default SIGXFSZ would end the host, which then would not have printed its report.
BOOST_FIXTURE_TEST_CASE(a_limit_for_the_hosts_files_ends_the_file_and_not_the_host, Spilling) {
  for (const char* fault : {"size-limit-default", "size-limit-ignored", "size-limit-handled", "size-limit-blocked"}) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    const Json report = with_fault(fault, folder, three_megabytes);
    check_cut_file(report, 300'000, "File too large", "files of 300000 bytes at most (RLIMIT_FSIZE)");
    BOOST_TEST((report.at("signals") == Json(0)));
    BOOST_TEST((report.at("pending") == Json(false)));
    BOOST_TEST((report.at("next").at("metadata").at("output_file_bytes") == Json(5)));
  }
}

BOOST_AUTO_TEST_SUITE_END()
