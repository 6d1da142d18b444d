// Hosts that see too few processes, or the wrong ones: /proc belongs to another pid namespace, is missing, or hides the
// processes that a user may not trace. In further cases, a command signals every process that it can.
//
// Each host is in separate namespaces (`unshare`); where a user may not make these, the cases are skipped.
#include <unistd.h>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <csignal>

#include "support/sandboxed.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(seen_proc_test)

using namespace wtool::test;

namespace {

bool is_root() { return geteuid() == 0; }

boost::test_tools::assertion_result has_namespaces_of_processes(boost::unit_test::test_unit_id) {
  return run({"/usr/bin/env", "unshare", is_root() ? "--pid" : "-Up", "--fork", "true"}).exit_code == 0;
}

// The words that run a script of sh in its own namespaces, as the same user. With --pid in `options`, sh is process 1
// of its namespace.
std::vector<std::string> in_namespaces(const std::vector<std::string>& options, const std::string& script) {
  std::vector<std::string> words{"/usr/bin/env", "unshare", "--mount", "--fork", "--kill-child"};
  // Gives the script the rights to mount, which also pass to the programs that it starts.
  if (!is_root()) words.insert(words.end(), {"-U", "--map-current-user", "--keep-caps"});
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"sh", "-c", script});
  return words;
}

// The text as one word of the script; it must not contain single quotes.
std::string quoted(const std::string& text) { return "'" + text + "'"; }

// Starts a program in the script without the rights that the user has only inside the namespaces.
const std::string as_user = is_root() ? "" : "setpriv --inh-caps=-all --ambient-caps=-all ";

struct Seen {
  Mark mark;
  ScratchFolder scratch;

  // The mark must not be on a host's own command line, so one letter of it is written as an escape of JSON.
  std::string arguments(const std::string& command) const {
    std::string text = Json{{"command", command}, {"environment", {{"WTOOL_TEST_MARK", mark.text()}}}}.dump();
    return text.replace(text.find(mark.text()), 4, "\\u006dark");
  }

  // Returns the output of a host that `start` starts. Survivors are looked for while process 1 lives, because they
  // would all end with it.
  std::string answer_of(const std::vector<std::string>& options, const std::string& start) const {
    const std::string command = "setsid sleep 61 >/dev/null 2>&1 & echo ran; exit 3";
    Program host(
        in_namespaces(options, start + " " WTOOL_TEST_PROGRAM " --plugin " WTOOL_TEST_PLUGIN " call shell_execute " +
                                   quoted(arguments(command)) + "; echo over $?; sleep 61"),
        Program::On::pipes, {.set = {{"HOME", scratch.path()}}});
    BOOST_TEST(host.wait_for_output("over "), host.output());
    BOOST_TEST(mark.bearers().empty(), mark.description());
    return host.output();
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(seen_proc, *boost::unit_test::precondition(has_namespaces_of_processes))

BOOST_FIXTURE_TEST_CASE(nothing_is_run_if_proc_shows_another_pid_namespace, Seen) {
  const std::string answer = answer_of({"--pid"}, as_user);
  BOOST_TEST(holds(answer, "/proc is not mounted, or shows another pid namespace"), answer);
  BOOST_TEST(!holds(answer, "\"stdout\""), answer);
}

BOOST_FIXTURE_TEST_CASE(nothing_is_run_if_proc_is_not_mounted, Seen) {
  const std::string answer = answer_of({}, "mount -t tmpfs none /proc && " + as_user);
  BOOST_TEST(holds(answer, "/proc is not mounted"), answer);
  BOOST_TEST(!holds(answer, "\"stdout\""), answer);
}

// The keepers themselves cannot be traced, and are hidden from one another.
BOOST_FIXTURE_TEST_CASE(hidden_processes_end_with_their_call, Seen) {
  const std::string to_user = is_root() ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : as_user;
  if (is_root() && run({"/usr/bin/env", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "test", "-x",
                        WTOOL_TEST_WARDEN})
                           .exit_code != 0) {
    BOOST_TEST_MESSAGE("not possible here: the build is closed to the user nobody");
    return;
  }
  const std::string answer =
      answer_of({"--pid"}, "mount -t proc -o hidepid=2 proc /proc && HOME=/nonexistent " + to_user);
  BOOST_TEST(holds(answer, "\"stdout\": \"ran\\n\""), answer);
  BOOST_TEST(holds(answer, "\"exit_code\": 3"), answer);
}

namespace {

// A host below process 1 of its pid namespace. No signal of the commands reaches process 1.
struct Everybody : Seen {
  Program start(const std::string& command, const std::string& configuration = "{}") const {
    const std::string host = WTOOL_TEST_HOSTS "/dying_host " + quoted(arguments(command)) + " " + quoted(configuration);
    return Program(in_namespaces({"--pid", "--mount-proc"}, as_user + host + "; echo host $?; sleep 61"),
                   Program::On::pipes);
  }
};

}  // namespace

// The host dies, too. A daemon that sends the signal survives, because no process is left to end it. The command itself
// dies with its custodian. (docs/architecture.md)
BOOST_FIXTURE_TEST_CASE(a_command_that_kills_everybody_leaves_nothing, Everybody) {
  Program host = start("setsid sleep 61 & echo ready; exec sh -c \"kill -9 -1; exec sleep 61\"");
  BOOST_REQUIRE(host.wait_for_output("host 137"));
  BOOST_TEST(wait_until([&] { return mark.bearers().empty(); }, within(1000)), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_daemon_that_kills_everybody_leaves_only_itself, Everybody) {
  Program host =
      start("setsid sleep 61 & setsid sh -c \"sleep 1; kill -9 -1; exec tail -f /dev/null\" & echo ready; sleep 61");
  BOOST_REQUIRE(host.wait_for_output("host 137"));
  // The daemon is still `sh` until it has become `tail`.
  const auto daemon_is_alone = [&] {
    const auto bearers = mark.bearers();
    return bearers.empty() || (bearers.size() == 1 && name_of(bearers.front()) == "tail");
  };
  BOOST_TEST(wait_until(daemon_is_alone, within(1000)), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_sandboxed_command_that_kills_everybody_reaches_only_its_own, Everybody) {
  if (!has_landlock(6)) return;
  const Json sandboxed{{"sandbox", {{"write", {scratch.path()}}, {"protect", "none"}, {"required", true}}}};
  Program host =
      start("setsid sleep 61 & setsid sh -c \"kill -9 -1; exec sleep 61\" & echo ready; exec sh -c \"kill -9 -1\"",
            sandboxed.dump());
  BOOST_REQUIRE(host.wait_for_output("host "));
  BOOST_TEST(holds(host.output(), "host 0"), host.output());
  BOOST_TEST(holds(host.output(), "over {"), host.output());
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
