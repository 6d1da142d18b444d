// When the host runs out of memory during a call, or the kernel refuses a system call that custody needs, no process of
// the command is left. The call fails with an error, or works without the system call.
#include <pthread.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "support/sandboxed.h"

BOOST_AUTO_TEST_SUITE(faults_test)

using namespace wtool::test;

namespace {

// Leaves a daemon behind that keeps none of the call's descriptors open.
const std::string command = "setsid sleep 61 >/dev/null 2>&1 & echo hi";

struct RefusedCall {
  const char* name;
  long number;
  int error;
  const char* answer;  // a part of the answer
};

// arm64 has only the newer of the two calls.
#ifdef SYS_epoll_wait
constexpr int call_of_epoll_wait = SYS_epoll_wait;
#else
constexpr int call_of_epoll_wait = SYS_epoll_pwait;
#endif

// Where `answer` is "is_error":false, custody works without the system call. Elsewhere, `answer` is a part of the
// error's text.
const RefusedCall refused_calls[] = {
    {"close_range", SYS_close_range, ENOSYS, "\"is_error\":false"},
    {"clone3", SYS_clone3, ENOSYS, "\"is_error\":false"},
    {"kcmp", SYS_kcmp, EPERM, "\"is_error\":false"},
    {"ioprio_get", SYS_ioprio_get, ENOSYS, "\"is_error\":false"},
    {"sched_getaffinity", SYS_sched_getaffinity, EPERM, "\"is_error\":false"},
    {"prctl", SYS_prctl, EPERM,
     "cannot protect its memory from other processes (PR_SET_DUMPABLE): Operation not permitted"},
    {"signalfd4", SYS_signalfd4, ENOSYS, "the host, or open its own: Function not implemented"},
    {"epoll_create1", SYS_epoll_create1, ENOSYS, "the host, or open its own: Function not implemented"},
    {"epoll_ctl", SYS_epoll_ctl, EPERM, "the host, or open its own: Operation not permitted"},
    {"epoll_wait", call_of_epoll_wait, EPERM, "each custodian was killed before the command began"},
    {"pidfd_open", SYS_pidfd_open, ENOSYS, "cannot be started, because a descriptor for it cannot be opened"},
    {"setsid", SYS_setsid, EPERM, "Operation not permitted"},
    {"getdents64", SYS_getdents64, EPERM, "\"is_error\":false"},
};

std::ostream& operator<<(std::ostream& stream, const RefusedCall& call) { return stream << call.name; }

// Runs `host`, which starts hosts of this kind again and again and refuses a different system call in each: every
// `every`th one, or each one if WTOOL_ATTACK_ROUNDS is set.
void check_failing_calls(const std::string& host, const std::string& kind, const std::string& every) {
  const bool each = std::getenv("WTOOL_ATTACK_ROUNDS") != nullptr;
  ProgramOptions options;
  options.limit = std::chrono::minutes(each ? 90 : 10);
  const Finished finished = run({WTOOL_TEST_HOSTS "/" + host, kind, "1", each ? "1" : every}, options);
  if (finished.exit_code == 77) return;
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST_MESSAGE(finished.out);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_host_that_gets_no_memory_at_any_point_of_a_call) {
  // The sanitizer has an allocator of its own.
  if (under_sanitizer) return;
  ProgramOptions options;
  options.limit = std::chrono::minutes(5);
  const Finished finished = run({WTOOL_TEST_HOSTS "/short_of_memory_host", command}, options);
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
}

BOOST_DATA_TEST_CASE(a_system_call_that_the_kernel_refuses, boost::unit_test::data::make(refused_calls), refused) {
  const Mark mark;
  std::string arguments = Json{{"command", command}, {"environment", {{"WTOOL_TEST_MARK", mark.text()}}}}.dump();
  // The mark must not be on the host's own command line, so one of its letters is written as a JSON escape.
  arguments.replace(arguments.find(mark.text()), 4, "\\u006dark");
  const Finished finished = run({WTOOL_TEST_HOSTS "/refused_call_host", std::to_string(refused.number),
                                 std::to_string(refused.error), arguments});
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(finished.out.find(refused.answer) != std::string::npos, finished.out << finished.err);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

// In each run, one system call of the warden or the custodian fails: first the first one, then the second, and so on.
BOOST_DATA_TEST_CASE(a_system_call_of_the_keepers_that_fails_once, boost::unit_test::data::make({"plain", "sandboxed"}),
                     kind) {
  // The sanitizer's runtime makes system calls of its own, and ends the process if they fail.
  if (under_sanitizer || (std::string(kind) == "sandboxed" && !has_landlock(1))) return;
  check_failing_calls("failing_keepers_host", kind, "5");
}

// In each run, one system call of `wtool` itself fails, with one of its usual errors.
BOOST_DATA_TEST_CASE(a_system_call_of_the_host_that_fails_once,
                     boost::unit_test::data::make({"run", "features", "terminal", "mcp"}), kind) {
  if (under_sanitizer) return;  // as in the case above
  check_failing_calls("failing_programs_host", kind, "20");
}

// The same in a run with a journal, an audit trail, a cached step and kept files; two undisturbed runs follow.
BOOST_DATA_TEST_CASE(a_system_call_of_a_recorded_run_that_fails_once,
                     boost::unit_test::data::make({"stores", "hits", "changes", "returns"}), kind) {
  if (under_sanitizer) return;  // as in the case above
  check_failing_calls("failing_programs_host", kind, "401");
}

// docs/abi.md says how much stack a calling thread needs.
BOOST_AUTO_TEST_CASE(a_thread_with_as_little_stack_as_is_promised) {
  if (under_sanitizer) return;  // The sanitizer's frames are larger.
  struct Call {
    ShellTool shell;
    Answer answer;
  } call;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  BOOST_REQUIRE(pthread_attr_setstacksize(&attributes, 128UL * 1024) == 0);
  pthread_t thread;
  const auto run_it = [](void* argument) -> void* {
    auto& it = *static_cast<Call*>(argument);
    Json arguments = it.shell.marked(command);
    arguments["environment"]["LARGE"] = std::string(100'000, 'x');
    it.answer = it.shell.tool.run(arguments);
    return nullptr;
  };
  BOOST_REQUIRE(pthread_create(&thread, &attributes, run_it, &call) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  BOOST_TEST(call.answer.out() == "hi\n", call.answer.raw);
}

// Each call ends at its own deadline, whichever call started the warden. A call without a deadline gives up after ten
// seconds.
BOOST_AUTO_TEST_CASE(a_warden_that_never_greets_delays_no_call) {
  const ScratchFolder place;
  const std::string library = place.path() + "/lib/wtool/shell_tools.so";
  std::filesystem::create_directories(place.path() + "/lib/wtool");
  std::filesystem::create_directories(place.path() + "/libexec/wtool");
  std::filesystem::copy_file(WTOOL_TEST_PLUGIN, library);
  std::filesystem::copy_file(WTOOL_ATTACKS "/silent_warden", place.path() + "/libexec/wtool/shell-warden");
  setenv("WTOOL_TEST_PLUGIN", library.c_str(), 1);
  Plugin plugin;
  unsetenv("WTOOL_TEST_PLUGIN");
  const ToolUnderTest tool(plugin);
  const auto check = [](const Answer& answer) {
    BOOST_TEST_CONTEXT(answer.raw << answer.error) {
      BOOST_TEST(answer.is_error());
      BOOST_TEST(answer.took.count() < 5000);
    }
  };
  check(tool.shell("echo hi", {.deadline_ms = 300}));
  RunningCall starting(tool, {{"command", "echo hi"}});
  std::vector<std::unique_ptr<RunningCall>> others;
  for (int i = 0; i < 4; ++i) {
    others.push_back(
        std::make_unique<RunningCall>(tool, Json{{"command", "echo hi"}}, CallOptions{.deadline_ms = 300}));
  }
  for (const auto& other : others) check(other->wait());
  starting.cancel(WTOOL_CANCEL_NOW, "enough");
  const Answer cancelled = starting.wait();
  BOOST_TEST(cancelled.took.count() < 9000, cancelled.raw << cancelled.error);
}

BOOST_AUTO_TEST_CASE(processes_that_may_not_be_killed_are_counted_and_the_first_are_named) {
  struct statvfs system {};
  const ScratchFolder place;
  if (geteuid() != 0 || statvfs(place.path().c_str(), &system) != 0 || (system.f_flag & ST_NOSUID) != 0) {
    BOOST_TEST_MESSAGE("not tested: only root can make a set-user-ID program, and not everywhere");
    return;
  }
  const Mark mark;
  const std::string program = place.path() + "/become_root";
  std::filesystem::copy_file(WTOOL_ATTACKS "/become_root", program);
  BOOST_REQUIRE(chmod(place.path().c_str(), 0755) == 0);
  BOOST_REQUIRE(chmod(program.c_str(), 04755) == 0);
  // The command waits until each program has become root, and so can no longer be killed.
  constexpr std::size_t count = 18;
  const std::string attack = "{ for i in $(seq " + std::to_string(count) + "); do " + program +
                             " & done; } | { for i in $(seq " + std::to_string(count) +
                             "); do read became; done; echo $became; }";
  std::string arguments = Json{{"command", attack}, {"environment", {{"WTOOL_TEST_MARK", mark.text()}}}}.dump();
  arguments.replace(arguments.find(mark.text()), 4, "\\u006dark");
  Program host({"/usr/bin/env", "HOME=/nonexistent", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                WTOOL_TEST_PROGRAM, "--plugin", WTOOL_TEST_PLUGIN, "call", "shell_execute", arguments},
               Program::On::pipes, {.directory = "/"});
  // Survivors are looked for before the plugin ends, because at its end the plugin spends some more seconds trying to
  // kill the program.
  const bool told = host.wait_for_output("\n}\n");
  const std::vector<pid_t> left = mark.bearers();
  for (const pid_t pid : left) kill(pid, SIGKILL);
  const Finished finished = host.wait();
  if (!told && finished.err.find("Permission denied") != std::string::npos) {
    BOOST_TEST_MESSAGE("not possible here: the build is closed to the user nobody");
    return;
  }
  BOOST_REQUIRE_MESSAGE(told, finished.out << finished.err);
  BOOST_TEST(left.size() == count);
  const Json metadata = Json::parse(finished.out).at("metadata");
  BOOST_TEST(metadata.at("processes_left_count") == count, finished.out);
  BOOST_TEST(metadata.at("processes_left").size() == 16U, finished.out);
  for (const Json& named : metadata.at("processes_left")) {
    BOOST_TEST(named.at("name") == "become_root");
    BOOST_TEST(std::count(left.begin(), left.end(), named.at("pid").get<pid_t>()) == 1);
  }
}

BOOST_AUTO_TEST_SUITE_END()
