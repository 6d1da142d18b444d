// The specification of the terminal tools, from start to end: every object, number and rule of it. The names of the
// tests quote it.
#include <sys/stat.h>

#include <algorithm>
#include <regex>

#include "support/terminal.h"

BOOST_AUTO_TEST_SUITE(spec_terminal_test)

using namespace wtool::test;

namespace {

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

bool matches(const Json& value, const char* pattern) {
  return std::regex_match(value.get<std::string>(), std::regex(pattern));
}

using Keys = std::vector<std::string>;

}  // namespace

BOOST_FIXTURE_TEST_SUITE(mcp_terminal_access_layer, Terminal)

// ---- "MCP Tools Provided"

BOOST_AUTO_TEST_CASE(terminal_create_session_creates_a_new_isolated_terminal_session_for_a_task) {
  const Json output = create({{"environment", {{"NODE_ENV", "test"}}}});
  BOOST_TEST(keys_of(output) == (Keys{"createdAt", "sessionId", "success", "workingDirectory"}));  // sorted
  BOOST_TEST(output.at("success") == true);
  BOOST_TEST(matches(output.at("sessionId"), "term-TASK-001-[0-9]{13}-[0-9a-f]{32}"), output.dump());
  BOOST_TEST(output.at("workingDirectory") == scratch.path());
  BOOST_TEST(matches(output.at("createdAt"), "20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z"));
}

BOOST_AUTO_TEST_CASE(terminal_execute_command_executes_a_validated_command_in_an_existing_session) {
  scratch.file("bin/npm", "#!/bin/sh\n[ \"$*\" = 'test --coverage' ] && echo 'All tests passed'\n", 0755);
  config["commands"]["path"] = {scratch.path() + "/bin"};
  const Json output = execute(open(), {"npm", "test", "--coverage"}, {{"timeout", 120000}});
  BOOST_TEST(keys_of(output) == (Keys{"duration", "exitCode", "stderr", "stdout", "success"}));
  BOOST_TEST(output.at("success") == true);
  BOOST_TEST(output.at("exitCode") == 0);
  BOOST_TEST(output.at("stdout") == "All tests passed\n");
  BOOST_TEST(output.at("stderr") == "");
  BOOST_TEST(output.at("duration").is_number_unsigned());
}

BOOST_AUTO_TEST_CASE(terminal_close_session_closes_a_terminal_session_and_cleans_up_resources) {
  BOOST_TEST(close(open()) == (Json{{"success", true}, {"message", "Session closed and resources freed"}}));
}

BOOST_AUTO_TEST_CASE(terminal_get_status_retrieves_current_status_of_a_terminal_session) {
  const Json created = create();
  const std::string id = created.at("sessionId");
  for (int i = 0; i < 3; ++i) execute(id, {"true"});
  BOOST_TEST(status(id) == (Json{{"success", true},
                                 {"session",
                                  {{"id", id},
                                   {"taskId", "TASK-001"},
                                   {"agentId", "agent-worker-1"},
                                   {"state", "idle"},
                                   {"workingDirectory", scratch.path()},
                                   {"createdAt", created.at("createdAt")},
                                   {"commandCount", 3}}}}));
}

BOOST_AUTO_TEST_CASE(the_text_is_the_same_object_as_json) {
  const ToolUnderTest tool(plugin, config, "terminal_create_session");
  const Answer answer = tool.run({{"taskId", "T"}, {"agentId", "A"}});
  BOOST_TEST(Json::parse(answer.text()) == answer.metadata());
  BOOST_TEST(!answer.is_error());
  const Answer refused = tool.run({{"taskId", "T"}});
  BOOST_TEST(Json::parse(refused.text()) == refused.metadata());
  BOOST_TEST(refused.is_error());
}

BOOST_AUTO_TEST_CASE(an_agent_that_gives_no_working_directory_and_no_timeout_as_in_the_agent_workflow) {
  const Json created = call("create_session", {{"taskId", "TASK-001"}, {"agentId", "agent-worker-1"}});
  const Json output = execute(created.at("sessionId"), {"pwd"});
  BOOST_TEST(output.at("stdout") == created.at("workingDirectory").get<std::string>() + "\n");
  BOOST_TEST(close(created.at("sessionId")).at("success") == true);
}

BOOST_AUTO_TEST_CASE(states_idle_running_completed_failed) {
  const std::string id = open();
  BOOST_TEST(state(id) == "idle");
  {
    const ToolUnderTest tool(plugin, config, "terminal_execute_command");
    scratch.file("wait", "echo ready; exec sleep 60\n");
    RunningCall running(tool, arguments(id, {"sh", "wait"}));
    BOOST_REQUIRE(running.wait_for_output("ready"));
    BOOST_TEST(state(id) == "running");
    running.cancel(WTOOL_CANCEL_NOW, "enough");
  }
  BOOST_TEST(state(id) == "failed");
  execute(id, {"true"});
  BOOST_TEST(state(id) == "idle");
  execute(id, {"false"});
  BOOST_TEST(state(id) == "failed");
  // The status is `completed` while the session is being closed, for as long as one of its processes takes to end.
  const Json kept = script(id, "trap '' TERM; (trap '' TERM; exec sleep 60) & echo\n");
  BOOST_REQUIRE(kept.contains("backgroundProcesses"));
  std::thread closer([&] { close(id); });
  BOOST_TEST(wait_until(
      [&] {
        const Json now = status(id);
        return now.contains("session") && now["session"]["state"] == "completed";
      },
      within(1000)));
  closer.join();
  BOOST_TEST(code(status(id)) == "SESSION_NOT_FOUND");
}

// ---- "Security Model", "Command Allowlist"

BOOST_AUTO_TEST_CASE(all_commands_must_be_present_in_tools_allow_json) {
  const Json refused = execute(open(), {"rm", "-rf", "x"});
  BOOST_TEST(code(refused) == "COMMAND_NOT_ALLOWED");
  BOOST_TEST(message(refused).find("\"rm\" is not in " + allow_file) != std::string::npos, message(refused));
}

BOOST_AUTO_TEST_CASE(apps_tools_caws_tools_allow_json_is_looked_for_in_the_directory_of_the_host) {
  const ScratchFolder project;
  const std::string before = std::filesystem::current_path();
  config = Json::object();
  const std::string id = open();
  std::filesystem::current_path(project.path());
  BOOST_TEST(message(execute(id, {"echo", "a"})).find("there is no tools-allow.json") != std::string::npos);
  project.file("tools-allow.json", R"(["echo"])");
  BOOST_TEST(execute(id, {"echo", "a"}).at("stdout") == "a\n");
  // The place that the specification names comes first, and a change takes effect immediately.
  project.file("apps/tools/caws/tools-allow.json",
               R"(["node", "npm", "pnpm", "yarn", "git", "docker", "python", "pytest"])");
  BOOST_TEST(code(execute(id, {"echo", "a"})) == "COMMAND_NOT_ALLOWED");
  std::filesystem::current_path(before);
}

BOOST_AUTO_TEST_CASE(a_list_that_is_missing_or_broken_allows_nothing_and_says_so) {
  const std::string id = open();
  // This JSON is nested more deeply than the stack of a recursive parser allows.
  const std::string deep = "[" + std::string(500'000, '[') + std::string(500'000, ']') + "]";
  const std::pair<std::string, const char*> rows[] = {
      {"", "is not JSON"},
      {"[\"echo\"", "is not JSON"},
      {"{\"allow\": [\"echo\"]}", "is not a JSON array of names of programs"},
      {"\"echo\"", "is not a JSON array of names of programs"},
      {std::string("[\"echo\"]\0x", 10), "is not JSON"},
      {deep, "has a value of type array, which is not the name of a program"},
      {"[\"echo\", 1]", "has 1, which is not the name of a program"},
      {"[\"echo\", \"\"]", "has \"\", which is not the name of a program"},
      {"[\"*\"]", "has \"*\", which is not the name of a program"},
      {"[\"/bin/echo\"]", "has \"/bin/echo\", which is not the name of a program"},
      {"[]", "allowed are: nothing"},
  };
  for (const auto& [text, expected] : rows) {
    scratch.file("tools-allow.json", text);
    const Json refused = execute(id, {"echo", "a"});
    BOOST_TEST(code(refused) == "COMMAND_NOT_ALLOWED", text);
    BOOST_TEST(
        refused.dump().find(Json(expected).dump().substr(1, std::string(expected).size() - 1)) != std::string::npos,
        text << ": " << refused);
  }
  // None of these is a regular file. Opening the pipe, or reading /dev/zero to its end, would take forever.
  const std::string pipe = scratch.path() + "/pipe";
  BOOST_REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string& odd : {pipe, std::string("/dev/zero"), scratch.path()}) {
    config["sessions"]["tools_allow"] = odd;
    BOOST_TEST(message(execute(id, {"echo"})).find(odd + " is not a regular file") != std::string::npos);
  }
  config["sessions"]["tools_allow"] = scratch.path() + "/nowhere.json";
  BOOST_TEST(message(execute(id, {"echo"})).find("nowhere.json cannot be read") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(command_base_name_must_be_in_allowlist) {
  scratch.file("echo", "#!/bin/sh\necho hijacked\n", 0755);
  const std::string id = open();
  BOOST_TEST(execute(id, {"echo", "a"}).at("stdout") == "a\n");
  // A path counts as a listed name only if it leads to the file that is run for this name.
  const Answer found = ToolUnderTest(plugin).shell("command -v cat");
  const std::string real = found.out().substr(0, found.out().size() - 1);
  BOOST_TEST(execute(id, {real, "script"}).contains("exitCode"));
  for (const std::string path : {"./echo", "../bin/echo", "echo/", "/tmp/echo", "//bin/../tmp/echo"}) {
    BOOST_TEST(code(execute(id, {path, "a"})) == "COMMAND_NOT_ALLOWED", path);
  }
  BOOST_TEST(code(execute(id, {scratch.path() + "/echo", "a"})) == "COMMAND_NOT_ALLOWED");
  // A path does not count if it leads to that file for the host, but to another file for the command.
  const std::string hosts = scratch.path() + "/hosts";
  std::filesystem::create_directory(hosts);
  std::filesystem::create_symlink(real, hosts + "/cat");
  scratch.file("cat", "#!/bin/sh\necho hijacked\n", 0755);
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(hosts);
  for (const std::string& path :
       std::vector<std::string>{"/proc/self/cwd/cat", "/proc/thread-self/cwd/cat", hosts + "/cat"}) {
    BOOST_TEST(code(execute(id, {path, "a"})) == "COMMAND_NOT_ALLOWED", path);
  }
  std::filesystem::current_path(before);
  for (const std::string odd : {"echo a", "FOO=1 echo", "echo;id", "ECHO", " echo", "echo\n", "$(echo)"}) {
    BOOST_TEST(code(execute(id, {odd})) == "COMMAND_NOT_ALLOWED", odd);
  }
}

BOOST_AUTO_TEST_CASE(no_shell_escape_sequences_allowed_arguments_cannot_contain_shell_metacharacters) {
  const std::string id = open();
  for (const std::string argument :
       {"; rm -rf /", "a|b",   "a&", "&&", "||",   "$HOME", "${HOME}", "$(id)", "`id`", ">out", "<in", ">>x",
        "(a)",        "{a,b}", "*",  "a?", "[ab]", "~",     "~root/x", "a\nb",  "a\rb", "a\\b", "'a'", "\"a\""}) {
    const Json refused = execute(id, {"echo", "fine", argument});
    BOOST_TEST(code(refused) == "COMMAND_NOT_ALLOWED", argument);
    BOOST_TEST(message(refused).find("args[1]") != std::string::npos, message(refused));
  }
  BOOST_TEST(state(id) == "idle");
  BOOST_TEST(status(id)["session"]["commandCount"] == 0);
  BOOST_TEST(execute(id, {"echo", "a b", "--x=y", "HEAD~1", "a#b", "100%", "é", "", "a!"}).at("stdout") ==
             "a b --x=y HEAD~1 a#b 100% é  a!\n");
}

BOOST_AUTO_TEST_CASE(no_environment_variable_injection) {
  for (const char* name : {"LD_PRELOAD", "LD_LIBRARY_PATH", "PATH", "BASH_ENV", "ENV", "IFS", "NODE_OPTIONS",
                           "PYTHONSTARTUP", "GIT_SSH_COMMAND", "BASH_FUNC_echo%%", "A=B", "1A", ""}) {
    BOOST_TEST(code(create({{"environment", {{name, "x"}}}})) == "INVALID_PARAMETERS", name);
  }
  config["environment"]["deny"] = {"*_TOKEN"};
  BOOST_TEST(code(create({{"environment", {{"MY_TOKEN", "x"}}}})) == "INVALID_PARAMETERS");
  BOOST_TEST(create({{"environment", {{"NODE_ENV", "test"}}}}).at("success") == true);
}

// ---- "Resource Limits"

BOOST_AUTO_TEST_CASE(max_concurrent_sessions_50_per_orchestrator_instance) {
  std::vector<std::string> ids;
  for (int i = 0; i < 50; ++i) ids.push_back(open());
  const Json refused = create();
  BOOST_TEST(code(refused) == "MAX_SESSIONS_EXCEEDED");
  BOOST_TEST(message(refused) == "There are 50 open sessions, which is the limit");
  BOOST_TEST(execute(ids[49], {"true"}).at("success") == true);
  close(ids[7]);
  BOOST_TEST(create().at("success") == true);
  std::sort(ids.begin(), ids.end());
  BOOST_TEST((std::adjacent_find(ids.begin(), ids.end()) == ids.end()));
}

BOOST_AUTO_TEST_CASE(default_timeout_60_seconds_max_timeout_300_seconds) {
  const std::string id = open();
  const ToolUnderTest tool(plugin, config, "terminal_execute_command");
  const auto timeout = [&](const Json& more) {
    return tool.explain(arguments(id, {"true"}, more)).at("limits").at("timeout");
  };
  BOOST_TEST(timeout(Json::object()) == 60);
  BOOST_TEST(timeout({{"timeout", 300000}}) == 300);
  BOOST_TEST(timeout({{"timeout", 1500}}) == 1.5);
  for (const Json& odd : {Json(300001), Json(0), Json(-5), Json(1.5), Json("soon"), Json(nullptr), Json(1e300)}) {
    const Json refused = execute(id, {"true"}, {{"timeout", odd}});
    BOOST_TEST(code(refused) == "INVALID_PARAMETERS", odd.dump());
    BOOST_TEST(message(refused).find("a whole number of milliseconds from 1 to 300000") != std::string::npos);
  }
}

BOOST_AUTO_TEST_CASE(a_timeout_ends_the_command_and_all_that_it_has_started) {
  const Mark mark;
  const std::string id = open({{"environment", {{"WTOOL_TEST_MARK", mark.text()}}}});
  const Json output = script(id, "echo before; setsid sleep 60 & sleep 60\n", {{"timeout", 300}});
  BOOST_TEST(output.at("success") == false);
  BOOST_TEST(code(output) == "TIMEOUT_EXCEEDED");
  BOOST_TEST(message(output) == "Command timed out after 300 milliseconds");
  BOOST_TEST(output.at("stdout") == "before\n");
  // The timeout counts from the call, the duration from the start of the command.
  BOOST_TEST(output.at("duration").get<int>() >= 200);
  BOOST_TEST(!output.contains("exitCode"));
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_CASE(max_output_size_1mb_truncated_with_warning) {
  const std::string id = open();
  const Json cut = execute(id, {"seq", "1", "400000"});
  BOOST_TEST(cut.at("success") == true);  // cut, not killed
  BOOST_TEST(cut.at("exitCode") == 0);
  BOOST_TEST(cut.at("truncated") == true);
  BOOST_TEST(cut.at("warning") ==
             "stdout had 2688895 bytes, and only 1048576 of them are shown: its beginning and its end");
  BOOST_TEST(cut.at("stdoutBytes") == 2688895);
  BOOST_TEST(!cut.contains("stderrBytes"));
  const std::string text = cut.at("stdout");
  BOOST_TEST(text.size() <= 1048576U + 100);
  BOOST_TEST(text.starts_with("1\n2\n"));
  BOOST_TEST(text.ends_with("399999\n400000\n"));
  scratch.file("exactly", std::string(1048576, 'x'));
  const Json whole = execute(id, {"cat", "exactly"});
  BOOST_TEST(whole.at("stdout").get<std::string>().size() == 1048576U);
  BOOST_TEST(!whole.contains("truncated"));
}

// ---- Error codes, each in the case that it is for

BOOST_AUTO_TEST_CASE(error_code_session_not_found) {
  for (const std::string id : {"term-TASK-001-1697123456789", "x", "../x", "term-TASK-001-1697123456789-\n"}) {
    for (const char* tool : {"execute_command", "close_session", "get_status"}) {
      Json arguments{{"sessionId", id}};
      if (std::string(tool) == "execute_command") arguments["command"] = "true";
      BOOST_TEST(code(call(tool, arguments)) == "SESSION_NOT_FOUND", tool << ' ' << id);
    }
  }
  const std::string closed = open();
  close(closed);
  BOOST_TEST(code(execute(closed, {"true"})) == "SESSION_NOT_FOUND");
  BOOST_TEST(code(close(closed)) == "SESSION_NOT_FOUND");
}

BOOST_AUTO_TEST_CASE(error_code_invalid_parameters) {
  const std::string id = open();
  const std::pair<const char*, Json> rows[] = {
      {"create_session", Json::object()},
      {"create_session", {{"taskId", "T"}}},
      {"create_session", {{"agentId", "A"}}},
      {"create_session", {{"taskId", ""}, {"agentId", "A"}}},
      {"create_session", {{"taskId", 5}, {"agentId", "A"}}},
      {"create_session", {{"taskId", std::string(129, 'x')}, {"agentId", "A"}}},
      {"create_session", {{"taskId", "T"}, {"agentId", "A"}, {"workingDirectory", "/nowhere"}}},
      {"create_session", {{"taskId", "T"}, {"agentId", "A"}, {"workingDirectory", "/etc/passwd"}}},
      {"create_session", {{"taskId", "T"}, {"agentId", "A"}, {"environment", {"A"}}}},
      {"create_session", {{"taskId", "T"}, {"agentId", "A"}, {"environment", {{"A", 1}}}}},
      {"create_session", {{"taskId", "T"}, {"agentId", "A"}, {"shell", "bash"}}},
      {"execute_command", {{"command", "true"}}},
      {"execute_command", {{"sessionId", id}}},
      {"execute_command", {{"sessionId", id}, {"command", ""}}},
      {"execute_command", {{"sessionId", id}, {"command", {"true"}}}},
      {"execute_command", {{"sessionId", id}, {"command", "true"}, {"args", "a"}}},
      {"execute_command", {{"sessionId", id}, {"command", "true"}, {"args", {1}}}},
      {"execute_command", {{"sessionId", id}, {"command", "true"}, {"args", {std::string("a\0b", 3)}}}},
      {"execute_command", {{"sessionId", id}, {"command", "true"}, {"shell", true}}},
      {"close_session", Json::object()},
      {"get_status", {{"sessionId", 5}}},
  };
  for (const auto& [tool, arguments] : rows) {
    const Json refused = call(tool, arguments);
    BOOST_TEST(code(refused) == "INVALID_PARAMETERS", tool << ' ' << arguments << ' ' << refused);
    BOOST_TEST(refused.at("success") == false);
  }
}

BOOST_AUTO_TEST_CASE(error_code_execution_error) {
  const std::string id = open();
  const Json missing = execute(id, {"not-installed-anywhere"});
  BOOST_TEST(code(missing) == "EXECUTION_ERROR");
  BOOST_TEST(message(missing) == "Command not found: not-installed-anywhere");
  BOOST_TEST(state(id) == "failed");
  BOOST_TEST(status(id)["session"]["commandCount"] == 0);  // Nothing has run.

  const ToolUnderTest tool(plugin, config, "terminal_execute_command");
  scratch.file("wait", "echo ready; exec sleep 60\n");
  RunningCall running(tool, arguments(id, {"sh", "wait"}));
  BOOST_REQUIRE(running.wait_for_output("ready"));
  const Json busy = execute(id, {"true"});
  BOOST_TEST(code(busy) == "EXECUTION_ERROR");
  BOOST_TEST(message(busy) == "The session is running another command");
  running.cancel(WTOOL_CANCEL_NOW, "enough");
  const Answer aborted = running.wait();
  BOOST_TEST(aborted.status == WTOOL_E_CANCELLED);
  BOOST_TEST(code(aborted.metadata()) == "EXECUTION_ERROR");
  BOOST_TEST(message(aborted.metadata()) == "Command aborted: enough");
  BOOST_TEST(aborted.metadata().at("stdout") == "ready\n");
}

BOOST_AUTO_TEST_CASE(a_command_that_fails_is_not_a_success_and_has_its_exit_code) {
  const Json output = script(open(), "echo out; echo err >&2; exit 3\n");
  BOOST_TEST(output.at("success") == false);
  BOOST_TEST(output.at("exitCode") == 3);
  BOOST_TEST(output.at("stdout") == "out\n");
  BOOST_TEST(output.at("stderr") == "err\n");
  BOOST_TEST(!output.contains("error"));
}

BOOST_AUTO_TEST_CASE(signal_death_is_not_exit_code_0_and_the_duration_is_the_real_one) {
  const std::string id = open();
  const Json killed = script(id, "kill -KILL $$\n");
  BOOST_TEST(killed.at("success") == false);
  BOOST_TEST(killed.at("exitCode") == 137);
  BOOST_TEST(killed.at("signal") == "SIGKILL");
  BOOST_TEST(execute(id, {"sleep", "0.3"}).at("duration").get<int>() >= 300);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
