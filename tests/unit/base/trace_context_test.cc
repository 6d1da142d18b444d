#include "base/trace_context.h"

#include <boost/test/unit_test.hpp>
#include <cstdlib>

namespace trace_context_test {

using namespace wtool;

namespace {

const std::string trace = "0af7651916cd43dd8448eb211c80319c";
const std::string parent = "b7ad6b7169203331";
const std::string given = "00-" + trace + "-" + parent + "-01";

}  // namespace

BOOST_AUTO_TEST_SUITE(trace_context)

BOOST_AUTO_TEST_CASE(a_traceparent_is_known_by_its_form) {
  BOOST_TEST(is_traceparent(given));
  BOOST_TEST(is_traceparent("01-" + trace + "-" + parent + "-01-more"));
  for (const std::string& wrong :
       {std::string(), given + "-x", given.substr(1), "ff" + given.substr(2),
        "00-" + std::string(32, '0') + "-" + parent + "-01", "00-" + trace + "-" + std::string(16, '0') + "-01",
        "00-" + trace + "-" + parent + "-0g", "00-0AF7651916cd43dd8448eb211c80319c-" + parent + "-01",
        "00_" + trace + "-" + parent + "-01", "01-" + trace + "-" + parent + "-01more", given + "\n"}) {
    BOOST_TEST(!is_traceparent(wrong), wrong);
    BOOST_TEST(child_of_trace(wrong) == "");
  }
}

BOOST_AUTO_TEST_CASE(a_child_has_the_trace_and_the_flags_and_a_parent_of_its_own) {
  const std::string child = child_of_trace("cc-" + trace + "-" + parent + "-03-later");
  BOOST_TEST(is_traceparent(child));
  BOOST_TEST(child.starts_with("00-" + trace + "-"));
  BOOST_TEST(child.ends_with("-03"));
  BOOST_TEST(child.find(parent) == std::string::npos);
  BOOST_TEST(child != child_of_trace(given));
}

BOOST_AUTO_TEST_CASE(a_process_takes_only_a_traceparent_from_its_own_variable) {
  ::setenv("TRACEPARENT", given.c_str(), 1);
  BOOST_TEST(trace_of_process() == given);
  ::setenv("TRACEPARENT", "mine", 1);
  BOOST_TEST(trace_of_process() == "");
  ::unsetenv("TRACEPARENT");
  BOOST_TEST(trace_of_process() == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace trace_context_test
