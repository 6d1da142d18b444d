// What a command may use, what happens when it uses more, and what the result says that it has used.
#include <boost/test/unit_test.hpp>
#include <csignal>

#include "support/shell_tool.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(limits_test)

using namespace wtool::test;

namespace {

struct Limited : ShellTool {
  // Makes a call under `limits`. Checks that afterwards none of its processes is left, and that the next call works.
  Answer run_limited(const Json& limits, const std::string& command) {
    const ToolUnderTest limited(plugin, {{"limits", limits}});
    Json arguments = marked(command);
    arguments["working_directory"] = scratch.path();
    Answer answer = limited.run(arguments);
    BOOST_TEST(mark.bearers().empty(), mark.description());
    BOOST_TEST(limited.shell("echo next").out() == "next\n");
    return answer;
  }

  void check_exhausted(const Answer& answer, const std::string& name, double value) {
    BOOST_TEST_CONTEXT(answer.raw) {
      BOOST_TEST(answer.is_error());
      BOOST_TEST(answer.code() == "resource_exhausted");
      BOOST_TEST(answer.text().find("limits." + name + " is " + std::to_string(static_cast<long>(value))) !=
                 std::string::npos);
      const Json& limit = answer.metadata().at("limit");
      BOOST_TEST(limit.at("name").get<std::string>() == name);
      BOOST_TEST(limit.at("value").get<double>() == value);
      BOOST_TEST(limit.at("used").get<double>() >= value);
      BOOST_TEST(answer.metadata().at("limits").at(name).at("value").get<double>() == value);
      BOOST_TEST(answer.metadata().contains("resources"));
    }
  }

  static double cpu_ms(const Answer& answer) {
    const Json& used = answer.metadata().at("resources");
    return used.at("user_cpu_ms").get<double>() + used.at("system_cpu_ms").get<double>();
  }
};

// Uses up `seconds` of CPU time.
std::string burn(const std::string& seconds) {
  return "perl -e 'while ((times)[0] + (times)[1] < " + seconds + ") {}'";
}

// Doubles itself by `fork` until there are 256 processes, each of which ends by itself after 20 seconds. An endless
// bomb would make the machine unusable if the tested limit failed.
std::string bomb(const std::string& fork) { return "perl -MPOSIX -e 'for (1 .. 8) { " + fork + " } sleep 20'"; }

constexpr const char* endless = "while :; do :; done";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(limits, Limited)

BOOST_AUTO_TEST_CASE(a_busy_loop_ends_by_its_cpu_time) {
  check_exhausted(run_limited({{"cpu_seconds", 1}}, endless), "cpu_seconds", 1);
}

BOOST_AUTO_TEST_CASE(cpu_time_is_that_of_all_processes_together_daemons_too) {
  const std::string loop = std::string("sh -c '") + endless + "'";
  const Answer answer = run_limited({{"cpu_seconds", 2}}, "setsid " + loop + " & " + loop + " & " + loop);
  check_exhausted(answer, "cpu_seconds", 2);
  BOOST_TEST(cpu_ms(answer) < 10'000);
}

BOOST_AUTO_TEST_CASE(cpu_time_of_short_processes_adds_up) {
  check_exhausted(run_limited({{"cpu_seconds", 1}}, "while :; do /bin/true; done"), "cpu_seconds", 1);
}

BOOST_AUTO_TEST_CASE(a_program_that_ignores_the_signal_for_its_cpu_time_is_ended) {
  check_exhausted(run_limited({{"cpu_seconds", 1}}, "perl -e '$SIG{XCPU} = \"IGNORE\"; while (1) {}'"), "cpu_seconds",
                  1);
}

BOOST_AUTO_TEST_CASE(a_fork_bomb_ends_by_its_number_of_processes) {
  const Answer answer = run_limited({{"processes", 40}}, bomb("fork"));
  check_exhausted(answer, "processes", 40);
  // A cgroup prevents processes above the limit. The monitor sees them only once they exist.
  const bool held = answer.metadata().at("limits").at("processes").at("enforced_by") == Json("cgroup");
  const int most = answer.metadata().at("resources").at("processes").get<int>();
  BOOST_TEST((held ? most <= 40 : most > 40), answer.raw);
}

BOOST_AUTO_TEST_CASE(a_fork_bomb_of_daemons_ends_too) {
  check_exhausted(run_limited({{"processes", 40}}, bomb("fork or POSIX::setsid")), "processes", 40);
}

BOOST_AUTO_TEST_CASE(an_allocation_of_ten_times_the_limit_ends_by_its_memory) {
  // tail keeps the endless line in its memory.
  check_exhausted(run_limited({{"memory_bytes", 50'000'000}}, "head -c 500000000 /dev/zero | tail -n 1"),
                  "memory_bytes", 50'000'000);
}

BOOST_AUTO_TEST_CASE(memory_is_that_of_all_processes_together) {
  // Each process alone stays below the limit.
  check_exhausted(run_limited({{"memory_bytes", 100'000'000}},
                              "for i in 1 2 3 4; do perl -e '$x = \"x\" x 30_000_000; sleep 61' & done; wait"),
                  "memory_bytes", 100'000'000);
}

BOOST_AUTO_TEST_CASE(memory_that_processes_share_counts_once) {
  const Answer answer =
      run_limited({{"memory_bytes", 150'000'000}},
                  "perl -e '$x = \"x\" x 60_000_000; for (1..3) { if (!fork) { sleep 1; exit } } 1 while wait > 0'");
  BOOST_TEST(!answer.is_error(), answer.raw);
}

BOOST_AUTO_TEST_CASE(a_file_that_exceeds_its_limit_ends_the_command_by_a_signal) {
  const Answer answer = run_limited({{"file_bytes", 100'000}}, "exec head -c 1000000 /dev/zero > big");
  check_exhausted(answer, "file_bytes", 100'000);
  BOOST_TEST(answer.exit_code() == 128 + SIGXFSZ);
  check_exhausted(run_limited({{"file_bytes", 100'000}}, "exec dd if=/dev/zero of=big bs=1M count=1"), "file_bytes",
                  100'000);
}

// The kernel reports the limits file_bytes and open_files only to the program, by an error. Any program may print the
// text of such an error, so text on standard error proves nothing. The call ends as the program ended, and its hint
// names the limit only if the text is there.
BOOST_AUTO_TEST_CASE(an_error_that_the_program_handles_is_a_failure_of_the_program) {
  const Answer file = run_limited(
      {{"file_bytes", 100'000}},
      "perl -e '$SIG{XFSZ} = \"IGNORE\"; open F, \">big\"; syswrite(F, \"x\" x 60_000) or die \"$!\" for 1 .. 9'");
  BOOST_TEST(file.code() == "exit_nonzero", file.raw);
  BOOST_TEST(file.raw.find("limits.file_bytes was 100000") != std::string::npos, file.raw);
  const Answer files = run_limited(
      {{"open_files", 32}}, "perl -e 'for (1 .. 64) { open($f[$_], \"<\", \"/dev/null\") or die \"cannot: $!\" }'");
  BOOST_TEST(files.code() == "exit_nonzero", files.raw);
  BOOST_TEST(files.raw.find("limits.open_files was 32") != std::string::npos, files.raw);
  const Answer node = run_limited({{"open_files", 32}}, "echo 'EMFILE: too many open files'; exit 1");
  BOOST_TEST(holds(node.raw, "limits.open_files was 32"), node.raw);
  const Answer other = run_limited({{"open_files", 32}, {"file_bytes", 100'000}}, "echo broken >&2; exit 1");
  BOOST_TEST(other.metadata().at("error").at("hint") == "", other.raw);
}

BOOST_AUTO_TEST_CASE(text_on_standard_error_is_not_taken_for_a_limit) {
  const Answer answer =
      run_limited({{"open_files", 32}, {"file_bytes", 100'000}},
                  "echo 'Too many open files' >&2; echo 'File too large: File size limit exceeded' >&2; exit 1");
  BOOST_TEST(answer.code() == "exit_nonzero", answer.raw);
}

BOOST_AUTO_TEST_CASE(limits_that_are_not_reached_change_nothing_and_are_in_the_result) {
  const Answer answer = run_limited({{"cpu_seconds", 60},
                                     {"memory_bytes", 1'000'000'000},
                                     {"processes", 100},
                                     {"open_files", 64},
                                     {"file_bytes", 1'000'000}},
                                    "ulimit -n; ulimit -f; echo x > small; exit 3");
  BOOST_TEST(answer.exit_code() == 3);
  BOOST_TEST(answer.code() == "exit_nonzero");
  BOOST_TEST(answer.out() == "64\n1953\n");  // in 512-byte blocks
  const std::string holder = answer.metadata().at("limits").at("memory_bytes").at("enforced_by").get<std::string>();
  BOOST_TEST((holder == "watch" || holder == "cgroup"), holder);
  BOOST_TEST(
      (answer.metadata().at("limits") == Json({{"cpu_seconds", {{"value", 60}, {"enforced_by", "watch, rlimit"}}},
                                               {"memory_bytes", {{"value", 1'000'000'000}, {"enforced_by", holder}}},
                                               {"processes", {{"value", 100}, {"enforced_by", holder}}},
                                               {"open_files", {{"value", 64}, {"enforced_by", "rlimit"}}},
                                               {"file_bytes", {{"value", 1'000'000}, {"enforced_by", "rlimit"}}}})));
}

BOOST_AUTO_TEST_CASE(without_limits_the_result_lists_no_limits) {
  BOOST_TEST(!tool.shell("true").metadata().contains("limits"));
}

BOOST_AUTO_TEST_CASE(an_exit_code_that_an_exceeded_limit_would_give_is_not_taken_for_a_limit) {
  for (const int status : {128 + SIGXCPU, 128 + SIGXFSZ, 128 + SIGKILL}) {
    const Answer answer = tool.shell("exit " + std::to_string(status));
    BOOST_TEST(answer.code() == "exit_nonzero");
    BOOST_TEST(answer.exit_code() == status);
    const Answer limited =
        run_limited({{"cpu_seconds", 60}, {"file_bytes", 100'000}}, "exit " + std::to_string(status));
    BOOST_TEST(limited.code() == "exit_nonzero", limited.raw);
    BOOST_TEST(limited.exit_code() == status, limited.raw);
  }
}

BOOST_AUTO_TEST_CASE(a_shell_whose_program_wrote_too_large_a_file_keeps_its_exit_code_and_the_hint_names_the_limit) {
  const Answer answer = run_limited({{"file_bytes", 100'000}}, "head -c 1000000 /dev/zero > big; exit $?");
  BOOST_TEST(answer.code() == "exit_nonzero", answer.raw);
  BOOST_TEST(answer.exit_code() == 128 + SIGXFSZ, answer.raw);
  BOOST_TEST(holds(answer.raw, "limits.file_bytes was 100000"), answer.raw);
}

BOOST_AUTO_TEST_CASE(a_limit_holds_for_the_grace_period_too) {
  const ToolUnderTest limited(plugin, Json::parse(R"({"limits":{"processes":20,"grace_seconds":60}})"));
  // The main loop sleeps briefly: perl would handle a signal that comes just before one long sleep only after it.
  const std::string command =
      "perl -e '$| = 1; $SIG{TERM} = sub { $SIG{TERM} = \"IGNORE\"; for (1 .. 8) { fork } sleep 50; "
      "open F, \">survived\" }; print \"ready\"; select undef, undef, undef, 0.05 for 1 .. 1200'";
  Json arguments = marked(command);
  arguments["working_directory"] = scratch.path();
  RunningCall call(limited, arguments);
  BOOST_REQUIRE(call.wait_for_output("ready"));
  call.cancel(WTOOL_CANCEL_GRACEFUL, "enough");
  const Answer& answer = call.wait();
  BOOST_TEST(answer.code() == "aborted");
  BOOST_TEST(answer.metadata().at("resources").at("processes").get<int>() > 1, answer.raw);
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/survived"));
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(resources, Limited)

BOOST_AUTO_TEST_CASE(with_timeout_max_none_the_default_timeout_may_exceed_half_an_hour) {
  const ToolUnderTest patient(plugin, Json::parse(R"({"limits":{"timeout_max":"none","timeout_default":7200}})"));
  BOOST_TEST(patient.shell("echo hi").metadata().at("exit_code") == 0);
}

BOOST_AUTO_TEST_CASE(every_result_of_a_command_has_its_resources) {
  const ToolUnderTest brief(plugin, Json::parse(R"({"limits":{"timeout_default":1}})"));
  for (const char* command : {"echo hi", "exit 3", "kill -9 $$", "sleep 61", "no-such-command-at-all"}) {
    const Answer answer = brief.shell(command);
    const Json& used = answer.metadata().at("resources");
    for (const char* key :
         {"user_cpu_ms", "system_cpu_ms", "peak_memory_bytes", "processes", "stdout_bytes", "stderr_bytes"}) {
      BOOST_TEST(used.at(key).is_number(), command << " " << key);
    }
    BOOST_TEST((used.at("stdout_bytes") == answer.metadata().at("stdout_bytes")));
  }
  RunningCall call(tool, marked("echo ready; sleep 61"));
  BOOST_REQUIRE(call.wait_for_output("ready"));
  call.cancel(WTOOL_CANCEL_NOW, "enough");
  BOOST_TEST((call.wait().metadata().at("resources").at("processes") >= 1));
}

BOOST_AUTO_TEST_CASE(a_program_counts_as_one_process_and_a_missing_one_as_zero) {
  BOOST_TEST((tool.shell("true").metadata().at("resources").at("processes") == Json(1)));
  BOOST_TEST((tool.shell("no-such-command-at-all").metadata().at("resources").at("processes") == Json(0)));
}

BOOST_AUTO_TEST_CASE(processes_are_the_highest_number_that_was_seen_at_once) {
  const Answer answer = tool.shell("sleep 1 & sleep 1 & sleep 1 & wait; true; true; true");
  BOOST_TEST((answer.metadata().at("resources").at("processes") == Json(4)), answer.raw);
}

BOOST_AUTO_TEST_CASE(cpu_time_counts_children_orphans_and_what_was_killed) {
  BOOST_TEST(cpu_ms(tool.shell(burn("0.3"))) >= 300);
  BOOST_TEST(cpu_ms(tool.shell(burn("0.2") + " & " + burn("0.2") + " & wait")) >= 400);
  // The subshell ends long before the process that it started. The command waits for that process to close the pipe.
  BOOST_TEST(cpu_ms(tool.shell("x=$( (setsid " + burn("0.3") + " &) )")) >= 300);
  const Answer answer = tool.shell("trap '' TERM; " + burn("60"), {.deadline_ms = 1000});
  BOOST_TEST(answer.code() == "timed_out");
  BOOST_TEST(cpu_ms(answer) > 0);
}

BOOST_AUTO_TEST_CASE(peak_memory_is_that_of_the_largest_process_at_least) {
  const auto peak = [](const Answer& answer) {
    return answer.metadata().at("resources").at("peak_memory_bytes").get<long>();
  };
  const long large = peak(tool.shell("perl -e '$x = \"x\" x 50_000_000'"));
  BOOST_TEST(large >= 50'000'000);
  BOOST_TEST(large < 200'000'000);
  if (!under_sanitizer) BOOST_TEST(peak(tool.shell("true")) < 20'000'000);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
