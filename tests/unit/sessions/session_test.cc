#include <boost/test/unit_test.hpp>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "sessions/sessions.h"

using namespace wtool;

namespace {

using Events = std::vector<std::string>;

struct Tree : engine::KeptTree {
  explicit Tree(Events& list) : events(list) {}
  bool alive() override { return true; }
  void request_end(std::chrono::milliseconds) override { events.emplace_back("asked"); }
  engine::ProcessesLeft wait_end(const engine::Patience*) override {
    events.emplace_back("ended");
    return {23, {{7, "stuck"}}};
  }
  Events& events;
};

// Its custodian has died, and its processes are dead only when the test says so.
struct LostTree : engine::KeptTree {
  explicit LostTree(std::future<void> end) : dead(std::move(end)) {}
  bool alive() override { return false; }
  bool is_lost() const override { return true; }
  void request_end(std::chrono::milliseconds) override {}
  engine::ProcessesLeft wait_end(const engine::Patience*) override {
    dead.wait();
    return {1, {{7, "stuck"}}};
  }
  std::future<void> dead;
};

struct Hold : engine::SessionHold {
  explicit Hold(Events& list) : events(list) {}
  ~Hold() override { events.emplace_back("given up"); }
  Events& events;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_closed_session_ends_what_it_keeps_and_then_gives_up_what_its_runner_held) {
  Events events;
  Session session({});
  session.background().keep(std::make_shared<Tree>(events));
  session.hold() = std::make_shared<Hold>(events);
  const auto unkillable = session.close(std::chrono::milliseconds(0));
  const Events expected{"asked", "ended", "given up"};
  BOOST_TEST(events == expected, boost::test_tools::per_element());
  BOOST_TEST(unkillable.count == 23U);
  BOOST_REQUIRE_EQUAL(unkillable.names.size(), 1U);
  BOOST_TEST(unkillable.names.front().pid == 7);
}

BOOST_AUTO_TEST_CASE(what_is_kept_already_is_not_kept_twice) {
  Events events;
  Background background;
  const auto tree = std::make_shared<Tree>(events);
  for (std::size_t i = 0; i < 2 * Background::max_commands; ++i) background.keep(tree);
  BOOST_TEST(background.has_room());
  BOOST_TEST(background.end(std::chrono::milliseconds(0)).names.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_command_does_not_wait_for_processes_whose_custodian_has_died) {
  Events events;
  Background background;
  std::promise<void> dead;
  background.keep(std::make_shared<LostTree>(dead.get_future()));
  std::future<bool> asked = std::async(std::launch::async, [&] { return background.has_room(); });
  const bool waits = asked.wait_for(std::chrono::seconds(20)) != std::future_status::ready;
  if (!waits) background.keep(std::make_shared<Tree>(events));
  dead.set_value();
  BOOST_TEST_REQUIRE(!waits);
  BOOST_TEST(asked.get());
  BOOST_TEST(background.end(std::chrono::milliseconds(0)).count == 24U);
}

BOOST_AUTO_TEST_CASE(what_two_commands_have_left_is_counted_together) {
  Events events;
  Background background;
  for (int i = 0; i < 2; ++i) background.keep(std::make_shared<Tree>(events));
  const engine::ProcessesLeft left = background.end(std::chrono::milliseconds(0));
  BOOST_TEST(left.count == 46U);
  BOOST_TEST(left.names.size() == 2U);
}

// What stops a command refers to the command's call, which ends with end().
BOOST_AUTO_TEST_CASE(a_command_does_not_end_while_it_is_being_stopped) {
  Session session({});
  std::future<void> ended;
  bool too_early = false;
  const auto stop = [&](std::string_view) {
    ended = std::async(std::launch::async, [&] { session.end(Session::Ending::failed); });
    too_early = ended.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready;
  };
  BOOST_REQUIRE((session.begin(stop) == Session::Begin::begun));
  session.close(std::chrono::milliseconds(0));
  ended.get();
  BOOST_TEST(!too_early);
  BOOST_TEST((session.state() == Session::State::completed));
}

BOOST_AUTO_TEST_CASE(the_end_of_the_plugin_waits_for_what_no_session_keeps) {
  Events events;
  {
    Sessions sessions;
    sessions.background().keep(std::make_shared<Tree>(events));
  }
  const Events expected{"asked", "asked", "ended"};
  BOOST_TEST(events == expected, boost::test_tools::per_element());
}
