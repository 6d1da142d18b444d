// engine/run.h: commands that cannot be handed to a custodian, with a real warden.
#include "engine/run.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <utility>

#include "base/descriptor.h"
#include "base/pidfd.h"
#include "engine/kept_tree.h"
#include "system/process_files.h"
#include "warden/protocol.h"

namespace run_test {

using namespace wtool;
using namespace wtool::engine;

BOOST_AUTO_TEST_SUITE(runs)

BOOST_AUTO_TEST_CASE(a_command_that_is_larger_than_a_message_is_refused_and_the_next_one_runs) {
  WardenClient client(WTOOL_TEST_WARDEN);
  const Descriptor directory(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  Command command;
  command.paths = {"/bin/true"};
  command.arguments = {"true", std::string(warden::max_text, 'x')};
  command.shell = "/bin/sh";
  command.directory = directory.get();
  Cancellation cancellation;
  const CommandOutcome refused = run(client, command, {}, cancellation, {});
  BOOST_REQUIRE(std::holds_alternative<NotStarted>(refused.termination));
  const auto& why = std::get<NotStarted>(refused.termination);
  BOOST_TEST((why.stage == NotStarted::Stage::custody));
  BOOST_TEST(why.error == E2BIG);
  BOOST_TEST(why.detail == "it cannot be handed to its custodian: Argument list too long");

  command.arguments = {"true"};
  const CommandOutcome next = run(client, command, {}, cancellation, {});
  BOOST_REQUIRE(std::holds_alternative<Exited>(next.termination));
  BOOST_TEST(std::get<Exited>(next.termination).status == 0);
}

// The paths were looked up before the call, so a file can be gone by the time of the start.
BOOST_AUTO_TEST_CASE(a_program_that_cannot_be_executed_is_not_started) {
  WardenClient client(WTOOL_TEST_WARDEN);
  const Descriptor directory(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  Command command;
  command.arguments = {"program"};
  command.shell = "/bin/sh";
  command.directory = directory.get();
  for (const auto& [path, error] : {std::pair("/nowhere/program", ENOENT), std::pair("/dev/null", EACCES)}) {
    command.paths = {path};
    Cancellation cancellation;
    const CommandOutcome outcome = run(client, command, {}, cancellation, {});
    BOOST_REQUIRE(std::holds_alternative<NotStarted>(outcome.termination));
    const auto& why = std::get<NotStarted>(outcome.termination);
    BOOST_TEST((why.stage == NotStarted::Stage::exec));
    BOOST_TEST(why.error == error);
  }
}

// The custodian dies with the request to end unread. That looks as if it had never read the command.
BOOST_AUTO_TEST_CASE(a_command_whose_custodian_dies_before_it_reads_the_end_keeps_its_output_and_runs_once) {
  WardenClient client(WTOOL_TEST_WARDEN);
  const Descriptor directory(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  Command command;
  command.paths = {"/bin/sh"};
  command.arguments = {"sh", "-c", "echo ready; exec sleep 61"};
  command.shell = "/bin/sh";
  command.directory = directory.get();
  cpu_set_t before, one;
  BOOST_REQUIRE(::sched_getaffinity(0, sizeof before, &before) == 0);
  CPU_ZERO(&one);
  CPU_SET(::sched_getcpu(), &one);
  RunOptions options;
  options.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  int starts = 0;
  pid_t leader = 0;
  options.state = [&](const CommandState& state) {
    if (state.name == CommandState::Name::started) {
      ++starts;
      leader = state.pid;
    } else if (state.name == CommandState::Name::stopping && starts == 1) {
      // The custodian is killed now, but dies only when this thread, which sends the request next, waits.
      ProcessStatus status;
      BOOST_REQUIRE(read_status(leader, status));
      const sched_param lowest{};
      ::sched_setscheduler(status.parent, SCHED_IDLE, &lowest);
      ::sched_setaffinity(0, sizeof one, &one);
      ::sched_setaffinity(status.parent, sizeof one, &one);
      ::kill(status.parent, SIGKILL);
    }
    return true;
  };
  Cancellation cancellation;
  const CommandOutcome outcome = run(client, command, options, cancellation, {});
  ::sched_setaffinity(0, sizeof before, &before);
  BOOST_TEST(in_words(outcome.termination) == "timed out");
  BOOST_TEST(outcome.standard_output.text == "ready\n");
  BOOST_TEST(starts == 1);
}

BOOST_AUTO_TEST_CASE(kept_processes_whose_custodian_has_died_do_not_seem_to_live) {
  WardenClient client(WTOOL_TEST_WARDEN);
  const Descriptor directory(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  Command command;
  command.paths = {"/bin/sh"};
  command.arguments = {"sh", "-c", "sleep 62 & echo $!"};
  command.shell = "/bin/sh";
  command.directory = directory.get();
  RunOptions options;
  options.keep = true;
  Cancellation cancellation;
  const CommandOutcome outcome = run(client, command, options, cancellation, {});
  BOOST_REQUIRE(outcome.kept != nullptr);
  BOOST_TEST(outcome.kept->alive());
  ProcessStatus status;
  BOOST_REQUIRE(read_status(std::stoi(outcome.standard_output.text), status));
  const Descriptor custodian = open_process(status.parent);
  BOOST_REQUIRE(custodian);
  ::kill(status.parent, SIGKILL);
  BOOST_REQUIRE(has_event(custodian.get(), POLLIN, std::chrono::seconds(20)));
  BOOST_TEST(!outcome.kept->alive());
}

BOOST_AUTO_TEST_CASE(a_command_whose_time_is_over_is_not_started_by_an_idle_custodian) {
  WardenClient client(WTOOL_TEST_WARDEN);
  const Descriptor directory(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  Command command;
  command.paths = {"/bin/true"};
  command.arguments = {"true"};
  command.shell = "/bin/sh";
  command.directory = directory.get();
  Cancellation cancellation;
  int starts = 0;
  RunOptions options;
  options.state = [&](const CommandState& state) {
    starts += state.name == CommandState::Name::started ? 1 : 0;
    return true;
  };
  run(client, command, options, cancellation, {});
  BOOST_TEST(starts == 1);
  options.deadline = std::chrono::steady_clock::now();
  const CommandOutcome late = run(client, command, options, cancellation, {});
  BOOST_REQUIRE(std::holds_alternative<TimedOut>(late.termination));
  BOOST_TEST(!has_begun(late.termination));
  options.deadline.reset();
  cancellation.request(Cancellation::Mode::now, "too late");
  const CommandOutcome cancelled = run(client, command, options, cancellation, {});
  BOOST_TEST(in_words(cancelled.termination) == "did not start: aborted");
  BOOST_TEST(starts == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace run_test
