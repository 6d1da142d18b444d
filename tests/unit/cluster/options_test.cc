#include "cluster/options.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "cluster/submission.h"

using namespace wtool::cluster;
using nlohmann::json;

namespace {

std::string problem_of(const json& section) {
  std::string error;
  return read_options(section, "/work", error) ? "" : error;
}

std::string line_of(const json& section, const std::string& ticket = "/shared/pilots-1/ticket") {
  std::string error;
  const auto options = read_options(section, "/work", error);
  BOOST_REQUIRE_MESSAGE(options.has_value(), error);
  return submission(*options, "wtool-1", "/opt/wtool", ticket, "/work");
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(cluster_options)

BOOST_AUTO_TEST_CASE(a_value_that_is_not_meant_is_named) {
  BOOST_TEST(has(problem_of({{"slots", 0}}), "cluster.slots must be a whole number from 1 to 1024, and is 0"));
  BOOST_TEST(has(problem_of({{"slots", 1.5}}), "cluster.slots"));
  BOOST_TEST(has(problem_of({{"partition", "-x"}}), "cluster.partition"));
  BOOST_TEST(has(problem_of({{"memory", "much"}}), "cluster.memory"));
  BOOST_TEST(has(problem_of({{"extra", "script.sh"}}), "cluster.extra"));
  BOOST_TEST(has(problem_of({{"slot", 1}}), "unknown key cluster.slot"));
  BOOST_TEST(has(problem_of(json::array()), "must be an object"));
}

BOOST_AUTO_TEST_CASE(every_character_stays_one_word_of_the_shell) {
  BOOST_TEST(shell_word("a b") == "'a b'");
  BOOST_TEST(shell_word("it's\n$(x)") == "'it'\\''s\n$(x)'");
}

BOOST_AUTO_TEST_CASE(a_percent_sign_in_the_folder_is_not_replaced_by_slurm) {
  BOOST_TEST(has(line_of(json::object(), "/shared/50%job/ticket"), "'--output=/shared/50%%job/pilot-%j.log'"));
}

BOOST_AUTO_TEST_CASE(memory_is_asked_for_all_slots) {
  BOOST_TEST(has(line_of({{"slots", 3}, {"memory", "2G"}}), "'--mem=6G'"));
  BOOST_TEST(has(line_of({{"slots", 3}, {"memory", "100"}}), "'--mem=300M'"));
}

BOOST_AUTO_TEST_CASE(a_short_job_is_not_signalled_when_it_starts) {
  BOOST_TEST(has(line_of({{"time", 1}}), "--signal=B:TERM@15 "));
  BOOST_TEST(has(line_of({{"time", 60}}), "--signal=B:TERM@60 "));
}

BOOST_AUTO_TEST_CASE(the_name_of_jobs_is_one_that_slurm_and_a_shell_can_take) {
  BOOST_TEST(problem_of({{"job_name", "wtool-20261121-231502-3f9a"}}) == "");
  for (const char* bad : {"-x", "a b", "a,b", "a'b", "a%b"}) {
    BOOST_TEST(has(problem_of({{"job_name", bad}}), "cluster.job_name"), bad);
  }
  BOOST_TEST(has(problem_of({{"job_name", std::string(65, 'a')}}), "at most 64"));
}

BOOST_AUTO_TEST_CASE(an_explanation_says_what_slurm_would_be_asked_for) {
  std::string error;
  const auto options = read_options({{"slots", 3}, {"nodes", 2}, {"time", 5}, {"partition", "long"}}, "/work", error);
  BOOST_REQUIRE(options.has_value());
  const json explained = json::parse(with_submission(R"({"verdict": "allow"})", *options));
  BOOST_TEST(explained["verdict"] == "allow");
  BOOST_TEST(explained["cluster"]["slots"] == 3);
  BOOST_TEST(explained["cluster"]["nodes"] == 2);
  BOOST_TEST(explained["cluster"]["minutes"] == 5);
  const std::string line = explained["cluster"]["sbatch"];
  BOOST_TEST(has(line, "'--partition=long'"), line);
  BOOST_TEST(has(line, "--cpus-per-task=3"), line);
  BOOST_TEST(with_submission("no JSON", *options) == "no JSON");
}

BOOST_AUTO_TEST_SUITE_END()
