// The values of a run: the outcomes of its states, and the run's own names.
#include "runner/variables.h"

#include <boost/test/unit_test.hpp>
#include <string>

using namespace wtool::host::runner;
using wtool::host::expressions::field_of;
using wtool::host::expressions::to_text;
using wtool::host::expressions::Value;

namespace {

Outcome outcome(const std::string& text, std::int64_t exit_code = 0) {
  Outcome made;
  made.standard_output = text + "\n";
  made.exit_code = exit_code;
  made.is_error = exit_code != 0;
  if (made.is_error) made.message = "it failed";
  return made;
}

struct Run {
  wtool::host::workflow::Workflow workflow;
  Variables variables{workflow, {}};

  std::string text(std::string_view name) const {
    const Value* const found = variables.find(name);
    return found == nullptr ? "(nothing)" : to_text(*found);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(variables, Run)

BOOST_AUTO_TEST_CASE(the_names_of_the_run_always_mean_the_last_outcome) {
  BOOST_TEST(text("success") == "true");
  BOOST_TEST(text("output") == "");
  variables.record("A", "", outcome("one"));
  BOOST_TEST(text("output") == "one");
  variables.record("B", "", outcome("two", 3));
  BOOST_TEST(text("A") == "one");
  BOOST_TEST(text("exit_code") == "3");
  BOOST_TEST(text("error") == "it failed");
  variables.record("", "", outcome("three"));
  BOOST_TEST(text("result") == "three");
  BOOST_TEST(text("error") == "");
  BOOST_TEST(text("B") == "two");
  BOOST_TEST(text("C") == "(nothing)");
}

BOOST_AUTO_TEST_CASE(a_variable_hides_a_name_of_the_run) {
  variables.record("A", "output", outcome("one"));
  variables.set("result", Value("mine"));
  variables.record("B", "", outcome("two"));
  BOOST_TEST(text("result") == "mine");
  BOOST_TEST(text("last_action_result") == "two");
}

BOOST_AUTO_TEST_CASE(branches_share_the_value_of_an_outcome_before_and_after_they_read_it) {
  variables.record("A", "", outcome("one"));
  const Variables branch = variables.fork();
  const Value* const here = field_of(variables.find("A"), "stdout");
  const Value* const there = field_of(branch.find("A"), "stdout");
  BOOST_REQUIRE(here != nullptr);
  BOOST_TEST(here == there);
  BOOST_TEST(to_text(*here) == "one\n");
  BOOST_TEST(to_text(*branch.find("output")) == "one");
}

BOOST_AUTO_TEST_CASE(what_a_branch_records_is_merged_whether_or_not_it_was_read) {
  variables.record("A", "", outcome("one"));
  Variables branch = variables.fork();
  branch.record("B", "named", outcome("two"));
  variables.merge(branch, [](const std::string& name) { BOOST_TEST(name == "named"); });
  BOOST_TEST(text("B") == "two");
  BOOST_TEST(text("named") == "two");
  BOOST_TEST(text("output") == "one");
}

BOOST_AUTO_TEST_SUITE_END()
