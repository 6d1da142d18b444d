// servers/: what a host says to a server, what it takes as an answer, and what is pinned.
#include <boost/test/unit_test.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/stop.h"
#include "servers/catalog.h"
#include "servers/conversation.h"
#include "servers/server_tools.h"
#include "support/program.h"

BOOST_AUTO_TEST_SUITE(host_servers_test)

using nlohmann::json;
using wtool::Stop;
using namespace wtool::host;
using namespace wtool::host::servers;

namespace {

// A conversation with a server that the test plays.
struct Talking {
  explicit Talking(bool calls, const Offer* pinned = nullptr)
      : conversation(calls ? std::optional(Conversation::Call{"say", {{"text", "hi"}}}) : std::nullopt, pinned,
                     [this](const std::string& line) {
                       sent.push_back(json::parse(line));
                       return reads;
                     }) {
    conversation.begin();
  }
  Talking(const Talking&) = delete;
  Talking& operator=(const Talking&) = delete;

  std::string asked() const { return sent.back().at("method"); }
  void answer(const json& result) {
    const json id = sent.back().at("id");
    conversation.take(json{{"jsonrpc", "2.0"}, {"id", id}, {"result", result}}.dump());
  }
  void refuse(const json& error) {
    const json id = sent.back().at("id");
    conversation.take(json{{"jsonrpc", "2.0"}, {"id", id}, {"error", error}}.dump());
  }
  void introduce() {
    answer({{"protocolVersion", "2025-06-18"}, {"serverInfo", {{"name", "files"}, {"version", "1.2"}}}});
  }
  void check_failed(const std::string& why) const {
    BOOST_TEST(conversation.is_over());
    BOOST_TEST(conversation.problem() == why);
  }

  std::vector<json> sent{};
  bool reads = true;
  Conversation conversation;
};

// Stands in for the plugin: its command prints what the test wants.
struct FakePlugin : ToolCaller {
  explicit FakePlugin(std::string printed) : printed_(std::move(printed)) {}
  bool has_tool(std::string_view) const override { return true; }
  ToolOutcome call(std::string_view, const json&, Stop&, const OutputSink& output) override {
    output(OutputStream::standard_output, printed_);
    return {ToolOutcome::Kind::finished, {{"metadata", {{"exit_code", 3}}}}, ""};
  }
  ToolOutcome call_at(const CallPlace&, std::string_view id, const json& arguments, Stop& stop,
                      const OutputSink& output, const StateSink&) override {
    return call(id, arguments, stop, output);
  }

 private:
  std::string printed_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_server_with_sessions_is_introduced_and_called) {
  Talking talk(true);
  BOOST_TEST(talk.asked() == "initialize");
  talk.introduce();
  BOOST_TEST(talk.sent.at(1).at("method") == "notifications/initialized");
  BOOST_TEST(talk.asked() == "tools/call");
  BOOST_TEST(talk.sent.back().at("params") == json::parse(R"({"name": "say", "arguments": {"text": "hi"}})"));
  talk.answer({{"content", json::array({{{"type", "text"}, {"text", "hello"}}})}});
  BOOST_TEST(talk.conversation.is_over());
  BOOST_TEST(talk.conversation.problem() == "");
  BOOST_TEST(talk.conversation.result().at("content").at(0).at("text") == "hello");
  BOOST_TEST(talk.conversation.take("a line after the end").text == "");
}

BOOST_AUTO_TEST_CASE(a_server_that_refuses_to_be_initialized_is_asked_in_the_other_form) {
  Talking talk(false);
  talk.refuse({{"code", -32601}, {"message", "no such method"}});
  BOOST_TEST(talk.asked() == "server/discover");
  talk.answer(json::parse(R"({"supportedVersions": ["2026-07-28"], "serverInfo": {"name": "files", "version": "2"}})"));
  BOOST_TEST(talk.asked() == "tools/list");
  BOOST_TEST(talk.sent.back().at("params").at("_meta").at("io.modelcontextprotocol/protocolVersion") == "2026-07-28");
  BOOST_TEST(talk.conversation.offer().protocol == "2026-07-28");
}

BOOST_AUTO_TEST_CASE(a_refusal_of_the_server_is_the_reason) {
  {
    Talking talk(false);
    talk.refuse({{"message", "no"}});
    talk.refuse({{"message", "neither"}});
    talk.check_failed("the server refuses initialize (no) and server/discover: neither");
  }
  {
    const Offer modern{.name = "files", .version = "1.2", .protocol = "2026-07-28"};
    Talking talk(true, &modern);
    BOOST_TEST(talk.asked() == "server/discover");
    talk.refuse({{"code", 7}});
    talk.check_failed(R"(the server does not support server/discover: {"code":7})");
  }
  {
    Talking talk(false);
    talk.introduce();
    talk.refuse({{"message", std::string(300, 'x')}});
    talk.check_failed("the server does not list its tools: " + std::string(200, 'x') + "... (300 bytes)");
  }
  {
    Talking talk(true);
    talk.introduce();
    talk.refuse({{"message", "\x1b[31mno"}});
    talk.check_failed("the server refuses the call: \\x1b[31mno");
  }
}

BOOST_AUTO_TEST_CASE(a_server_of_another_version_of_the_protocol_is_not_used) {
  {
    Talking talk(true);
    talk.answer({{"protocolVersion", "1999-01-01"}});
    talk.check_failed(R"(the server uses version "1999-01-01" of the protocol, which wtool does not support)");
  }
  for (const char* versions :
       {R"({"supportedVersions": ["2099-01-01"]})", R"({"supportedVersions": "2026-07-28"})", "{}"}) {
    Talking talk(true);
    talk.refuse({{"message", "no"}});
    talk.answer(json::parse(versions));
    talk.check_failed("the server and wtool have no version of the protocol in common");
  }
}

BOOST_AUTO_TEST_CASE(a_server_that_is_not_the_pinned_one_is_not_called) {
  const Offer pinned{.name = "files", .version = "1.1", .protocol = "2025-06-18"};
  Talking talk(true, &pinned);
  talk.introduce();
  BOOST_TEST(talk.conversation.is_other_server());
  talk.check_failed(
      "the server is files 1.2, but the pinned server is files 1.1; `wtool servers lock` shows what has "
      "changed, and pins it");
  BOOST_TEST(talk.asked() != "tools/call");
}

BOOST_AUTO_TEST_CASE(an_answer_that_is_no_result_of_a_call_fails_the_call) {
  const std::pair<json, std::string> rows[] = {
      {{{"resultType", "input_required"}},
       "the server asks for something (input_required), but wtool cannot answer such requests"},
      {{{"content", "text"}}, "the server's answer has no content"},
      {{{"structuredContent", json::array()}}, "the server's answer has no content"},
      {{{"content", json::array()}, {"isError", "yes"}}, "isError of the server's answer is not a boolean"},
  };
  for (const auto& [result, why] : rows) {
    Talking talk(true);
    talk.introduce();
    talk.answer(result);
    talk.check_failed(why);
  }
}

BOOST_AUTO_TEST_CASE(only_the_answer_to_the_last_request_counts) {
  Talking talk(true);
  talk.introduce();
  const json good = {{"content", json::array()}};
  for (const json& other :
       {json{{"jsonrpc", "2.0"}, {"id", 1}, {"result", good}}, json{{"jsonrpc", "2.0"}, {"result", good}},
        json{{"jsonrpc", "2.0"}, {"id", "1000000"}, {"result", good}},
        json{{"jsonrpc", "2.0"}, {"method", "notifications/progress"}}}) {
    BOOST_TEST(talk.conversation.take(other.dump()).text == "");
    BOOST_TEST(!talk.conversation.is_over());
  }
  // Lines that are not messages, and log messages, are for the log.
  BOOST_TEST(talk.conversation.take("starting").text == "starting");
  BOOST_TEST(talk.conversation.take("[1]").text == "[1]");
  BOOST_TEST(talk.conversation.take(R"({"jsonrpc": "1.0", "id": 1000000})").text ==
             R"({"jsonrpc": "1.0", "id": 1000000})");
  const auto log = [&](const json& params) {
    return talk.conversation
        .take(json{{"jsonrpc", "2.0"}, {"method", "notifications/message"}, {"params", params}}.dump())
        .text;
  };
  BOOST_TEST(log({{"data", "half done"}}) == "half done");
  BOOST_TEST(log({{"data", {{"done", 0.5}}}}) == R"({"done":0.5})");
  BOOST_TEST(log({{"level", "info"}}) == "");
  BOOST_TEST(!talk.conversation.is_over());
  talk.answer(good);
  BOOST_TEST(talk.conversation.is_over());
}

BOOST_AUTO_TEST_CASE(several_messages_in_one_line_are_taken_one_after_the_other) {
  Talking talk(true);
  talk.introduce();
  const json call = talk.sent.back().at("id");
  talk.conversation.take(json::array({{{"jsonrpc", "2.0"}, {"id", "p"}, {"method", "ping"}},
                                      {{"jsonrpc", "2.0"}, {"id", call}, {"result", {{"content", json::array()}}}},
                                      {{"jsonrpc", "2.0"}, {"id", "q"}, {"method", "ping"}}})
                             .dump());
  BOOST_TEST(talk.conversation.is_over());
  BOOST_TEST(talk.conversation.problem() == "");
  BOOST_TEST(talk.sent.back() == json::parse(R"({"jsonrpc": "2.0", "id": "p", "result": {}})"));
}

BOOST_AUTO_TEST_CASE(a_server_that_reads_no_answers_to_its_requests_is_given_up) {
  Talking talk(true);
  talk.introduce();
  talk.reads = false;
  talk.conversation.take(R"({"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage"})");
  talk.check_failed("the server keeps sending requests, but reads none of the answers");
}

BOOST_AUTO_TEST_CASE(an_answer_that_nests_too_deep_is_not_read) {
  Talking talk(true);
  talk.introduce();
  talk.conversation.take(R"({"jsonrpc": "2.0", "id": 1000000, "result": {"content": )" + std::string(100, '[') +
                         std::string(100, ']') + "}}");
  talk.check_failed("the server's answer is nested too deeply");
}

BOOST_AUTO_TEST_CASE(a_list_of_tools_comes_in_pages_and_must_end) {
  Talking talk(false);
  talk.introduce();
  talk.answer({{"tools", json::array({{{"name", "a"}, {"description", "A"}}})}, {"nextCursor", "2"}});
  BOOST_TEST(talk.sent.back().at("params").at("cursor") == "2");
  talk.answer({{"tools", json::array({{{"name", "b"}, {"inputSchema", {{"type", "object"}}}}})}});
  BOOST_TEST(talk.conversation.is_over());
  BOOST_TEST(talk.conversation.problem() == "");
  BOOST_REQUIRE(talk.conversation.offer().tools.size() == 2U);
  BOOST_TEST(talk.conversation.offer().tools.at("a").description == "A");
  BOOST_TEST(talk.conversation.offer().tools.at("b").input_schema == json::parse(R"({"type": "object"})"));

  Talking endless(false);
  endless.introduce();
  for (int i = 0; i < 1000 && !endless.conversation.is_over(); ++i) {
    endless.answer({{"tools", json::array()}, {"nextCursor", "more"}});
  }
  endless.check_failed("the server's list of tools does not end");

  const std::pair<json, std::string> rows[] = {
      {json::object(), "the server's list of tools is missing"},
      {{{"tools", "none"}}, "the server's list of tools is missing"},
      {{{"tools", json::array({{{"description", "nameless"}}})}}, "the server has a tool without a name"},
  };
  for (const auto& [result, why] : rows) {
    Talking wrong(false);
    wrong.introduce();
    wrong.answer(result);
    wrong.check_failed(why);
  }
}

BOOST_AUTO_TEST_CASE(what_is_pinned_is_read_as_it_was_written_and_nothing_else_is) {
  std::map<std::string, Offer, std::less<>> offers;
  offers["files"] = {
      .name = "f", .version = "1", .protocol = "2025-06-18", .tools = {{"say", {.description = "Says"}}}};
  std::string problem;
  const auto read = read_lock(lock_text(offers), problem);
  BOOST_REQUIRE_MESSAGE(read, problem);
  BOOST_TEST(read->at("files").version == "1");
  BOOST_TEST(read->at("files").tools.at("say").description == "Says");

  const auto refused = [](const std::string& text) {
    std::string why;
    BOOST_TEST(!read_lock(text, why).has_value());
    return why;
  };
  BOOST_TEST(refused(R"({"v": 99, "servers": {}})") == "it has version 99, which this program cannot read");
  for (const char* text :
       {"{}", R"({"v": 1})", R"({"v": 1, "servers": {"s": []}})",
        R"({"v": 1, "servers": {"s": {"name": 7, "version": "1", "protocol": "p", "tools": {}}}})",
        R"({"v": 1, "servers": {"s": {"name": "n", "version": "1", "protocol": "p", "tools": "x"}}})"}) {
    BOOST_TEST(refused(text) == "it is not a valid lock file", text);
  }
  BOOST_TEST(refused("[1]") != "");
  BOOST_TEST(refused("{") != "");
}

BOOST_AUTO_TEST_CASE(the_stricter_of_two_limits_applies_to_the_server) {
  Settings settings;
  settings.limits = {{"processes", 5}, {"memory", 100}};
  BOOST_TEST(json::parse(place_of(settings, {}).limits) == settings.limits);
  CallPlace place{
      .shell = "bash", .on = "cluster", .slot = "big", .limits = R"({"processes": 9, "memory": 50, "cpu": 1})"};
  const CallPlace made = place_of(settings, place);
  BOOST_TEST(json::parse(made.limits) == json::parse(R"({"processes": 5, "memory": 50, "cpu": 1})"));
  BOOST_TEST(made.on == "local");
  BOOST_TEST(made.shell == "");
  BOOST_TEST(made.slot == "");
  place.limits = "[]";
  BOOST_TEST(place_of(settings, place).limits == "[]");
  BOOST_TEST(place_of({}, {}).limits == "");
}

BOOST_AUTO_TEST_CASE(a_line_of_a_server_that_does_not_end_is_not_kept) {
  Stop stop;
  std::string problem;
  FakePlugin endless(std::string((16UL << 20) + 1, 'x'));
  BOOST_TEST(!offer_of(endless, "s", {.command = "serve"}, stop, {}, problem).has_value());
  BOOST_TEST(problem == "the server answers with a line of more than 16 MiB");
  FakePlugin silent("");
  BOOST_TEST(!offer_of(silent, "s", {.command = "serve"}, stop, {}, problem).has_value());
  BOOST_TEST(problem == "the server s ended before it answered initialize (exit code 3)");
}

BOOST_AUTO_TEST_CASE(a_tool_that_is_not_pinned_or_not_allowed_is_not_called) {
  const wtool::test::ScratchFolder scratch;
  FakePlugin plugin("the plugin");
  Stop stop;
  std::string printed;
  const ToolCaller::OutputSink output = [&](OutputStream, std::string_view bytes) { printed += bytes; };
  const json configured = json::parse(R"({"s": {"command": "serve", "tools": ["get_*"]}})");
  const Catalog unpinned(configured, scratch.path());
  ServerTools tools(plugin, unpinned);
  const ToolOutcome not_pinned = tools.call("s/get_all", json::object(), stop, output);
  BOOST_TEST(not_pinned.error == "the tools of the server s are not pinned; `wtool servers lock` pins them");
  const ToolOutcome not_allowed = tools.call("s/set", json::object(), stop, output);
  BOOST_TEST(not_allowed.result.at("metadata").at("error").at("code") == "policy_denied");
  BOOST_TEST(tools.unknown_tool("t/get_all") == "there is no server t in mcp_servers of the configuration");
  BOOST_TEST(printed == "");
  // Tools without a server are the plugin's.
  tools.call("echo", json::object(), stop, output);
  BOOST_TEST(printed == "the plugin");
}

BOOST_AUTO_TEST_SUITE_END()
