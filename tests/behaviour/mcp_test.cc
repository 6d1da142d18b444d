// `wtool mcp` as a client sees it, through pipes: the protocol with sessions, its errors, and results.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <iterator>
#include <set>

#include "support/mcp_client.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(mcp_test)

using namespace wtool::test;
using Json = nlohmann::json;

namespace {

struct Session : McpClient {
  explicit Session(std::vector<std::string> more = {}, const Json& capabilities = Json::object())
      : McpClient(std::move(more)) {
    initialize(capabilities);
  }
};

int code_of(const Json& answer) { return answer.at("error").at("code").get<int>(); }

std::string text_of(const Json& result, std::size_t block = 0) { return result.at("content").at(block).at("text"); }

}  // namespace

BOOST_AUTO_TEST_CASE(all_versions_with_sessions_are_spoken_and_an_unknown_one_gets_the_latest) {
  for (const auto& [asked, given] : {std::pair{"2025-06-18", "2025-06-18"},
                                     {"2025-11-25", "2025-11-25"},
                                     {"2025-03-26", "2025-03-26"},
                                     {"2024-11-05", "2024-11-05"},
                                     {"2024-01-01", "2025-11-25"},
                                     {"2099-01-01", "2025-11-25"}}) {
    McpClient client({}, {}, asked);
    const Json result = client.initialize().at("result");
    BOOST_TEST(result.at("protocolVersion") == given);
    BOOST_TEST(result.at("capabilities").contains("tools"));
    BOOST_TEST(result.at("capabilities").contains("logging"));
    BOOST_TEST(result.at("serverInfo").at("name") == "wtool");
  }
}

BOOST_AUTO_TEST_CASE(nothing_but_ping_is_answered_before_initialize) {
  McpClient client;
  BOOST_TEST(code_of(client.ask("tools/list")) == -32602);
  BOOST_TEST(code_of(client.ask("tools/call", {{"name", "shell_execute"}})) == -32602);
  BOOST_TEST(client.ask("ping").contains("result"));
  BOOST_TEST(code_of(client.ask("initialize", {{"capabilities", Json::object()}})) == -32602);
  BOOST_TEST(code_of(client.ask("initialize", {{"protocolVersion", "2025-11-25"}, {"capabilities", 5}})) == -32602);
  BOOST_TEST(client.initialize().contains("result"));
  BOOST_TEST(code_of(client.initialize()) == -32600);
}

BOOST_AUTO_TEST_CASE(only_the_tools_that_are_named_are_served) {
  McpClient client({"--tools", "shell_execute,terminal_get_status"});
  const Json started = client.initialize();
  const Json result = client.ask("tools/list").at("result");
  BOOST_TEST(result.at("tools").size() == 2U);
  const std::string instructions = started.at("result").at("instructions");
  BOOST_TEST(!holds(instructions, "job"), instructions);
  BOOST_TEST(!holds(instructions, "how to read the rest"), instructions);
  BOOST_TEST(code_of(client.ask("tools/call", {{"name", "execute_run"}, {"arguments", {{"command", "pwd"}}}})) ==
             -32602);
  BOOST_TEST(client.run("echo hi").at("structuredContent").at("stdout") == "hi\n");
  const Finished odd = run({WTOOL_TEST_PROGRAM, "mcp", "--policy", "open", "--tools", "shell_execute,shell"});
  BOOST_TEST(odd.exit_code == 2);
  BOOST_TEST(holds(odd.err, "--tools: there is no tool \"shell\"; the tools are shell_execute, execute_command"),
             odd.err);
}

BOOST_AUTO_TEST_CASE(all_tools_are_listed_with_schemas) {
  const ScratchFolder folder;
  folder.file("tools-allow.json", "[]");
  McpClient client({}, {.directory = folder.path(), .set = {{"ALLOWED_COMMANDS", "ls"}}});
  const Json started = client.initialize();
  const Json result = client.ask("tools/list").at("result");
  std::set<std::string> names;
  const std::set<std::string> of_the_server{"job_poll", "job_stop", "job_list", "output_read"};
  for (const Json& tool : result.at("tools")) {
    names.insert(tool.at("name"));
    BOOST_TEST(tool.at("inputSchema").at("type") == "object");
    // The server's own tools have no title: each word of the list costs tokens.
    if (of_the_server.contains(tool.at("name"))) {
      BOOST_TEST(tool.at("description").get<std::string>().size() > 20);
      BOOST_TEST(!tool.at("annotations").empty());
      continue;
    }
    BOOST_TEST(tool.at("outputSchema").at("type") == "object");
    BOOST_TEST(!tool.at("title").get<std::string>().empty());
    BOOST_TEST(tool.at("description").get<std::string>().size() > 50);
  }
  for (const char* name : {"shell_execute", "execute_command", "terminal_create_session", "job_poll", "output_read"}) {
    BOOST_TEST(names.contains(name), name);
  }
  BOOST_TEST(holds(started.at("result").at("instructions"), ", or says which job it has become;"));
  BOOST_TEST(holds(started.at("result").at("instructions"), ", and the result says how to read the rest:"));
  BOOST_TEST(!result.contains("nextCursor"));
  for (const Json& cursor : {Json("x"), Json(""), Json(1), Json("tools-0"), Json("tools-100")}) {
    BOOST_TEST(code_of(client.ask("tools/list", {{"cursor", cursor}})) == -32602);
  }
}

BOOST_AUTO_TEST_CASE(a_command_that_succeeds_has_its_output_in_both_forms) {
  Session client;
  const Json result = client.run("echo hi; echo no >&2");
  BOOST_TEST(result.at("isError") == false);
  BOOST_TEST(result.at("structuredContent").at("stdout") == "hi\n");
  BOOST_TEST(text_of(result).starts_with("hi\n[stderr]\nno\n[exit 0, "), text_of(result));
}

BOOST_AUTO_TEST_CASE(a_command_reads_the_text_that_the_client_gives) {
  Session client;
  const auto with = [](const Json& more) { return Json{{"arguments", more}}; };
  BOOST_TEST(client.run("cat", with({{"stdin", "a\n\"b\" ä\n"}})).at("structuredContent").at("stdout") ==
             "a\n\"b\" ä\n");
  BOOST_TEST(client.run("wc -c", with({{"stdin", std::string(1048576, '\1')}})).at("structuredContent").at("stdout") ==
             "1048576\n");
  BOOST_TEST(client.run("cat", with({{"stdin", "job"}, {"background", true}})).at("structuredContent").at("stdout") ==
             "job");
  const Json refused = client.run("cat", with({{"stdin", std::string(1048577, 'x')}}));
  BOOST_TEST(refused.at("isError") == true);
  BOOST_TEST(
      text_of(refused).find("got a text of 1048577 bytes; allowed is a text of at most 1048576") != std::string::npos,
      text_of(refused));
  const Json tools = client.ask("tools/list").at("result").at("tools");
  const auto shell =
      std::find_if(tools.begin(), tools.end(), [](const Json& tool) { return tool.at("name") == "shell_execute"; });
  BOOST_REQUIRE(shell != tools.end());
  const Json& properties = shell->at("inputSchema").at("properties");
  BOOST_TEST(properties.at("stdin").at("type") == "string");
  BOOST_TEST(properties.at("stdin").at("description") == "Text for its standard input.");
  BOOST_TEST(properties.at("command").at("description").get<std::string>().find("standard input") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(failures_and_bad_arguments_are_results_that_say_so) {
  Session client;
  const Json failed = client.run("exit 3");
  BOOST_TEST(failed.at("isError") == true);
  BOOST_TEST(failed.at("structuredContent").at("exit_code") == 3);
  BOOST_TEST(text_of(failed).starts_with("[exit 3, "), text_of(failed));
  for (const Json& arguments : {Json::object(), Json{{"command", ""}}, Json{{"command", 5}}, Json{{"comand", "ls"}}}) {
    const Json said = client.ask("tools/call", {{"name", "shell_execute"}, {"arguments", arguments}});
    BOOST_TEST(said.at("result").at("isError") == true);
    BOOST_TEST(said.at("result").at("structuredContent").at("error").at("code") == "invalid_parameters");
  }
  BOOST_TEST(client.ask("tools/call", {{"name", "shell_execute"}}).at("result").at("isError") == true);
}

BOOST_AUTO_TEST_CASE(a_request_that_is_wrong_in_itself_is_an_error) {
  Session client;
  const Json unknown = client.ask("tools/call", {{"name", "shell_exec"}});
  BOOST_TEST(code_of(unknown) == -32602);
  BOOST_TEST(holds(unknown["error"]["message"], "did you mean 'shell_execute'?"));
  for (const Json& params : {Json::object(), Json{{"name", 5}}, Json{{"name", "shell_execute"}, {"arguments", "ls"}},
                             Json{{"name", "shell_execute"}, {"_meta", 1}},
                             Json{{"name", "shell_execute"}, {"_meta", {{"progressToken", 1.5}}}}}) {
    BOOST_TEST(code_of(client.ask("tools/call", params)) == -32602, params.dump());
  }
  for (const char* method : {"resources/list", "tools/cal", "", "server/discover"}) {
    BOOST_TEST(code_of(client.ask(method)) == -32601, method);
  }
}

BOOST_AUTO_TEST_CASE(a_line_that_is_not_a_message_gets_an_error_without_an_id_and_the_session_continues) {
  Session client;
  for (const auto& [line, code] : {std::pair<std::string, int>{"{\"jsonrpc\":", -32700},
                                   {"hello", -32700},
                                   {std::string(300'000, '['), -32700},
                                   {"[{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}]", -32600},
                                   {"[]", -32600},
                                   {"7", -32600},
                                   {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", -32600}}) {
    BOOST_REQUIRE(client.program.say(line + '\n'));
    BOOST_TEST(client.anonymous_error().at("code") == code, line.substr(0, 100));
  }
  // None of these messages gets an answer.
  BOOST_REQUIRE(
      client.program.say("\n  \r\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unheard_of\"}\n"
                         "{\"jsonrpc\":\"2.0\",\"id\":\"approval-99\",\"result\":{}}\n"
                         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
                         "{\"requestId\":[1]}}\n"));
  BOOST_TEST(client.ask("ping").contains("result"));
}

BOOST_AUTO_TEST_CASE(ids_go_back_as_they_came) {
  Session client;
  for (const Json& id : {Json("text"), Json(""), Json("1"), Json(-7), Json(0), Json(9007199254740993LL),
                         Json(18446744073709551615ULL)}) {
    client.request_as(id, "ping");
    BOOST_TEST((client.answer(id).at("id") == id));
  }
}

BOOST_AUTO_TEST_CASE(numbers_that_no_double_can_tell_apart_are_two_ids) {
  Session client;
  const auto call = [](const std::string& id, const std::string& command) {
    return R"({"jsonrpc":"2.0","id":)" + id +
           R"(,"method":"tools/call","params":{"name":"shell_execute","arguments":{"command":")" + command + "\"}}}\n";
  };
  BOOST_REQUIRE(
      client.program.say(call("100000000000000000001", "sleep 61") + call("100000000000000000002", "echo hi")));
  std::string line;
  BOOST_REQUIRE(client.program.next_line(line));
  BOOST_TEST(holds(line, R"("id":100000000000000000002,"result")"), line);
  // Only the first call is cancelled, which is then not answered.
  BOOST_REQUIRE(client.program.say(call("100000000000000000003", "sleep 0.3; echo last") +
                                   R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":)"
                                   R"({"requestId":100000000000000000001}})"
                                   "\n"));
  BOOST_REQUIRE(client.program.next_line(line));
  BOOST_TEST(holds(line, R"("id":100000000000000000003,"result")"), line);
  BOOST_TEST(holds(line, "last"), line);
}

BOOST_AUTO_TEST_CASE(arguments_that_are_too_large_are_refused_and_not_rounded) {
  Session client;
  const auto use = [&](const std::string& tool, const Json& arguments) {
    const Json result = client.ask("tools/call", {{"name", tool}, {"arguments", arguments}}).at("result");
    BOOST_TEST(result.at("isError") == true, result.dump());
    return result.at("content").at(0).at("text").get<std::string>();
  };
  for (const double number : {1e20, 1e300, 9007199254740994.0, -1e20}) {
    const std::string shown = Json(number).dump();
    BOOST_TEST(holds(use("shell_execute", {{"command", "true"}, {"timeout", number}}), "timeout: got " + shown));
    BOOST_TEST(holds(use("job_poll", {{"job", number}}), "job must be a whole number from 1, but is " + shown));
    BOOST_TEST(holds(use("job_poll", {{"job", 1}, {"wait", number}}), "wait must be a whole number from 0"));
    BOOST_TEST(holds(use("output_read", {{"output", 1}, {"offset", number}}), "offset must be a whole number from 0"));
    const Json task{{"name", "shell_execute"}, {"arguments", {{"command", "true"}}}, {"task", {{"ttl", number}}}};
    BOOST_TEST(code_of(client.ask("tools/call", task)) == -32602);
  }
}

BOOST_AUTO_TEST_CASE(an_id_that_is_in_use_is_refused_and_free_again_after_the_answer) {
  Session client;
  const Json call{{"name", "shell_execute"}, {"arguments", {{"command", "sleep 0.3; echo first"}}}};
  client.request_as("same", "tools/call", call);
  for (const char* method : {"tools/call", "ping", "tools/list", "no/such/method", "logging/setLevel"}) {
    client.request_as("same", method, call);
    const Json refused = client.answer("same");
    BOOST_TEST(code_of(refused) == -32600, method);
    BOOST_TEST(holds(refused["error"]["message"], "the id \"same\" belongs to a running call"), refused.dump());
  }
  BOOST_TEST(client.answer("same").at("result").at("structuredContent").at("stdout") == "first\n");
  client.request_as("same", "tools/call", call);
  BOOST_TEST(client.answer("same").at("result").at("isError") == false);
}

BOOST_AUTO_TEST_CASE(lines_may_come_in_pieces_and_several_at_once) {
  Session client;
  std::string many;
  for (int id = 1000; id < 1100; ++id) many += Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", "ping"}}.dump() + "\n";
  BOOST_REQUIRE(client.program.say(many));
  for (int id = 1000; id < 1100; ++id) BOOST_TEST(client.answer(id).contains("result"));
  for (const char byte : Json{{"jsonrpc", "2.0"}, {"id", 2000}, {"method", "ping"}}.dump() + "\r\n") {
    BOOST_REQUIRE(client.program.say(std::string_view(&byte, 1)));
  }
  BOOST_TEST(client.answer(2000).contains("result"));
}

BOOST_AUTO_TEST_CASE(a_message_that_is_too_long_is_refused_and_skipped) {
  const ScratchFolder folder;
  Session client({"--config", folder.file("c.yaml", "mcp: {message_bytes: 65536}\n")});
  const Json long_id = client.request("ping", {{"a", std::string(100'000, 'x')}});
  const Json error = client.answer(long_id).at("error");
  BOOST_TEST(error.at("code") == -32600);
  BOOST_TEST(holds(error.at("message"), "65536 bytes (mcp.message_bytes)"));
  BOOST_TEST(client.ask("ping").contains("result"));
}

BOOST_AUTO_TEST_CASE(sixteen_mebibytes_of_arguments_are_taken) {
  Session client;
  // The text is shorter under a sanitizer, which makes the JSON library twenty times slower.
  const std::size_t length = under_sanitizer ? 1'500'000 : 15'000'000;
  const Json result = client.run("wc -c < /dev/null # " + std::string(length, 'x'));
  BOOST_TEST(result.contains("isError"));
  BOOST_TEST(client.ask("ping").contains("result"));
}

BOOST_AUTO_TEST_CASE(long_output_keeps_both_ends_within_the_configured_size) {
  const ScratchFolder folder;
  Session client({"--config", folder.file("c.yaml", "mcp: {output_bytes: 2000}\n")});
  const Json result = client.run("seq 1 100000; seq 1 100000 >&2");
  for (const char* name : {"stdout", "stderr"}) {
    const std::string text = result.at("structuredContent").at(name);
    BOOST_TEST(text.size() < 2100);
    BOOST_TEST(text.starts_with("1\n2\n"));
    BOOST_TEST(text.ends_with("99999\n100000\n"));
    BOOST_TEST(holds(text, " bytes left out ...]\n"));
    BOOST_TEST(result["structuredContent"][std::string(name) + "_truncated"] == true);
  }
  BOOST_TEST(result.dump().size() < 12'000);
}

BOOST_AUTO_TEST_CASE(output_that_is_not_text_becomes_text) {
  Session client;
  const Json result = client.run(R"(printf 'a\377\000\303b\033[1m')");
  BOOST_TEST(result.at("isError") == false);
}

BOOST_AUTO_TEST_CASE(a_command_gets_neither_the_clients_descriptors_nor_its_input) {
  Session client;
  const Json result = client.run("cat; ls /proc/self/fd | wc -l; echo to the client > /proc/$PPID/fd/1");
  BOOST_TEST(result.at("structuredContent").at("stdout") == "4\n");
  BOOST_TEST(client.ask("ping").contains("result"));
}

BOOST_AUTO_TEST_CASE(calls_overlap_and_a_ping_is_answered_meanwhile) {
  const ScratchFolder folder;
  Session client;
  const std::string command =
      "mkdir " + folder.path() + "/$$; until test -e " + folder.path() + "/go; do sleep 0.05; done";
  constexpr int count = 32;
  std::vector<Json> ids;
  for (int i = 0; i < count; ++i) ids.push_back(client.call(command));
  const auto running = [&] {
    return std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator());
  };
  BOOST_REQUIRE(wait_until([&] { return running() == count; }, within(5000)));
  const Json ping = client.request("ping");
  client.answer(ping);
  BOOST_TEST(std::none_of(ids.begin(), ids.end(), [&](const Json& id) { return client.has_answer(id); }));
  folder.file("go", "");
  for (const Json& id : ids) BOOST_TEST(client.answer(id).at("result").at("isError") == false);
}

BOOST_AUTO_TEST_CASE(no_more_calls_run_at_once_than_are_configured_and_the_rest_waits) {
  const ScratchFolder folder;
  Session client({"--config", folder.file("c.yaml", "mcp: {max_calls: 2}\n")});
  const std::string command = "mkdir " + folder.path() + "/$$; ls -d " + folder.path() +
                              "/[0-9]* | wc -l; sleep 0.1; " + "rmdir " + folder.path() + "/$$";
  std::vector<Json> ids;
  for (int i = 0; i < 8; ++i) ids.push_back(client.call(command));
  for (const Json& id : ids) {
    const std::string seen = client.answer(id).at("result").at("structuredContent").at("stdout");
    BOOST_TEST((seen == "1\n" || seen == "2\n"), seen);
  }
}

BOOST_AUTO_TEST_CASE(too_many_waiting_calls_are_refused) {
  const ScratchFolder folder;
  Session client({"--config", folder.file("c.yaml", "mcp: {max_calls: 1}\n")});
  client.call("sleep 30");
  Json last;
  for (int i = 0; i < 1010; ++i) last = client.call("sleep 30");
  const Json refused = client.answer(last).at("result");
  BOOST_TEST(refused.at("isError") == true);
  BOOST_TEST(holds(text_of(refused), "too many calls are already waiting"));
  BOOST_TEST(client.ask("ping").contains("result"));
}

BOOST_AUTO_TEST_CASE(a_call_that_has_waited_too_long_for_its_turn_is_answered) {
  const ScratchFolder folder;
  Session client({"--config", folder.file("c.yaml", "mcp: {max_calls: 1, queue_seconds: 1}\n")});
  const Json first = client.call("sleep 30");
  const Json late = client.answer(client.call("touch " + folder.path() + "/made")).at("result");
  BOOST_TEST(late.at("isError") == true);
  BOOST_TEST(holds(text_of(late), "1 s (mcp.queue_seconds)"), text_of(late));
  BOOST_TEST(holds(text_of(late), "because 1 call (mcp.max_calls) is already running"), text_of(late));
  BOOST_TEST(!client.has_answer(first));
  BOOST_TEST(!std::filesystem::exists(folder.path() + "/made"));
}

BOOST_AUTO_TEST_CASE(a_session_can_be_closed_whatever_runs) {
  const ScratchFolder folder;
  Session client({"--config", folder.file("c.yaml", "mcp: {max_calls: 2}\n"), "--tools",
                  "shell_execute,terminal_create_session,terminal_get_status,terminal_close_session"});
  const auto ask = [&](const char* tool, const Json& arguments) {
    return client.ask("tools/call", {{"name", tool}, {"arguments", arguments}}).at("result");
  };
  const Json session = ask("terminal_create_session", {{"taskId", "t"}, {"agentId", "a"}});
  const Json id = {{"sessionId", session.at("structuredContent").at("sessionId")}};
  for (int i = 0; i < 4; ++i) client.call("sleep 30");
  BOOST_TEST(ask("terminal_get_status", id).at("isError") == false);
  BOOST_TEST(ask("terminal_close_session", id).at("isError") == false);
}

BOOST_AUTO_TEST_CASE(progress_shows_that_a_command_is_being_stopped) {
  Session client;
  client.run("trap '' TERM; while :; do sleep 0.1; done",
             {{"_meta", {{"progressToken", 1}}}, {"arguments", {{"timeout", 1}}}});
  const auto tells = [](const Json& one) {
    return one.at("params").value("message", "") == "is being stopped: timeout";
  };
  BOOST_TEST(std::any_of(client.news.begin(), client.news.end(), tells));
}

BOOST_AUTO_TEST_CASE(the_commands_of_a_call_belong_to_the_trace_of_its_meta) {
  Session client;
  const Json result = client.run(
      "echo $TRACEPARENT", {{"_meta", {{"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}}});
  const std::string out = result.at("structuredContent").at("stdout");
  BOOST_TEST(out.starts_with("00-0af7651916cd43dd8448eb211c80319c-"), out);
  BOOST_TEST(out.find("b7ad6b7169203331") == std::string::npos, out);
}

BOOST_AUTO_TEST_CASE(progress_grows_is_rare_and_ends_before_the_result) {
  const ScratchFolder scratch;
  const std::string seen = scratch.path() + "/seen";
  Session client;
  const Json call =
      client.call("for i in 1 2 3 4 5 6 7 8 9; do echo line $i; sleep 0.05; done; printf 'no end'; until [ -e " + seen +
                      " ]; do sleep 0.05; done",
                  {{"_meta", {{"progressToken", "mine"}}}});
  const auto shows_the_end = [](const Json& one) { return one["params"].value("message", "") == "no end"; };
  while (std::none_of(client.news.begin(), client.news.end(), shows_the_end)) BOOST_REQUIRE(client.read());
  scratch.file("seen", "");
  BOOST_TEST(client.answer(call).at("result").at("isError") == false);
  // The command has ten lines, and most of them come sooner than a report is due.
  BOOST_TEST(client.news.size() >= 2U);
  BOOST_TEST(client.news.size() <= 10U);
  double last = -1;
  for (const Json& one : client.news) {
    BOOST_TEST(one.at("method") == "notifications/progress");
    BOOST_TEST(one.at("params").at("progressToken") == "mine");
    BOOST_TEST(one["params"]["progress"].get<double>() > last);
    last = one["params"]["progress"];
  }
  BOOST_TEST(shows_the_end(client.news.back()));
  const std::size_t reports = client.news.size();
  client.ask("ping");
  BOOST_TEST(client.news.size() == reports);
}

BOOST_AUTO_TEST_CASE(progress_shows_the_last_line_harmlessly) {
  Session client;
  client.run(R"(printf 'first\nlast \033[1m\377\n\n'; sleep 0.3)", {{"_meta", {{"progressToken", 7}}}});
  BOOST_REQUIRE(!client.news.empty());
  BOOST_TEST(client.news.back().at("params").at("message") == "last \\x1b[1m\\xff");
  BOOST_TEST(client.news.back()["params"]["progressToken"] == 7);
  client.news.clear();
  client.run("echo hi");
  BOOST_TEST(client.news.empty());
}

BOOST_AUTO_TEST_CASE(log_records_come_from_the_level_that_the_client_sets) {
  Session client;
  client.run("echo hi");
  BOOST_TEST(client.news.empty());
  BOOST_TEST(code_of(client.ask("logging/setLevel", {{"level", "loud"}})) == -32602);
  BOOST_TEST(code_of(client.ask("logging/setLevel")) == -32602);
  BOOST_TEST(client.ask("logging/setLevel", {{"level", "debug"}}).contains("result"));
  client.run("echo hi");
  BOOST_REQUIRE(!client.news.empty());
  for (const Json& one : client.news) {
    BOOST_TEST(one.at("method") == "notifications/message");
    BOOST_TEST(one.at("params").at("data").at("message").is_string());
    BOOST_TEST(one["params"]["logger"].is_string());
  }
  BOOST_TEST(client.ask("logging/setLevel", {{"level", "emergency"}}).contains("result"));
  client.news.clear();
  client.run("exit 1");
  BOOST_TEST(client.news.empty());
}

BOOST_AUTO_TEST_SUITE_END()
