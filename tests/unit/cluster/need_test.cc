#include "cluster/need.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

using namespace wtool::cluster;
using nlohmann::json;
using std::chrono::milliseconds;

BOOST_AUTO_TEST_SUITE(cluster_need)

BOOST_AUTO_TEST_CASE(a_timeout_that_the_caller_names_is_needed_exactly) {
  const Need usual{milliseconds(300'000)};
  BOOST_TEST((need_of(R"({"command": "x", "timeout": 20})", usual) == Need{milliseconds(20'000), true}));
  BOOST_TEST((need_of(R"({"command": "x", "timeout": 0.5})", usual) == Need{milliseconds(500), true}));
}

BOOST_AUTO_TEST_CASE(what_is_no_timeout_is_left_to_the_tool) {
  const Need usual{milliseconds(300'000)};
  for (const char* arguments : {R"({"command": "x"})", R"({"command": "\"timeout\": 5"})", R"({"timeout": "5"})",
                                R"({"timeout": -1})", R"(["timeout"])", R"({"timeout)", ""}) {
    BOOST_TEST((need_of(arguments, usual) == usual), arguments);
  }
}

BOOST_AUTO_TEST_CASE(the_configuration_says_what_a_call_without_a_timeout_needs) {
  BOOST_TEST((usual_need(json::object()) == Need{milliseconds(300'000)}));
  BOOST_TEST((usual_need({{"limits", {{"timeout_default", 20}}}}) == Need{milliseconds(20'000)}));
  BOOST_TEST((usual_need({{"limits", {{"timeout_max", 10}}}}) == Need{milliseconds(10'000)}));
  BOOST_TEST((usual_need({{"limits", {{"timeout_max", "none"}}}}) == Need{milliseconds(300'000)}));
}

BOOST_AUTO_TEST_SUITE_END()
