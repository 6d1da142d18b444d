// configuration.h: every key has its rule, and what is not a key is an error.
#include "configuration.h"

#include <boost/test/unit_test.hpp>

namespace {

std::string problem(std::string_view json) {
  std::string error;
  wtool::parse_configuration(json, error);
  return error;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(configuration)

BOOST_AUTO_TEST_CASE(nothing_means_the_defaults) {
  std::string error;
  for (const char* json : {"", "{}", R"({"limits":{}})"}) {
    const auto configuration = wtool::parse_configuration(json, error);
    BOOST_REQUIRE(configuration);
    BOOST_TEST(configuration->shell == "/bin/sh");
    BOOST_TEST(configuration->timeout_default.count() == 300);
    BOOST_TEST(configuration->timeout_max.count() == 1800);
    BOOST_TEST(configuration->grace.count() == 2000);
    BOOST_TEST(configuration->output_bytes == 1024U * 1024U);
  }
}

BOOST_AUTO_TEST_CASE(values_are_taken) {
  std::string error;
  const auto configuration = wtool::parse_configuration(
      R"({"shell":{"program":"/bin/bash","direct_exec":false},
          "limits":{"timeout_max":10,"timeout_default":5,"grace_seconds":0.25},"output":{"bytes":4096}})",
      error);
  BOOST_REQUIRE(configuration);
  BOOST_TEST(configuration->shell == "/bin/bash");
  BOOST_TEST(!configuration->direct_exec);
  BOOST_TEST(configuration->timeout_max.count() == 10);
  BOOST_TEST(configuration->timeout_default.count() == 5);
  BOOST_TEST(configuration->grace.count() == 250);
  BOOST_TEST(configuration->output_bytes == 4096U);
}

BOOST_AUTO_TEST_CASE(limits_spill_and_sandbox_are_taken) {
  std::string error;
  const auto configuration = wtool::parse_configuration(
      R"({"limits":{"cpu_seconds":1,"memory_bytes":1048576,"processes":3,"open_files":16,"file_bytes":5},
          "output":{"spill":"always","directory":"/tmp/x","max_bytes":1048576},
          "sandbox":{"read":["/usr"],"write":["/tmp"],"protect":["a/b"],"network":"deny","required":true}})",
      error);
  BOOST_REQUIRE_MESSAGE(configuration, error);
  BOOST_TEST(configuration->limits.cpu_seconds == 1U);
  BOOST_TEST(configuration->limits.memory_bytes == 1048576U);
  BOOST_TEST(configuration->limits.processes == 3U);
  BOOST_TEST(configuration->limits.open_files == 16U);
  BOOST_TEST(configuration->limits.file_bytes == 5U);
  BOOST_TEST((configuration->spill.when == wtool::engine::SpillOptions::When::always));
  BOOST_TEST(configuration->spill.directory == "/tmp/x");
  BOOST_TEST(configuration->spill.max_bytes == 1048576U);
  BOOST_REQUIRE(configuration->sandbox);
  BOOST_TEST(configuration->sandbox->read == std::vector<std::string>{"/usr"}, boost::test_tools::per_element());
  BOOST_TEST(configuration->sandbox->write == std::vector<std::string>{"/tmp"}, boost::test_tools::per_element());
  BOOST_TEST(configuration->sandbox->protect == std::vector<std::string>{"a/b"}, boost::test_tools::per_element());
  BOOST_TEST(!configuration->sandbox->network);
  BOOST_TEST(configuration->sandbox->required);
}

BOOST_AUTO_TEST_CASE(an_empty_sandbox_section_is_a_sandbox_that_may_read_all_and_write_nothing) {
  std::string error;
  BOOST_TEST(!wtool::parse_configuration("{}", error)->sandbox);
  const auto configuration = wtool::parse_configuration(R"({"sandbox":{}})", error);
  BOOST_REQUIRE_MESSAGE(configuration, error);
  BOOST_REQUIRE(configuration->sandbox);
  BOOST_TEST(configuration->sandbox->read == std::vector<std::string>{"/"}, boost::test_tools::per_element());
  BOOST_TEST(configuration->sandbox->write.empty());
  BOOST_TEST(!configuration->sandbox->protect.empty());
  BOOST_TEST(configuration->sandbox->network);
  BOOST_TEST(!configuration->sandbox->required);
}

BOOST_AUTO_TEST_CASE(a_lower_maximum_lowers_the_default_too) {
  std::string error;
  const auto configuration = wtool::parse_configuration(R"({"limits":{"timeout_max":10}})", error);
  BOOST_REQUIRE(configuration);
  BOOST_TEST(configuration->timeout_default.count() == 10);
}

BOOST_AUTO_TEST_CASE(each_mistake_names_its_key) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {R"({"limit":{}})", "limit"},
      {R"({"limits":[]})", "limits"},
      {R"({"limits":{"timeout":1}})", "limits.timeout"},
      {R"({"limits":{"timeout_max":1801}})", "limits.timeout_max is 1801; allowed is a whole number from 1 to 1800"},
      {R"({"limits":{"memory_bytes":4096}})", "limits.memory_bytes is 4096; allowed is a whole number from 1048576 to"},
      {R"({"limits":{"processes":-1}})", "limits.processes is -1"},
      {R"({"output":{"spill":"maybe"}})", "output.spill is \"maybe\"; allowed is never, when_cut or always"},
      {R"({"output":{"spill":"always"}})", "output.spill needs output.directory"},
      {R"({"output":{"directory":"x"}})", "output.directory is \"x\"; allowed is an absolute path"},
      {R"({"sandbox":[]})", "sandbox is []"},
      {R"({"sandbox":{"write":["."]}})", "sandbox.write is [\".\"]; allowed is a list of absolute paths"},
      {R"({"sandbox":{"protect":["../x"]}})", "sandbox.protect is [\"../x\"]"},
      {R"({"sandbox":{"protect":"all"}})", "sandbox.protect is \"all\""},
      {R"({"sandbox":{"network":true}})", "sandbox.network is true; allowed is allow or deny"},
      {R"({"sandbox":{"nets":1}})", "there is no key sandbox.nets"},
      {R"({"limits":{"timeout_default":2.5}})", "limits.timeout_default is 2.5"},
      {R"({"limits":{"timeout_default":null}})", "limits.timeout_default is null"},
      {R"({"limits":{"timeout_max":5,"timeout_default":6}})", "limits.timeout_default is 6"},
      {R"({"limits":{"grace_seconds":-1}})", "limits.grace_seconds"},
      {R"({"shell":{"program":"sh"}})", "shell.program is \"sh\"; allowed is an absolute path"},
      {R"({"shell":{"direct_exec":1}})", "shell.direct_exec"},
      {R"({"output":{"bytes":1}})", "output.bytes"},
      {R"([])", "object"},
      {R"({"shell":{},"shell":{}})", "stands twice"},
  };
  for (const auto& [json, expected] : rows)
    BOOST_TEST(problem(json).find(expected) != std::string::npos, problem(json));
}

BOOST_AUTO_TEST_SUITE_END()
