// `wtool mcp` with the protocol of 2026: requests do not depend on one another, and a question to the person is itself
// the answer to a request.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "support/mcp_client.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(mcp_modern_test)

using namespace wtool::test;
using Json = nlohmann::json;

namespace {

const std::string prefix = "io.modelcontextprotocol/";
const Json with_forms{{"elicitation", {{"form", Json::object()}}}};

Json meta(const Json& capabilities = Json::object(), const Json& more = Json::object()) {
  Json all{{prefix + "protocolVersion", "2026-07-28"},
           {prefix + "clientCapabilities", capabilities},
           {prefix + "clientInfo", {{"name", "test"}, {"version", "1"}}}};
  all.update(more);
  return all;
}

struct Modern : McpClient {
  explicit Modern(std::vector<std::string> more = {}) : McpClient(std::move(more), {}, "2026-07-28") {}

  Json modern(const std::string& method, Json params = Json::object(), const Json& capabilities = Json::object()) {
    if (!params.contains("_meta")) params["_meta"] = meta(capabilities);
    return ask(method, params);
  }
};

// A client of a server that asks before it runs `touch`.
struct Asked {
  ScratchFolder folder;
  Modern client{
      {"--config", folder.file("c.yaml", "commands: {ask: [touch]}\nmcp: {approve_within: none, results: both}\n")}};

  std::string file(const std::string& name = "made") const { return folder.path() + '/' + name; }
  Json params(const std::string& name = "made") const {
    return {{"name", "shell_execute"}, {"arguments", {{"command", "touch " + file(name)}}}};
  }
  bool made() const { return std::filesystem::exists(file()); }
  Json touch(const Json& capabilities = with_forms) { return client.modern("tools/call", params(), capabilities); }
  Json come_back(const Json& state, const Json& result, Json call) {
    call["requestState"] = state;
    call["inputResponses"] = {{"approval", result}};
    return client.modern("tools/call", call, with_forms);
  }
  static Json form(const std::string& answer) { return {{"action", "accept"}, {"content", {{"answer", answer}}}}; }
};

int code_of(const Json& answer) { return answer.at("error").at("code").get<int>(); }

}  // namespace

BOOST_AUTO_TEST_CASE(discovery_lists_versions_and_capabilities_and_their_lifetime) {
  Modern client;
  const Json result = client.modern("server/discover").at("result");
  BOOST_TEST(result.at("resultType") == "complete");
  BOOST_TEST(
      (result.at("supportedVersions") == Json{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}));
  BOOST_TEST(result.at("capabilities").contains("tools"));
  BOOST_TEST(result.at("ttlMs").get<int>() > 0);
  BOOST_TEST(result.at("cacheScope") == "private");
  BOOST_TEST(result.at("_meta").at(prefix + "serverInfo").at("name") == "wtool");
}

BOOST_AUTO_TEST_CASE(a_job_is_an_answer_that_is_complete) {
  const ScratchFolder folder;
  Gate gate(folder);
  Modern client;
  const auto use = [&](const char* tool, const Json& arguments) {
    return client.modern("tools/call", {{"name", tool}, {"arguments", arguments}}).at("result");
  };
  const Json begun = use("shell_execute", {{"command", gate.wait() + "; echo end"}, {"background", true}});
  BOOST_TEST(begun.at("resultType") == "complete");
  BOOST_TEST(begun.at("structuredContent").at("job") == 1);
  gate.open();
  const Json end = use("job_poll", {{"job", 1}, {"wait", 40}});
  BOOST_TEST(end.at("resultType") == "complete");
  BOOST_TEST(end.at("structuredContent").at("stdout") == "end\n");
}

BOOST_AUTO_TEST_CASE(tools_are_listed_and_called_without_a_session) {
  Modern client;
  const Json list = client.modern("tools/list").at("result");
  BOOST_TEST(list.at("resultType") == "complete");
  BOOST_TEST(list.at("ttlMs").get<int>() > 0);
  BOOST_TEST(list.at("tools").size() == 6U);
  const Json call{{"name", "shell_execute"}, {"arguments", {{"command", "echo hi"}}}};
  const Json result = client.modern("tools/call", call).at("result");
  BOOST_TEST(result.at("resultType") == "complete");
  BOOST_TEST(result.at("isError") == false);
  BOOST_TEST(result.at("structuredContent").at("stdout") == "hi\n");
}

BOOST_AUTO_TEST_CASE(an_unsupported_version_is_refused_with_the_supported_ones) {
  Modern client;
  for (const char* version : {"2099-01-01", "2025-11-25", ""}) {
    const Json answer =
        client.modern("server/discover", {{"_meta", meta(Json::object(), {{prefix + "protocolVersion", version}})}});
    BOOST_TEST(code_of(answer) == -32022);
    BOOST_TEST(answer["error"].at("data").at("requested") == version);
    BOOST_TEST(answer["error"]["data"].at("supported").at(0) == "2026-07-28");
  }
}

BOOST_AUTO_TEST_CASE(a_request_without_enough_information_is_refused) {
  Modern client;
  BOOST_TEST(code_of(client.modern("tools/list", {{"_meta", {{prefix + "protocolVersion", "2026-07-28"}}}})) == -32602);
  BOOST_TEST(code_of(client.modern("tools/list", {{"_meta", meta(5)}})) == -32602);
  BOOST_TEST(code_of(client.modern("tools/list",
                                   {{"_meta", meta(Json::object(), {{prefix + "protocolVersion", 1}})}})) == -32602);
  BOOST_TEST(code_of(client.modern("tools/list", {{"cursor", "x"}})) == -32602);
  for (const char* method : {"ping", "logging/setLevel", "initialize", "resources/list"}) {
    BOOST_TEST(code_of(client.modern(method)) == -32601, method);
  }
  BOOST_TEST(code_of(client.modern("tools/call", {{"name", "nothing"}})) == -32602);
}

BOOST_AUTO_TEST_CASE(both_eras_are_spoken_in_one_process) {
  Modern client;
  BOOST_TEST(code_of(client.ask("tools/list")) == -32602);
  BOOST_TEST(client.modern("server/discover").contains("result"));
  BOOST_TEST(client
                 .ask("initialize", {{"protocolVersion", "2025-06-18"},
                                     {"capabilities", Json::object()},
                                     {"clientInfo", {{"name", "t"}, {"version", "1"}}}})
                 .at("result")
                 .at("protocolVersion") == "2025-06-18");
  BOOST_TEST(!client.ask("tools/list").at("result").contains("resultType"));
  BOOST_TEST(client.modern("tools/list").at("result").contains("resultType"));
}

BOOST_AUTO_TEST_CASE(logs_and_progress_are_of_the_call_that_wants_them) {
  Modern client;
  const Json quiet{{"name", "shell_execute"}, {"arguments", {{"command", "echo hi"}}}};
  Json loud = quiet;
  loud["_meta"] = meta(Json::object(), {{prefix + "logLevel", "debug"}, {"progressToken", 3}});
  loud["arguments"]["command"] = "echo hi; sleep 0.2";
  client.modern("tools/call", quiet);
  BOOST_TEST(client.news.empty());
  client.modern("tools/call", loud);
  client.wait_for_news("notifications/message");
  client.wait_for_news("notifications/progress");
  client.news.clear();
  client.modern("tools/call", quiet);
  BOOST_TEST(client.news.empty());
  loud["_meta"] = meta(Json::object(), {{prefix + "logLevel", "loud"}});
  BOOST_TEST(code_of(client.modern("tools/call", loud)) == -32602);
}

BOOST_AUTO_TEST_CASE(a_question_ends_the_call_and_its_answer_comes_with_the_next) {
  Asked asked;
  const Json first = asked.touch().at("result");
  BOOST_TEST(first.at("resultType") == "input_required");
  BOOST_TEST(!first.contains("content"));
  const Json& question = first.at("inputRequests").at("approval");
  BOOST_TEST(question.at("method") == "elicitation/create");
  BOOST_TEST(holds(question.at("params").at("message"), "touch"));
  BOOST_TEST(!asked.made());
  const Json second = asked.come_back(first.at("requestState"), Asked::form("yes"), asked.params()).at("result");
  BOOST_TEST(second.at("resultType") == "complete");
  BOOST_TEST(second.at("isError") == false);
  BOOST_TEST(asked.made());
  BOOST_TEST(asked.client.requests.empty());
}

BOOST_AUTO_TEST_CASE(everything_but_a_yes_is_a_no) {
  Asked asked;
  for (const Json& reply : {Asked::form("no"), Asked::form("maybe"), Json{{"action", "decline"}}, Json::object()}) {
    const Json state = asked.touch().at("result").at("requestState");
    const Json result = asked.come_back(state, reply, asked.params()).at("result");
    BOOST_TEST(result.at("structuredContent").at("error").at("code") == "approval_denied");
    BOOST_TEST(!asked.made());
  }
}

BOOST_AUTO_TEST_CASE(an_answer_is_valid_once_and_for_its_own_call) {
  Asked asked;
  const Json state = asked.touch().at("result").at("requestState");
  BOOST_TEST(code_of(asked.come_back(state, Asked::form("yes"), asked.params("other"))) == -32602);
  BOOST_TEST(code_of(asked.come_back(state.get<std::string>() + "0", Asked::form("yes"), asked.params())) == -32602);
  BOOST_TEST(code_of(asked.come_back("1.2.3.4", Asked::form("yes"), asked.params())) == -32602);
  BOOST_TEST(code_of(asked.come_back(5, Asked::form("yes"), asked.params())) == -32602);
  BOOST_TEST(!asked.made());
  BOOST_TEST(asked.come_back(state, Asked::form("yes"), asked.params()).at("result").at("isError") == false);
  std::filesystem::remove(asked.file());
  BOOST_TEST(code_of(asked.come_back(state, Asked::form("yes"), asked.params())) == -32602);
  BOOST_TEST(!asked.made());
  Json without = asked.params();
  without["inputResponses"] = {{"approval", Asked::form("yes")}};
  BOOST_TEST(asked.client.modern("tools/call", without, with_forms).at("result").at("resultType") == "input_required");
  BOOST_TEST(!asked.made());
}

BOOST_AUTO_TEST_CASE(a_state_without_its_answer_is_asked_again) {
  Asked asked;
  for (const Json& replies : {Json(), Json::object(), Json{{"other", Asked::form("yes")}}, Json{{"approval", 5}}}) {
    Json params = asked.params();
    params["requestState"] = asked.touch().at("result").at("requestState");
    if (!replies.is_null()) params["inputResponses"] = replies;
    BOOST_TEST(asked.client.modern("tools/call", params, with_forms).at("result").at("resultType") == "input_required",
               replies.dump());
    BOOST_TEST(!asked.made());
  }
}

BOOST_AUTO_TEST_CASE(answers_to_what_was_not_asked_are_ignored) {
  Asked asked;
  Json call = asked.params();
  call["requestState"] = asked.touch().at("result").at("requestState");
  call["inputResponses"] = {{"another", Asked::form("no")}, {"approval", Asked::form("yes")}, {"third", 5}};
  BOOST_TEST(asked.client.modern("tools/call", call, with_forms).at("result").at("isError") == false);
  BOOST_TEST(asked.made());
}

BOOST_AUTO_TEST_CASE(an_answer_counts_only_for_the_question_that_was_asked) {
  Asked asked;
  // While the question waits, the link is changed: the same call would now run in another folder.
  std::filesystem::create_directory(asked.file("one"));
  std::filesystem::create_directory(asked.file("two"));
  std::filesystem::create_directory_symlink(asked.file("one"), asked.file("link"));
  const Json call{{"name", "shell_execute"},
                  {"arguments", {{"command", "touch here"}, {"working_directory", asked.file("link")}}}};
  const Json first = asked.client.modern("tools/call", call, with_forms).at("result");
  std::filesystem::remove(asked.file("link"));
  std::filesystem::create_directory_symlink(asked.file("two"), asked.file("link"));
  const Json second = asked.come_back(first.at("requestState"), Asked::form("yes"), call).at("result");
  BOOST_TEST(second.at("resultType") == "input_required");
  BOOST_TEST(!std::filesystem::exists(asked.file("two/here")));
  const Json third = asked.come_back(second.at("requestState"), Asked::form("yes"), call).at("result");
  BOOST_TEST(third.at("isError") == false);
  BOOST_TEST(std::filesystem::exists(asked.file("two/here")));
}

BOOST_AUTO_TEST_CASE(a_client_without_forms_learns_what_is_missing) {
  Asked asked;
  for (const Json& capabilities : {Json::object(), Json{{"elicitation", {{"url", Json::object()}}}}}) {
    const Json answer = asked.touch(capabilities);
    BOOST_TEST(code_of(answer) == -32021);
    BOOST_TEST(answer["error"].at("data").at("requiredCapabilities").at("elicitation").contains("form"));
  }
  BOOST_TEST(!asked.made());
}

BOOST_AUTO_TEST_CASE(a_cancelled_call_is_not_answered_in_this_era_either) {
  Modern client;
  Json call{{"name", "shell_execute"}, {"arguments", {{"command", "sleep 61"}}}, {"_meta", meta()}};
  const Json id = client.request("tools/call", call);
  client.notify("notifications/cancelled", {{"requestId", id}});
  client.modern("server/discover");
  client.read_for(std::chrono::milliseconds(200));
  BOOST_TEST(!client.has_answer(id));
}

BOOST_AUTO_TEST_SUITE_END()
