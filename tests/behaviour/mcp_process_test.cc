// `wtool mcp` as a process. Nothing of a command is left when it is cancelled, when it times out, when the client
// disconnects, or when the server is ended in any way. Floods and slow clients cost a bounded amount of memory, and
// delay only themselves.
#include <sys/stat.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "support/mcp_client.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(mcp_process_test)

using namespace wtool::test;
using Json = nlohmann::json;

namespace {

// Commands that try to survive. Each prints "ready", and would run for a minute or forever.
const char* const stubborn[] = {
    "echo ready; sleep 61",
    "setsid sh -c 'sleep 61' & (setsid sleep 61 &); echo ready; sleep 61",
    "trap '' TERM HUP INT; setsid sleep 61 & echo ready; while :; do sleep 1; done",
    "echo ready; while :; do echo noise; done",
};

struct Session : McpClient {
  Mark mark;

  explicit Session(std::vector<std::string> more = {}) : McpClient(std::move(more)) { initialize(); }

  // Begins a call whose processes bear the mark, and waits until it runs.
  Json begin(const std::string& command, Json more = Json::object()) {
    more["arguments"]["environment"] = {{"WTOOL_TEST_MARK", mark.text()}};
    more["_meta"]["progressToken"] = "progress";
    const Json id = call(command, more);
    wait_for_news("notifications/progress");
    BOOST_REQUIRE(wait_until([&] { return !mark.bearers().empty(); }, within(3000)));
    return id;
  }
  bool nothing_is_left(int milliseconds) {
    return wait_until([&] { return mark.bearers().empty(); }, within(milliseconds));
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_cancelled_call_is_dead_at_once_and_not_answered) {
  for (const char* command : stubborn) {
    BOOST_TEST_CONTEXT(command) {
      Session client;
      const Json id = client.begin(command);
      client.notify("notifications/cancelled", {{"requestId", id}, {"reason", "the test says so"}});
      BOOST_TEST(client.nothing_is_left(100), client.mark.description());
      client.ask("ping");
      client.read_for(std::chrono::milliseconds(100));
      BOOST_TEST(!client.has_answer(id));
      // A cancellation that is repeated, or that is for a request that never existed, has no effect.
      client.notify("notifications/cancelled", {{"requestId", id}});
      client.notify("notifications/cancelled", {{"requestId", "nobody"}});
      BOOST_TEST(client.run("echo on").at("isError") == false);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_call_that_waits_and_is_cancelled_never_begins) {
  const ScratchFolder folder;
  Session client({"--config", folder.file("c.yaml", "mcp: {max_calls: 1}\n")});
  const Json first = client.begin("echo ready; sleep 0.5");
  const Json second = client.call("touch " + folder.path() + "/begun");
  client.notify("notifications/cancelled", {{"requestId", second}});
  client.answer(first);
  BOOST_TEST(client.run("ls " + folder.path()).at("structuredContent").at("stdout") == "c.yaml\n");
  BOOST_TEST(!client.has_answer(second));
}

BOOST_AUTO_TEST_CASE(nothing_is_left_after_a_timeout) {
  Session client;
  client.run("true");  // The first call starts the plugin's helper, which is slow under a sanitizer.
  const Json id = client.begin(stubborn[2], {{"arguments", {{"timeout", under_sanitizer ? 5 : 1}}}});
  const Json result = client.answer(id).at("result");
  BOOST_TEST(result.at("isError") == true);
  BOOST_TEST(result.at("structuredContent").at("error").at("code") == "timed_out");
  BOOST_TEST(client.mark.bearers().empty(), client.mark.description());
}

BOOST_AUTO_TEST_CASE(the_end_of_the_input_ends_everything_and_is_a_success) {
  for (const char* command : stubborn) {
    BOOST_TEST_CONTEXT(command) {
      Session client;
      client.begin(command);
      client.program.end_input();
      const Finished finished = client.program.wait();
      BOOST_TEST(finished.exit_code == 0);
      BOOST_TEST(client.nothing_is_left(100), client.mark.description());
    }
  }
}

BOOST_AUTO_TEST_CASE(a_call_that_still_waits_at_the_end_of_the_input_is_refused) {
  const ScratchFolder folder;
  Session client({"--config", folder.file("c.yaml", "mcp: {max_calls: 1}\n")});
  const Json first = client.begin("echo ready; sleep 61");
  const Json second = client.call("touch " + folder.path() + "/begun");
  client.program.end_input();
  BOOST_TEST(client.answer(first).at("result").at("structuredContent").at("error").at("code") == "aborted");
  const Json refused = client.answer(second).at("result");
  BOOST_TEST(refused.at("isError") == true);
  BOOST_TEST(refused.dump().find("the call was not run") != std::string::npos, refused.dump());
  BOOST_TEST(client.program.wait().exit_code == 0);
  BOOST_TEST(!std::filesystem::exists(folder.path() + "/begun"));
}

// When the input ends, the call may or may not have begun.
BOOST_AUTO_TEST_CASE(a_call_right_before_the_end_of_the_input_is_answered) {
  for (int round = 0; round < 20; ++round) {
    Session client;
    const Json id = client.call("true");
    client.program.end_input();
    BOOST_TEST(client.answer(id).contains("result"));
    BOOST_TEST(client.program.wait().exit_code == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_client_that_no_longer_reads_ends_everything) {
  Session client;
  client.begin(stubborn[1]);
  client.program.stop_listening();
  BOOST_TEST(client.program.wait().exit_code == 0);
  BOOST_TEST(client.nothing_is_left(100), client.mark.description());
}

BOOST_AUTO_TEST_CASE(a_signal_ends_everything) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    Session client;
    const Json id = client.begin(stubborn[2]);
    client.program.kill(signal);
    // The answer to the call says that the call was aborted.
    BOOST_TEST(client.answer(id).at("result").at("structuredContent").at("error").at("code") == "aborted");
    BOOST_TEST(client.program.wait().exit_code == 128 + signal);
    BOOST_TEST(client.nothing_is_left(100), client.mark.description());
  }
}

BOOST_AUTO_TEST_CASE(killing_the_server_ends_everything) {
  for (const char* command : stubborn) {
    Session client;
    client.begin(command);
    client.program.kill(SIGKILL);
    BOOST_TEST(client.program.wait().signal == SIGKILL);
    BOOST_TEST(client.nothing_is_left(1000), client.mark.description());
  }
}

BOOST_AUTO_TEST_CASE(sessions_end_with_the_server) {
  Session client({"--tools", "terminal_create_session"});
  const Json made = client.ask(
      "tools/call", {{"name", "terminal_create_session"}, {"arguments", {{"taskId", "t"}, {"agentId", "a"}}}});
  BOOST_TEST(made.at("result").contains("content"));
  client.program.end_input();
  BOOST_TEST(client.program.wait().exit_code == 0);
}

BOOST_AUTO_TEST_CASE(an_unusable_configuration_is_reported_on_standard_error) {
  const ScratchFolder folder;
  McpClient client({"--config", folder.file("c.yaml", "mcp: {max_calls: 0}\n")});
  const Finished finished = client.program.wait();
  BOOST_TEST(finished.exit_code == 2);
  BOOST_TEST(finished.out == "");
  BOOST_TEST(finished.err.find("mcp.max_calls must be a whole number, 1 to 256 calls") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(answers_that_cannot_be_written_are_reported_on_standard_error) {
  const std::string ping = R"(echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | )";
  Program program({"/bin/sh", "-c", ping + "\"$0\" mcp --policy open >/dev/full", WTOOL_TEST_PROGRAM},
                  Program::On::pipes);
  const Finished finished = program.wait();
  BOOST_TEST(finished.exit_code == 2);
  BOOST_TEST(holds(finished.err, "standard output cannot be written: No space left on device"), finished.err);
}

BOOST_AUTO_TEST_CASE(many_processes_that_were_ended_are_counted) {
  Session client;
  const Json answer = client.answer(client.call("for i in $(seq 20); do (setsid sleep 61 &); done"));
  const std::string text = answer.at("result").at("content").at(0).at("text").get<std::string>();
  BOOST_TEST(holds(text, "ended with the command: sleep, "), text);
  BOOST_TEST(holds(text, " and 4 more"), text);
}

BOOST_AUTO_TEST_CASE(a_flood_of_output_costs_bounded_memory) {
  Session client;
  const Json id =
      client.call("head -c 200000000 /dev/zero | tr '\\0' 'x'; head -c 1000000 /dev/zero | tr '\\0' 'e' >&2",
                  {{"_meta", {{"progressToken", 1}}}});
  const Json result = client.answer(id).at("result").at("structuredContent");
  BOOST_TEST(result.at("stdout_bytes") == 200'000'000);
  BOOST_TEST(result.at("stdout").get<std::string>().size() < 33'000);
  const long peak = status_kib(client.program.pid(), "VmHWM");
  BOOST_TEST_MESSAGE("peak of resident memory: " << peak << " KiB");
  BOOST_TEST(peak > 0);
  if (!under_sanitizer) BOOST_TEST(peak < 40'000);
}

BOOST_AUTO_TEST_CASE(a_client_that_does_not_read_delays_nobody) {
  Session client;
  client.ask("logging/setLevel", {{"level", "debug"}});
  const ScratchFolder folder;
  // Nobody reads the answers of 64 KiB each, the progress and the logs. They are far more than a pipe has room for.
  std::vector<Json> ids;
  for (int i = 0; i < 40; ++i) {
    ids.push_back(
        client.call("head -c 60000 /dev/zero | tr '\\0' 'x'; echo done > " + folder.path() + "/" + std::to_string(i),
                    {{"_meta", {{"progressToken", i}}}}));
  }
  const Json running = client.request_as(
      "running", "tools/call",
      {{"name", "shell_execute"},
       {"arguments", {{"command", "sleep 61"}, {"environment", {{"WTOOL_TEST_MARK", client.mark.text()}}}}}});
  BOOST_TEST(wait_until([&] { return !client.mark.bearers().empty(); }, within(3000)));
  // The server still reads its input.
  client.notify("notifications/cancelled", {{"requestId", running}});
  BOOST_TEST(client.nothing_is_left(200), client.mark.description());
  const long peak = status_kib(client.program.pid(), "VmHWM");
  if (!under_sanitizer) BOOST_TEST(peak < 60'000);
  for (const Json& id : ids) BOOST_TEST(client.answer(id).at("result").at("isError") == false);
}

BOOST_AUTO_TEST_CASE(a_client_that_does_not_read_standard_error_delays_nobody) {
  const ScratchFolder folder;
  const std::string unread = folder.path() + "/unread";
  BOOST_REQUIRE(::mkfifo(unread.c_str(), 0600) == 0);
  ProgramOptions options{.directory = folder.path(), .set = {{"XDG_RUNTIME_DIR", folder.path()}}};
  options.talk = true;
  Program program({"/bin/sh", "-c", "exec \"$0\" mcp --policy open --config \"$1\" 2<>\"$2\"", WTOOL_TEST_PROGRAM,
                   folder.file("c.yaml", "commands: {deny: [rm], ask: [touch]}\n"), unread},
                  Program::On::pipes, options);
  const auto say = [&](Json message) {
    message["jsonrpc"] = "2.0";
    BOOST_REQUIRE(program.say(message.dump() + '\n'));
  };
  const auto ask = [&](int id, const std::string& method, const Json& params) {
    say({{"id", id}, {"method", method}, {"params", params}});
    std::string line;
    do BOOST_REQUIRE_MESSAGE(program.next_line(line), "no answer to " << id);
    while (Json::parse(line).value("id", 0) != id);
  };
  const auto command = [](const std::string& line) {
    return Json{{"name", "shell_execute"}, {"arguments", {{"command", line}}}};
  };
  ask(1, "initialize",
      {{"protocolVersion", "2025-11-25"},
       {"capabilities", Json::object()},
       {"clientInfo", {{"name", "test"}, {"version", "1"}}}});
  // Each refused call writes a line to standard error; all together they are more than a pipe has room for.
  for (int id = 2; id < 300; ++id) ask(id, "tools/call", command("rm " + std::string(200, 'x')));
  // The question of this call is announced on standard error, too.
  say({{"id", 500}, {"method", "tools/call"}, {"params", command("touch made")}});
  ask(501, "ping", Json::object());
  say({{"method", "notifications/cancelled"}, {"params", {{"requestId", 500}}}});
  ask(502, "ping", Json::object());
  ask(503, "tools/call", command("echo hi"));
  program.end_input();
  BOOST_TEST(program.wait().exit_code == 0);
}

BOOST_AUTO_TEST_CASE(a_client_that_asks_without_reading_costs_bounded_memory) {
  struct Ignoring {
    void (*before)(int) = std::signal(SIGPIPE, SIG_IGN);  // The server may end while it is being asked.
    ~Ignoring() { std::signal(SIGPIPE, before); }
  } const ignoring;
  const auto peak = [](const Session& client) { return status_kib(client.program.pid(), "VmHWM"); };
  enum class Then { signal, goes_away, reads };
  for (const Then then : {Then::signal, Then::goes_away, Then::reads}) {
    Session client;
    const int requests = repeats(60'000);
    std::atomic<int> sent{0};
    const std::string id(1000, 'i');
    std::thread asking([&] {
      const std::string end = "\",\"method\":\"ping\"}\n";
      while (sent < requests && client.program.say(R"({"jsonrpc":"2.0","id":")" + id + std::to_string(sent) + end))
        ++sent;
    });
    // Either everything is sent, or the server has stopped to read: then nothing is sent for a while.
    wait_until(
        [&] {
          const int before = sent;
          std::this_thread::sleep_for(std::chrono::milliseconds(200));
          return sent == before;
        },
        std::chrono::seconds(30));
    BOOST_TEST_MESSAGE("peak of resident memory after " << sent << " requests: " << peak(client) << " KiB");
    if (!under_sanitizer) BOOST_TEST(peak(client) < 50'000);
    if (then == Then::signal) client.program.kill(SIGTERM);
    if (then == Then::goes_away) client.program.stop_listening();
    if (then == Then::reads) {
      std::string line;
      for (int i = 0; i < requests; ++i) BOOST_REQUIRE(client.program.next_line(line));
    }
    if (then != Then::reads) BOOST_TEST(client.program.wait().exit_code == (then == Then::signal ? 128 + SIGTERM : 0));
    asking.join();
    if (then == Then::reads) client.program.end_input();
    if (then == Then::reads) BOOST_TEST(client.program.wait().exit_code == 0);
  }
}

// The requests together fit into a pipe, so all of them are sent although nothing is read.
BOOST_AUTO_TEST_CASE(no_call_begins_while_many_answers_wait_for_a_client_that_does_not_read) {
  Session client;
  const ScratchFolder folder;
  constexpr std::ptrdiff_t calls = 200;
  std::vector<Json> ids;
  for (int i = 0; i < calls; ++i) {
    // Each answer has about 400 KB: the output twice, and each of its bytes as \u0001.
    ids.push_back(
        client.call("head -c 32768 /dev/zero | tr '\\0' '\\1'; echo > " + folder.path() + "/" + std::to_string(i)));
  }
  const auto begun = [&] {
    return std::distance(std::filesystem::directory_iterator(folder.path()), std::filesystem::directory_iterator());
  };
  // Either all calls have begun, or the server lets none begin: then the number stays the same for a while.
  wait_until(
      [&] {
        const std::ptrdiff_t before = begun();
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
        return before > 0 && begun() == before;
      },
      std::chrono::seconds(60));
  BOOST_TEST(begun() < calls);
  for (const Json& id : ids) BOOST_TEST(client.answer(id).at("result").at("isError") == false);
  BOOST_TEST(begun() == calls);
}

BOOST_AUTO_TEST_CASE(memory_does_not_grow_with_calls) {
  Session client;
  for (int i = 0; i < repeats(200); ++i) client.run("echo hi");
  const long before = status_kib(client.program.pid(), "VmRSS");
  for (int i = 0; i < repeats(800); ++i) client.run("echo hi");
  const long after = status_kib(client.program.pid(), "VmRSS");
  BOOST_TEST_MESSAGE("resident after 1000 calls: " << after << " KiB");
  if (!under_sanitizer) {
    BOOST_TEST(after < before + 500);
    if (!with_counters) BOOST_TEST(after < 20'000);
  }
}

BOOST_AUTO_TEST_SUITE_END()
