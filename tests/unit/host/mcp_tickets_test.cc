// Tickets: what they are good for, and for how long; and the digest that seals them.
#include "mcp/tickets.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <thread>
#include <vector>

namespace wtool::host::mcp {

using namespace std::chrono_literals;

static bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

static std::string refused(Tickets& tickets, const std::string& ticket, const char* tool = "shell",
                           const char* arguments = "{}") {
  std::string why;
  BOOST_TEST(!tickets.redeem(ticket, tool, arguments, why));
  return why;
}

BOOST_AUTO_TEST_SUITE(mcp_tickets)

// The test cases of RFC 4231.
BOOST_AUTO_TEST_CASE(the_seal_is_the_standards) {
  BOOST_TEST(hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")) ==
             "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  BOOST_TEST(hex(hmac_sha256("Jefe", "what do ya want for nothing?")) ==
             "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  BOOST_TEST(hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")) ==
             "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

BOOST_AUTO_TEST_CASE(a_ticket_is_good_once) {
  Tickets tickets;
  const std::string ticket = tickets.issue("shell", "{}", "abc");
  std::string why;
  BOOST_TEST(tickets.redeem(ticket, "shell", "{}", why).value_or(why) == "abc");
  BOOST_TEST(has(refused(tickets, ticket), "was used before"));
}

BOOST_AUTO_TEST_CASE(a_ticket_is_good_for_its_tool_and_arguments_alone) {
  Tickets tickets;
  const std::string ticket = tickets.issue("shell", "{}", "abc");
  BOOST_TEST(has(refused(tickets, ticket, "other"), "another tool"));
  BOOST_TEST(has(refused(tickets, ticket, "shell", "{\"a\":1}"), "other arguments"));
  BOOST_TEST(has(refused(tickets, tickets.issue("ab", "c", "f"), "a", "bc"), "another tool"));
  // Whoever tries has used nothing up.
  std::string why;
  BOOST_TEST(tickets.redeem(ticket, "shell", "{}", why).has_value());
}

BOOST_AUTO_TEST_CASE(a_ticket_expires) {
  Tickets tickets(1ms);
  const std::string ticket = tickets.issue("shell", "{}", "abc");
  std::this_thread::sleep_for(5ms);
  BOOST_TEST(has(refused(tickets, ticket), "expired"));
}

BOOST_AUTO_TEST_CASE(nobody_else_can_make_one_or_change_one) {
  Tickets tickets, others;
  const std::string ticket = tickets.issue("shell", "{}", "abc");
  BOOST_TEST(has(refused(others, ticket), "not one that this server has given"));
  for (std::size_t i = 0; i < ticket.size(); ++i) {
    std::string changed = ticket;
    changed[i] = changed[i] == '1' ? '2' : '1';
    BOOST_TEST(has(refused(tickets, changed), "not one that"), changed);
  }
  for (const std::string& text :
       {std::string(), std::string("."), std::string("..."), ticket.substr(0, ticket.size() - 1), ticket + "0"}) {
    BOOST_TEST(has(refused(tickets, text), "not one that"), text);
  }
}

BOOST_AUTO_TEST_CASE(the_oldest_give_way_when_there_are_too_many) {
  Tickets tickets;
  std::vector<std::string> all;
  for (std::size_t i = 0; i <= Tickets::most; ++i) all.push_back(tickets.issue("shell", "{}", "f"));
  refused(tickets, all.front());
  std::string why;
  BOOST_TEST(tickets.redeem(all[1], "shell", "{}", why).has_value());
  BOOST_TEST(tickets.redeem(all.back(), "shell", "{}", why).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host::mcp
