// Approvals through the client of `wtool mcp`, in the protocol with sessions: a form that a person answers.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/mcp_client.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(mcp_approval_test)

using namespace wtool::test;
using Json = nlohmann::json;

namespace {

const Json with_forms{{"elicitation", Json::object()}};

// A client of a server that asks before it runs `touch`.
struct Asked {
  ScratchFolder folder;
  // Answers are not kept in the folder where commands run.
  ScratchFolder where_commands_run;
  McpClient client;
  Mark mark;

  explicit Asked(const Json& capabilities = with_forms, const std::string& version = "2025-11-25")
      : client({"--config", folder.file("c.yaml",
                                        "commands: {ask: [touch], approvals: keep/approvals.json}\n"
                                        "mcp: {approve_within: none, results: both}\n")},
               {.directory = where_commands_run.path(), .set = {}}, version) {
    client.initialize(capabilities);
  }
  std::string file() const { return folder.path() + "/made"; }
  bool made() const { return std::filesystem::exists(file()); }
  Json touch() { return client.call("touch " + file()); }
  void reply(const Json& question, const Json& result) {
    client.say({{"jsonrpc", "2.0"}, {"id", question.at("id")}, {"result", result}});
  }
  static Json form(const std::string& answer) { return {{"action", "accept"}, {"content", {{"answer", answer}}}}; }
};

// A client that shows no forms, so that a question of its server waits for `wtool approve`.
struct Unasked {
  struct Settings {
    std::string ask = "touch";
    std::string rules{};  // more keys of `commands`, each with a comma after it
    std::string mcp{};
    std::map<std::string, std::string> files{};  // in the folder of the server
    std::vector<std::string> options{};
  };
  ScratchFolder folder;
  McpClient client;

  explicit Unasked(Settings settings)
      : client(options(std::move(settings)),
               {.directory = folder.path(), .set = {{"XDG_RUNTIME_DIR", folder.path()}}}) {
    client.initialize();
  }
  Json touch(const Json& more = Json::object()) {
    return client.answer(client.call("touch " + folder.path() + "/made", more));
  }
  Json use(const std::string& tool, const Json& arguments = Json::object()) {
    return client.ask("tools/call", {{"name", tool}, {"arguments", arguments}});
  }
  static std::string text_of(const Json& answer) { return answer.at("result").at("content").at(0).at("text"); }

 private:
  std::vector<std::string> options(Settings settings) const {
    for (const auto& [name, content] : settings.files) folder.file(name, content);
    const std::string configuration = "commands: {" + settings.rules + "ask: [" + settings.ask +
                                      "], approvals: keep/approvals.json}\nmcp: {" + settings.mcp + "}\n";
    settings.options.insert(settings.options.end(), {"--config", folder.file("c.yaml", configuration)});
    return settings.options;
  }
};

std::string code_of(const Json& answer) {
  return answer.at("result").at("structuredContent").at("error").at("code").get<std::string>();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_person_is_asked_with_all_that_matters_and_yes_is_for_once) {
  for (const char* version : {"2025-06-18", "2025-11-25"}) {
    Asked asked(with_forms, version);
    for (int i = 0; i < 2; ++i) {
      const Json id = asked.touch();
      const Json question = asked.client.question();
      BOOST_TEST(question.at("method") == "elicitation/create");
      const std::string message = question.at("params").at("message");
      BOOST_TEST(holds(message, "touch"), message);
      BOOST_TEST(holds(message, "commands.ask"), message);
      const Json& schema = question["params"]["requestedSchema"];
      BOOST_TEST((schema.at("properties").at("answer").at("enum") == Json{"yes", "no", "always", "never"}));
      BOOST_TEST((schema.at("required") == Json{"answer"}));
      BOOST_TEST(!asked.made());
      asked.reply(question, Asked::form("yes"));
      BOOST_TEST(asked.client.answer(id).at("result").at("isError") == false);
      BOOST_TEST(asked.made());
      std::filesystem::remove(asked.file());
    }
  }
}

BOOST_AUTO_TEST_CASE(everything_but_a_yes_is_a_no) {
  Asked asked;
  for (const Json& result :
       {Asked::form("no"), Asked::form("YES"), Asked::form(""), Json{{"action", "decline"}}, Json{{"action", "cancel"}},
        Json{{"action", "accept"}}, Json{{"action", "accept"}, {"content", {{"answer", true}}}}, Json::object()}) {
    const Json id = asked.touch();
    asked.reply(asked.client.question(), result);
    BOOST_TEST(code_of(asked.client.answer(id)) == "approval_denied", result.dump());
    BOOST_TEST(!asked.made());
  }
}

BOOST_AUTO_TEST_CASE(always_and_never_are_not_asked_again) {
  for (const bool always : {true, false}) {
    Asked asked;
    const Json first = asked.touch();
    asked.reply(asked.client.question(), Asked::form(always ? "always" : "never"));
    asked.client.answer(first);
    BOOST_TEST(asked.made() == always);
    const Json second = asked.client.answer(asked.touch());
    BOOST_TEST(second.at("result").at("isError") == !always);
    BOOST_TEST(asked.client.requests.empty());
  }
}

BOOST_AUTO_TEST_CASE(without_forms_nobody_can_be_asked) {
  for (const Json& capabilities : {Json::object(), Json{{"elicitation", {{"url", Json::object()}}}},
                                   Json{{"elicitation", true}}, Json{{"sampling", Json::object()}}}) {
    Asked asked(capabilities);
    BOOST_TEST(code_of(asked.client.answer(asked.touch())) == "approval_unavailable");
    BOOST_TEST(!asked.made());
  }
}

// The model can only tell the person what it has been told.
BOOST_AUTO_TEST_CASE(a_job_that_waits_for_a_person_says_how_to_answer) {
  Unasked unasked({.mcp = "approve_within: 60, answer_within: 1"});
  const std::string text = Unasked::text_of(unasked.touch());
  BOOST_TEST(holds(text, "waits until a person allows it: tell them to run `wtool approve "), text);
  const std::string list = Unasked::text_of(unasked.use("job_list"));
  BOOST_TEST(holds(list, "run `wtool approve "), list);
  BOOST_TEST(list.starts_with("1 has waited for an answer for "), list);
}

// The model can then choose a command that needs no answer.
BOOST_AUTO_TEST_CASE(a_question_says_why_it_is_asked_and_what_would_need_no_answer) {
  const std::string allowed = "the entries of commands.allow are: ls, cat";
  for (const bool is_answered_late : {false, true}) {
    Unasked unasked({.ask = "rm",
                     .rules = "allow: [ls, cat], unlisted: ask, ",
                     .mcp = is_answered_late ? "approve_within: 1" : "approve_within: 60, answer_within: 1"});
    const std::string text = Unasked::text_of(unasked.touch());
    BOOST_TEST(holds(text, is_answered_late ? "Nobody answered in time" : "waits until a person allows it"), text);
    BOOST_TEST(holds(text, "\"touch\" is not in commands.allow; "), text);
    BOOST_TEST(holds(text, allowed), text);
    if (!is_answered_late) BOOST_TEST(holds(Unasked::text_of(unasked.use("job_list")), allowed));
  }
}

// A client that gets progress waits as long as the command runs, but a person who knows nothing never answers.
BOOST_AUTO_TEST_CASE(a_call_with_progress_becomes_a_job_if_a_person_must_answer_elsewhere) {
  Unasked unasked({.mcp = "approve_within: 60"});
  const std::string text = Unasked::text_of(unasked.touch({{"_meta", {{"progressToken", "p"}}}}));
  BOOST_TEST(holds(text, "waits until a person allows it: tell them to run `wtool approve "), text);
}

BOOST_AUTO_TEST_CASE(a_job_that_waits_for_two_answers_names_both_questions) {
  const std::string two =
      "---\ntool: true\n---\n```mermaid\nstateDiagram-v2\nstate fork <<fork>>\nstate join <<join>>\n"
      "[*] --> fork\nfork --> A\nfork --> B\nA --> join\nB --> join\njoin --> [*]\n```\n## Actions\n"
      "- A: Shell \"touch a\"\n- B: Shell \"touch b\"\n";
  Unasked unasked({.mcp = "approve_within: 60, answer_within: 1",
                   .files = {{"tools/two.md", two}},
                   .options = {"--workflows", "tools"}});
  unasked.use("two");
  std::string list;
  const auto names_both = [&] {
    list = Unasked::text_of(unasked.use("job_list"));
    const std::size_t first = list.find("run `wtool approve ");
    return first != std::string::npos && list.find("; run `wtool approve ", first) != std::string::npos;
  };
  BOOST_TEST(wait_until(names_both, std::chrono::seconds(20)), list);
}

BOOST_AUTO_TEST_CASE(a_question_of_another_tool_becomes_a_job_that_waits_for_it) {
  Unasked unasked({.mcp = "approve_within: 600, answer_within: 1"});
  const Json answer = unasked.use("execute_run", {{"command", "seq 1 2"}});
  BOOST_TEST(answer.at("result").at("isError") == false, answer.dump());
  std::string text = Unasked::text_of(answer);
  // On a busy machine, the call may become a job before the question is asked.
  for (int i = 0; i < 40 && holds(text, " has been running for "); ++i) {
    text = Unasked::text_of(unasked.use("job_poll", {{"job", 1}, {"wait", 1}}));
  }
  BOOST_TEST(holds(text, "[job 1 waits until a person allows it: tell them to run "), text);
}

// Without jobs, the client would have given up if the question waited longer.
BOOST_AUTO_TEST_CASE(a_question_waits_no_longer_than_the_client_where_there_are_no_jobs) {
  Unasked unasked({.mcp = "approve_within: 600, answer_within: 1", .options = {"--tools", "execute_run"}});
  const Json answer = unasked.use("execute_run", {{"command", "seq 1 2"}});
  BOOST_TEST(answer.at("result").at("isError") == true, answer.dump());
  BOOST_TEST(holds(answer.dump(), "Command not approved: seq 1 2 (nobody answered in time; "), answer.dump());
  BOOST_TEST(holds(answer.dump(), "Tell them to run `wtool approve --watch` in another terminal"), answer.dump());
}

BOOST_AUTO_TEST_CASE(a_client_that_refuses_to_ask_has_asked_nobody) {
  Asked asked;
  const Json id = asked.touch();
  const Json question = asked.client.question();
  asked.client.say({{"jsonrpc", "2.0"}, {"id", question.at("id")}, {"error", {{"code", -32601}, {"message", "no"}}}});
  BOOST_TEST(code_of(asked.client.answer(id)) == "approval_unavailable");
  // A later answer to the same question has no effect.
  asked.reply(question, Asked::form("yes"));
  BOOST_TEST(asked.client.ask("ping").contains("result"));
  BOOST_TEST(!asked.made());
}

BOOST_AUTO_TEST_CASE(a_task_that_waits_for_an_answer_says_so_and_its_question_names_it) {
  Asked asked;
  const Json created = asked.client.run("touch " + asked.file(), {{"task", Json::object()}});
  const Json id{{"taskId", created.at("task").at("taskId")}};
  const Json question = asked.client.question();
  BOOST_TEST((question.at("params").at("_meta").at("io.modelcontextprotocol/related-task") == id));
  const auto status = [&] { return asked.client.ask("tasks/get", id).at("result").at("status"); };
  BOOST_TEST(status() == "input_required");
  BOOST_TEST(!asked.made());
  asked.reply(question, Asked::form("yes"));
  BOOST_TEST(asked.client.ask("tasks/result", id).at("result").at("isError") == false);
  BOOST_TEST(status() == "completed");
  BOOST_TEST(asked.made());
}

BOOST_AUTO_TEST_CASE(questions_of_several_calls_wait_side_by_side) {
  Asked asked;
  const Json one = asked.client.call("touch " + asked.file() + "1");
  const Json first = asked.client.question();
  const Json two = asked.client.call("touch " + asked.file() + "2");
  const Json second = asked.client.question();
  BOOST_TEST((first.at("id") != second.at("id")));
  asked.reply(second, Asked::form("yes"));
  BOOST_TEST(asked.client.answer(two).at("result").at("isError") == false);
  asked.reply(first, Asked::form("no"));
  BOOST_TEST(code_of(asked.client.answer(one)) == "approval_denied");
  BOOST_TEST(std::filesystem::exists(asked.file() + "2"));
  BOOST_TEST(!std::filesystem::exists(asked.file() + "1"));
}

BOOST_AUTO_TEST_CASE(a_cancelled_call_takes_its_question_back) {
  Asked asked;
  const Json id = asked.touch();
  const Json question = asked.client.question();
  asked.client.notify("notifications/cancelled", {{"requestId", id}});
  asked.client.wait_for_news("notifications/cancelled");
  BOOST_TEST((asked.client.news.back().at("params").at("requestId") == question.at("id")));
  asked.reply(question, Asked::form("yes"));
  BOOST_TEST(asked.client.ask("ping").contains("result"));
  BOOST_TEST(!asked.made());
  BOOST_TEST(!asked.client.has_answer(id));
}

BOOST_AUTO_TEST_CASE(a_question_that_nobody_answers_does_not_keep_the_program) {
  Asked asked;
  asked.touch();
  asked.client.question();
  asked.client.program.end_input();
  BOOST_TEST(asked.client.program.wait().exit_code == 0);
  BOOST_TEST(!asked.made());
}

BOOST_AUTO_TEST_SUITE_END()
