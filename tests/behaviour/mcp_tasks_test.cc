// Tasks of protocol 2025-11-25: calls whose results the client fetches later.
#include <boost/test/unit_test.hpp>
#include <string>

#include "mcp_session.h"

BOOST_AUTO_TEST_SUITE(mcp_tasks_test)

using namespace wtool::test;
using namespace wtool::test::mcp_session;

namespace {

const Json as_task{{"task", Json::object()}};

Json task_of(const Json& created) {
  BOOST_REQUIRE_MESSAGE(created.contains("task"), created.dump());
  BOOST_TEST(!created.contains("content"));
  return created.at("task");
}
Json id_of(const Json& task) { return {{"taskId", task.at("taskId")}}; }
int error_of(const Json& answer) { return answer.contains("error") ? answer["error"].at("code").get<int>() : 0; }
std::string status_of(McpClient& client, const Json& id) {
  return client.ask("tasks/get", id).at("result").at("status");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mcp_tasks)

BOOST_AUTO_TEST_CASE(a_task_is_there_at_once_and_its_result_is_that_of_the_call) {
  Session client;
  const Json task =
      task_of(client.run("echo one; " + client.gate.wait() + "; echo two; exit 3", {{"task", {{"ttl", 60000}}}}));
  const Json id = id_of(task);
  BOOST_TEST(task.at("status") == "working");
  BOOST_TEST(task.at("ttl") == 60000);
  BOOST_TEST(task.at("taskId").get<std::string>().size() == 64U);
  BOOST_TEST(status_of(client, id) == "working");
  BOOST_TEST(client.ask("tasks/list").at("result").at("tasks").size() == 1U);
  // A task belongs to the client, so the model's tools for jobs do not show it.
  BOOST_TEST(text_of(client.use("job_list")) == "no jobs");
  BOOST_TEST(client.use("job_poll", {{"job", 1}}).at("isError") == true);
  const Json waiting = client.request("tasks/result", id);
  const Json given_up = client.request("tasks/result", id);
  client.notify("notifications/cancelled", {{"requestId", given_up}});
  client.ask("ping");
  BOOST_TEST(!client.has_answer(waiting));
  client.gate.open();
  const Json result = client.answer(waiting).at("result");
  BOOST_TEST(text_of(result).starts_with("one\ntwo\n[exit 3, "), text_of(result));
  BOOST_TEST(result.at("isError") == true);
  BOOST_TEST((result.at("_meta").at("io.modelcontextprotocol/related-task") == id));
  BOOST_TEST(status_of(client, id) == "failed");
  BOOST_TEST((client.ask("tasks/result", id).at("result") == result));
  BOOST_TEST(!client.has_answer(given_up));
  // A task that succeeds.
  const Json other = id_of(task_of(client.run("echo hi", as_task)));
  BOOST_TEST(text_of(client.ask("tasks/result", other).at("result")).starts_with("hi\n[exit 0, "));
  BOOST_TEST(status_of(client, other) == "completed");
  BOOST_TEST(client.ask("tasks/get", other).at("result").at("ttl").is_null());
}

BOOST_AUTO_TEST_CASE(the_rest_of_a_tasks_output_can_be_read) {
  Session client("results: text, output_bytes: 1024");
  const Json id = id_of(task_of(client.run("seq 1 2000", as_task)));
  const std::string text = text_of(client.ask("tasks/result", id).at("result"));
  BOOST_TEST(text.starts_with("1\n2\n"), text);
  const std::size_t found = text.find("output_read {\"output\":");
  BOOST_REQUIRE_MESSAGE(found != std::string::npos, text);
  const int output = std::stoi(text.substr(found + std::string("output_read {\"output\":").size()));
  BOOST_TEST(holds(client.read({{"output", output}, {"tail", 1}}), "2000\n"));
}

BOOST_AUTO_TEST_CASE(a_task_that_is_cancelled_ends_with_all_that_it_has_started) {
  Session client;
  Json more = as_task;
  more["arguments"]["environment"] = {{"WTOOL_TEST_MARK", client.mark.text()}};
  const Json id = id_of(task_of(client.run("setsid sleep 61 & sleep 61", more)));
  BOOST_REQUIRE(wait_until([&] { return !client.mark.bearers().empty(); }, within(5000)));
  const Json cancelled = client.ask("tasks/cancel", id).at("result");
  BOOST_TEST(cancelled.at("status") == "cancelled");
  BOOST_TEST(holds(text_of(client.ask("tasks/result", id).at("result")), "the client has cancelled the task"));
  BOOST_TEST(client.nothing_is_left(), client.mark.description());
  BOOST_TEST(status_of(client, id) == "cancelled");
  BOOST_TEST(error_of(client.ask("tasks/cancel", id)) == -32602);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_a_task_is_refused) {
  Session client;
  for (const char* method : {"tasks/get", "tasks/result", "tasks/cancel"}) {
    BOOST_TEST(error_of(client.ask(method, {{"taskId", "none"}})) == -32602, method);
    BOOST_TEST(error_of(client.ask(method, {{"taskId", 1}})) == -32602, method);
    BOOST_TEST(error_of(client.ask(method)) == -32602, method);
  }
  BOOST_TEST(error_of(client.ask("tasks/list", {{"cursor", "x"}})) == -32602);
  for (const Json& task : {Json(5), Json{{"ttl", -1}}, Json{{"ttl", "x"}}, Json{{"ttl", 1.5}}}) {
    BOOST_TEST(error_of(client.answer(client.call("true", {{"task", task}}))) == -32602, task.dump());
  }
  BOOST_TEST(error_of(client.ask("tools/call", {{"name", "job_list"}, {"task", Json::object()}})) == -32601);
  const Json odd = client.answer(client.call("true", {{"task", Json::object()}, {"arguments", {{"background", 5}}}}));
  BOOST_TEST(error_of(odd) == -32602);
  const Json unknown = client.answer(client.call("true", {{"task", Json::object()}, {"arguments", {{"cmd", "x"}}}}));
  BOOST_TEST(error_of(unknown) == -32602);
  BOOST_TEST(client.ask("tasks/list").at("result").at("tasks").empty());
}

BOOST_AUTO_TEST_CASE(tasks_that_were_read_make_room_for_others) {
  Session client;
  Json last;
  for (int i = 0; i < 100; ++i) last = id_of(task_of(client.run("true", as_task)));
  const auto all_ended = [&] {
    const Json list = client.ask("tasks/list").at("result").at("tasks");
    return list.size() == 100U &&
           std::all_of(list.begin(), list.end(), [](const Json& task) { return task.at("status") == "completed"; });
  };
  BOOST_REQUIRE(wait_until(all_ended, within(20000)));
  const Json full = client.answer(client.call("true", as_task));
  BOOST_TEST(error_of(full) == -32603);
  BOOST_TEST(holds(full.dump(), "there are already 100 jobs and tasks"), full.dump());
  BOOST_TEST(client.ask("tasks/result", last).at("result").at("isError") == false);
  // With a ttl of 0, a task may be removed immediately, but it is kept while there is room.
  const Json brief = id_of(task_of(client.run("true", {{"task", {{"ttl", 0}}}})));
  BOOST_TEST(error_of(client.ask("tasks/get", last)) == -32602);
  BOOST_REQUIRE(wait_until([&] { return status_of(client, brief) == "completed"; }, within(5000)));
  task_of(client.run("true", as_task));
  BOOST_TEST(error_of(client.ask("tasks/get", brief)) == -32602);
}

BOOST_AUTO_TEST_CASE(a_cancelled_task_gives_its_place_to_another_one) {
  Session client;
  const Json cancelled = id_of(task_of(client.run("sleep 600", as_task)));
  for (int i = 1; i < 100; ++i) task_of(client.run("true", as_task));
  BOOST_TEST(error_of(client.answer(client.call("true", as_task))) == -32603);
  BOOST_TEST(client.ask("tasks/cancel", cancelled).contains("result"));
  BOOST_TEST(wait_until([&] { return client.answer(client.call("true", as_task)).contains("result"); }, within(20000)));
}

BOOST_AUTO_TEST_CASE(the_id_of_a_request_that_waits_for_a_task_belongs_to_it) {
  Session client;
  const Json id = id_of(task_of(client.run(client.gate.wait() + "; echo done", as_task)));
  const Json waiting = client.request("tasks/result", id);
  client.request_as(waiting, "tasks/result", id);
  const Json refused = client.answer(waiting);
  BOOST_TEST(error_of(refused) == -32600);
  BOOST_TEST(holds(refused.dump(), "belongs to a running call"), refused.dump());
  client.gate.open();
  BOOST_TEST(text_of(client.answer(waiting).at("result")).starts_with("done\n[exit 0, "));
  client.ask("ping");
  BOOST_TEST(!client.has_answer(waiting));
}

BOOST_AUTO_TEST_CASE(a_client_that_knows_no_tasks_sees_none) {
  // For a client without tasks, the list of tools says nothing about them, so it costs no more tokens than before.
  Session client;
  BOOST_TEST(!holds(client.ask("tools/list").dump(), "taskSupport"));
  McpClient tasked;
  const Json own = tasked.initialize({{"tasks", Json::object()}}).at("result").at("capabilities").at("tasks");
  BOOST_TEST((own == Json{{"list", Json::object()},
                          {"cancel", Json::object()},
                          {"requests", {{"tools", {{"call", Json::object()}}}}}}));
  const Json list = tasked.ask("tools/list").at("result").at("tools");
  for (const Json& tool : list) {
    const bool may = tool.at("name") == "shell_execute";
    BOOST_TEST(tool.contains("execution") == may, tool.at("name"));
    if (may) BOOST_TEST(tool.at("execution").at("taskSupport") == "optional");
  }
  // Earlier versions of the protocol have no tasks, so the server ignores what a client says about tasks.
  McpClient older({}, {}, "2025-06-18");
  BOOST_TEST(!older.initialize({{"tasks", Json::object()}}).at("result").at("capabilities").contains("tasks"));
  BOOST_TEST(older.run("echo hi", as_task).contains("content"));
  BOOST_TEST(error_of(older.ask("tasks/list")) == -32601);
  BOOST_TEST(!holds(older.ask("tools/list").dump(), "taskSupport"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
