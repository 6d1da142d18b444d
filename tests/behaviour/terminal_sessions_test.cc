// What a session keeps. However a session ends, nothing of it is left.
#include <atomic>
#include <csignal>
#include <filesystem>
#include <set>

#include "support/asking_host.h"
#include "support/terminal.h"

BOOST_AUTO_TEST_SUITE(terminal_sessions_test)

using namespace wtool::test;

namespace {

struct Marked : Terminal {
  Mark mark;

  std::string open_marked() { return open({{"environment", {{"WTOOL_TEST_MARK", mark.text()}}}}); }
};

// A script that leaves processes behind in every possible way.
constexpr const char* daemons =
    "sleep 60 &\n"
    "setsid sleep 60 &\n"
    "(setsid sh -c 'sleep 60 & exit' &)\n"
    "nohup sleep 60 >/dev/null 2>&1 &\n"
    "(trap '' TERM HUP INT; exec sleep 60) &\n"
    "echo started\n";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(terminal_sessions, Marked)

BOOST_AUTO_TEST_CASE(background_processes_live_until_close_and_close_leaves_nothing) {
  const std::string id = open_marked();
  const Json output = script(id, daemons);
  BOOST_TEST(output.at("success") == true);
  BOOST_TEST(output.at("stdout") == "started\n");
  // A process that is still starting another one is counted as well.
  BOOST_TEST(output.at("backgroundProcesses").size() >= 5U, output.dump());
  // The processes live on while other commands run, and even when such a command is ended early.
  script(id, "exec sleep 60\n", {{"timeout", 200}});
  BOOST_TEST(execute(id, {"true"}).at("success") == true);
  BOOST_TEST(wait_until([&] { return mark.bearers().size() == 5U; }, within(5000)), mark.description());
  BOOST_TEST(close(id).at("success") == true);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(a_command_whose_background_processes_are_too_many_to_be_kept_says_so) {
  const std::string id = open_marked();
  const std::string leave_one = "sleep 3600 >/dev/null 2>&1 &\n";
  for (int i = 0; i < 64; ++i) BOOST_REQUIRE(script(id, leave_one).contains("backgroundProcesses"));
  const Json output = script(id, leave_one);
  BOOST_TEST(output.at("success") == true);
  BOOST_TEST(!output.contains("backgroundProcesses"), output.dump());
  BOOST_TEST(output.at("backgroundProcessesEnded").size() == 1U, output.dump());
  BOOST_TEST(output.at("warning") ==
             "the processes that the command left in the background were ended with it: the processes of 64 commands "
             "are kept already, which is the limit");
  BOOST_TEST(!output.contains("truncated"));
  BOOST_TEST(mark.bearers().size() == 64U);
  BOOST_TEST(!execute(id, {"true"}).contains("warning"));
  close(id);
}

BOOST_AUTO_TEST_CASE(a_close_that_is_cancelled_or_out_of_time_does_not_wait_for_a_deaf_process) {
  config["limits"] = {{"grace_seconds", 30}};
  const ToolUnderTest tool(plugin, config, "terminal_close_session");
  for (const bool cancelled : {true, false}) {
    const std::string id = open_marked();
    script(id, "trap '' TERM\nsleep 60 &\n");
    const auto began = std::chrono::steady_clock::now();
    RunningCall running(tool, {{"sessionId", id}}, {.deadline_ms = cancelled ? 60'000U : 500U});
    if (cancelled) {
      BOOST_TEST(wait_until([&] { return state(id) == "completed"; }, within(5000)));
      running.cancel(WTOOL_CANCEL_GRACEFUL, "enough");
    }
    running.wait();
    BOOST_TEST((std::chrono::steady_clock::now() - began < std::chrono::seconds(20)));
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
}

BOOST_AUTO_TEST_CASE(what_a_kept_process_writes_neither_blocks_nor_kills_it_and_is_in_no_result) {
  const std::string id = open_marked();
  // A background process writes more than any pipe has room for, and then makes the file `done`.
  const Json output = script(id, "(sleep 0.2; seq 1 300000; seq 1 300000 >&2; touch done; sleep 60) &\necho started\n");
  BOOST_TEST(output.at("stdout") == "started\n");
  BOOST_TEST(wait_until([&] { return std::filesystem::exists(scratch.path() + "/done"); }, within(5000)));
  BOOST_TEST(execute(id, {"echo", "next"}).at("stdout") == "next\n");
  BOOST_TEST(wait_until([&] { return !mark.bearers().empty(); }, within(5000)));
  close(id);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(what_a_command_wrote_last_is_not_lost_where_its_pipe_is_large_and_the_host_slow) {
  // The script is in Python, because it makes the pipe larger itself.
  scratch.file("tools-allow.json", R"(["python3"])");
  scratch.file("last",
               "import fcntl, os, time\n"
               "fcntl.fcntl(1, 1031, 1 << 20)\n"  // F_SETPIPE_SZ
               "if os.fork() == 0: time.sleep(60)\n"
               "time.sleep(0.1)\n"
               "os.write(1, b'x' * (1 << 20))\n");
  const std::string id = open_marked();
  const ToolUnderTest tool(plugin, config, "terminal_execute_command");
  const auto slowly = [](const Event&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return 0;
  };
  const Answer answer = tool.run(arguments(id, {"python3", "last"}), {.on_event = slowly});
  BOOST_TEST(answer.out().size() == 1UL << 20U);
  BOOST_TEST(answer.metadata().at("backgroundProcesses") == Json{"python3"});
  close(id);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(a_kept_process_that_ends_by_itself_is_gone) {
  const std::string id = open_marked();
  const int rounds = 80;  // more than are kept at the same time
  for (int i = 0; i < rounds; ++i) {
    const Json output = script(id, "sleep 0.05 &\n");
    BOOST_TEST(output.at("success") == true);
  }
  BOOST_TEST(wait_until([&] { return mark.bearers().empty(); }, within(1000)));
  const Json output = script(id, "sleep 60 &\n");
  BOOST_TEST(output.contains("backgroundProcesses"), output.dump());
  close(id);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(two_sessions_never_see_each_others_directory_and_environment) {
  const ScratchFolder other;
  const std::string one = open({{"environment", {{"WHOSE", "one"}, {"ONLY_ONE", "1"}}}});
  const std::string two = open({{"environment", {{"WHOSE", "two"}}}, {"workingDirectory", other.path()}});
  const std::string of_one = execute(one, {"env"}).at("stdout");
  const std::string of_two = execute(two, {"env"}).at("stdout");
  BOOST_TEST(of_one.find("WHOSE=one\n") != std::string::npos);
  BOOST_TEST(of_two.find("WHOSE=two\n") != std::string::npos);
  BOOST_TEST(of_two.find("ONLY_ONE") == std::string::npos);
  BOOST_TEST(execute(one, {"pwd"}).at("stdout") == scratch.path() + "\n");
  BOOST_TEST(execute(two, {"pwd"}).at("stdout") == other.path() + "\n");
  BOOST_TEST(of_two.find("PWD=" + other.path() + "\n") != std::string::npos);
  // Changes that a command makes to its own directory and variables end with the command.
  script(one, "cd /; export WHOSE=changed\n");
  BOOST_TEST(execute(one, {"pwd"}).at("stdout") == scratch.path() + "\n");
}

BOOST_AUTO_TEST_CASE(closing_one_session_leaves_the_others_processes_alone) {
  const Mark others;
  const std::string one = open_marked();
  const std::string two = open({{"environment", {{"WTOOL_TEST_MARK", others.text()}}}});
  script(one, "sleep 60 &\n");
  script(two, "sleep 60 &\n");
  close(one);
  BOOST_TEST(mark.bearers().empty());
  BOOST_TEST(wait_until([&] { return others.bearers().size() == 1U; }, within(5000)), others.description());
  close(two);
  BOOST_TEST(others.bearers().empty());
}

BOOST_AUTO_TEST_CASE(closing_a_session_ends_the_command_that_runs_in_it) {
  const std::string id = open_marked();
  scratch.file("wait", "trap '' TERM; setsid sleep 60 & echo ready; sleep 60; sleep 60\n");
  const ToolUnderTest tool(plugin, config, "terminal_execute_command");
  RunningCall running(tool, arguments(id, {"sh", "wait"}));
  BOOST_REQUIRE(running.wait_for_output("ready"));
  BOOST_TEST(close(id).at("success") == true);
  BOOST_TEST(mark.bearers().empty(), mark.description());
  const Json output = running.wait().metadata();
  BOOST_TEST(code(output) == "EXECUTION_ERROR");
  BOOST_TEST(message(output) == "Command aborted: its session is being closed");
  BOOST_TEST(output.at("stdout") == "ready\n");
}

BOOST_AUTO_TEST_CASE(sessions_live_on_when_the_configuration_changes) {
  const std::string id = open_marked();
  script(id, "sleep 60 &\n");
  config["limits"]["timeout_max"] = 5;  // every call of the fixture makes a new tool object
  BOOST_TEST(wait_until([&] { return mark.bearers().size() == 1U; }, within(5000)), mark.description());
  BOOST_TEST(code(execute(id, {"true"}, {{"timeout", 6000}})) == "INVALID_PARAMETERS");
  BOOST_TEST(execute(id, {"true"}).at("success") == true);
  config["commands"]["deny"] = {"true"};
  const Json refused = execute(id, {"true"});
  BOOST_TEST(code(refused) == "COMMAND_NOT_ALLOWED");
  BOOST_TEST(message(refused).find("denied by the entry") != std::string::npos);
  close(id);
  BOOST_TEST(mark.bearers().empty());
}

BOOST_AUTO_TEST_CASE(a_command_that_exceeds_a_limit_is_ended_and_the_session_lives_on) {
  const std::string id = open_marked();
  config["limits"]["cpu_seconds"] = 1;
  const Json output = script(id, "echo begun\nwhile :; do :; done\n");
  BOOST_TEST(output.at("success") == false);
  BOOST_TEST(code(output) == "EXECUTION_ERROR");
  BOOST_TEST(message(output) == "Command ended: it used more than limits.cpu_seconds allows");
  BOOST_TEST(output.at("stdout") == "begun\n");
  BOOST_TEST(execute(id, {"true"}).at("success") == true);
  close(id);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(the_directory_of_a_session_may_vanish_and_return) {
  const std::string folder = scratch.path() + "/gone";
  std::filesystem::create_directory(folder);
  const std::string id = open({{"workingDirectory", folder}});
  std::filesystem::remove(folder);
  const Json refused = execute(id, {"pwd"});
  BOOST_TEST(code(refused) == "EXECUTION_ERROR");
  BOOST_TEST(message(refused) == "workingDirectory: " + folder + " does not exist");
  std::filesystem::create_directory(folder);
  BOOST_TEST(execute(id, {"pwd"}).at("stdout") == folder + "\n");
}

BOOST_AUTO_TEST_CASE(a_directory_outside_of_the_roots_is_refused) {
  config["directories"]["roots"] = {scratch.path()};
  BOOST_TEST(code(create({{"workingDirectory", "/tmp"}})) == "INVALID_PARAMETERS");
  std::filesystem::create_directory_symlink("/tmp", scratch.path() + "/link");
  BOOST_TEST(code(create({{"workingDirectory", scratch.path() + "/link"}})) == "INVALID_PARAMETERS");
  BOOST_TEST(create().at("success") == true);
}

BOOST_AUTO_TEST_CASE(everything_a_session_does_is_on_record_with_session_task_and_agent) {
  const std::string file = scratch.path() + "/audit.jsonl";
  config["audit"]["file"] = file;
  const std::string id = open({{"environment", {{"SECRET_TOKEN_OF_MINE", "s3cret-value-1"}}}});
  execute(id, {"echo", "s3cret-value-1"});
  execute(id, {"rm", "x"});
  status(id);
  execute(id, {"true"}, {{"timeout", 0}});
  call("get_status", {{"sessionId", id}, {"wrong", 1}});
  close(id);
  std::vector<std::string> events;
  std::ifstream stream(file);
  for (std::string text; std::getline(stream, text);) {
    BOOST_TEST(text.find("s3cret") == std::string::npos, text);
    const Json line = Json::parse(text);
    events.push_back(line.at("event"));
    BOOST_TEST(line.at("session") == id);
    BOOST_TEST(line.at("task") == "TASK-001");
    BOOST_TEST(line.at("agent") == "agent-worker-1");
  }
  BOOST_TEST(events ==
             (std::vector<std::string>{"open", "start", "end", "refusal", "status", "refusal", "refusal", "close"}));
}

BOOST_AUTO_TEST_CASE(a_session_that_is_refused_is_on_record_with_task_and_agent) {
  const std::string file = scratch.path() + "/audit.jsonl";
  config["audit"]["file"] = file;
  config["sessions"]["max"] = 1;
  create({{"environment", {{"LD_PRELOAD", "s3cret"}}}});
  create();
  create();
  std::vector<std::string> rules;
  std::ifstream stream(file);
  for (std::string text; std::getline(stream, text);) {
    BOOST_TEST(text.find("s3cret") == std::string::npos, text);
    const Json line = Json::parse(text);
    BOOST_TEST(line.at("task") == "TASK-001");
    BOOST_TEST(line.at("agent") == "agent-worker-1");
    rules.push_back(line.at("event").get<std::string>() + ": " + line.value("rule", ""));
  }
  BOOST_TEST(rules == (std::vector<std::string>{"refusal: commands.allow", "open: ", "refusal: sessions.max"}));
}

BOOST_AUTO_TEST_CASE(a_session_with_wrong_parameters_is_on_record_with_what_is_known_of_it) {
  const std::string file = scratch.path() + "/audit.jsonl";
  config["audit"]["file"] = file;
  create({{"workingDirectory", 5}});
  create({{"agentId", std::string(200'000, 'x')}});
  std::ifstream stream(file);
  std::size_t lines = 0;
  for (std::string text; std::getline(stream, text); ++lines) {
    const Json line = Json::parse(text);
    BOOST_TEST(line.at("code") == "invalid_parameters");
    BOOST_TEST(line.at("task") == "TASK-001");
    BOOST_TEST((line.value("agent", "none") == (lines == 0 ? "agent-worker-1" : "none")));
  }
  BOOST_TEST(lines == 2U);
}

BOOST_AUTO_TEST_CASE(a_session_in_a_directory_that_may_not_be_entered_is_refused) {
  if (::geteuid() == 0) return;  // Root may enter every directory.
  std::filesystem::create_directory(scratch.path() + "/closed");
  std::filesystem::permissions(scratch.path() + "/closed", std::filesystem::perms::none);
  const Json refused = create({{"workingDirectory", scratch.path() + "/closed"}});
  BOOST_TEST(code(refused) == "INVALID_PARAMETERS");
  BOOST_TEST(message(refused) ==
             "workingDirectory: " + scratch.path() + "/closed may not be entered: permission denied");
}

BOOST_AUTO_TEST_CASE(the_error_for_an_unknown_session_says_where_sessions_live) {
  const Json refused = status("term-unknown");
  BOOST_TEST(refused.at("error").at("hint").get<std::string>().find("Each `wtool call` is a separate program") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(refusals_before_a_command_exists_are_recorded_too) {
  const std::string file = scratch.path() + "/audit.jsonl";
  config["audit"]["file"] = file;
  execute("term-unknown", {"true"});
  execute("x", {"true"}, {{"timeout", 0}});
  close("term-unknown");
  std::vector<std::string> codes;
  std::ifstream stream(file);
  for (std::string text; std::getline(stream, text);) {
    const Json line = Json::parse(text);
    BOOST_TEST(line.at("event") == "refusal");
    codes.push_back(line.at("code"));
  }
  BOOST_TEST(codes == (std::vector<std::string>{"session_not_found", "invalid_parameters", "session_not_found"}));
}

BOOST_AUTO_TEST_CASE(sessions_of_many_threads_are_opened_used_and_closed_at_once) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  scratch.file("work", "sleep 60 & echo \"$WHOSE\"\n");
  for (int number = 0; number < 12; ++number) {
    threads.emplace_back([&, number] {
      for (int round = 0; round < 3; ++round) {
        const std::string whose = std::to_string(number) + '-' + std::to_string(round);
        const std::string id = open({{"environment", {{"WHOSE", whose}, {"WTOOL_TEST_MARK", mark.text()}}}});
        if (execute(id, {"sh", "work"}).value("stdout", "") != whose + "\n") ++wrong;
        if (close(id).at("success") != true) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(wrong == 0);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(a_session_that_several_close_at_once_is_closed_once) {
  for (int round = 0; round < 10; ++round) {
    const std::string id = open_marked();
    script(id, "sleep 60 &\n");
    std::atomic<int> closed{0};
    std::atomic<int> unknown{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        const Json output = close(id);
        if (output.at("success") == true) ++closed;
        if (code(output) == "SESSION_NOT_FOUND") ++unknown;
      });
    }
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(closed == 1);
    BOOST_TEST(unknown == 3);
    BOOST_TEST(mark.bearers().empty());
  }
}

BOOST_AUTO_TEST_CASE(explain_says_what_opening_and_closing_a_session_would_do) {
  const ToolUnderTest create(plugin, config, "terminal_create_session");
  const Json session{{"taskId", "T"}, {"agentId", "A"}, {"workingDirectory", scratch.path()}};
  BOOST_TEST(create.explain(session).at("verdict") == "allow");
  for (const Json& wrong : {Json{{"environment", {{"LD_PRELOAD", "x"}}}}, Json{{"workingDirectory", "/nowhere"}}}) {
    Json arguments = session;
    arguments.update(wrong);
    const Json explained = create.explain(arguments);
    BOOST_TEST(explained.at("verdict") == "deny", explained);
    BOOST_TEST(explained.at("reason") == message(create.run(arguments).metadata()));
  }
  const std::string id = open();
  for (const char* name : {"terminal_close_session", "terminal_get_status"}) {
    const ToolUnderTest tool(plugin, config, name);
    BOOST_TEST(tool.explain({{"sessionId", id}}).at("verdict") == "allow");
    BOOST_TEST(tool.explain({{"sessionId", "nothing"}}).at("verdict") == "deny");
  }
}

BOOST_AUTO_TEST_CASE(explain_says_what_a_command_of_the_session_would_do) {
  const std::string id = open();
  const ToolUnderTest tool(plugin, config, "terminal_execute_command");
  const Json allowed = tool.explain(arguments(id, {"echo", "a b"}));
  BOOST_TEST(allowed.at("verdict") == "allow");
  BOOST_TEST(allowed.at("argv") == (Json{"echo", "a b"}));
  BOOST_TEST(allowed.at("command") == "echo 'a b'");
  BOOST_TEST(allowed.at("directory") == scratch.path());
  BOOST_TEST(tool.explain(arguments(id, {"rm", "x"})).at("verdict") == "deny");
  BOOST_TEST(tool.explain(arguments("nothing", {"echo"})).at("verdict") == "deny");
  BOOST_TEST(status(id)["session"]["commandCount"] == 0);
}

BOOST_AUTO_TEST_CASE(a_session_whose_host_is_gone_leaves_nothing) {
  for (const int signal : {SIGKILL, SIGTERM}) {
    scratch.file("background", daemons);
    scratch.file("foreground", "setsid sleep 60 & echo ready; sleep 60\n");
    Program host({std::string(WTOOL_TEST_HOSTS) + "/session_host", scratch.path()}, Program::On::pipes,
                 {.set = {{"WTOOL_SESSION_MARK", mark.text()}}});
    BOOST_REQUIRE(host.wait_for_output("ready"));
    // Five processes are in the background, and three in the foreground.
    BOOST_TEST(wait_until([&] { return mark.bearers().size() >= 8U; }, within(5000)), mark.description());
    host.kill(signal);
    BOOST_TEST(wait_until([&] { return mark.bearers().empty(); }, within(1000)), mark.description());
    host.wait();
  }
}

BOOST_AUTO_TEST_CASE(custodians_that_are_killed_take_the_kept_processes_with_them) {
  const std::string id = open_marked();
  scratch.file("parent", "echo $PPID; sleep 60 &\n");
  const auto custodian = static_cast<pid_t>(std::stol(execute(id, {"sh", "parent"}).at("stdout").get<std::string>()));
  BOOST_REQUIRE(name_of(custodian) == "custodian");
  ::kill(custodian, SIGKILL);
  BOOST_TEST(wait_until([&] { return mark.bearers().empty(); }, within(1000)), mark.description());
  BOOST_TEST(execute(id, {"true"}).at("success") == true);
  BOOST_TEST(close(id).at("success") == true);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(kept_until_the_end_of_the_plugin, Mark)

BOOST_AUTO_TEST_CASE(a_host_may_ask_for_the_status_while_a_close_withdraws_its_question) {
  AskingHost host;
  host.waits = true;
  Plugin asking(host.get());
  const ScratchFolder scratch;
  const Json config{{"sessions", {{"tools_allow", scratch.file("tools-allow.json", R"(["echo"])")}}},
                    {"commands", {{"ask", {"echo"}}}}};
  const auto call = [&](const std::string& name, const Json& arguments) {
    return ToolUnderTest(asking, config, "terminal_" + name).run(arguments).metadata();
  };
  const Json id{{"sessionId", call("create_session", {{"taskId", "T"}, {"agentId", "A"}}).at("sessionId")}};
  std::string state;
  host.on_withdrawal = [&] { state = call("get_status", id).at("session").at("state"); };
  const ToolUnderTest tool(asking, config, "terminal_execute_command");
  Json command = id;
  command["command"] = "echo";
  RunningCall running(tool, command);
  host.wait_until_asked();
  BOOST_TEST(call("close_session", id).at("success") == true);
  BOOST_TEST(state == "completed");
  BOOST_TEST(Terminal::message(running.wait().metadata()) == "Command aborted: its session is being closed");
}

BOOST_AUTO_TEST_CASE(the_end_of_the_plugin_ends_every_session) {
  {
    Terminal inner;
    for (int i = 0; i < 5; ++i) {
      const std::string id = inner.open({{"environment", {{"WTOOL_TEST_MARK", text()}}}});
      inner.script(id, daemons);
    }
    BOOST_TEST(wait_until([&] { return bearers().size() == 25U; }, within(5000)), description());
  }
  BOOST_TEST(bearers().empty(), description());
}

BOOST_AUTO_TEST_CASE(a_session_that_the_end_of_the_plugin_closes_is_closed_on_record) {
  const ScratchFolder kept;
  const std::string file = kept.path() + "/audit.jsonl";
  std::string id;
  {
    Terminal inner;
    inner.config["audit"]["file"] = file;
    id = inner.open();
    inner.execute(id, {"true"});
  }
  std::ifstream stream(file);
  Json last;
  for (std::string text; std::getline(stream, text);) last = Json::parse(text);
  BOOST_TEST(last.at("event") == "close");
  BOOST_TEST(last.at("session") == id);
  BOOST_TEST(last.at("commands") == 1);
}

BOOST_AUTO_TEST_CASE(shell_execute_keeps_what_the_configuration_wants_kept_until_the_plugin_ends) {
  {
    Plugin own;
    const ToolUnderTest tool(own, {{"background", "keep"}});
    const Answer answer =
        tool.run({{"command", "sleep 60 & setsid sleep 60 & echo hi"}, {"environment", {{"WTOOL_TEST_MARK", text()}}}});
    BOOST_TEST(answer.out() == "hi\n");
    BOOST_TEST(answer.metadata().at("background_processes_kept") == 2);
    BOOST_TEST(!answer.metadata().contains("background_processes_ended"));
    tool.shell("true");
    BOOST_TEST(wait_until([&] { return bearers().size() == 2U; }, within(5000)), description());
  }
  BOOST_TEST(bearers().empty(), description());
}

BOOST_AUTO_TEST_CASE(background_processes_of_a_cancelled_command_are_not_kept) {
  Plugin own;
  const ToolUnderTest tool(own, {{"background", "keep"}});
  RunningCall running(tool,
                      {{"command", "sleep 60 & echo ready; sleep 60"}, {"environment", {{"WTOOL_TEST_MARK", text()}}}});
  BOOST_REQUIRE(running.wait_for_output("ready"));
  running.cancel(WTOOL_CANCEL_NOW, "enough");
  BOOST_TEST(running.wait().status == WTOOL_E_CANCELLED);
  BOOST_TEST(bearers().empty(), description());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
