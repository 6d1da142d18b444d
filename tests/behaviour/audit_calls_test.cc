// What the audit trail records about calls: a start before anything runs, an end that says how the command ended,
// refusals, and approvals. A call that cannot be recorded is not made.
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "support/asking_host.h"
#include "support/sandboxed.h"

BOOST_AUTO_TEST_SUITE(audit_calls_test)

using namespace wtool::test;

namespace {

struct Recorded {
  AskingHost host;
  Plugin plugin{host.get()};
  ScratchFolder scratch;
  ScratchFolder place;
  const std::string file = scratch.path() + "/audit.jsonl";

  Json config(const Json& audit = Json::object(), const Json& commands = nullptr) const {
    Json section{{"file", file}};
    section.update(audit);
    Json all{{"audit", section}};
    if (!commands.is_null()) all["commands"] = commands;
    return all;
  }

  Answer run(const Json& config, const std::string& command, const Json& more = Json::object()) {
    Json arguments{{"command", command}, {"working_directory", place.path()}};
    arguments.update(more);
    return ToolUnderTest(plugin, config).run(arguments, {.call_id = "c7"});
  }

  std::vector<Json> lines() const {
    std::vector<Json> all;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) all.push_back(Json::parse(line));
    return all;
  }

  bool exists(const std::string& name) const { return std::filesystem::exists(place.path() + '/' + name); }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(audit_calls, Recorded)

BOOST_AUTO_TEST_CASE(a_call_is_a_start_and_an_end_with_its_outcome) {
  run(config(), "echo abc; exit 3", {{"environment", {{"MY_TOKEN", "s3cret-value-1"}}}});
  const auto all = lines();
  BOOST_REQUIRE(all.size() == 2U);
  BOOST_TEST(all[0].at("event") == "start");
  BOOST_TEST(all[0].at("call") == "c7");
  BOOST_TEST(all[0].at("tool") == "shell_execute");
  BOOST_TEST(all[0].at("command") == "echo abc; exit 3");
  BOOST_TEST(all[0].at("directory") == place.path());
  BOOST_TEST(all[0].at("verdict") == "allow");
  BOOST_TEST(all[0].at("environment_names") == (Json{"MY_TOKEN"}));
  BOOST_TEST(all[1].at("event") == "end");
  BOOST_TEST(all[1].at("exit_code") == 3);
  BOOST_TEST(all[1].at("stdout_bytes") == 4);
  BOOST_TEST(!all[1].contains("stdout"));
  BOOST_TEST(all[1].at("resources").at("processes") >= 1);
  BOOST_TEST(Sandboxed::content(file).find("s3cret") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(every_ending_is_reported) {
  run(config(), "kill -KILL $$");
  run(config(), "sleep 60", {{"timeout", 1}});
  run(config(), "no-such-program-here");
  Json limited = config();
  limited["limits"]["cpu_seconds"] = 1;
  run(limited, "while :; do :; done");
  const auto all = lines();
  BOOST_REQUIRE(all.size() == 8U);
  BOOST_TEST(all[1].at("signal") == "SIGKILL");
  BOOST_TEST(all[3].at("how") == "timed out");
  BOOST_TEST(all[5].at("how").get<std::string>().find("did not start") == 0U);
  BOOST_TEST(all[7].at("how") == "passed limits.cpu_seconds");
}

BOOST_AUTO_TEST_CASE(secrets_are_masked_in_commands_and_in_captured_output) {
  const Json captured = config({{"output", "captured"}});
  run(captured, "echo $API_TOKEN; echo --password=hunter2hunter2",
      {{"environment", {{"API_TOKEN", "tok-abcdef-123"}}}});
  const std::string text = Sandboxed::content(file);
  BOOST_TEST(text.find("hunter2hunter2") == std::string::npos);
  BOOST_TEST(text.find("tok-abcdef-123") == std::string::npos);
  BOOST_TEST(lines().at(1).contains("stdout"));
}

BOOST_AUTO_TEST_CASE(what_a_command_marks_as_secret_is_masked_everywhere) {
  const Json captured = config({{"output", "captured"}});
  const Json refusing = config({{"output", "captured"}}, {{"allow", {"ls"}}, {"arguments", "safe"}});
  for (const std::string command :
       {"echo 'password: S3cretPw99'; echo S3cretPw99", "echo -a S3cretPw99 | sh -c 'true redis-cli -a S3cretPw99'",
        "echo \"bob:S3cretPw99\" | true chpasswd", "true --pass\"\"word=S3cretPw99; echo S3cretPw99 >&2",
        "ls --password S3cretPw99", "ls --password=S3cretPw99 S3cretPw99", "curl -su u:S3cretPw99 x"}) {
    for (const Json& rules : {captured, refusing}) {
      const Answer answer = run(rules, command);
      BOOST_TEST(answer.result.at("metadata").at("command") == command);
    }
  }
  const std::string text = Sandboxed::content(file);
  BOOST_TEST(text.find("S3cretPw99") == std::string::npos, text);
  BOOST_TEST(lines().size() >= 14U);
}

BOOST_AUTO_TEST_CASE(refusals_and_approvals_are_on_record_with_their_rule) {
  const Json rules = config(Json::object(), {{"allow", {"touch", "echo"}}, {"ask", {"touch"}}});
  run(rules, "rm x");
  host.answer = WTOOL_APPROVAL_NO;
  run(rules, "touch a");
  host.answer = WTOOL_APPROVAL_YES;
  run(rules, "touch b");
  run(rules, "echo a", {{"working_directory", "/no/such/place"}});
  const auto all = lines();
  BOOST_REQUIRE(all.size() == 7U);
  BOOST_TEST(all[0].at("event") == "refusal");
  BOOST_TEST(all[0].at("code") == "policy_denied");
  BOOST_TEST(all[0].at("rule") == "commands.allow");
  BOOST_TEST(all[1].at("event") == "approval");
  BOOST_TEST(all[1].at("answer") == "no");
  BOOST_TEST(all[2].at("code") == "approval_denied");
  BOOST_TEST(all[3].at("answer") == "yes");
  BOOST_TEST(all[3].at("fingerprint").get<std::string>().size() == 64U);
  BOOST_TEST(all[4].at("verdict") == "ask");
  BOOST_TEST(all[5].at("exit_code") == 0);
  BOOST_TEST(all[6].at("code") == "working_directory_invalid");
}

BOOST_AUTO_TEST_CASE(a_call_that_cannot_be_put_on_record_does_not_run_unless_configured) {
  std::filesystem::create_directories(file);  // A folder in the file's place.
  const Answer answer = run(config(), "touch a");
  BOOST_TEST(answer.code() == "policy_denied");
  BOOST_TEST(answer.text().find(file) != std::string::npos);
  BOOST_TEST(!exists("a"));
  BOOST_TEST(!run(config({{"when_unwritable", "continue"}}), "touch a").is_error());
  BOOST_TEST(exists("a"));
}

BOOST_AUTO_TEST_CASE(an_end_that_cannot_be_recorded_is_reported_in_the_result) {
  const Answer answer = run(config(), "rm " + file + " && mkdir " + file);
  BOOST_TEST(!answer.is_error());
  BOOST_TEST(answer.metadata().at("audit_error").get<std::string>().find(file) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(explaining_leaves_no_line) {
  const ToolUnderTest tool(plugin, config());
  BOOST_TEST(tool.explain({{"command", "true"}}).at("verdict") == "allow");
  BOOST_TEST(!std::filesystem::exists(file));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
