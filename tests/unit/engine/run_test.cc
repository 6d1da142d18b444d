// engine/run.h: commands that cannot be handed to a custodian, with a real warden.
#include "engine/run.h"

#include <fcntl.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <string>
#include <utility>

#include "base/descriptor.h"
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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace run_test
