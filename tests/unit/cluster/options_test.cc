#include "cluster/options.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "cluster/submission.h"
#include "support/text.h"

using wtool::test::holds;

using namespace wtool::cluster;
using nlohmann::json;

namespace {

std::string problem_of(const json& section) {
  std::string error;
  return read_options(section, "/work", error) ? "" : error;
}

Options options_of(const json& section) {
  std::string error;
  const auto options = read_options(section, "/work", error);
  BOOST_REQUIRE_MESSAGE(options.has_value(), error);
  return *options;
}

std::string line_of(const json& section, const std::string& ticket = "/shared/pilots-1/ticket") {
  std::string error;
  const auto options = read_options(section, "/work", error);
  BOOST_REQUIRE_MESSAGE(options.has_value(), error);
  return submission(*options, "wtool-1", "slots:4 pool:1", "/opt/wtool", ticket, "/work");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cluster_options)

BOOST_AUTO_TEST_CASE(an_invalid_value_is_named) {
  BOOST_TEST(holds(problem_of({{"slots", 0}}), "cluster.slots must be a whole number from 1 to 1024, but is 0"));
  BOOST_TEST(holds(problem_of({{"slots", 1.5}}), "cluster.slots"));
  BOOST_TEST(holds(problem_of({{"partition", "-x"}}), "cluster.partition"));
  BOOST_TEST(holds(problem_of({{"memory", "much"}}), "cluster.memory"));
  BOOST_TEST(holds(problem_of({{"program", "sent"}}), "cluster.program must be installed or copy"));
  BOOST_TEST(holds(problem_of({{"extra", "script.sh"}}), "cluster.extra"));
  BOOST_TEST(holds(problem_of({{"memory", 4096}}), "cluster.memory must be a size such as 512M or 4G, but is 4096"));
  BOOST_TEST(holds(problem_of({{"address", "localhost"}}), "cluster.address must be a numeric address"));
  for (const char* bad :
       {"--test-only", "--test", "--wait", "--array=1-3", "--arr=1", "--exclusive --clusters=all", "--"}) {
    BOOST_TEST(holds(problem_of({{"extra", bad}}), "none of --array, --clusters, --test-only and --wait"), bad);
  }
  BOOST_TEST(problem_of({{"extra", "--exclusive --wait-all-nodes=1 --account=a --time-min=5"}}) == "");
  BOOST_TEST(holds(problem_of({{"slotz", 1}}), "unknown key cluster.slotz"));
  BOOST_TEST(holds(problem_of({{"auth", "none"}}), "cluster.auth must be auto, munge or key, but is \"none\""));
  BOOST_TEST(holds(problem_of({{"job_name", "a b"}}), "cluster.job_name"));
  BOOST_TEST(holds(problem_of(json::array()), "must be an object"));
}

BOOST_AUTO_TEST_CASE(a_percent_sign_in_the_folder_is_not_replaced_by_slurm) {
  BOOST_TEST(holds(line_of(json::object(), "/shared/50%job/ticket"), "'--output=/shared/50%%job/pilot-%j.log'"));
}

BOOST_AUTO_TEST_CASE(a_folder_whose_name_slurm_would_change_is_refused) {
  BOOST_TEST(holds(problem_of({{"directory", "/shared/a\\b"}}),
                   "the folder /shared/a\\b has a backslash in its path, which Slurm would drop"));
}

BOOST_AUTO_TEST_CASE(memory_is_asked_for_all_slots) {
  BOOST_TEST(holds(line_of({{"slots", 3}, {"memory", "2G"}}), "'--mem=6G'"));
  BOOST_TEST(holds(line_of({{"slots", 3}, {"memory", "100"}}), "'--mem=300M'"));
}

BOOST_AUTO_TEST_CASE(a_call_leaves_some_of_its_slots_memory_to_the_pilot) {
  const auto memory = [](const std::string& text) {
    std::string error;
    return call_memory(*read_options({{"memory", text}}, "/work", error));
  };
  std::string error;
  BOOST_TEST(call_memory(*read_options(nlohmann::json::object(), "/work", error)) == 0U);
  BOOST_TEST(memory("128M") == 112U << 20);
  BOOST_TEST(memory("0") == 0U);
  BOOST_TEST(memory("128") == 112U << 20);
  BOOST_TEST(memory("131072K") == 112U << 20);
  BOOST_TEST(memory("16G") == 15ULL << 30);
  BOOST_TEST(memory("1T") == 15ULL << 36);
  BOOST_TEST(memory("20M") == 10U << 20);
  BOOST_TEST(memory("1K") == 1U << 20);
}

// Slurm may send a signal up to 60 seconds early.
BOOST_AUTO_TEST_CASE(a_job_is_not_signalled_before_its_pilot_leaves) {
  for (const int minutes : {1, 4, 5, 60}) {
    const auto options = options_of({{"time", minutes}});
    const bool signalled = holds(line_of({{"time", minutes}}), "--signal=B:TERM@1");
    BOOST_TEST((!signalled || ending(options) >= std::chrono::seconds(61)));
    BOOST_TEST((longest_call(options) > std::chrono::seconds(30)));
    BOOST_TEST((longest_call(options) + ending(options) < std::chrono::minutes(minutes)));
  }
  BOOST_TEST(holds(line_of({{"time", 60}}), "--signal=B:TERM@1"));
}

BOOST_AUTO_TEST_CASE(the_keys_of_a_class_take_precedence_over_those_of_the_section) {
  const json section = {
      {"slots", 2},
      {"cpus", 1},
      {"partition", "main"},
      {"classes", {{"big", {{"cpus", 8}, {"memory", "16G"}, {"gres", "gpu:1"}}}, {"same", json::object()}}}};
  json big = section;
  big["slot"] = "big";
  const auto chosen = options_of(big), own = options_of(section);
  BOOST_TEST(chosen.cpus == 8);
  BOOST_TEST(chosen.slots == 2);
  BOOST_TEST(own.cpus == 1);
  BOOST_TEST(own.gres.empty());
  BOOST_TEST((chosen != own));
  const std::string line = line_of(big);
  BOOST_TEST(holds(line, "'--gres=gpu:1'"));
  BOOST_TEST(holds(line, "'--mem=32G'"));
  BOOST_TEST(holds(line, "'--partition=main'"));
  BOOST_TEST(holds(line, "--cpus-per-task=16"));
}

BOOST_AUTO_TEST_CASE(a_test_takes_one_slot_of_its_node_whatever_the_class_says) {
  const json section = {
      {"slots", 2},
      {"slot", "big"},
      {"classes", {{"big", {{"slots", 4}, {"nodes", 3}, {"wait", 1}, {"cpus", 2}, {"extra", "--nodelist=n9"}}}}},
      {"test_node", "n1"},
      {"test_wait", 7}};
  const auto options = options_of(section);
  BOOST_TEST(options.slots == 1);
  BOOST_TEST(options.nodes == 1);
  BOOST_TEST(options.wait.count() == 7);
  const std::string line = line_of(section);
  BOOST_TEST(holds(line, "--nodelist=n9' '--nodelist=n1'"), line);
  BOOST_TEST(holds(line, "--cpus-per-task=2"), line);
}

BOOST_AUTO_TEST_CASE(a_mistake_in_a_class_is_found_before_the_class_is_used) {
  const auto with = [](const json& classes, const json& slot = nullptr) {
    return problem_of({{"classes", classes}, {"slot", slot}});
  };
  BOOST_TEST(with({{"big", {{"cpus", 0}}}}) ==
             "cluster.classes.big.cpus must be a whole number from 1 to 1024, but is 0");
  BOOST_TEST(with({{"big", {{"cpu", 1}}}}) == "unknown key cluster.classes.big.cpu");
  BOOST_TEST(with({{"big", {{"address", "::1"}}}}) == "unknown key cluster.classes.big.address");
  BOOST_TEST(with({{"big", 1}}) == "cluster.classes.big must be a mapping of keys to values");
  BOOST_TEST(holds(with({{"", json::object()}}), "the name of a class"));
  BOOST_TEST(holds(with(json::array()), "cluster.classes must be a mapping"));
  BOOST_TEST(with({{"big", json::object()}}, "small") ==
             "cluster.slot must be one of cluster.classes (big), but is \"small\"");
  BOOST_TEST(with(nullptr, "big") ==
             "cluster.slot must be one of cluster.classes (there are no classes), but is \"big\"");
}

BOOST_AUTO_TEST_CASE(the_name_of_jobs_is_one_that_slurm_and_a_shell_can_take) {
  BOOST_TEST(problem_of({{"job_name", "wtool-20261121-231502-3f9a"}}) == "");
  for (const char* bad : {"-x", "a b", "a,b", "a'b", "a%b"}) {
    BOOST_TEST(holds(problem_of({{"job_name", bad}}), "cluster.job_name"), bad);
  }
  BOOST_TEST(holds(problem_of({{"job_name", std::string(65, 'a')}}), "at most 64"));
}

BOOST_AUTO_TEST_CASE(an_explanation_says_what_slurm_would_be_asked_for) {
  std::string error;
  const auto options = read_options({{"slots", 3}, {"nodes", 2}, {"time", 5}, {"partition", "long"}}, "/work", error);
  BOOST_REQUIRE(options.has_value());
  const json explained = json::parse(with_submission(R"({"verdict": "allow"})", *options, "key"));
  BOOST_TEST(explained["verdict"] == "allow");
  BOOST_TEST(explained["cluster"]["slots"] == 3);
  BOOST_TEST(explained["cluster"]["nodes"] == 2);
  BOOST_TEST(explained["cluster"]["minutes"] == 5);
  BOOST_TEST(explained["cluster"]["authentication"] == "key");
  const std::string line = explained["cluster"]["sbatch"];
  BOOST_TEST(holds(line, "'--partition=long'"), line);
  BOOST_TEST(holds(line, "--cpus-per-task=3"), line);
  BOOST_TEST(with_submission("no JSON", *options, "key") == "no JSON");
}

BOOST_AUTO_TEST_SUITE_END()
