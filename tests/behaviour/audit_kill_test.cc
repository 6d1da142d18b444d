// A host is killed again and again while it makes calls. The trail stays whole, and has a start for every command that
// ran.
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <fstream>
#include <random>
#include <set>

#include "support/shell_tool.h"

BOOST_AUTO_TEST_SUITE(audit_kill_test)

using namespace wtool::test;

namespace {

constexpr int threads = 8;

std::set<std::string> ids_in(const std::string& file) {
  std::set<std::string> all;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) all.insert(line);
  return all;
}

// What the command of each start in a trail writes: the word after "echo ".
std::set<std::string> ids_started(const std::string& trail) {
  const Finished shown = run({WTOOL_TEST_PROGRAM, "audit", "show", trail, "--event", "start", "--json"});
  BOOST_REQUIRE(shown.exit_code == 0);
  std::set<std::string> all;
  for (std::size_t at = 0; at < shown.out.size(); at = shown.out.find('\n', at) + 1) {
    const Json event = Json::parse(shown.out.substr(at, shown.out.find('\n', at) - at));
    const auto command = event.at("command").get<std::string>();
    all.insert(command.substr(5, command.find(' ', 5) - 5));
  }
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_command_that_ran_has_a_start_however_often_the_host_is_killed) {
  const ScratchFolder scratch;
  const std::string trail = scratch.path() + "/audit.jsonl";
  const std::string ran = scratch.path() + "/ran";
  const Json configuration{{"audit", {{"file", trail}, {"max_bytes", 1 << 20}}}};
  std::mt19937 random(20260102);  // NOLINT: each run of the test waits for the same calls
  for (int round = 0; round < repeats(200); ++round) {
    Program host({std::string(WTOOL_TEST_HOSTS) + "/audited_host", std::to_string(round), std::to_string(threads),
                  configuration.dump(), ran},
                 Program::On::pipes);
    // When this line comes, one thread has made this call; the other threads may be at any point.
    const std::string awaited = "called " + std::to_string(round) + '-' + std::to_string(random() % threads) + '-' +
                                std::to_string(random() % 4) + '\n';
    BOOST_REQUIRE(host.wait_for_output(awaited));
    host.kill(SIGKILL);
    const Finished finished = host.wait();
    BOOST_REQUIRE(finished.signal == SIGKILL);
    BOOST_TEST(finished.out.find("refused") == std::string::npos, finished.out.substr(0, 1000));
    if (round % 20 == 19) {
      const Finished verified = run({WTOOL_TEST_PROGRAM, "audit", "verify", trail});
      BOOST_REQUIRE(verified.exit_code == 0);
    }
  }
  // What ran is read before what was started, because a command of the last host may still be running.
  const std::set<std::string> done = ids_in(ran);
  const Finished verified = run({WTOOL_TEST_PROGRAM, "audit", "verify", trail});
  BOOST_TEST(verified.exit_code == 0, verified.out << verified.err);
  const std::set<std::string> started = ids_started(trail);
  BOOST_TEST(done.size() >= static_cast<std::size_t>(repeats(200)));
  for (const std::string& id : done) BOOST_TEST(started.contains(id), id << " ran without a start");
}

BOOST_AUTO_TEST_SUITE_END()
