// Tools of other servers as steps of workflows (mcp_servers), with a server in Python.
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(mcp_servers_test)

using namespace wtool::test;

namespace {

const std::string script = WTOOL_TEST_SOURCE_DIR "/tests/data/servers/scripted.py";

boost::test_tools::assertion_result has_python(boost::unit_test::test_unit_id) {
  return std::filesystem::exists("/usr/bin/python3");
}

struct Servers : Place {
  // Configures the server `s`, with these additional keys.
  void configure(const std::string& more = "", const std::string& protocol = "session",
                 const std::string& sections = "") const {
    scratch.file("wtool.yaml", "mcp_servers:\n  s:\n    command: /usr/bin/python3 " + script + " " + protocol + "\n" +
                                   more + sections);
  }
  Finished wtool(std::vector<std::string> words, ProgramOptions options = {}) const {
    const ProgramOptions usual = here();
    options.directory = usual.directory;
    options.set.insert(usual.set.begin(), usual.set.end());
    words.insert(words.begin(), wtool_path);
    return run(words, options);
  }
  void pin() const {
    const Finished finished = wtool({"servers", "lock"});
    BOOST_REQUIRE_MESSAGE(finished.exit_code == 0, finished.err);
  }
  // A workflow of the state A, which does the action, and B, which logs.
  std::string steps(const std::string& action, const std::string& log = "${A}") const {
    return workflow("[*] --> A\nA --> B: always\nB --> [*]\n", "- A: " + action + "\n- B: Log \"" + log + "\"\n");
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(mcp_servers, *boost::unit_test::precondition(has_python))

BOOST_FIXTURE_TEST_CASE(a_step_calls_a_tool_of_a_server_of_either_protocol, Servers) {
  for (const char* protocol : {"session", "modern"}) {
    BOOST_TEST_CONTEXT(protocol) {
      configure("", protocol);
      const Finished locked = wtool({"servers", "lock"});
      BOOST_TEST(locked.exit_code == 0, locked.err);
      BOOST_TEST(holds(locked.out, "s: scripted 1.0, "), locked.out);
      BOOST_TEST(holds(locked.out, ", 13 tools\n"), locked.out);
      const Finished finished = run_workflow(steps("Call tool \"s/say\" with {\"text\": \"it's \\\"here\\\"\"}"));
      BOOST_TEST(finished.exit_code == 0, finished.err);
      BOOST_TEST(holds(finished.err, "it's \"here\""), finished.err);
      std::filesystem::remove_all(scratch.path() + "/.wtool");
    }
  }
}

BOOST_FIXTURE_TEST_CASE(without_servers_there_is_nothing_to_pin, Servers) {
  for (const char* command : {"lock", "list"}) {
    const Finished finished = wtool({"servers", command});
    BOOST_TEST(finished.exit_code == 0, finished.err);
    BOOST_TEST(finished.out == "The configuration has no servers (mcp_servers).\n");
  }
}

BOOST_FIXTURE_TEST_CASE(a_command_with_a_comment_or_a_pipeline_is_a_server_too, Servers) {
  const std::string start = "/usr/bin/python3 " + script + " session";
  for (const std::string& command : {start + " # a note", "cat | " + start, "cd .wtool && " + start}) {
    BOOST_TEST_CONTEXT(command) {
      scratch.file("wtool.yaml", "mcp_servers:\n  s:\n    command: " + Json(command).dump() + "\n");
      pin();
      const Finished finished = run_workflow(steps("Call tool \"s/say\" with {\"text\": \"here\"}"));
      BOOST_TEST(finished.exit_code == 0, finished.err);
      BOOST_TEST(holds(finished.err, "here"), finished.err);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(fields_of_a_structured_answer_can_be_read, Servers) {
  configure("    env: {WHO: me}\n");
  pin();
  const Finished finished = run_workflow(
      steps("Call tool \"s/count\" with n=4 output={\"n\": \"integer\"}", "${A.n} ${A.json.who} ${A.metadata.server}"));
  BOOST_TEST(finished.exit_code == 0, finished.err);
  BOOST_TEST(holds(finished.err, "5 me s"), finished.err);
}

BOOST_FIXTURE_TEST_CASE(what_a_server_says_went_wrong_is_the_failure_of_the_step, Servers) {
  configure();
  pin();
  const Finished failed = run_workflow(steps("Call tool \"s/fail\"", "${A.error}: ${A.message}"));
  BOOST_TEST(holds(failed.err, "tool_error: it did not work"), failed.err);
  const Finished dead = run_workflow(steps("Call tool \"s/die\"", "${A.error}: ${A.message} ${A.stderr}"));
  BOOST_TEST(
      holds(dead.err, "server_ended: the server s ended before it answered tools/call (exit code 3) the disk is gone"),
      dead.err);
}

BOOST_FIXTURE_TEST_CASE(requests_of_a_server_are_answered_and_noise_is_not_an_answer, Servers) {
  configure();
  pin();
  const Finished asked = run_workflow(steps("Call tool \"s/ask\""));
  BOOST_TEST(holds(asked.err, "\"id\": \"q1\", \"jsonrpc\": \"2.0\", \"result\": {}"), asked.err);
  BOOST_TEST(holds(asked.err, "\"code\": -32601"), asked.err);
  const Finished noisy = run_workflow(steps("Call tool \"s/noise\""));
  BOOST_TEST(noisy.exit_code == 0, noisy.err);
  BOOST_TEST(holds(noisy.err, "heard"), noisy.err);
  BOOST_TEST(holds(noisy.err, "from the log"), noisy.err);
}

BOOST_FIXTURE_TEST_CASE(a_server_that_does_not_answer_is_named_with_what_it_wrote, Servers) {
  configure("    timeout: 2\n");
  pin();
  const Finished mute = run_workflow(steps("Call tool \"s/mute\"", "${A.error}: ${A.message}"));
  BOOST_TEST(
      holds(mute.err,
            "timed_out: the server s has not answered tools/call; it last wrote a line that is not a message of MCP: "
            "no message (timeout: 2 s)"),
      mute.err);
}

BOOST_FIXTURE_TEST_CASE(why_a_server_refuses_to_begin_is_reported, Servers) {
  configure("", "closed");
  const Finished locked = wtool({"servers", "lock"});
  BOOST_TEST(locked.exit_code != 0);
  BOOST_TEST(holds(locked.err, "the server refuses initialize (not today) and server/discover: there is no method"),
             locked.err);
}

BOOST_FIXTURE_TEST_CASE(parts_of_an_answer_that_are_not_text_are_named, Servers) {
  configure();
  pin();
  const Finished mixed = run_workflow(steps("Call tool \"s/mixed\"", "${A} ${A.metadata.left_out}"));
  BOOST_TEST(mixed.exit_code == 0, mixed.err);
  BOOST_TEST(holds(mixed.err, "outside [\"image image/png\",\"resource_link file:///b\"]"), mixed.err);
  BOOST_TEST(holds(mixed.err, "inside"), mixed.err);
  BOOST_TEST(holds(mixed.err, "left out of the answer, because it is not text: image image/png"), mixed.err);
}

BOOST_FIXTURE_TEST_CASE(a_secret_of_the_configuration_of_a_server_is_masked, Servers) {
  configure("    env: {API_TOKEN: hunter2hunter2, WHO: hunter2hunter2}\n");
  pin();
  const Finished finished = run_workflow(steps("Call tool \"s/count\" with n=4"));
  BOOST_TEST(finished.exit_code == 0, finished.err);
  BOOST_TEST(!holds(finished.out + finished.err, "hunter2"), finished.err);
}

BOOST_FIXTURE_TEST_CASE(lint_warns_about_a_tool_that_is_refused, Servers) {
  configure("    tools: [count]\n");
  pin();
  const Finished by_list = wtool({"lint", steps("Call tool \"s/say\" with {\"text\": \"a\"}")});
  BOOST_TEST(holds(by_list.out, "the call of this tool is refused: mcp_servers.s.tools does not allow the tool say"),
             by_list.out);
  configure("", "session", "commands: {deny: [python3]}\n");
  const Finished by_rule = wtool({"lint", steps("Call tool \"s/say\" with {\"text\": \"a\"}")});
  BOOST_TEST(holds(by_rule.out, "the call of this tool is refused: "), by_rule.out);
}

BOOST_FIXTURE_TEST_CASE(an_answer_without_a_result_is_a_failure, Servers) {
  configure();
  pin();
  const Finished failed = run_workflow(steps("Call tool \"s/empty\"", "${A.error}: ${A.message}"));
  BOOST_TEST(holds(failed.err, "server_failed: server s: the server's answer has no content"), failed.err);
}

BOOST_FIXTURE_TEST_CASE(a_server_that_reads_nothing_is_ended, Servers) {
  configure("    timeout: 100\n");
  pin();
  const Finished answered = run_workflow(steps("Call tool \"s/unread\""));
  BOOST_TEST(answered.exit_code == 0, answered.err);
  BOOST_TEST(holds(answered.err, "done"), answered.err);
  const Finished asked = run_workflow(steps("Call tool \"s/deaf\"", "${A.error}: ${A.message}"));
  BOOST_TEST(
      holds(asked.err, "server_failed: server s: the server keeps sending requests, but reads none of the answers"),
      asked.err);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_changed_environment_of_a_server_makes_its_step_run, Servers) {
  configure("    env: {WHO: staging}\n");
  pin();
  const std::string file_ = steps("Call tool \"s/count\" with n=4 cache=true", "${A.json.who}");
  BOOST_TEST(holds(run_workflow(file_).err, "staging"));
  configure("    env: {WHO: production}\n");
  const Finished again = run_workflow(file_);
  BOOST_TEST(holds(again.err, "production"), again.err);
  BOOST_TEST(!holds(again.err, "up to date A"), again.err);
}

BOOST_FIXTURE_TEST_CASE(a_lock_file_that_cannot_be_read_is_kept_when_one_server_is_locked, Servers) {
  configure();
  pin();
  const std::string kept = file(".wtool/mcp-servers.json") + "<<<<<<< HEAD\n";
  scratch.file(".wtool/mcp-servers.json", kept);
  const Finished refused = wtool({"servers", "lock", "s"});
  BOOST_TEST(refused.exit_code == 2, refused.err);
  BOOST_TEST(file(".wtool/mcp-servers.json") == kept);
  BOOST_TEST(wtool({"servers", "lock"}).exit_code == 0);
}

BOOST_FIXTURE_TEST_CASE(a_server_that_does_not_end_is_ended_and_its_answer_counts, Servers) {
  configure();
  pin();
  const Finished finished = run_workflow(steps("Call tool \"s/linger\""));
  BOOST_TEST(finished.exit_code == 0, finished.err);
  BOOST_TEST(holds(finished.err, "done"), finished.err);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_timeout_ends_the_server_with_all_that_it_has_started, Servers) {
  configure();
  pin();
  // The time limit counts for the server's start, too, so it is one that a busy machine keeps.
  configure("    timeout: 5\n");
  const Finished finished = run_workflow(steps("Call tool \"s/wait\"", "${A.error} ${A.exit_code} [${A}]"));
  BOOST_TEST(holds(finished.err, "timed_out 124 []"), finished.err);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_total_timeout_of_the_step_ends_the_server, Servers) {
  configure();
  pin();
  const Finished finished = run_workflow(steps("Call tool \"s/wait\" total_timeout=1", "over"));
  BOOST_TEST(holds(finished.err, "over"), finished.err);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_server_of_another_version_is_not_called, Servers) {
  configure();
  pin();
  configure("    env: {VERSION: \"2.0\"}\n");
  const std::string file_ = steps("Call tool \"s/say\" with text=\"hi\"", "${A.error}: ${A.message}");
  const Finished finished = run_workflow(file_);
  BOOST_TEST(holds(finished.err,
                   "server_changed: server s: the server is scripted 2.0, but the pinned server is scripted 1.0"),
             finished.err);
  BOOST_TEST(!holds(file("heard.log"), "tools/call"));
  pin();
  BOOST_TEST(run_workflow(file_).exit_code == 0);
  BOOST_TEST(holds(file("heard.log"), "tools/call"));
}

BOOST_FIXTURE_TEST_CASE(lint_knows_the_tools_by_what_is_pinned, Servers) {
  configure();
  const std::string file_ = steps("Call tool \"s/say\" with txt=\"hi\"");
  const Finished before = wtool({"lint", file_});
  BOOST_TEST(before.exit_code == 2);
  BOOST_TEST(holds(before.out + before.err, "the tools of the server s are not pinned"), before.out + before.err);
  pin();
  const Finished after = wtool({"lint", file_});
  BOOST_TEST(after.exit_code == 2);
  BOOST_TEST(holds(after.out + after.err, "txt"), after.out + after.err);
  for (const auto& [tool, what] : std::vector<std::pair<std::string, std::string>>{{"s/sya", "did you mean 's/say'?"},
                                                                                   {"t/say", "there is no server t"}}) {
    const Finished other = wtool({"lint", steps("Call tool \"" + tool + "\" with text=\"hi\"")});
    BOOST_TEST(other.exit_code == 2);
    BOOST_TEST(holds(other.out + other.err, what), other.out + other.err);
  }
  BOOST_TEST(wtool({"lint", steps("Call tool \"s/say\" with text=\"hi\"")}).exit_code == 0);
}

BOOST_FIXTURE_TEST_CASE(a_server_that_has_not_changed_is_pinned_as_before, Servers) {
  configure();
  pin();
  const Finished again = wtool({"servers", "lock"});
  BOOST_TEST(holds(again.out, ", as before\n"), again.out);
  BOOST_TEST(!holds(again.out, "~"), again.out);
}

BOOST_FIXTURE_TEST_CASE(a_silent_server_is_named_and_ctrl_c_keeps_what_the_others_answered, Servers) {
  configure("", "session", "  silent: {command: \"touch waits; sleep 1000\"}\n  t: {command: \"exit 3\"}\n");
  Program locking({wtool_path, "servers", "lock"}, Program::On::pipes, here());
  BOOST_REQUIRE(wait_until([&] { return std::filesystem::exists(scratch.path() + "/waits"); }, within(10'000)));
  locking.kill(SIGINT);
  const Finished ended = locking.wait();
  BOOST_TEST(ended.exit_code == 130);
  BOOST_TEST(holds(ended.err, "asking the server silent for its tools\n"), ended.err);
  BOOST_TEST(holds(ended.err, "interrupted before the server silent answered\n"), ended.err);
  BOOST_TEST(holds(ended.err, "the answers of the other servers are saved in .wtool/mcp-servers.json"), ended.err);
  BOOST_TEST(!holds(ended.err, "server t"), ended.err);
  BOOST_TEST(holds(file(".wtool/mcp-servers.json"), "\"scripted\""));
}

BOOST_FIXTURE_TEST_CASE(lint_names_a_tool_whose_schema_cannot_be_read_and_a_run_calls_it, Servers) {
  configure("    env: {SCHEMA: '{\"type\": \"objekt\"}'}\n");
  pin();
  const std::string file_ = steps("Call tool \"s/say\" with text=\"hi\"");
  const Finished linted = wtool({"lint", file_});
  BOOST_TEST(linted.exit_code == 0);
  BOOST_TEST(holds(linted.out + linted.err,
                   "the arguments of the tool s/say are not checked, because its schema cannot be read: #/type is "
                   "\"objekt\", which is not a type"),
             linted.out + linted.err);
  BOOST_TEST(run_workflow(file_).exit_code == 0);
  BOOST_TEST(holds(wtool({"servers", "lock"}).out, ", as before\n"));
}

BOOST_FIXTURE_TEST_CASE(a_tool_that_is_not_listed_is_refused_and_the_plan_says_so, Servers) {
  configure("    tools: [count, \"f*\"]\n");
  pin();
  const std::string file_ = workflow("[*] --> A\nA --> [*]\n", "- A: Call tool \"s/say\" with text=\"hi\"\n");
  const Finished planned = wtool({"plan", file_});
  BOOST_TEST(planned.exit_code == 3, planned.out);
  BOOST_TEST(holds(planned.out, "mcp_servers.s.tools does not allow the tool say"), planned.out);
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 3, finished.err);
  BOOST_TEST(!holds(file("heard.log"), "tools/call"));
  const Finished listed = wtool({"servers", "list"});
  BOOST_TEST(holds(listed.out, "s/count"), listed.out);
  BOOST_TEST(holds(listed.out, "s/fail"), listed.out);
  BOOST_TEST(!holds(listed.out, "s/say"), listed.out);
}

BOOST_FIXTURE_TEST_CASE(the_policy_judges_the_command_of_a_server, Servers) {
  configure();
  pin();
  configure("", "session", "commands: {deny: [python3]}\n");
  const std::string file_ = workflow("[*] --> A\nA --> [*]\n", "- A: Call tool \"s/say\" with text=\"hi\"\n");
  BOOST_TEST(wtool({"plan", file_}).exit_code == 3);
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 3, finished.err);
  BOOST_TEST(holds(finished.err, "python3"), finished.err);
}

BOOST_FIXTURE_TEST_CASE(secrets_reach_a_server_and_are_masked, Servers) {
  configure();
  pin();
  const std::string file_ = scratch.file(
      "w.md",
      "---\nparameters:\n  - {name: token, secret: true, required: true}\n---\n```mermaid\nstateDiagram-v2\n"
      "[*] --> A\nA --> B\nB --> [*]\n```\n## Actions\n- A: Call tool \"s/say\" with text=\"${token}\"\n- B: Log "
      "\"${A}\"\n");
  ProgramOptions options;
  options.set["SESAME"] = "open sesame";
  const Finished finished = wtool({"run", file_, "--var-env", "token=SESAME"}, options);
  BOOST_TEST(finished.exit_code == 0, finished.err);
  BOOST_TEST(!holds(finished.out + finished.err, "sesame"), finished.err);
  BOOST_TEST(holds(file("heard.log"), "open sesame"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path() + "/.wtool")) {
    if (entry.is_regular_file()) BOOST_TEST(!holds(content_of(entry.path()), "sesame"), entry.path());
  }
}

BOOST_FIXTURE_TEST_CASE(a_call_that_is_up_to_date_starts_no_server, Servers) {
  configure();
  pin();
  const std::string file_ = steps("Call tool \"s/count\" with n=4 cache=true");
  ProgramOptions options;
  options.set["XDG_CACHE_HOME"] = scratch.path() + "/cache";
  BOOST_TEST(wtool({"run", file_}, options).exit_code == 0);
  const std::string heard = file("heard.log");
  const Finished again = wtool({"run", file_}, options);
  BOOST_TEST(holds(again.err, "up to date"), again.err);
  BOOST_TEST(file("heard.log") == heard);
}

BOOST_FIXTURE_TEST_CASE(a_mistake_in_the_configuration_is_an_error_with_its_place, Servers) {
  for (const auto& [text, what] : std::vector<std::pair<std::string, std::string>>{
           {"mcp_servers: [a]\n", "1:14: mcp_servers must be a mapping of names to servers"},
           {"mcp_servers:\n  s: {}\n", "2:6: mcp_servers.s has no command"},
           {"mcp_servers:\n  a/b: {command: x}\n", "mcp_servers.a/b is not a valid name of a server"},
           {"mcp_servers:\n  s: {command: x, tool: [a]}\n", "did you mean 'mcp_servers.s.tools'?"},
           {"mcp_servers:\n  s: {command: x, sandbox: none}\n", "mcp_servers.s.sandbox must be read-only"},
           {"mcp_servers:\n  s: {command: x, env: {1A: b}}\n",
            "mcp_servers.s.env.1A is not a valid name of a variable"},
           {"mcp_servers:\n  s: {command: x, timeout: 0}\n", "mcp_servers.s.timeout must be a whole number"}}) {
    scratch.file("wtool.yaml", text);
    const Finished finished = wtool({"servers", "list"});
    BOOST_TEST(finished.exit_code == 2);
    BOOST_TEST(holds(finished.err, what), finished.err);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
