// mcp/request_state.h: what a request state is valid for, and for how long.
#include "mcp/request_state.h"
#include "support/text.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <thread>
#include <vector>

using wtool::test::holds;

namespace wtool::host::mcp {

using namespace std::chrono_literals;

static std::string refused(RequestStates& states, const std::string& state, const char* tool = "shell",
                           const char* arguments = "{}") {
  std::string why;
  BOOST_TEST(!states.redeem(state, tool, arguments, why));
  return why;
}

BOOST_AUTO_TEST_SUITE(mcp_request_state)

BOOST_AUTO_TEST_CASE(a_state_is_valid_once) {
  RequestStates states;
  const std::string state = states.issue("shell", "{}", "abc", "what a tool leaves", {{"def", Approval::yes}});
  std::string why;
  const auto redeemed = states.redeem(state, "shell", "{}", why);
  BOOST_REQUIRE_MESSAGE(redeemed.has_value(), why);
  BOOST_TEST(redeemed->fingerprint == "abc");
  BOOST_TEST(redeemed->continues == "what a tool leaves");
  BOOST_REQUIRE(redeemed->unused.size() == 1U);
  BOOST_TEST(redeemed->unused[0].fingerprint == "def");
  BOOST_TEST(holds(refused(states, state), "was used before"));
}

BOOST_AUTO_TEST_CASE(a_state_is_valid_for_its_tool_and_arguments_only) {
  RequestStates states;
  const std::string state = states.issue("shell", "{}", "abc");
  BOOST_TEST(holds(refused(states, state, "other"), "another tool"));
  BOOST_TEST(holds(refused(states, state, "shell", "{\"a\":1}"), "other arguments"));
  BOOST_TEST(holds(refused(states, states.issue("ab", "c", "f"), "a", "bc"), "another tool"));
  // A wrong call does not use the state up.
  std::string why;
  BOOST_TEST(states.redeem(state, "shell", "{}", why).has_value());
}

BOOST_AUTO_TEST_CASE(a_state_expires) {
  RequestStates states(1ms);
  const std::string state = states.issue("shell", "{}", "abc");
  std::this_thread::sleep_for(5ms);
  BOOST_TEST(holds(refused(states, state), "expired"));
}

BOOST_AUTO_TEST_CASE(a_state_of_another_server_or_a_changed_one_is_refused) {
  RequestStates states, others;
  const std::string state = states.issue("shell", "{}", "abc");
  BOOST_TEST(holds(refused(others, state), "did not issue it"));
  for (std::size_t i = 0; i < state.size(); ++i) {
    std::string changed = state;
    changed[i] = changed[i] == '1' ? '2' : '1';
    BOOST_TEST(holds(refused(states, changed), "did not issue it"), changed);
  }
  for (const std::string& text :
       {std::string(), std::string("."), std::string("..."), state.substr(0, state.size() - 1), state + "0"}) {
    BOOST_TEST(holds(refused(states, text), "did not issue it"), text);
  }
}

BOOST_AUTO_TEST_CASE(two_states_for_the_same_call_differ_and_are_both_valid) {
  RequestStates states;
  const std::string one = states.issue("shell", "{}", "abc"), other = states.issue("shell", "{}", "abc");
  BOOST_TEST(one != other);
  std::string why;
  BOOST_TEST(states.redeem(one, "shell", "{}", why).has_value());
  BOOST_TEST(states.redeem(other, "shell", "{}", why).has_value());
}

BOOST_AUTO_TEST_CASE(the_oldest_state_is_dropped_when_there_are_too_many) {
  RequestStates states;
  std::vector<std::string> all;
  for (std::size_t i = 0; i <= RequestStates::max_count; ++i) all.push_back(states.issue("shell", "{}", "f"));
  refused(states, all.front());
  std::string why;
  BOOST_TEST(states.redeem(all[1], "shell", "{}", why).has_value());
  BOOST_TEST(states.redeem(all.back(), "shell", "{}", why).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host::mcp
