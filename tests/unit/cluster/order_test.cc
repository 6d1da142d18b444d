#include "cluster/order.h"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <string>

using namespace wtool;
using namespace wtool::cluster;
using std::chrono::milliseconds;

namespace {

// Bytes that are not UTF-8, and a NUL, which would end a text in C.
const std::string odd("caf\xe9\xff\0!", 7);

Order some_order() {
  Order order;
  order.paths = {"/bin/" + odd, "/usr/bin/x"};
  order.arguments = {"x", odd, ""};
  order.variables = {"NAME=" + odd};
  order.shell = "/bin/sh";
  order.directory = "/project/" + odd;
  order.grace = milliseconds(250);
  order.time_limit = milliseconds(1000);
  order.capture_bytes = 4096;
  order.tells_start = true;
  order.in_session = true;
  order.session = "term-1";
  order.limits = R"({"network":"deny"})";
  return order;
}

engine::CommandOutcome there_and_back(engine::Termination how) {
  engine::CommandOutcome outcome;
  outcome.termination = std::move(how);
  const auto answer = read_answer(to_bytes(OrderAnswer{.result = std::move(outcome)}));
  BOOST_REQUIRE(answer.has_value());
  return std::get<engine::CommandOutcome>(answer->result);
}

template <typename Ending>
Ending ending(engine::Termination how) {
  const engine::CommandOutcome outcome = there_and_back(std::move(how));
  BOOST_REQUIRE(std::holds_alternative<Ending>(outcome.termination));
  return std::get<Ending>(outcome.termination);
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_order_arrives_byte_for_byte) {
  const Order order = some_order();
  const auto arrived = read_order(to_bytes(order));
  BOOST_REQUIRE(arrived.has_value());
  BOOST_TEST(arrived->paths == order.paths, boost::test_tools::per_element());
  BOOST_TEST(arrived->arguments == order.arguments, boost::test_tools::per_element());
  BOOST_TEST(arrived->variables == order.variables, boost::test_tools::per_element());
  BOOST_TEST(arrived->directory == order.directory);
  BOOST_TEST(!arrived->standard_input.has_value());
  BOOST_TEST(arrived->grace.count() == 250);
  BOOST_TEST(arrived->time_limit.count() == 1000);
  BOOST_TEST(arrived->tells_start);
  BOOST_TEST(arrived->in_session);
  BOOST_TEST(!arrived->keep);
  BOOST_TEST(arrived->session == "term-1");
  BOOST_TEST(arrived->limits == order.limits);
}

BOOST_AUTO_TEST_CASE(an_empty_standard_input_is_not_an_absent_one) {
  Order order = some_order();
  order.standard_input = "";
  BOOST_TEST(read_order(to_bytes(order))->standard_input.value() == "");
}

BOOST_AUTO_TEST_CASE(each_way_to_end_arrives) {
  BOOST_TEST(ending<engine::Exited>(engine::Exited{3}).status == 3);
  BOOST_TEST(ending<engine::Signalled>(engine::Signalled{9}).signal == 9);
  BOOST_TEST(ending<engine::TimedOut>(engine::TimedOut{}).begun);
  BOOST_TEST(!ending<engine::TimedOut>(engine::TimedOut{false}).begun);
  BOOST_TEST(ending<engine::Cancelled>(engine::Cancelled{odd}).reason == odd);
  BOOST_TEST(ending<engine::Cancelled>(engine::Cancelled{odd}).begun);
  BOOST_TEST(!ending<engine::Cancelled>(engine::Cancelled{odd, false}).begun);
  const auto exhausted = ending<engine::Exhausted>(engine::Exhausted{engine::LimitName::cpu_seconds, 1.5, 137});
  BOOST_TEST((exhausted.limit == engine::LimitName::cpu_seconds));
  BOOST_TEST(exhausted.used == 1.5);
  BOOST_TEST(exhausted.status.value() == 137);
  const auto not_started =
      ending<engine::NotStarted>(engine::NotStarted{engine::NotStarted::Stage::exec, 2, "no such program"});
  BOOST_TEST((not_started.stage == engine::NotStarted::Stage::exec));
  BOOST_TEST(not_started.error == 2);
  BOOST_TEST(not_started.detail == "no such program");
  const auto lost = ending<engine::Lost>(engine::Lost{"killed", "again"});
  BOOST_TEST(lost.detail == "killed");
  BOOST_TEST(lost.hint == "again");
}

BOOST_AUTO_TEST_CASE(what_an_outcome_and_its_sandbox_say_arrives) {
  engine::CommandOutcome outcome;
  outcome.termination = engine::Exited{0};
  outcome.duration = milliseconds(12);
  outcome.background_count = 2;
  outcome.background_names = {{7, odd}};
  outcome.resources = engine::Resources{std::chrono::microseconds(1), std::chrono::microseconds(2), 3, 4};
  engine::SandboxReport report;
  report.enforced = {"landlock"};
  report.put_aside = {{"/a", "/b", ""}};
  const auto answer = read_answer(to_bytes(OrderAnswer{std::move(outcome), report, true, "term-2"}));
  BOOST_REQUIRE(answer.has_value());
  const auto& arrived = std::get<engine::CommandOutcome>(answer->result);
  BOOST_TEST(arrived.duration.count() == 12);
  BOOST_TEST(arrived.background_count == 2U);
  BOOST_TEST(arrived.background_names.at(0).name == odd);
  BOOST_TEST(arrived.resources->peak_memory_kib == 3U);
  BOOST_TEST(answer->report->enforced.at(0) == "landlock");
  BOOST_TEST(answer->report->put_aside.at(0).to == "/b");
  BOOST_TEST(answer->kept);
  BOOST_TEST(answer->session == "term-2");
}

BOOST_AUTO_TEST_CASE(a_refusal_of_the_sandbox_arrives) {
  const auto answer = read_answer(to_bytes(OrderAnswer{.result = engine::SandboxRefusal{"code", "message", "hint"}}));
  BOOST_REQUIRE(answer.has_value());
  BOOST_TEST(std::get<engine::SandboxRefusal>(answer->result).message == "message");
}

BOOST_AUTO_TEST_CASE(other_bytes_are_neither_an_order_nor_an_answer) {
  for (const std::string& whole : {to_bytes(some_order()), to_bytes(OrderAnswer{})}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      BOOST_TEST(!read_order(whole.substr(0, size)).has_value());
      BOOST_TEST(!read_answer(whole.substr(0, size)).has_value());
    }
  }
  BOOST_TEST(!read_order(to_bytes(OrderAnswer{})).has_value());
  BOOST_TEST(!read_answer(to_bytes(some_order())).has_value());
  Order empty;
  BOOST_TEST(!read_order(to_bytes(empty)).has_value());  // There is nothing to run.
  engine::CommandOutcome wrong;
  wrong.termination = engine::NotStarted{static_cast<engine::NotStarted::Stage>(99), 0, {}};
  BOOST_TEST(!read_answer(to_bytes(OrderAnswer{.result = std::move(wrong)})).has_value());
}

BOOST_AUTO_TEST_CASE(endlessly_nested_bytes_are_refused_before_they_are_read) {
  const std::string lists(5'000'000, '\x81'), objects = [] {
    std::string text;
    for (int i = 0; i < 1'000'000; ++i)
      text += std::string(
          "\xa1\x61"
          "a",
          3);
    return text;
  }();
  for (const std::string& deep : {lists, objects,
                                  "\xa1\x61"
                                  "a" +
                                      lists}) {
    BOOST_TEST(!read_order(deep).has_value());
    BOOST_TEST(!read_answer(deep).has_value());
  }
}

BOOST_AUTO_TEST_CASE(numbers_out_of_range_are_refused) {
  for (const milliseconds wrong : {milliseconds(-1), milliseconds::max()}) {
    Order order = some_order();
    order.time_limit = wrong;
    BOOST_TEST(!read_order(to_bytes(order)).has_value());
    engine::CommandOutcome outcome;
    outcome.termination = engine::Exited{0};
    outcome.duration = wrong;
    BOOST_TEST(!read_answer(to_bytes(OrderAnswer{.result = std::move(outcome)})).has_value());
  }
  for (const double used : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    engine::CommandOutcome outcome;
    outcome.termination = engine::Exhausted{engine::LimitName::cpu_seconds, used, {}};
    BOOST_TEST(!read_answer(to_bytes(OrderAnswer{.result = std::move(outcome)})).has_value());
  }
}

BOOST_AUTO_TEST_CASE(the_variables_of_slurm_and_of_devices_are_the_nodes) {
  BOOST_TEST(is_of_node("SLURM_JOB_ID"));
  BOOST_TEST(is_of_node("SLURMD_NODENAME"));
  BOOST_TEST(is_of_node("CUDA_VISIBLE_DEVICES"));
  BOOST_TEST(!is_of_node("PATH"));
  BOOST_TEST(!is_of_node("MY_SLURM"));
}
