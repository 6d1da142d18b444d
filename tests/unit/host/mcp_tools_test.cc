// The list of tools, page by page, and what makes a request a call.
#include <fcntl.h>
#include <unistd.h>
#include <wtool/tool.h>

#include <boost/test/unit_test.hpp>
#include <string>

#include "loader/plugin.h"
#include "mcp/tool_methods.h"
#include "tracing/tracing.h"

namespace wtool::host::mcp {

using nlohmann::json;

namespace {

struct Fixture {
  int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  Tracing tracing{LogFilter(LogLevel::off), LogFormat::text, nowhere};
  std::string error;
  std::unique_ptr<Plugin> plugin = Plugin::open(HOST_TEST_PLUGINS "/good.so", tracing, error);
  const ServerTools none;

  Fixture() { BOOST_REQUIRE_MESSAGE(plugin != nullptr, error); }
  ~Fixture() {
    plugin.reset();
    ::close(nowhere);
  }
};

Message request(const json& params) {
  Message message;
  message.kind = Message::Kind::request;
  message.id = "7";
  message.method = "tools/call";
  message.body = params;
  return message;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(mcp_tools, Fixture)

BOOST_AUTO_TEST_CASE(a_page_leads_to_the_next_and_the_last_page_has_no_next) {
  const ToolMethods methods(*plugin, none, {.page = 1});
  Error problem;
  const auto first = methods.list(json(), problem);
  BOOST_REQUIRE(first.has_value());
  BOOST_TEST(first->at("tools").size() == 1U);
  BOOST_TEST(first->at("tools")[0].at("name") == "echo");
  const std::string next = first->at("nextCursor");
  const auto second = methods.list({{"cursor", next}}, problem);
  BOOST_REQUIRE(second.has_value());
  BOOST_TEST(second->at("tools")[0].at("name") == "wait");
  BOOST_TEST(!second->contains("nextCursor"));
}

BOOST_AUTO_TEST_CASE(a_cursor_that_was_not_given_is_refused) {
  const ToolMethods methods(*plugin, none, {.page = 1});
  for (const json& cursor : {json("tools-0"), json("tools-2"), json("tools-01"), json("tools-1 "), json("tools--1"),
                             json("tools-99999999999999999999"), json("1"), json(""), json(1)}) {
    Error problem;
    BOOST_TEST(!methods.list({{"cursor", cursor}}, problem), cursor.dump());
    BOOST_TEST(problem.code == invalid_params);
  }
}

BOOST_AUTO_TEST_CASE(a_tool_that_is_not_served_is_neither_listed_nor_called_nor_mentioned) {
  const ToolMethods methods(*plugin, none, {.served = {"wait"}});
  Error problem;
  const auto list = methods.list(json(), problem);
  BOOST_REQUIRE(list.has_value());
  BOOST_TEST(list->at("tools").size() == 1U);
  BOOST_TEST(list->at("tools")[0].at("name") == "wait");
  BOOST_TEST(methods.call(request({{"name", "wait"}}), problem) != nullptr);
  BOOST_TEST(methods.call(request({{"name", "echo"}}), problem) == nullptr);
  BOOST_TEST(problem.code == invalid_params);
  BOOST_TEST(problem.message == "there is no tool \"echo\" here");
}

BOOST_AUTO_TEST_CASE(a_tool_that_is_left_out_is_neither_listed_nor_called_nor_mentioned) {
  const ToolMethods methods(*plugin, none, {.not_served = {"wait"}});
  Error problem;
  const auto list = methods.list(json(), problem);
  BOOST_REQUIRE(list.has_value());
  BOOST_TEST(list->at("tools").size() == 1U);
  BOOST_TEST(methods.call(request({{"name", "wait"}}), problem) == nullptr);
  BOOST_TEST(problem.message == "there is no tool \"wait\"; the tools are echo");
}

BOOST_AUTO_TEST_CASE(a_tool_of_the_server_is_listed_last_with_the_hints_that_differ_from_the_default) {
  const std::string schema = R"({"type":"object"})";
  ServerTools own(2);
  own[0].description = {
      .id = "look", .title = "Look", .description = "Looks", .input_schema = schema, .hints = WTOOL_HINT_READ_ONLY};
  own[1].description = {.id = "end",
                        .description = "Ends",
                        .input_schema = schema,
                        .hints = WTOOL_HINT_DESTRUCTIVE | WTOOL_HINT_OPEN_WORLD};
  const ToolMethods methods(*plugin, own, {.not_served = {"wait"}});
  Error problem;
  const json tools = methods.list(json(), problem)->at("tools");
  BOOST_REQUIRE(tools.size() == 3U);
  BOOST_TEST(tools[0].at("name") == "echo");
  BOOST_TEST((tools[1] == json{{"name", "look"},
                               {"title", "Look"},
                               {"description", "Looks"},
                               {"inputSchema", {{"type", "object"}}},
                               {"annotations", {{"readOnlyHint", true}}}}));
  BOOST_TEST((tools[2] == json{{"name", "end"}, {"description", "Ends"}, {"inputSchema", {{"type", "object"}}}}));
  const auto call = methods.call(request({{"name", "end"}}), problem);
  BOOST_REQUIRE(call != nullptr);
  BOOST_TEST(call->server_tool == &own[1]);
  BOOST_TEST(methods.call(request({{"name", "echo"}}), problem)->server_tool == nullptr);
  BOOST_TEST(methods.call(request({{"name", "lok"}}), problem) == nullptr);
  BOOST_TEST(problem.message == "there is no tool \"lok\"; did you mean 'look'? The tools are echo, look, end");
}

BOOST_AUTO_TEST_CASE(a_call_has_a_tool_and_an_object_of_arguments) {
  const ToolMethods methods(*plugin, none, {});
  Error problem;
  const auto call = methods.call(request({{"name", "echo"}, {"arguments", {{"b", 1}, {"a", "ä"}}}}), problem);
  BOOST_REQUIRE(call != nullptr);
  BOOST_TEST(call->id == "7");
  BOOST_TEST(call->tool->id == "echo");
  BOOST_TEST(call->arguments == "{\"a\":\"ä\",\"b\":1}");
  BOOST_TEST(call->progress_token.empty());
  const auto bare = methods.call(request({{"name", "echo"}, {"_meta", {{"progressToken", "p"}}}}), problem);
  BOOST_REQUIRE(bare != nullptr);
  BOOST_TEST(bare->arguments == "{}");
  BOOST_TEST(bare->progress_token == "\"p\"");
}

BOOST_AUTO_TEST_CASE(null_is_as_good_as_absent) {
  const ToolMethods methods(*plugin, none, {});
  Error problem;
  BOOST_TEST(methods.list({{"cursor", nullptr}}, problem).has_value());
  const auto bare = methods.call(request({{"name", "echo"}, {"arguments", nullptr}, {"_meta", nullptr}}), problem);
  BOOST_REQUIRE(bare != nullptr);
  BOOST_TEST(bare->arguments == "{}");
  const json meta{{"progressToken", nullptr}, {"traceparent", nullptr}};
  const auto call = methods.call(request({{"name", "echo"}, {"_meta", meta}}), problem);
  BOOST_REQUIRE(call != nullptr);
  BOOST_TEST(call->progress_token.empty());
  BOOST_TEST(call->traceparent.empty());
  BOOST_TEST(methods.call(request({{"name", nullptr}}), problem) == nullptr);
}

BOOST_AUTO_TEST_CASE(a_call_belongs_to_the_trace_that_its_meta_names) {
  const ToolMethods methods(*plugin, none, {});
  Error problem;
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const auto call = methods.call(request({{"name", "echo"}, {"_meta", {{"traceparent", trace}}}}), problem);
  BOOST_REQUIRE(call != nullptr);
  BOOST_TEST(call->traceparent == trace);
  for (const json& wrong : {json("mine"), json(1), json(trace + "\n")}) {
    BOOST_TEST(methods.call(request({{"name", "echo"}, {"_meta", {{"traceparent", wrong}}}}), problem) == nullptr);
    BOOST_TEST(problem.message.find("_meta.traceparent must be a W3C traceparent") != std::string::npos,
               problem.message);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host::mcp
