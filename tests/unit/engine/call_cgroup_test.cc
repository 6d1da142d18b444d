// A custodian's cgroup for one call: what the custodian writes and reads. Most tests use plain files in place of the
// kernel's.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "engine/cgroup.h"
#include "support/program.h"
#include "warden/cgroup.h"
#include "warden/spawn.h"

namespace call_cgroup_test {

using namespace wtool;
using warden::Limit;

namespace {

constexpr warden::ProtocolLimits both{
    .cpu_seconds = 0, .memory_bytes = 5'000'000, .file_bytes = 0, .processes = 7, .open_files = 0, .processors = {}};

Descriptor open_directory(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

struct FakeCgroup {
  FakeCgroup() {
    for (const char* name : {"memory.max", "memory.swap.max", "memory.oom.group", "pids.max"}) {
      scratch.file(name, "");
    }
    set("memory.events.local", "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n");
    set("pids.events", "max 0\n");
  }

  void set(const std::string& name, const std::string& text) const { scratch.file(name, text); }
  std::string get(const std::string& name) const {
    std::ifstream file(scratch.path() + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void lose(const std::string& name) const { std::filesystem::remove(scratch.path() + "/" + name); }
  bool use(const warden::ProtocolLimits& limits = both) { return cgroup.use(open_directory(scratch.path()), limits); }

  test::ScratchFolder scratch;
  warden::Cgroup cgroup{-1};
};

// The output of a program that is started in `cgroup` and succeeds.
std::string run_in(int cgroup, std::vector<std::string> words, int& error) {
  const test::ScratchFolder scratch;
  const std::string path = scratch.file("output", "");
  const Descriptor output(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const Descriptor null_device(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const Descriptor root = open_directory("/");
  char* paths[] = {words[0].data(), nullptr};
  std::vector<char*> arguments{nullptr};  // The plan needs a free entry before the arguments.
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  char* variables[] = {nullptr};
  warden::SpawnPlan plan;
  plan.paths = paths;
  plan.arguments = arguments.data() + 1;
  plan.variables = variables;
  plan.shell = words[0].data();
  plan.standard_input = plan.standard_error = null_device.get();
  plan.standard_output = output.get();
  plan.directory = root.get();
  plan.cgroup = cgroup;
  warden::SpawnFailure failure;
  const pid_t child = warden::spawn(plan, failure);
  int status = -1;
  BOOST_TEST(child > 0);
  BOOST_TEST(::waitpid(child, &status, 0) == child);
  BOOST_TEST(status == 0);
  error = failure.cgroup_error;
  std::ifstream said(path);
  return {std::istreambuf_iterator<char>(said), {}};
}

// The line for version 2 in the /proc/self/cgroup of a command that is started in `cgroup`.
std::string where_it_runs(int cgroup, int& error) {
  return run_in(cgroup, {"/bin/grep", "^0::", "/proc/self/cgroup"}, error);
}

// A cgroup below the nearest of this process's cgroups in which one can be made, with or without controllers. It is
// removed at the end.
struct SomeCgroup {
  SomeCgroup() {
    const auto text = [](const char* kernels_file) {
      std::ifstream file(kernels_file);
      return std::string(std::istreambuf_iterator<char>(file), {});
    };
    for (const auto& parent : engine::cgroup_directories(text("/proc/self/mountinfo"), text("/proc/self/cgroup"))) {
      path = parent + "/" + name;
      if (::mkdir(path.c_str(), 0755) == 0) {
        directory = open_directory(path);
        return;
      }
    }
  }
  ~SomeCgroup() {
    if (directory) ::rmdir(path.c_str());
  }
  const std::string name = "test-" + std::to_string(::getpid());
  std::string path;
  Descriptor directory;
};

pid_t dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(cgroup_of_a_call, FakeCgroup)

BOOST_AUTO_TEST_CASE(it_has_both_limits_no_swap_and_dies_as_a_whole) {
  BOOST_TEST(use());
  BOOST_TEST(cgroup.made());
  BOOST_TEST(get("memory.max") == "5000000");
  BOOST_TEST(get("memory.swap.max") == "0");
  BOOST_TEST(get("memory.oom.group") == "1");
  BOOST_TEST(get("pids.max") == "7");
  BOOST_TEST(cgroup.directory() >= 0);
  BOOST_TEST((cgroup.exceeded() == Limit::none));
}

BOOST_AUTO_TEST_CASE(a_limit_that_is_not_set_is_left_as_it_is) {
  warden::ProtocolLimits memory = both, processes = both;
  memory.processes = 0;
  processes.memory_bytes = 0;
  BOOST_TEST(use(memory));
  BOOST_TEST(get("pids.max").empty());
  lose("memory.max");
  BOOST_TEST(use(processes));
  BOOST_TEST(get("pids.max") == "7");
}

BOOST_AUTO_TEST_CASE(a_kernel_without_swap_has_no_file_for_it) {
  lose("memory.swap.max");
  BOOST_TEST(use());
}

BOOST_AUTO_TEST_CASE(without_a_settable_limit_no_cgroup_is_made) {
  for (const char* name : {"memory.max", "memory.oom.group", "pids.max", "memory.events.local", "pids.events"}) {
    FakeCgroup fake;
    fake.lose(name);
    BOOST_TEST(!fake.use(), name);
    BOOST_TEST(!fake.cgroup.made());
    BOOST_TEST(fake.cgroup.directory() == -1);
    BOOST_TEST((fake.cgroup.exceeded() == Limit::none));
  }
}

// A custodian that was killed may have left it, and another process may have got the custodian's number.
BOOST_AUTO_TEST_CASE(a_cgroup_that_exists_already_is_neither_used_nor_removed) {
  const test::ScratchFolder base;
  const Descriptor directory = open_directory(base.path());
  const std::string there = base.path() + "/wtool-" + std::to_string(::getpid()) + "-7";
  std::filesystem::create_directory(there);
  {
    warden::Cgroup own(directory.get());
    BOOST_TEST(!own.make(7, {}));
    BOOST_TEST(!own.made());
    BOOST_TEST(own.directory() == -1);
    own.remove();
  }
  BOOST_TEST(std::filesystem::exists(there));
}

BOOST_AUTO_TEST_CASE(memory_is_exceeded_when_the_kernel_refused_more) {
  BOOST_TEST(use());
  set("memory.events.local",
      "low 0\nhigh 0\nmax 120\noom 0\noom_kill 0\noom_group_kill 0\n");  // Nothing was killed for the limit.
  BOOST_TEST((cgroup.exceeded() == Limit::none));
  set("memory.events.local",
      "low 0\nhigh 0\nmax 120\noom 0\noom_kill 3\noom_group_kill 1\n");  // The machine had no memory left.
  BOOST_TEST((cgroup.exceeded() == Limit::none));
  set("memory.events.local", "low 0\nhigh 0\nmax 120\noom 1\noom_kill 3\noom_group_kill 1\n");
  BOOST_TEST((cgroup.exceeded() == Limit::memory_bytes));
}

BOOST_AUTO_TEST_CASE(processes_are_exceeded_when_the_kernel_refused_one) {
  BOOST_TEST(use());
  set("pids.events", "max 2\n");
  BOOST_TEST((cgroup.exceeded() == Limit::processes));
  set("pids.peak", "6\n");  // below its own limit, so another cgroup's limit was reached
  BOOST_TEST((cgroup.exceeded() == Limit::none));
  set("pids.peak", "7\n");
  BOOST_TEST((cgroup.exceeded() == Limit::processes));
}

BOOST_AUTO_TEST_CASE(texts_that_are_not_the_kernels_exceed_nothing) {
  BOOST_TEST(use());
  for (const char* text : {"", "\n", "oom", "oom \n", "oom_kill 1\n", "room 1\n", "oom -\n"}) {
    set("memory.events.local", text);
    BOOST_TEST((cgroup.exceeded() == Limit::none), text);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(making_a_cgroup)

BOOST_AUTO_TEST_CASE(without_a_base_no_cgroup_is_made) { BOOST_TEST(!warden::Cgroup(-1).make(1, both)); }

// If nothing else can end the command's processes, the cgroup does.
BOOST_AUTO_TEST_CASE(a_call_without_limits_has_a_cgroup_too) {
  const test::ScratchFolder scratch;
  const Descriptor base = open_directory(scratch.path());
  warden::Cgroup cgroup(base.get());
  BOOST_TEST(cgroup.make(1, {}));
  BOOST_TEST(!std::filesystem::is_empty(scratch.path()));
  cgroup.remove();
  BOOST_TEST(std::filesystem::is_empty(scratch.path()));
}

BOOST_AUTO_TEST_CASE(a_cgroup_that_cannot_be_made_leaves_nothing) {
  // A plain folder has no memory.max.
  const test::ScratchFolder scratch;
  const Descriptor base = open_directory(scratch.path());
  warden::Cgroup cgroup(base.get());
  BOOST_TEST(!cgroup.make(1, both));
  BOOST_TEST(!cgroup.made());
  BOOST_TEST(std::filesystem::is_empty(scratch.path()));
}

BOOST_AUTO_TEST_CASE(what_dead_custodians_left_is_removed_and_nothing_else) {
  const test::ScratchFolder scratch;
  const std::string dead = std::to_string(dead_process());
  const std::string own = std::to_string(::getpid());
  const std::vector<std::string> keep{"wtool-" + own + "-1",   "wtool-" + dead,        "wtool-" + dead + "-x",
                                      "wtool-" + dead + "-1x", "other-" + dead + "-1", "wtool--1-1"};
  for (const std::string& name : keep) std::filesystem::create_directory(scratch.path() + "/" + name);
  std::filesystem::create_directory(scratch.path() + "/wtool-" + dead + "-1");
  std::filesystem::create_directories(scratch.path() + "/wtool-" + dead + "-22/inner/most");
  warden::remove_stale_cgroups(open_directory(scratch.path()).get());
  warden::remove_stale_cgroups(-1);
  for (const std::string& name : keep) BOOST_TEST(std::filesystem::exists(scratch.path() + "/" + name), name);
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/wtool-" + dead + "-1"));
  BOOST_TEST(!std::filesystem::exists(scratch.path() + "/wtool-" + dead + "-22"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(joining_a_cgroup)

BOOST_AUTO_TEST_CASE(a_command_starts_in_the_cgroup_that_it_is_given) {
  const SomeCgroup some;
  int error = 0;
  const std::string line = some.directory ? where_it_runs(some.directory.get(), error) : std::string();
  if (!some.directory || error == EACCES || error == ENOSYS) {
    BOOST_TEST_MESSAGE("this user may make no cgroup, or not start a process in it: nothing is tested");
    return;
  }
  BOOST_TEST(error == 0);
  BOOST_TEST(line.ends_with("/" + some.name + "\n"), line);
}

// The kernel adds the time of a child to its parent's when the parent waits for it, and drops it if nobody waits.
BOOST_AUTO_TEST_CASE(processor_time_of_children_that_nobody_waits_for_is_counted) {
  const SomeCgroup some;
  int error = 0;
  if (some.directory) {
    run_in(some.directory.get(),
           {"/usr/bin/perl", "-e",
            "$SIG{CHLD} = 'IGNORE'; if (!fork) { 1 while (times)[0] < 0.2; exit } wait; exit((times)[2] > 0.1)"},
           error);
  }
  if (!some.directory || error == EACCES || error == ENOSYS) {
    BOOST_TEST_MESSAGE("this user may make no cgroup, or not start a process in it: nothing is tested");
    return;
  }
  BOOST_TEST(error == 0);
  warden::Cgroup cgroup{-1};
  BOOST_TEST(cgroup.use(open_directory(some.path), {}));
  BOOST_TEST(cgroup.cpu_us() >= 200'000U);
}

BOOST_AUTO_TEST_CASE(a_command_that_cannot_start_in_it_starts_outside_and_it_is_known) {
  const test::ScratchFolder no_cgroup;
  int error = 0;
  const std::string outside = where_it_runs(-1, error);
  BOOST_TEST(error == 0);
  BOOST_TEST(where_it_runs(open_directory(no_cgroup.path()).get(), error) == outside);
  BOOST_TEST(error != 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace call_cgroup_test
