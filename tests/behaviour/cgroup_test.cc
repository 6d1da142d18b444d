// Limits that the kernel enforces, on machines that let this user make a cgroup (version 2) with memory and pids. On
// other machines these cases say so and pass; limits_test checks the limits on all machines.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/cgroup.h"
#include "support/shell_tool.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(cgroup_test)

using namespace wtool::test;

namespace {

// True if one of our processes can really be moved to a cgroup below the base: the kernel may forbid it for reasons
// that cannot be seen from outside.
bool can_join(int base) {
  if (under_sanitizer) return false;  // Under a sanitizer, the custodian has no way to start a command in a cgroup.
  const std::string name = "test-" + std::to_string(::getpid());
  if (::mkdirat(base, name.c_str(), 0755) != 0) return false;
  const wtool::Descriptor members(::openat(base, (name + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::write(members.get(), "0", 1) == 1 ? 0 : 1);
  int status = -1;
  ::waitpid(child, &status, 0);
  ::unlinkat(base, name.c_str(), AT_REMOVEDIR);
  return status == 0;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Held : ShellTool {
  Held() {
    available = base && can_join(base.get());
    if (!available) BOOST_TEST_MESSAGE("no cgroup (version 2) with memory and pids for this user: nothing is tested");
  }

  Answer run_limited(const Json& limits, const std::string& command) {
    const ToolUnderTest limited(plugin, {{"limits", limits}});
    Answer answer = limited.run(marked(command));
    BOOST_TEST(mark.bearers().empty(), mark.description());
    return answer;
  }

  void check_held(const Answer& answer, const std::string& limit, long value) {
    BOOST_TEST_CONTEXT(answer.raw) {
      BOOST_TEST(answer.code() == "resource_exhausted");
      BOOST_TEST(answer.metadata().at("limit").at("name").get<std::string>() == limit);
      BOOST_TEST(answer.metadata().at("limit").at("used").get<long>() == value);
      BOOST_TEST(answer.metadata().at("limits").at(limit).at("enforced_by").get<std::string>() == "cgroup");
      BOOST_TEST(answer.text().find("it wanted more than " + std::to_string(value)) != std::string::npos);
    }
  }

  // The directory of the cgroup that `line` names. A command has read this line in /proc/self/cgroup.
  static std::string directory_of(const std::string& line) {
    const auto found = wtool::engine::cgroup_directories(read_text("/proc/self/mountinfo"), line);
    BOOST_REQUIRE(!found.empty());
    return found.front();
  }

  wtool::Descriptor base = wtool::engine::open_cgroup_base();
  bool available = false;
};

// Prints only the line of version 2, whatever other hierarchies the machine has.
constexpr const char* say_cgroup = "grep ^0:: /proc/self/cgroup";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(limits_in_a_cgroup, Held)

BOOST_AUTO_TEST_CASE(memory_is_held_and_the_whole_tree_ends) {
  if (!available) return;
  check_held(run_limited({{"memory_bytes", 50'000'000}},
                         "setsid sleep 61 & sleep 61 & head -c 500000000 /dev/zero | tail -n 1; sleep 61"),
             "memory_bytes", 50'000'000);
}

BOOST_AUTO_TEST_CASE(a_command_that_the_kernel_may_not_kill_for_memory_ends_too) {
  if (!available) return;
  if (::geteuid() != 0) {
    BOOST_TEST_MESSAGE("not tested: only root can protect itself from being killed");
    return;
  }
  check_held(run_limited({{"memory_bytes", 50'000'000}},
                         "echo -1000 > /proc/self/oom_score_adj; head -c 500000000 /dev/zero | tail -n 1; sleep 61"),
             "memory_bytes", 50'000'000);
}

BOOST_AUTO_TEST_CASE(variables_that_exceed_its_memory_are_reported_as_such) {
  if (!available) return;
  const ToolUnderTest limited(plugin, Json::parse(R"({"limits":{"memory_bytes":1048576}})"));
  Json arguments = marked("true");
  for (int i = 0; i < 14; ++i) arguments["environment"]["LARGE_" + std::to_string(i)] = std::string(100'000, 'x');
  check_held(limited.run(arguments), "memory_bytes", 1'048'576);
}

// The command ignores SIGCHLD, so the kernel adds nothing of what its children used to the command's own usage. Only
// the cgroup counts it: five seconds in all.
BOOST_AUTO_TEST_CASE(processor_time_of_children_that_nobody_waits_for_counts) {
  if (!available) return;
  const Answer answer =
      run_limited({{"cpu_seconds", 1}},
                  "perl -e '$SIG{CHLD} = \"IGNORE\"; for (1 .. 50) { if (!fork) { 1 while (times)[0] < 0.1; exit } "
                  "wait } sleep 61'");
  BOOST_TEST(answer.code() == "resource_exhausted", answer.raw);
  BOOST_TEST(answer.metadata().at("limit").at("name").get<std::string>() == "cpu_seconds", answer.raw);
}

BOOST_AUTO_TEST_CASE(there_are_never_more_processes_than_allowed) {
  if (!available) return;
  // Without the limit, there would be 256 processes, each of which ends by itself.
  const Answer answer = run_limited({{"processes", 40}}, "perl -e 'for (1 .. 8) { fork } sleep 20'");
  check_held(answer, "processes", 40);
  // The last processes may not have started yet when they are counted.
  BOOST_TEST(answer.metadata().at("resources").at("processes").get<int>() <= 40, answer.raw);
  BOOST_TEST(answer.metadata().at("resources").at("processes").get<int>() > 20, answer.raw);
}

BOOST_AUTO_TEST_CASE(a_refusal_that_the_command_survives_is_reported_at_its_end) {
  if (!available) return;
  check_held(run_limited({{"processes", 2}}, "perl -e 'if (!fork) { sleep 61; exit } fork; kill 9, -getpgrp'"),
             "processes", 2);
}

BOOST_AUTO_TEST_CASE(a_call_has_its_own_cgroup_which_is_removed_with_it) {
  if (!available) return;
  const Answer first = run_limited({{"memory_bytes", 1'000'000'000}}, say_cgroup);
  const Answer second = run_limited({{"processes", 100}}, say_cgroup);
  BOOST_TEST(first.out().find("/wtool-") != std::string::npos, first.raw);
  BOOST_TEST(first.out() != second.out());
  for (const Answer* answer : {&first, &second}) BOOST_TEST(!std::filesystem::exists(directory_of(answer->out())));
  // A call without limits has a cgroup, too: it ends the call when its keepers cannot.
  const std::string third = tool.shell(say_cgroup).out(), fourth = tool.shell(say_cgroup).out();
  BOOST_TEST(third.find("/wtool-") != std::string::npos, third);
  BOOST_TEST(third != fourth);
}

BOOST_AUTO_TEST_CASE(a_command_in_its_own_namespaces_is_in_the_cgroup_too) {
  if (!available) return;
  // A mount namespace protects the names. It needs a user namespace unless the test runs as root.
  std::filesystem::create_directories(scratch.path() + "/.git/hooks");
  const ToolUnderTest limited(plugin, {{"limits", {{"processes", 100}}}, {"sandbox", {{"write", {scratch.path()}}}}});
  Json arguments = marked(say_cgroup);
  arguments["working_directory"] = scratch.path();
  const Answer answer = limited.run(arguments);
  BOOST_TEST(answer.metadata().at("limits").at("processes").at("enforced_by").get<std::string>() == "cgroup",
             answer.raw);
  BOOST_TEST(answer.out().find("/wtool-") != std::string::npos, answer.raw);
}

BOOST_AUTO_TEST_CASE(cgroups_that_the_command_made_in_its_own_are_removed_with_it) {
  if (!available) return;
  const std::string base_path = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(base.get()));
  const Answer answer =
      run_limited({{"processes", 100}}, "c=$(" + std::string(say_cgroup) + "); echo \"$c\"; mkdir -p " + base_path +
                                            "/\"${c##*/}\"/inner/most && echo made");
  BOOST_TEST(answer.out().find("made") != std::string::npos, answer.raw);
  BOOST_TEST(!std::filesystem::exists(directory_of(answer.out())));
}

BOOST_AUTO_TEST_CASE(a_killed_custodian_leaves_no_process) {
  if (!available) return;
  const Answer answer = run_limited({{"processes", 100}}, say_cgroup + std::string("; kill -9 $PPID; sleep 61"));
  BOOST_TEST(answer.code() == "engine_lost");
  const std::string line = answer.metadata().at("partial_stdout").get<std::string>();
  BOOST_TEST(!std::filesystem::exists(directory_of(line)), line);
}

BOOST_AUTO_TEST_CASE(keepers_that_are_killed_at_once_leave_no_process) {
  if (!available) return;
  const ToolUnderTest limited(plugin, {{"limits", {{"processes", 100}}}});
  const pid_t custodian = static_cast<pid_t>(std::stol(limited.shell("echo $PPID").out()));
  const std::string keepers = std::to_string(warden_above(custodian)) + " $PPID";
  const Answer answer =
      limited.run(marked("setsid sleep 61 & " + std::string(say_cgroup) + "; kill -9 " + keepers + "; sleep 61"));
  BOOST_TEST(answer.code() == "engine_lost", answer.raw);
  BOOST_TEST(mark.bearers().empty(), mark.description());
  BOOST_TEST(holds(answer.metadata().at("error").at("message").get<std::string>(),
                   "all that the command had started has been ended"),
             answer.raw);
}

BOOST_AUTO_TEST_CASE(a_command_that_leaves_its_cgroup_is_seen_by_the_monitor) {
  if (!available) return;
  const std::string other = directory_of(read_text("/proc/self/cgroup"));
  const Answer answer =
      run_limited({{"processes", 40}}, "echo $$ > " + other +
                                           "/cgroup.procs && exec perl -e 'for (1 .. 8) { fork } sleep "
                                           "20'");
  BOOST_TEST(answer.code() == "resource_exhausted", answer.raw);
  BOOST_TEST(answer.metadata().at("limit").at("used").get<int>() > 40, answer.raw);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
