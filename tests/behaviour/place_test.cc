// Where a command runs and what it finds around it: its directory, its environment, its standard input, its terminal.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "support/host_variable.h"
#include "support/shell_tool.h"

BOOST_AUTO_TEST_SUITE(place_test)

using namespace wtool::test;

namespace {

Answer in(const ToolUnderTest& tool, const std::string& directory, const std::string& command) {
  return tool.run({{"command", command}, {"working_directory", directory}});
}

Answer with(const ToolUnderTest& tool, const Json& environment, const std::string& command) {
  return tool.run({{"command", command}, {"environment", environment}});
}

void check_directory_refused(const Answer& answer, const std::string& directory) {
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(answer.status == WTOOL_OK);
    BOOST_TEST(answer.is_error());
    BOOST_TEST(answer.code() == "working_directory_invalid");
    BOOST_TEST(answer.text().find(directory) != std::string::npos);
    BOOST_TEST(!answer.metadata().contains("policy"));
  }
}

}  // namespace

// Both ways to run a command: without a shell, and with one.
const char* const print_directory[] = {"/bin/pwd", "/bin/pwd; true"};

BOOST_FIXTURE_TEST_CASE(without_a_directory_a_command_runs_where_the_host_is, ShellTool) {
  for (const char* command : print_directory) {
    BOOST_TEST(tool.shell(command).out() == std::filesystem::current_path().string() + "\n");
  }
}

BOOST_FIXTURE_TEST_CASE(a_command_runs_in_the_directory_asked_for, ShellTool) {
  for (const char* command : print_directory) {
    const Answer answer = in(tool, scratch.path(), command);
    BOOST_TEST(answer.out() == scratch.path() + "\n");
    BOOST_TEST(answer.metadata().at("working_directory").get<std::string>() == scratch.path());
  }
}

BOOST_FIXTURE_TEST_CASE(a_relative_directory_is_below_the_hosts, ShellTool) {
  // A path that certainly exists: from the current directory to the scratch folder.
  const std::string relative = std::filesystem::relative(scratch.path());
  BOOST_REQUIRE(relative.front() != '/');
  for (const char* command : print_directory) BOOST_TEST(in(tool, relative, command).out() == scratch.path() + "\n");
}

BOOST_FIXTURE_TEST_CASE(a_directory_may_be_reached_through_a_symbolic_link, ShellTool) {
  const std::string link = scratch.path() + "/link";
  BOOST_REQUIRE(mkdir((scratch.path() + "/real").c_str(), 0755) == 0);
  BOOST_REQUIRE(symlink("real", link.c_str()) == 0);
  for (const char* command : print_directory) BOOST_TEST(in(tool, link, command).out() == scratch.path() + "/real\n");
}

BOOST_FIXTURE_TEST_CASE(the_variable_pwd_names_the_directory, ShellTool) {
  for (const char* command : {"printenv PWD", "printenv PWD; true", "echo $PWD"}) {
    const Answer answer = in(tool, scratch.path(), command);
    BOOST_TEST(answer.out() == scratch.path() + "\n");
  }
}

BOOST_FIXTURE_TEST_CASE(a_directory_that_is_not_one_is_an_error_that_names_it, ShellTool) {
  const std::string missing = scratch.path() + "/missing";
  const std::string file = scratch.file("file", "");
  const std::string dangling = scratch.path() + "/dangling";
  BOOST_REQUIRE(symlink("nowhere", dangling.c_str()) == 0);
  const std::string trace = scratch.path() + "/ran";
  for (const std::string& directory : {missing, file, dangling, file + "/below"}) {
    const Answer answer = in(tool, directory, "touch " + trace);
    check_directory_refused(answer, directory);
    BOOST_TEST(answer.metadata().at("working_directory") == directory);
  }
  BOOST_TEST(!std::filesystem::exists(trace));
}

BOOST_FIXTURE_TEST_CASE(an_empty_directory_name_is_refused, ShellTool) {
  const Answer answer = in(tool, "", "true");
  BOOST_TEST(answer.is_error());
  BOOST_TEST((answer.code() == "invalid_parameters" || answer.code() == "working_directory_invalid"));
}

BOOST_FIXTURE_TEST_CASE(a_directory_that_may_not_be_entered_is_an_error, ShellTool) {
  if (geteuid() == 0) {
    BOOST_TEST_MESSAGE("not tried: root may enter every directory");
    return;
  }
  const std::string closed = scratch.path() + "/closed";
  BOOST_REQUIRE(mkdir(closed.c_str(), 0) == 0);
  check_directory_refused(in(tool, closed, "true"), closed);
  chmod(closed.c_str(), 0755);
}

BOOST_FIXTURE_TEST_CASE(a_directory_with_a_strange_name, ShellTool) {
  const std::string strange = scratch.path() + "/a b'\"$x;\n漢";
  BOOST_REQUIRE(mkdir(strange.c_str(), 0755) == 0);
  for (const char* command : print_directory) BOOST_TEST(in(tool, strange, command).out() == strange + "\n");
}

BOOST_FIXTURE_TEST_CASE(a_very_long_directory_name_is_an_error_not_a_crash, ShellTool) {
  check_directory_refused(in(tool, "/" + std::string(5000, 'd'), "true"), "working_directory");
}

BOOST_FIXTURE_TEST_CASE(variables_asked_for_are_added_to_the_hosts, ShellTool) {
  setenv("WTOOL_TEST_INHERITED", "from the host", 1);
  for (const char* command : {"printenv WTOOL_TEST_INHERITED ADDED", "printenv WTOOL_TEST_INHERITED ADDED; true"}) {
    BOOST_TEST(with(tool, {{"ADDED", "by the call"}}, command).out() == "from the host\nby the call\n");
  }
  unsetenv("WTOOL_TEST_INHERITED");
}

BOOST_FIXTURE_TEST_CASE(a_variable_asked_for_wins_over_the_hosts, ShellTool) {
  setenv("WTOOL_TEST_INHERITED", "from the host", 1);
  BOOST_TEST(with(tool, {{"WTOOL_TEST_INHERITED", "other"}}, "env").out().find("WTOOL_TEST_INHERITED=other\n") !=
             std::string::npos);
  BOOST_TEST(with(tool, {{"WTOOL_TEST_INHERITED", "other"}}, "env | grep -c WTOOL_TEST_INHERITED").out() == "1\n");
  BOOST_TEST(getenv("WTOOL_TEST_INHERITED") == std::string("from the host"));
  unsetenv("WTOOL_TEST_INHERITED");
}

BOOST_FIXTURE_TEST_CASE(values_of_variables_arrive_as_they_are, ShellTool) {
  for (const std::string& value :
       {std::string(), std::string(" a  b "), std::string("$HOME `id` \"'\\"), std::string("line\nline\n"),
        std::string("漢字 \x1b[31m"), std::string("a=b=c"), std::string(100'000, 'v')}) {
    BOOST_TEST(with(tool, {{"_V1", value}}, "printenv _V1").out() == value + "\n");
  }
}

BOOST_FIXTURE_TEST_CASE(a_program_is_found_by_the_path_of_the_call, ShellTool) {
  scratch.file("bin/wtool-test-program", "#!/bin/sh\necho found\n", 0755);
  const std::string path = scratch.path() + "/bin:" + getenv("PATH");
  for (const char* command : {"wtool-test-program", "wtool-test-program; true"}) {
    BOOST_TEST(with(tool, {{"PATH", path}}, command).out() == "found\n");
    BOOST_TEST(tool.shell(command).out() == "");
  }
}

BOOST_FIXTURE_TEST_CASE(the_environment_is_the_hosts_at_the_time_of_the_call, ShellTool) {
  setenv("WTOOL_TEST_LATER", "1", 1);
  BOOST_TEST(tool.shell("printenv WTOOL_TEST_LATER").out() == "1\n");
  setenv("WTOOL_TEST_LATER", "2", 1);
  BOOST_TEST(tool.shell("printenv WTOOL_TEST_LATER").out() == "2\n");
  unsetenv("WTOOL_TEST_LATER");
  BOOST_TEST(tool.shell("printenv WTOOL_TEST_LATER").out() == "");
}

BOOST_FIXTURE_TEST_CASE(what_the_host_changes_in_its_environment_after_call_new_does_not_concern_the_call, ShellTool) {
  const HostVariable before("WTOOL_TEST_LATER", "1");
  const std::string arguments = R"({"command": "printenv WTOOL_TEST_LATER"})";
  wtool_request request{};
  request.struct_size = sizeof request;
  request.arguments = {arguments.data(), arguments.size()};
  wtool_call* call = nullptr;
  BOOST_REQUIRE(tool.get().call_new(&tool.get(), &request, &call, nullptr) == WTOOL_OK);
  const HostVariable after("WTOOL_TEST_LATER", "2");
  wtool_blob result{};
  result.struct_size = sizeof result;
  BOOST_REQUIRE(tool.get().call_run(call, &result, nullptr) == WTOOL_OK);
  const Json envelope = Json::parse(std::string_view(result.bytes.data, result.bytes.size));
  result.release(&result);
  tool.get().call_free(call);
  BOOST_TEST(envelope.at("metadata").at("stdout").get<std::string>() == "1\n");
}

BOOST_FIXTURE_TEST_CASE(the_host_may_have_changed_its_directory_between_calls, ShellTool) {
  const auto before = std::filesystem::current_path();
  tool.shell("true");
  std::filesystem::current_path(scratch.path());
  const Answer answer = tool.shell("/bin/pwd");
  std::filesystem::current_path(before);
  BOOST_TEST(answer.out() == scratch.path() + "\n");
  BOOST_TEST(answer.metadata().at("working_directory").get<std::string>() == scratch.path());
}

BOOST_FIXTURE_TEST_CASE(standard_input_is_at_its_end, ShellTool) {
  BOOST_TEST(tool.shell("cat").out() == "");
  BOOST_TEST(tool.shell("cat").exit_code() == 0);
  BOOST_TEST(tool.shell("read x; echo \"$? [$x]\"").out() == "1 []\n");
  BOOST_TEST(tool.shell("readlink /proc/self/fd/0").out() == "/dev/null\n");
}

BOOST_FIXTURE_TEST_CASE(nothing_can_ask_on_a_terminal, ShellTool) {
  for (const char* command : {"read x </dev/tty", "echo question >/dev/tty", "stty -a </dev/tty", "tty"}) {
    const Answer answer = tool.shell(command);
    BOOST_TEST_CONTEXT(answer.raw) { BOOST_TEST(answer.is_error()); }
  }
}

BOOST_FIXTURE_TEST_CASE(the_hosts_descriptors_do_not_reach_the_command, ShellTool) {
  const int fd = open("/dev/zero", 0);  // without close-on-exec, as in careless hosts
  const int high = dup2(fd, 200);
  for (const char* command : {"ls /proc/self/fd", "ls /proc/self/fd; true"}) {
    // The fourth descriptor is the folder that ls itself reads.
    BOOST_TEST(tool.shell(command).out() == "0\n1\n2\n3\n");
  }
  close(fd);
  close(high);
}

BOOST_FIXTURE_TEST_CASE(a_command_leads_its_own_session_and_group, ShellTool) {
  const Answer answer = tool.shell("ps -o pid=,pgid=,sid= -p $$ 2>/dev/null || cut -d' ' -f1,5,6 /proc/$$/stat");
  std::istringstream text(answer.out());
  long pid = 0;
  long group = 0;
  long session = 0;
  text >> pid >> group >> session;
  BOOST_TEST(pid > 0);
  BOOST_TEST(group == pid);
  BOOST_TEST(session == pid);
}

BOOST_FIXTURE_TEST_CASE(a_command_starts_with_default_signals_and_an_empty_mask, ShellTool) {
  // A command must not inherit which signals the host ignores and blocks.
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGUSR1, &ignore, &before);
  sigset_t blocked;
  sigset_t mask;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR2);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &mask);
  const Answer answer = tool.shell("grep -E '^Sig(Blk|Ign)' /proc/self/status");
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  sigaction(SIGUSR1, &before, nullptr);
  BOOST_TEST(answer.out() == "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

BOOST_FIXTURE_TEST_CASE(the_umask_is_the_hosts, ShellTool) {
  const mode_t before = umask(0);
  umask(before);
  char expected[8];
  std::snprintf(expected, sizeof expected, "%04o\n", before);
  BOOST_TEST(tool.shell("umask").out() == expected);
}

BOOST_AUTO_TEST_SUITE_END()
