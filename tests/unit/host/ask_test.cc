// The program `wtool` when a tool asks or explains itself, and when somebody wants to see the configuration.
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/program.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(host_ask_test)

using namespace wtool::test;
using nlohmann::json;

namespace {

std::vector<std::string> words(std::vector<std::string> arguments, const std::string& plugin = "good.so") {
  arguments.insert(arguments.begin(), {WTOOL_TEST_PROGRAM, "--plugin", std::string(HOST_TEST_PLUGINS) + "/" + plugin});
  return arguments;
}

// A project's folder, which is the current one, and a user's configuration beside it.
struct Place {
  ScratchFolder scratch;
  std::string plugin = "good.so";
  ProgramOptions options() const {
    ProgramOptions options;
    options.directory = scratch.path() + "/project";
    options.set = {{"XDG_CONFIG_HOME", scratch.path() + "/config"}};
    return options;
  }
  Place() { scratch.file("project/.keep", ""); }
  Finished wtool(const std::vector<std::string>& arguments) const { return run(words(arguments, plugin), options()); }
};

// What the program prints on a terminal after a question was answered.
json result_in(const std::string& out) {
  const auto begin = out.find("{\r\n");
  return json::parse(out.substr(std::min(begin, out.size())), nullptr, false);
}

const std::string asking = R"({"command": "rm -rf build", "directory": "/work"})";

}  // namespace

BOOST_AUTO_TEST_SUITE(asking_on_a_terminal)

BOOST_FIXTURE_TEST_CASE(a_person_is_asked_and_the_answer_reaches_the_tool, Place) {
  const std::pair<const char*, int> rows[] = {{"yes\n", 1}, {"\n", 2}, {"always\n", 3}, {"never\n", 4}};
  for (const auto& [keys, number] : rows) {
    Program program(words({"call", "echo", asking}), Program::On::terminal, options());
    BOOST_TEST_REQUIRE(program.wait_for_output("[no]: "), program.output());
    BOOST_TEST(holds(program.output(), "  | rm -rf build\r\n"));
    BOOST_TEST(holds(program.output(), "  | /work\r\n"));
    program.type(keys);
    const Finished finished = program.wait();
    BOOST_TEST(result_in(finished.out)["metadata"]["answer"] == number, finished.out);
    BOOST_TEST(finished.exit_code == (number == 1 ? 0 : 1));
  }
}

BOOST_FIXTURE_TEST_CASE(ctrl_c_withdraws_the_question, Place) {
  Program program(words({"call", "echo", asking}), Program::On::terminal, options());
  BOOST_TEST_REQUIRE(program.wait_for_output("[no]: "), program.output());
  program.type("\x03");
  const Finished finished = program.wait();
  BOOST_TEST(!finished.limit_passed);
  BOOST_TEST(finished.exit_code == 130);
  BOOST_TEST(holds(finished.out, "\"answer\": 0"), finished.out);
}

BOOST_FIXTURE_TEST_CASE(a_terminal_that_goes_away_is_not_an_answer_that_allows, Place) {
  Program program(words({"call", "echo", asking}), Program::On::terminal, options());
  BOOST_TEST_REQUIRE(program.wait_for_output("[no]: "), program.output());
  program.hang_up();
  const Finished finished = program.wait();
  BOOST_TEST(!finished.limit_passed);
  BOOST_TEST(finished.exit_code != 0);
}

BOOST_FIXTURE_TEST_CASE(without_a_terminal_nobody_is_asked, Place) {
  const Finished finished = run({"/usr/bin/setsid", "--wait", WTOOL_TEST_PROGRAM, "--plugin",
                                 std::string(HOST_TEST_PLUGINS) + "/good.so", "call", "echo", asking},
                                options());
  BOOST_TEST(finished.exit_code == 1, finished.err);
  BOOST_TEST(json::parse(finished.out)["metadata"]["answer"] == 0);
}

BOOST_FIXTURE_TEST_CASE(in_the_background_of_a_terminal_nobody_is_asked, Place) {
  const std::string line = "set -m; " + std::string(WTOOL_TEST_PROGRAM) + " --plugin " + HOST_TEST_PLUGINS +
                           "/good.so call echo '" + asking + "' & wait $!; echo status $?";
  Program program({"/bin/sh", "-c", line}, Program::On::terminal, options());
  const Finished finished = program.wait();
  BOOST_TEST(!finished.limit_passed);
  BOOST_TEST(holds(finished.out, "\"answer\": 0"), finished.out);
  BOOST_TEST(holds(finished.out, "status 1"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(explaining)

BOOST_FIXTURE_TEST_CASE(the_exit_status_is_the_verdict, Place) {
  const std::pair<const char*, int> rows[] = {{"allow", 0}, {"ask", 3}, {"deny", 4}};
  for (const auto& [verdict, status] : rows) {
    const Finished finished = wtool({"call", "echo", "[\"" + std::string(verdict) + "\"]", "--explain"});
    BOOST_TEST(finished.exit_code == status);
    BOOST_TEST(finished.err == "");
    BOOST_TEST(finished.out == "{\n  \"verdict\": \"" + std::string(verdict) +
                                   "\",\n  \"reason\": \"because\",\n  \"arguments\": [\n    \"" + verdict +
                                   "\"\n  ]\n}\n");
  }
}

// A plugin whose tool shell_execute returns the verdict that the command itself names.
struct ShellPlace : Place {
  ShellPlace() { plugin = "shell.so"; }
  // A workflow of one state.
  std::string workflow(const std::string& action) const {
    return scratch.file("project/workflow.md",
                        "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n- A: " + action + "\n");
  }
};

BOOST_FIXTURE_TEST_CASE(lint_warns_unless_policy_allows_a_command, ShellPlace) {
  const std::pair<const char*, const char*> rows[] = {
      {"deny", "policy would refuse this command: because"},
      {"ask", "a person would be asked before this command: because"},
      {"perhaps",
       "there is no way to tell whether policy allows this command: the tool shell_execute gives the verdict "
       "\"perhaps\", which is not allow, ask or deny"},
      {"fail",
       "there is no way to tell whether policy allows this command: the call of shell_execute could not be "
       "explained: this test does not explain"},
      {"other",
       "there is no way to tell whether policy allows this command: the tool shell_execute explained a call with "
       "something other"},
  };
  for (const auto& [word, message] : rows) {
    const std::string file = workflow("Shell \"echo " + std::string(word) + "\"");
    const Finished finished = wtool({"lint", file});
    BOOST_TEST(finished.exit_code == 0);
    BOOST_TEST(holds(finished.out, "warning: " + std::string(message)), finished.out << finished.err);
    BOOST_TEST(wtool({"lint", "--strict", file}).exit_code == 2);
  }
  const Finished allowed = wtool({"lint", "--strict", workflow("Shell \"echo allow\"")});
  BOOST_TEST(allowed.exit_code == 0, allowed.out << allowed.err);
}

BOOST_FIXTURE_TEST_CASE(lint_asks_once_about_commands_that_are_the_same, ShellPlace) {
  const auto lint = [&](const std::string& second) {
    const std::string file =
        scratch.file("project/workflow.md",
                     "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\nB --> [*]\n```\n## Actions\n"
                     "- A: Shell \"echo once\"\n- B: Shell \"echo once\"" +
                         second + "\n");
    return wtool({"lint", file}).out;
  };
  BOOST_TEST(holds(lint(""), "0 warnings"));
  // With other variables, it is a different command, so lint asks about it separately.
  BOOST_TEST(holds(lint(" with environment={\"X\": \"1\"}"), "1 warning"));
}

BOOST_FIXTURE_TEST_CASE(plan_says_that_a_verdict_is_not_known, ShellPlace) {
  for (const char* word : {"perhaps", "fail", "other"}) {
    const Finished finished = wtool({"plan", "--json", workflow("Shell \"echo " + std::string(word) + "\"")});
    BOOST_TEST(finished.exit_code == 0, finished.err);
    const json command = json::parse(finished.out)["states"][0]["commands"][0];
    BOOST_TEST(command["verdict"] == "unknown", command.dump(2));
    BOOST_TEST(!command["reason"].get<std::string>().empty());
  }
}

BOOST_FIXTURE_TEST_CASE(a_tool_that_cannot_explain_itself_is_named, Place) {
  const Finished finished = wtool({"call", "wait", "{}", "--explain"});
  BOOST_TEST(finished.exit_code == 2);
  BOOST_TEST(finished.out == "");
  BOOST_TEST(holds(finished.err, "the tool wait cannot explain what a call would do"));
  BOOST_TEST(wtool({"call", "echo", "{}", "--explain", "--stream"}).exit_code == 2);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(showing_the_configuration)

BOOST_FIXTURE_TEST_CASE(every_key_is_shown_with_its_layer_and_place, Place) {
  const std::string user =
      scratch.file("config/wtool/wtool.yaml", "limits:\n  timeout_max: 50\nlock: [limits.timeout_max]\n");
  scratch.file("project/wtool.yaml",
               "commands: {allow: [ls]}\nenvironment:\n  set: {CI: 1, MY_TOKEN: abc, apikey: def}\n");
  const Finished finished = wtool({"config", "show", "--json"});
  BOOST_TEST_REQUIRE(finished.exit_code == 0, finished.err);
  const json shown = json::parse(finished.out);
  BOOST_TEST(shown["layers"] == json({{{"layer", "fleet"}, {"file", "/etc/wtool/wtool.yaml"}, {"present", false}},
                                      {{"layer", "user"}, {"file", user}, {"present", true}},
                                      {{"layer", "project"}, {"file", "wtool.yaml"}, {"present", true}}}));
  const json& keys = shown["keys"];
  BOOST_TEST(keys["limits.timeout_max"] ==
             json({{"value", 50}, {"layer", "user"}, {"place", user + ":2:16"}, {"locked_by", user + ":3:8"}}));
  BOOST_TEST(keys["commands.allow"] ==
             json({{"value", {"ls"}}, {"layer", "project"}, {"place", "wtool.yaml:1:19"}, {"locked_by", nullptr}}));
  BOOST_TEST(keys["commands.approvals"]["value"] == scratch.path() + "/config/wtool/approvals.json");
  BOOST_TEST(keys["commands.approvals"]["layer"] == "default");
  BOOST_TEST(keys["limits.cpu_seconds"] ==
             json({{"value", 0}, {"layer", "built in"}, {"place", nullptr}, {"locked_by", nullptr}}));
  BOOST_TEST(keys["environment.set"]["value"] == json({{"CI", "1"}, {"MY_TOKEN", "[masked]"}, {"apikey", "[masked]"}}));
  BOOST_TEST(keys["sandbox.network"]["value"] == json());

  const Finished text = wtool({"config", "show"});
  BOOST_TEST(text.exit_code == 0);
  BOOST_TEST(holds(text.out, "  timeout_max: 50"));
  BOOST_TEST(holds(text.out, "# user, " + user + ":2:16, locked by " + user + ":3:8\n"));
  BOOST_TEST(holds(text.out, "# sandbox:  # off"));
  BOOST_TEST(!holds(text.out, "abc"));
  BOOST_TEST(!holds(text.out, "def\""));
  // The printed text is itself a configuration.
  const std::string again = scratch.file("again.yaml", text.out);
  const Finished same = wtool({"config", "show", "--json", "--config", again});
  BOOST_TEST_REQUIRE(same.exit_code == 0, same.err);
  BOOST_TEST(json::parse(same.out)["keys"]["commands.allow"]["value"] == json({"ls"}));
}

BOOST_FIXTURE_TEST_CASE(a_broken_file_is_reported_and_exits_with_2, Place) {
  scratch.file("project/wtool.yaml", "limits: {timeout_maxx: 5}\n");
  const Finished finished = wtool({"config", "show"});
  BOOST_TEST(finished.exit_code == 2);
  BOOST_TEST(finished.out == "");
  BOOST_TEST(
      holds(finished.err, "wtool.yaml:1:10: unknown key limits.timeout_maxx; did you mean 'limits.timeout_max'?"));
  BOOST_TEST(wtool({"config"}).exit_code == 2);
  BOOST_TEST(wtool({"config", "--help"}).exit_code == 0);
}

BOOST_FIXTURE_TEST_CASE(a_lock_of_the_users_holds_against_a_named_file, Place) {
  const std::string user = scratch.file("config/wtool/wtool.yaml", "commands: {allow: [ls]}\nlock: [commands]\n");
  const std::string named = scratch.file("named.yaml", "commands: {allow: [rm]}\n");
  const Finished finished = wtool({"call", "echo", "{}", "--config", named});
  BOOST_TEST(finished.exit_code == 2);
  BOOST_TEST(holds(finished.err, named + ":1:20: commands.allow is locked by " + user + ":2:8"));
}

BOOST_FIXTURE_TEST_CASE(without_a_home_nothing_is_looked_for_there, Place) {
  ProgramOptions options = this->options();
  options.set.clear();
  options.unset = {"HOME", "XDG_CONFIG_HOME"};
  scratch.file("project/wtool.yaml", "commands: {allow: [ls]}\n");
  const Finished finished = run(words({"config", "show", "--json"}), options);
  BOOST_TEST(finished.exit_code == 0, finished.err);
  BOOST_TEST(json::parse(finished.out)["keys"]["commands.approvals"]["value"] == json());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
