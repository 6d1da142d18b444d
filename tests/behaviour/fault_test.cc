// Failures around a call: helper programs that are missing or of another build, a machine that is out of processes, a
// working directory that disappears, a clock that jumps, a host that forks.
#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "support/shell_tool.h"
#include "support/text.h"
#include "warden/protocol.h"

BOOST_AUTO_TEST_SUITE(fault_test)

using namespace wtool::test;

namespace {

// A copy of the plugin, laid out as an installation is.
struct Installation : ScratchFolder {
  Installation() {
    std::filesystem::create_directories(path() + "/lib/wtool");
    std::filesystem::copy_file(WTOOL_TEST_PLUGIN, plugin);
  }
  // Calls the tool. The call must be refused, and the error must name the helper program.
  void check_refused(const std::string& reason) const {
    const Finished finished =
        run({WTOOL_TEST_PROGRAM, "call", "--plugin", plugin, "shell_execute", R"({"command":"echo hi"})"});
    BOOST_TEST_CONTEXT(finished.out << finished.err) {
      BOOST_TEST(finished.exit_code == 2);
      BOOST_TEST(holds(finished.err, "the helper program " + warden + " " + reason));
      BOOST_TEST(holds(finished.err, "it must come from the same build as the plugin"));
    }
  }
  const std::string plugin = path() + "/lib/wtool/shell_tools.so";
  const std::string warden = path() + "/libexec/wtool/shell-warden";
};

std::string bytes_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string note_text(std::uint32_t version) {
  const wtool::warden::VersionNote note{.version = version};
  return {reinterpret_cast<const char*>(&note), sizeof note};
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(helper, Installation)

BOOST_AUTO_TEST_CASE(a_warden_that_is_missing) { check_refused("cannot be executed: No such file or directory"); }

BOOST_AUTO_TEST_CASE(a_warden_that_is_not_executable) {
  file("libexec/wtool/shell-warden", bytes_of(WTOOL_TEST_WARDEN), 0644);
  check_refused("cannot be executed: Permission denied");
}

BOOST_AUTO_TEST_CASE(a_warden_that_is_something_else) {
  file("libexec/wtool/shell-warden", "#!/bin/sh\nexit 0\n", 0755);
  check_refused("is not a shell-warden");
  std::filesystem::remove(warden);
  std::filesystem::copy_file("/bin/true", warden);
  check_refused("is not a shell-warden");
  file("libexec/wtool/shell-warden", "\177ELF\2\1", 0755);
  check_refused("is not a shell-warden");
}

BOOST_AUTO_TEST_CASE(a_warden_of_another_version) {
  std::string bytes = bytes_of(WTOOL_TEST_WARDEN);
  const std::string ours = note_text(wtool::warden::protocol_version);
  const auto at = bytes.find(ours);
  BOOST_REQUIRE((at != std::string::npos));
  bytes.replace(at, ours.size(), note_text(77));
  file("libexec/wtool/shell-warden", bytes, 0755);
  check_refused("has protocol version 77, but this plugin needs version " +
                std::to_string(wtool::warden::protocol_version));
}

BOOST_AUTO_TEST_CASE(the_warden_of_this_build) {
  file("libexec/wtool/shell-warden", bytes_of(WTOOL_TEST_WARDEN), 0755);
  const Finished finished =
      run({WTOOL_TEST_PROGRAM, "call", "--plugin", plugin, "shell_execute", R"({"command":"echo hi"})"});
  BOOST_TEST(finished.exit_code == 0, finished.err);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(fault)

BOOST_FIXTURE_TEST_CASE(a_working_directory_that_is_removed_while_the_command_runs, ShellTool) {
  const std::string directory = scratch.path() + "/gone";
  const std::string gate = scratch.file("gate", "");
  std::filesystem::create_directory(directory);
  Json arguments = marked("echo ready; while [ -e " + gate + " ]; do sleep 0.01; done; echo still here");
  arguments["working_directory"] = directory;
  RunningCall call(tool, arguments);
  BOOST_REQUIRE(call.wait_for_output("ready"));
  std::filesystem::remove(directory);
  std::filesystem::remove(gate);
  const Answer answer = call.wait();
  BOOST_TEST(!answer.is_error(), answer.raw);
  BOOST_TEST(answer.out() == "ready\nstill here\n");
  BOOST_TEST((answer.metadata().at("working_directory") == Json(directory)));
  const Answer next = tool.run(arguments);
  BOOST_TEST(next.code() == "working_directory_invalid");
  BOOST_TEST(holds(next.text(), directory + " does not exist"));
}

BOOST_AUTO_TEST_CASE(a_clock_that_jumps) {
  // The host's wall clock jumps by hours each time it is read.
  const Finished finished = run({WTOOL_TEST_HOSTS "/odd_clock_host"});
  BOOST_REQUIRE_MESSAGE(finished.exit_code == 0, finished.out << finished.err);
  const Json results = Json::parse(finished.out);
  const Json& slept = results.at("sleep 0.3");
  BOOST_TEST((slept.at("is_error") == Json(false)), slept.dump());
  const long took = slept.at("metadata").at("execution_time_ms").get<long>();
  BOOST_TEST(took >= 300);
  BOOST_TEST(took < 60'000);
  const Json& ended = results.at("sleep 61");
  BOOST_TEST((ended.at("metadata").at("error").at("code") == Json("timed_out")), ended.dump());
}

BOOST_FIXTURE_TEST_CASE(a_host_that_forks_while_calls_run, ShellTool) {
  std::atomic<bool> over{false};
  std::thread forker([&] {
    std::vector<pid_t> children;
    const auto end_first = [&] {
      kill(children.front(), SIGKILL);
      waitpid(children.front(), nullptr, 0);
      children.erase(children.begin());
    };
    while (!over) {
      // Each child inherits what the host had open: pipes, sockets, and the connection to the warden.
      const pid_t child = fork();
      if (child == 0) {
        for (;;) pause();
      }
      if (child > 0) children.push_back(child);
      if (children.size() > 8) end_first();
    }
    while (!children.empty()) end_first();
  });
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&] {
      for (int i = 0; i < repeats(50); ++i) {
        const Answer answer = tool.shell("echo out; echo err >&2; exit 3");
        if (answer.out() != "out\n" || answer.err() != "err\n" || answer.exit_code() != 3) ++wrong;
      }
    });
  }
  for (auto& caller : callers) caller.join();
  over = true;
  forker.join();
  BOOST_TEST(wrong == 0);
}

namespace {

// Starts processes until this user may have no more, or a thousand have been started.
class AllProcesses {
 public:
  AllProcesses() {
    while (children_.size() < 1000) {
      const pid_t child = fork();
      if (child < 0) return;
      if (child == 0) {
        alarm(60);
        for (;;) pause();
      }
      children_.push_back(child);
    }
  }
  ~AllProcesses() {
    for (const pid_t child : children_) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }
  AllProcesses(const AllProcesses&) = delete;
  AllProcesses& operator=(const AllProcesses&) = delete;

 private:
  std::vector<pid_t> children_;
};

// Runs in a child whose user is not root, because the kernel does not limit root's processes. Returns 0 on success; a
// text on standard error says more. The limit is lowered before the helper programs start, because a custodian whose
// limits are changed later serves no further call.
int run_out_of_processes() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NPROC, &limit) != 0) return 1;
  limit.rlim_cur = 500;
  if (setrlimit(RLIMIT_NPROC, &limit) != 0) return 2;
  Plugin plugin;
  const ToolUnderTest tool(plugin);
  if (tool.shell("echo hi").out() != "hi\n") return 3;
  {
    const AllProcesses taken;
    const Answer answer = tool.shell("echo hi");
    if (answer.code() != "resource_exhausted" || !holds(answer.text(), std::strerror(EAGAIN))) {
      std::fprintf(stderr, "%s\n", answer.raw.c_str());
      return 4;
    }
  }
  return tool.shell("echo hi").out() == "hi\n" ? 0 : 5;
}

constexpr int not_possible = 77;

}  // namespace

BOOST_AUTO_TEST_CASE(a_user_who_is_out_of_processes) {
  const pid_t child = fork();
  BOOST_REQUIRE((child >= 0));
  if (child == 0) {
    // The kernel does not count the processes of root.
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(not_possible);
    if (access(WTOOL_TEST_PLUGIN, R_OK) != 0 || access(WTOOL_TEST_WARDEN, X_OK) != 0) _exit(not_possible);
    int result = 99;
    try {
      result = run_out_of_processes();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    _exit(result);
  }
  int status = 0;
  BOOST_REQUIRE((waitpid(child, &status, 0) == child));
  if (WIFEXITED(status) && WEXITSTATUS(status) == not_possible) {
    BOOST_TEST_MESSAGE("not possible here: no other user to become, or the build is closed to that user");
    return;
  }
  BOOST_TEST((WIFEXITED(status) && WEXITSTATUS(status) == 0), "status " << status);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
