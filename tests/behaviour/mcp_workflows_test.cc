// Workflows as tools of `wtool mcp --workflows DIR`: which workflows are served, and how they run, fail, are cancelled,
// ask and are continued.
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <set>

#include "support/mcp_client.h"
#include "support/sandboxed.h"
#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(mcp_workflows_test)

using namespace wtool::test;
using Json = nlohmann::json;

namespace {

namespace fs = std::filesystem;

const Json with_forms{{"elicitation", {{"form", Json::object()}}}};

std::string workflow(const std::string& front, const std::string& diagram, const std::string& actions) {
  return "---\n" + front + "---\n\n```mermaid\nstateDiagram-v2\n" + diagram + "```\n\n## Actions\n\n" + actions;
}

const std::string one_state = "[*] --> A\nA --> [*]\n";
const std::string two_states = "[*] --> A\nA --> B\nB --> [*]\n";
const std::string two_branches =
    "state Split <<fork>>\nstate Meet <<join>>\n[*] --> Split\nSplit --> A\nSplit --> B\nA --> Meet\nB --> "
    "Meet\n"
    "Meet --> [*]\n";

// A folder in which a server runs workflows of the folder `tools`.
struct Workshop {
  Mark mark;
  ScratchFolder folder;

  void add(const std::string& name, const std::string& text) const { folder.file("tools/" + name, text); }
  std::string path(const std::string& name) const { return folder.path() + '/' + name; }
  bool exists(const std::string& name) const { return fs::exists(path(name)); }
  std::string content(const std::string& name) const { return content_of(path(name)); }
  ProgramOptions here() const { return {.directory = folder.path(), .set = {{"WTOOL_TEST_MARK", mark.text()}}}; }
  std::vector<std::string> runs() const {
    std::vector<std::string> ids;
    for (const auto& file : fs::directory_iterator(path(".wtool/runs"))) {
      if (file.path().extension() == ".jsonl") ids.push_back(file.path().stem());
    }
    return ids;
  }
  // True if, within this time, no marked process is left except the process `server`.
  bool nothing_is_left(int milliseconds, pid_t server = 0) const {
    return wait_until(
        [&] {
          const std::vector<pid_t> all = mark.bearers();
          return std::all_of(all.begin(), all.end(), [&](pid_t one) { return one == server; });
        },
        within(milliseconds));
  }
};

std::vector<std::string> with_workflows(std::vector<std::string> more) {
  more.insert(more.end(), {"--workflows", "tools"});
  return more;
}

struct Client : McpClient {
  explicit Client(const Workshop& shop, std::vector<std::string> more = {}, const Json& capabilities = Json::object())
      : McpClient(with_workflows(std::move(more)), shop.here()), started(initialize(capabilities)) {}

  std::set<std::string> listed() {
    std::set<std::string> names;
    const Json answer = ask("tools/list");
    for (const Json& tool : answer.at("result").at("tools")) names.insert(tool.at("name"));
    return names;
  }
  Json begin(const std::string& tool, const Json& arguments = Json::object(), bool wants_progress = false) {
    Json params{{"name", tool}, {"arguments", arguments}};
    if (wants_progress) params["_meta"]["progressToken"] = "progress";
    return request("tools/call", params);
  }
  Json run_tool(const std::string& tool, const Json& arguments = Json::object()) {
    const Json said = answer(begin(tool, arguments));
    BOOST_REQUIRE_MESSAGE(said.contains("result"), said.dump());
    return said["result"];
  }
  void reply(const Json& question, const std::string& choice) {
    say({{"jsonrpc", "2.0"},
         {"id", question.at("id")},
         {"result", {{"action", "accept"}, {"content", {{"answer", choice}}}}}});
  }
  // Ends the server, and returns what it has written to standard error.
  std::string end() {
    program.end_input();
    return program.wait().err;
  }

  const Json started;
};

// A client that names the version of the protocol in each request, and gets questions as the answers to its requests.
struct Modern : McpClient {
  explicit Modern(const Workshop& shop, std::vector<std::string> more = {})
      : McpClient(with_workflows(std::move(more)), shop.here(), "2026-07-28") {}

  Json call(const std::string& tool, const Json& capabilities = with_forms, Json params = Json::object()) {
    const std::string prefix = "io.modelcontextprotocol/";
    params["name"] = tool;
    params["_meta"] = {{prefix + "protocolVersion", "2026-07-28"},
                       {prefix + "clientCapabilities", capabilities},
                       {prefix + "clientInfo", {{"name", "test"}, {"version", "1"}}}};
    return ask("tools/call", params);
  }
  Json come_back(const std::string& tool, const Json& asking, const std::string& choice) {
    return call(tool, with_forms,
                {{"requestState", asking.at("requestState")},
                 {"inputResponses", {{"approval", {{"action", "accept"}, {"content", {{"answer", choice}}}}}}}});
  }
};

// The tools that a server with only workflows lists: the workflows, and the tools that run nothing.
std::set<std::string> with_job_tools(std::set<std::string> workflows) {
  workflows.insert({"job_poll", "job_stop", "job_list"});
  return workflows;
}

// The number of the job that a call has become.
int job_of(const std::string& text) {
  const std::size_t found = text.rfind("[job ");
  BOOST_REQUIRE_MESSAGE(found != std::string::npos, text);
  BOOST_TEST(holds(text, " has been running for "), text);
  return std::stoi(text.substr(found + 5));
}

std::string text_of(const Json& result) { return result.at("content").at(0).at("text"); }
const Json& structure(const Json& result) { return result.at("structuredContent"); }

boost::test_tools::assertion_result can_sandbox(boost::unit_test::test_unit_id) { return has_landlock(4); }

Finished refused(const Workshop& shop, std::vector<std::string> more) {
  std::vector<std::string> argv{WTOOL_TEST_PROGRAM, "mcp", "--policy", "open"};
  argv.insert(argv.end(), more.begin(), more.end());
  Finished finished = run(argv, shop.here());
  BOOST_TEST(finished.exit_code == 2);
  BOOST_TEST(finished.out == "");
  return finished;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(served)

BOOST_AUTO_TEST_CASE(only_workflows_that_say_so_are_tools) {
  const Workshop shop;
  shop.add("greet.md", workflow("title: Greet\ndescription: Greets a person\ntool: true\nparameters:\n"
                                "  - {name: person, required: true, description: who}\n"
                                "  - {name: times, type: number, min: 1, max: 3, default: 1}\n",
                                one_state, "- A: Shell \"echo hello ${person} ${times}\"\n"));
  shop.add("hidden.md", workflow("title: Hidden\n", one_state, "- A: Log \"x\"\n"));
  shop.add("off.md", workflow("tool: false\n", one_state, "- A: Log \"x\"\n"));
  shop.add("README.md", "# Notes\n\nNo workflow.\n");
  shop.add("notes.txt", "tool: true\n");
  Client client(shop);
  BOOST_TEST(holds(client.started.at("result").at("instructions"), "which a person has reviewed"));
  const Json list = client.ask("tools/list");
  const Json& tools = list.at("result").at("tools");
  BOOST_TEST((client.listed() == with_job_tools({"greet"})));
  BOOST_REQUIRE(tools.size() == 4U);
  BOOST_TEST(tools[0].at("name") == "greet");
  BOOST_TEST(tools[0].at("title") == "Greet");
  BOOST_TEST(tools[0].at("description") == "Greets a person");
  const Json& schema = tools[0].at("inputSchema");
  BOOST_TEST((schema.at("required") == Json{"person"}));
  BOOST_TEST((schema.at("properties").at("times") ==
              Json{{"type", "number"}, {"minimum", 1}, {"maximum", 3}, {"default", 1}}));
  BOOST_TEST(schema["properties"].contains("resume"));

  const Json result = client.run_tool("greet", {{"person", "Ada; echo x"}});
  BOOST_TEST(result.at("isError") == false);
  BOOST_TEST(text_of(result).starts_with("hello Ada; echo x 1\n[completed, 1 step, "), text_of(result));
  BOOST_TEST(structure(result).at("status") == "completed");
  BOOST_TEST(structure(result).at("output") == "hello Ada; echo x 1\n");
  BOOST_TEST((structure(result).at("states") == Json{{"A", "succeeded"}}));

  const Json refused = client.answer(client.call("echo x"));
  BOOST_TEST(refused.at("error").at("code") == -32602);
  BOOST_TEST(client.end() ==
             "wtool: mcp: policy open: commands may do whatever you may do, except for what your "
             "configuration forbids\n");
  // The run is an ordinary run.
  const std::string id = structure(result).at("run");
  const Finished shown = run({wtool_path, "show", id}, shop.here());
  BOOST_TEST(shown.exit_code == 0);
  BOOST_TEST(holds(shown.out, "Greet: completed"), shown.out);
}

BOOST_AUTO_TEST_CASE(tools_that_are_named_are_served_beside_workflows) {
  const Workshop shop;
  shop.add("a.md", workflow("tool: true\n", one_state, "- A: Log \"x\"\n"));
  Client client(shop, {"--tools", "shell_execute"});
  BOOST_TEST(client.listed().contains("a"));
  BOOST_TEST(client.listed().contains("shell_execute"));
  BOOST_TEST(!client.listed().contains("execute_run"));
  BOOST_TEST(client.run("echo on").at("isError") == false);
}

BOOST_AUTO_TEST_CASE(files_that_cannot_be_served_are_reported_and_the_others_are_served) {
  const Workshop shop;
  const std::string good = workflow("tool: true\n", one_state, "- A: Log \"x\"\n");
  shop.add("good.md", good);
  shop.add("unknown-action.md", workflow("tool: true\n", one_state, "- A: Nothing \"x\"\n"));
  shop.add("no-boolean.md", workflow("tool: yes\n", one_state, "- A: Log \"x\"\n"));
  shop.add("no-yaml.md", workflow("tool: [true\n", one_state, "- A: Log \"x\"\n"));
  shop.add("bad name.md", good);
  shop.add("named.md", workflow("name: shell_execute\ntool: true\n", one_state, "- A: Log \"x\"\n"));
  shop.add("polls.md", workflow("name: job_poll\ntool: true\n", one_state, "- A: Log \"x\"\n"));
  shop.add("one.md", workflow("name: twin\ntool: true\n", one_state, "- A: Log \"x\"\n"));
  shop.add("two.md", workflow("name: twin\ntool: true\n", one_state, "- A: Log \"x\"\n"));
  shop.add("taken.md", workflow("tool: true\nparameters: [{name: resume}]\n", one_state, "- A: Log \"${resume}\"\n"));
  shop.add("bytes.md", good + "\xff\n");
  shop.add("broken.md", workflow("title: Not a tool\n", one_state, "- Z: Nothing \"x\"\n"));
  Client client(shop);
  BOOST_TEST((client.listed() == with_job_tools({"good"})));
  const std::string said = client.end();
  BOOST_TEST_CONTEXT(said) {
    for (const char* part :
         {"unknown-action.md: the workflow was not served: 1 error",
          "no-boolean.md: the workflow was not served: 1 error", "no-yaml.md: the workflow was not served: ",
          "bad name.md: the workflow was not served: \"bad name\" is not a valid name",
          "named.md: the workflow was not served: another tool has the name shell_execute",
          "polls.md: the workflow was not served: another tool has the name job_poll",
          "one.md: the workflow was not served: ", "two.md also has the name twin",
          "two.md: the workflow was not served: ", "one.md also has the name twin",
          "taken.md: the workflow was not served: its parameter 'resume'", "bytes.md: the workflow was not served: "}) {
      BOOST_TEST(holds(said, part), part);
    }
    BOOST_TEST(!holds(said, "broken.md"));
  }
}

BOOST_AUTO_TEST_CASE(a_server_without_any_workflow_does_not_start) {
  const Workshop shop;
  BOOST_TEST(holds(refused(shop, {"--workflows", "tools"}).err, "--workflows: the folder "));
  BOOST_TEST(holds(refused(shop, {"--workflows", ""}).err, "--workflows: must not be empty"));
  shop.add("a.md", workflow("title: a\n", one_state, "- A: Log \"x\"\n"));
  BOOST_TEST(holds(refused(shop, {"--workflows", "tools"}).err, "can be served: its file must be called NAME.md"));
}

BOOST_AUTO_TEST_CASE(what_was_read_at_the_start_is_what_runs) {
  const Workshop shop;
  const auto text = [](const std::string& word) {
    return workflow("tool: true\n", one_state, "- A: Shell \"echo " + word + "\"\n");
  };
  shop.add("a.md", text("reviewed"));
  Client client(shop);
  BOOST_TEST((client.listed() == with_job_tools({"a"})));
  shop.add("a.md", text("changed"));
  shop.add("b.md", text("new"));
  BOOST_TEST(structure(client.run_tool("a")).at("output") == "reviewed\n");
  BOOST_TEST((client.listed() == with_job_tools({"a"})));
}

BOOST_AUTO_TEST_CASE(a_prompt_that_was_read_at_the_start_is_what_runs) {
  const Workshop shop;
  shop.folder.file("wtool.yaml", "prompts: {command: \"cat {{ prompt_file }}\"}\n");
  shop.add("a.md", workflow("tool: true\n", one_state, "- A: Execute prompt \"task\"\n"));
  shop.add("prompts/task.md", "reviewed {% render \"part\" %}");
  shop.add("prompts/part.md", "part");
  Client client(shop);
  shop.add("prompts/task.md", "changed");
  shop.add("prompts/part.md", "changed");
  for (int i = 0; i < 2; ++i) BOOST_TEST(holds(structure(client.run_tool("a")).at("output"), "reviewed part"));
}

BOOST_AUTO_TEST_CASE(a_prompt_whose_name_has_a_value_is_read_at_the_start) {
  const Workshop shop;
  shop.folder.file("wtool.yaml", "prompts: {command: \"cat {{ prompt_file }}\"}\n");
  shop.add("a.md", workflow("tool: true\nparameters: [{name: kind, required: true}]\n", one_state,
                            "- A: Execute prompt \"${kind}\"\n"));
  shop.add("prompts/task.md", "reviewed");
  Client client(shop);
  shop.add("prompts/task.md", "changed");
  shop.add("prompts/late.md", "changed");
  for (const char* kind : {"task", "task.md"}) {
    BOOST_TEST(holds(structure(client.run_tool("a", {{"kind", kind}})).at("output"), "reviewed"), kind);
  }
  const Json late = client.run_tool("a", {{"kind", "late"}});
  BOOST_TEST(late.at("isError") == true);
  BOOST_TEST(holds(text_of(late), "there was no prompt \"late\" when wtool started"), text_of(late));
  BOOST_TEST(!holds(text_of(late), "changed"), text_of(late));
}

BOOST_AUTO_TEST_CASE(a_command_writes_no_file_that_is_served, *boost::unit_test::precondition(can_sandbox)) {
  const Workshop shop;
  const std::string text = workflow("tool: true\n", one_state,
                                    "- A: Shell \"echo x >> tools/a.md; echo x >> tools/inner.md; echo x > other\"\n");
  shop.add("a.md", text);
  const std::string inner = workflow("", one_state, "- A: Log \"x\"\n");
  shop.add("inner.md", inner);
  const ScratchFolder home;
  ProgramOptions options = shop.here();
  options.set["HOME"] = options.set["XDG_STATE_HOME"] = home.path();
  McpClient client({"--policy", "project", "--root", shop.folder.path(), "--workflows", "tools"}, options);
  client.initialize();
  const Json answer = client.ask("tools/call", {{"name", "a"}, {"arguments", Json::object()}});
  BOOST_TEST(answer.at("result").at("isError") == false, answer.dump());
  BOOST_TEST(shop.exists("other"));
  BOOST_TEST(shop.content("tools/a.md") == text);
  BOOST_TEST(shop.content("tools/inner.md") == inner);
}

BOOST_AUTO_TEST_CASE(the_instructions_name_the_folder) {
  const Workshop shop;
  const Finished printed =
      run({WTOOL_TEST_PROGRAM, "mcp", "--policy", "open", "--workflows", "tools", "--print-config", "claude-code"},
          shop.here());
  BOOST_TEST(holds(printed.out, "\"workflows\": {"), printed.out);
  BOOST_TEST(holds(printed.out, "\"--workflows\""), printed.out);
  BOOST_TEST(holds(printed.out, "/tools\""), printed.out);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(calls)

BOOST_AUTO_TEST_CASE(arguments_that_the_parameters_do_not_allow_run_nothing) {
  const Workshop shop;
  shop.add("a.md", workflow("tool: true\nparameters:\n  - {name: target, required: true, description: what to build}\n"
                            "  - {name: kind, choices: [small, large], default: small}\n"
                            "  - {name: count, type: number, max: 3}\n  - {name: flag, type: boolean}\n"
                            "  - {name: token, secret: true, max_length: 3}\n",
                            one_state, "- A: Shell \"touch ran ${target} ${kind}\"\n"));
  Client client(shop);
  const std::pair<Json, const char*> cases[] = {
      {Json::object(), "the required parameter 'target' is missing (what to build)"},
      {{{"target", 5}}, "target: must be a string, but is \"5\""},
      {{{"target", "x"}, {"taget", "y"}}, "taget: the workflow has no parameter of that name; did you mean 'target'?"},
      {{{"target", "x"}, {"kind", "huge"}}, "kind: \"huge\" is not one of: small, large"},
      {{{"target", "x"}, {"count", 4}}, "count: \"4\" is more than the maximum 3"},
      {{{"target", "x"}, {"count", "2"}}, "count: must be a number"},
      {{{"target", "x"}, {"flag", "true"}}, "flag: must be true or false"},
      {{{"target", "x"}, {"resume", 7}}, "resume: must be the id of a run, a string"},
      {{{"target", "x"}, {"resume", "20200101"}}, "resume: there is no run"},
      {{{"target", "x"}, {"token", "a secret"}}, "token: the value has 8 characters"},
  };
  for (const auto& [arguments, expected] : cases) {
    const Json result = client.run_tool("a", arguments);
    BOOST_TEST(result.at("isError") == true);
    BOOST_TEST(text_of(result).starts_with("nothing was run:\n"), text_of(result));
    BOOST_TEST(holds(text_of(result), expected), text_of(result));
    BOOST_TEST(!holds(result.dump(), "a secret"));
  }
  BOOST_TEST(!shop.exists("ran"));
}

BOOST_AUTO_TEST_CASE(a_run_that_fails_says_where_and_why) {
  const Workshop shop;
  shop.add("a.md", workflow("tool: true\n", two_states,
                            "- A: Shell \"echo built\"\n- B: Shell \"echo 1 of 12 failed; echo why >&2; exit 3\"\n"));
  Client client(shop);
  const Json result = client.run_tool("a");
  BOOST_TEST(result.at("isError") == true);
  const std::string text = text_of(result);
  const std::string id = structure(result).at("run");
  BOOST_TEST_CONTEXT(text) {
    BOOST_TEST(text.starts_with("built\n[B: "));
    BOOST_TEST(holds(text, "]\n1 of 12 failed\n[stderr]\nwhy\n[failed, 2 steps, "));
    BOOST_TEST(holds(text, "\"resume\": \"" + id + "\" continues it]"));
  }
  BOOST_TEST((structure(result).at("states") == Json{{"A", "succeeded"}, {"B", "failed"}}));
  const Json& failed = structure(result).at("failed").at(0);
  BOOST_TEST(failed.at("state") == "B");
  BOOST_TEST(failed.at("exit_code") == 3);
  BOOST_TEST(failed.at("stderr") == "why\n");
}

BOOST_AUTO_TEST_CASE(progress_contains_no_secrets) {
  const Workshop shop;
  // Each state waits until the test has seen its progress.
  shop.add("a.md", workflow("tool: true\nparameters: [{name: token, secret: true}]\n", two_states,
                            "- A: Shell \"while [ ! -e go-1 ]; do sleep 0.01; done\"\n"
                            "- B: Shell \"echo token ${token}; while [ ! -e go-2 ]; do sleep 0.01; done\"\n"));
  Client client(shop);
  const Json id = client.begin("a", {{"token", "hidden-word"}}, true);
  const auto wait_for = [&](const std::string& message) {
    while (client.news.empty() || client.news.back().at("params").value("message", "") != message) {
      BOOST_REQUIRE(client.read());
    }
    BOOST_TEST(client.news.back().at("params").at("progressToken") == "progress");
  };
  wait_for("A");
  shop.folder.file("go-1", "");
  wait_for("B: token ***");
  shop.folder.file("go-2", "");
  const Json result = client.answer(id).at("result");
  BOOST_TEST(text_of(result).starts_with("token ***\n"), text_of(result));
  BOOST_TEST(!holds(result.dump(), "hidden-word"));
}

BOOST_AUTO_TEST_CASE(a_cancelled_call_ends_in_every_branch_and_is_not_answered) {
  const Workshop shop;
  shop.add("a.md", workflow("tool: true\nfinally: C\n", two_branches + "C --> [*]\n",
                            "- A: Shell \"setsid sleep 61 & touch a; sleep 61\"\n"
                            "- B: Shell \"(setsid sleep 61 &); touch b; sleep 61\"\n- C: Shell \"touch cleared\"\n"));
  Client client(shop);
  const Json id = client.begin("a");
  BOOST_REQUIRE(wait_until([&] { return shop.exists("a") && shop.exists("b"); }, within(10000)));
  client.notify("notifications/cancelled", {{"requestId", id}});
  // The state C, which `finally` names, still runs.
  BOOST_TEST(wait_until([&] { return shop.exists("cleared"); }, within(10000)));
  BOOST_TEST(shop.nothing_is_left(5000, client.program.pid()), shop.mark.description());
  client.ask("ping");
  client.read_for(std::chrono::milliseconds(100));
  BOOST_TEST(!client.has_answer(id));
}

BOOST_AUTO_TEST_CASE(a_call_that_lasts_longer_than_the_client_waits_becomes_a_job) {
  const Workshop shop;
  Gate gate(shop.folder);
  shop.add("a.md", workflow("tool: true\n", two_states,
                            "- A: Shell \"echo first\"\n- B: Shell \"" + gate.wait() + "; echo last\"\n"));
  Client client(shop, {"--config", shop.folder.file("c.yaml", "mcp: {answer_within: 1}\n")});
  const Json id = client.begin("a");
  const std::string begun = text_of(client.answer(id).at("result"));
  const int job = job_of(begun);
  // The answer has the lines that the run has written so far, and the polls have the rest, each line once.
  std::string told = begun.substr(0, begun.rfind('['));
  const auto poll = [&] { return text_of(client.run_tool("job_poll", {{"job", job}})); };
  BOOST_TEST(wait_until(
      [&] {
        const std::string more = poll();
        told += more.substr(0, more.rfind('['));
        return told == "A\nA: first\nB\n";
      },
      within(10000)));
  BOOST_TEST(holds(text_of(client.run_tool("job_list")), std::to_string(job) + " runs for "));
  const std::string again = poll();
  BOOST_TEST(again.starts_with("[job "), again);
  gate.open();
  Json end;
  do end = client.run_tool("job_poll", {{"job", job}, {"wait", 1}});
  while (holds(text_of(end), "[job "));
  BOOST_TEST(text_of(end).starts_with("last\n[completed, 2 steps, "), text_of(end));
  BOOST_TEST(structure(end).at("status") == "completed");
  BOOST_TEST((structure(end).at("states") == Json{{"A", "succeeded"}, {"B", "succeeded"}}));
  BOOST_TEST(client.run_tool("job_poll", {{"job", job}}).at("isError") == true);
  client.ask("ping");
  BOOST_TEST(!client.has_answer(id));  // no second answer
}

BOOST_AUTO_TEST_CASE(a_workflow_in_the_background_is_stopped_in_every_branch) {
  const Workshop shop;
  shop.add("a.md", workflow("tool: true\nfinally: C\n", two_branches + "C --> [*]\n",
                            "- A: Shell \"setsid sleep 61 & touch a; sleep 61\"\n"
                            "- B: Shell \"(setsid sleep 61 &); touch b; sleep 61\"\n- C: Shell \"touch cleared\"\n"));
  Client client(shop);
  const int job = job_of(text_of(client.run_tool("a", {{"background", true}})));
  BOOST_REQUIRE(wait_until([&] { return shop.exists("a") && shop.exists("b"); }, within(10000)));
  const Json stopped = client.run_tool("job_stop", {{"job", job}});
  BOOST_TEST(stopped.at("isError") == false);
  BOOST_TEST(structure(stopped).at("status") == "aborted");
  BOOST_TEST(holds(text_of(stopped), "continues it]"), text_of(stopped));
  BOOST_TEST(shop.exists("cleared"));
  BOOST_TEST(shop.nothing_is_left(5000, client.program.pid()), shop.mark.description());
  BOOST_TEST(text_of(client.run_tool("job_list")) == "no jobs");
}

BOOST_AUTO_TEST_CASE(a_workflow_in_the_background_that_ends_at_once_or_cannot_run_is_answered_as_usual) {
  const Workshop shop;
  shop.add("a.md", workflow("tool: true\n", one_state, "- A: Log \"x\"\n"));
  Client client(shop);
  // On a busy machine, the workflow may take longer than the server waits for it.
  std::string text;
  for (int i = 0; i < 20 && !text.starts_with("x\n[completed, "); ++i) {
    text = text_of(client.run_tool("a", {{"background", true}}));
    if (holds(text, "[job ")) client.run_tool("job_poll", {{"job", job_of(text)}, {"wait", 40}});
  }
  BOOST_TEST(text.starts_with("x\n[completed, "), text);
  const Json odd = client.run_tool("a", {{"background", "yes"}});
  BOOST_TEST(odd.at("isError") == true);
  BOOST_TEST(holds(text_of(odd), "background must be true or false, but is \"yes\""), text_of(odd));
  BOOST_TEST(holds(text_of(client.run_tool("a", {{"background", true}, {"x", 1}})), "nothing was run:"));
}

BOOST_AUTO_TEST_CASE(a_parameter_of_the_workflow_is_never_taken_by_the_server) {
  const Workshop shop;
  shop.add("a.md", workflow("tool: true\nparameters: [{name: background, description: a colour}]\n", one_state,
                            "- A: Shell \"echo on ${background}\"\n"));
  shop.add("b.md", workflow("tool: true\n", one_state, "- A: Log \"x\"\n"));
  {
    Client client(shop);
    const Json list = client.ask("tools/list");
    const Json& tools = list.at("result").at("tools");
    BOOST_TEST(tools[0].at("inputSchema").at("properties").at("background").at("description") == "a colour");
    BOOST_TEST(tools[1].at("inputSchema").at("properties").at("background").at("type") == "boolean");
    BOOST_TEST(structure(client.run_tool("a", {{"background", "blue"}})).at("output") == "on blue\n");
  }
  // Without jobs, no workflow has the parameter `background`.
  Client client(shop, {"--tools", "shell_execute"});
  const Json list = client.ask("tools/list");
  for (const Json& tool : list.at("result").at("tools")) {
    if (tool.at("name") == "b") BOOST_TEST(!tool.at("inputSchema").at("properties").contains("background"));
  }
  const std::string refused = text_of(client.run_tool("b", {{"background", true}}));
  BOOST_TEST(holds(refused, "background: the workflow has no parameter of that name"), refused);
}

BOOST_AUTO_TEST_CASE(a_workflow_can_be_a_task) {
  const Workshop shop;
  shop.add("a.md", workflow("tool: true\n", one_state, "- A: Shell \"echo made\"\n"));
  // Clients can use tasks even where models have no jobs.
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--tools", "shell_execute"}}) {
    Client client(shop, more, {{"tasks", Json::object()}});
    const Json created =
        client.ask("tools/call", {{"name", "a"}, {"arguments", Json::object()}, {"task", {{"ttl", 1000}}}});
    const Json id{{"taskId", created.at("result").at("task").at("taskId")}};
    const Json result = client.ask("tasks/result", id).at("result");
    BOOST_TEST(text_of(result).starts_with("made\n[completed, 1 step, "), text_of(result));
    BOOST_TEST(structure(result).at("output") == "made\n");
    BOOST_TEST((result.at("_meta").at("io.modelcontextprotocol/related-task") == id));
  }
}

BOOST_AUTO_TEST_CASE(the_end_of_the_server_waits_for_no_finally) {
  for (const bool is_cancelled : {false, true}) {
    const Workshop shop;
    shop.add("a.md", workflow("tool: true\nfinally: B\n", one_state + "B --> [*]\n",
                              "- A: Shell \"touch a; sleep 61\"\n- B: Shell \"touch b; sleep 61\"\n"));
    Client client(shop);
    const Json id = client.begin("a");
    BOOST_REQUIRE(wait_until([&] { return shop.exists("a"); }, within(10000)));
    if (is_cancelled) {
      client.notify("notifications/cancelled", {{"requestId", id}});
      BOOST_REQUIRE(wait_until([&] { return shop.exists("b"); }, within(10000)));
    }
    client.program.end_input();
    BOOST_TEST(client.program.wait().exit_code == 0);
    BOOST_TEST(shop.nothing_is_left(1000), shop.mark.description());
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(resumed)

namespace {

const std::string until_repaired =
    workflow("tool: true\nparameters:\n  - {name: word, required: true}\n  - {name: token, secret: true}\n", two_states,
             "- A: Shell \"echo ${word} >> did\"\n- B: Shell \"test -e repaired && cat did\"\n");

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_that_failed_continues_with_what_it_had) {
  const Workshop shop;
  shop.add("a.md", until_repaired);
  Client client(shop);
  const std::string id = structure(client.run_tool("a", {{"word", "once"}})).at("run");
  shop.folder.file("repaired", "");
  const Json result = client.run_tool("a", {{"resume", id}});
  BOOST_TEST(result.at("isError") == false);
  BOOST_TEST(structure(result).at("run") == id);
  BOOST_TEST(text_of(result).starts_with("once\n[completed"), text_of(result));
  BOOST_TEST(shop.content("did") == "once\n");
  const std::string again = text_of(client.run_tool("a", {{"resume", id}}));
  BOOST_TEST(holds(again, "has completed"), again);
}

BOOST_AUTO_TEST_CASE(a_job_that_continues_a_run_shows_only_the_states_that_run_now) {
  const Workshop shop;
  Gate gate(shop.folder);
  shop.add("a.md",
           workflow("tool: true\n", two_states,
                    "- A: Shell \"echo a\"\n- B: Shell \"test -e repaired && echo b && " + gate.wait() + "\"\n"));
  Client client(shop);
  const std::string id = structure(client.run_tool("a")).at("run");
  shop.folder.file("repaired", "");
  const std::string begun = text_of(client.run_tool("a", {{"resume", id}, {"background", true}}));
  std::string told = begun.substr(0, begun.rfind('['));
  const auto poll = [&] { return text_of(client.run_tool("job_poll", {{"job", job_of(begun)}})); };
  BOOST_TEST(wait_until(
      [&] {
        const std::string more = poll();
        told += more.substr(0, more.rfind('['));
        return holds(told, "B: b\n");
      },
      within(10000)));
  BOOST_TEST(told == "B\nB: b\n");
  gate.open();
}

BOOST_AUTO_TEST_CASE(a_run_whose_server_was_killed_continues_in_the_next) {
  const Workshop shop;
  shop.add("a.md", workflow("tool: true\n", two_states,
                            "- A: Shell \"echo a >> did\"\n- B: Shell \"touch here; test -e repaired || sleep 61\"\n"));
  {
    Client client(shop);
    client.begin("a");
    BOOST_REQUIRE(wait_until([&] { return shop.exists("here"); }, within(10000)));
    client.program.kill(SIGKILL);
    client.program.wait();
  }
  BOOST_TEST(shop.nothing_is_left(5000), shop.mark.description());
  shop.folder.file("repaired", "");
  const std::string id = shop.runs().at(0);
  Client client(shop);
  const Json result = client.run_tool("a", {{"resume", id}});
  BOOST_TEST(structure(result).at("status") == "completed", result.dump());
  BOOST_TEST(shop.content("did") == "a\n");
}

BOOST_AUTO_TEST_CASE(a_run_of_another_workflow_is_not_continued) {
  const Workshop shop;
  shop.add("a.md", until_repaired);
  shop.add("b.md", until_repaired);
  shop.folder.file("elsewhere.md", until_repaired);
  Client client(shop);
  const std::string id = structure(client.run_tool("a", {{"word", "x"}})).at("run");
  const std::string said = text_of(client.run_tool("b", {{"word", "x"}, {"resume", id}}));
  BOOST_TEST(holds(said, "resume: the run " + id + " is a run of "), said);
  BOOST_TEST(holds(said, "tools/a.md, not of "), said);
  BOOST_TEST(run({wtool_path, "run", "elsewhere.md", "--var", "word=x"}, shop.here()).exit_code == 1);
  BOOST_TEST(structure(client.run_tool("a", {{"resume", "last"}})).at("run") == id);
  const std::string none = text_of(client.run_tool("b", {{"resume", "last"}}));
  BOOST_TEST(holds(none, "resume: no run of "), none);
  BOOST_TEST(shop.content("did") == "x\nx\n");
}

BOOST_AUTO_TEST_CASE(a_running_run_cannot_be_resumed) {
  const Workshop shop;
  shop.add("a.md", workflow("tool: true\n", one_state, "- A: Shell \"touch here; sleep 61\"\n"));
  Client client(shop);
  client.begin("a");
  BOOST_REQUIRE(wait_until([&] { return shop.exists("here"); }, within(10000)));
  const Json result = client.run_tool("a", {{"resume", "last"}});
  BOOST_TEST(result.at("isError") == true);
  BOOST_TEST(text_of(result).starts_with("nothing was run:\nresume: "), text_of(result));
}

BOOST_AUTO_TEST_CASE(a_secret_is_given_again) {
  const Workshop shop;
  shop.add("a.md", until_repaired);
  Client client(shop);
  const std::string id = structure(client.run_tool("a", {{"word", "x"}, {"token", "hidden-word"}})).at("run");
  shop.folder.file("repaired", "");
  const std::string said = text_of(client.run_tool("a", {{"resume", id}}));
  BOOST_TEST(holds(said, "the secret 'token' is not in the journal; give it again"), said);
  BOOST_TEST(!holds(said, "--var"), said);
  BOOST_TEST(client.run_tool("a", {{"resume", id}, {"token", "hidden-word"}}).at("isError") == false);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(asked)

namespace {

struct Asking : Workshop {
  std::vector<std::string> options{"--config", folder.file("c.yaml", "commands: {ask: [touch]}\n")};
  // The options of a server that does not wait for `wtool approve`.
  std::vector<std::string> alone{
      "--config", folder.file("d.yaml", "commands: {ask: [touch]}\nmcp: {approve_within: none, results: both}\n")};
};

const std::string asks_in_both =
    workflow("tool: true\nfinally: C\n", two_branches + "C --> [*]\n",
             "- A: Shell \"touch a\"\n- B: Shell \"touch b\"\n- C: Shell \"echo c >> did\"\n");

}  // namespace

BOOST_AUTO_TEST_CASE(approvals_of_all_branches_come_through_the_client) {
  for (const std::string& choice : std::vector<std::string>{"yes", "no"}) {
    const Asking shop;
    shop.add("a.md", asks_in_both);
    Client client(shop, shop.options, with_forms);
    const Json id = client.begin("a");
    const Json first = client.question();
    BOOST_TEST(holds(first.at("params").at("message"), "touch"));
    client.reply(first, choice);
    if (choice == "yes") client.reply(client.question(), "yes");
    const Json result = client.answer(id).at("result");
    BOOST_TEST(result.at("isError") == (choice == "no"), result.dump());
    BOOST_TEST((shop.exists("a") && shop.exists("b")) == (choice == "yes"));
  }
}

BOOST_AUTO_TEST_CASE(without_forms_the_command_is_refused) {
  const Asking shop;
  shop.add("a.md", asks_in_both);
  Client client(shop, shop.alone);
  const Json result = client.run_tool("a");
  BOOST_TEST(result.at("isError") == true);
  BOOST_TEST(holds(text_of(result), "Nobody could be asked"), text_of(result));
  Modern modern(shop, shop.alone);
  const Json answer = modern.call("a", Json::object());
  BOOST_TEST(answer.at("result").at("isError") == true, answer.dump());
  BOOST_TEST(!shop.exists("a"));
}

BOOST_AUTO_TEST_CASE(a_workflow_asks_whether_to_continue) {
  for (const std::string& choice : std::vector<std::string>{"yes", "no"}) {
    const Asking shop;
    shop.add("a.md", workflow("tool: true\n", two_states,
                              "- A: Wait for user confirmation \"Deploy now?\"\n- B: Shell \"echo deployed\"\n"));
    Client client(shop, {}, with_forms);
    const Json id = client.begin("a");
    const Json question = client.question();
    BOOST_TEST(holds(question.at("params").at("message"), "Deploy now?"), question.dump());
    client.reply(question, choice);
    BOOST_TEST(client.answer(id).at("result").at("isError") == (choice == "no"));

    Modern modern(shop);
    const Json asking = modern.call("a").at("result");
    BOOST_TEST(asking.at("resultType") == "input_required", asking.dump());
    const Json result = modern.come_back("a", asking, choice).at("result");
    BOOST_TEST(result.at("isError") == (choice == "no"), result.dump());
    Client formless(shop, shop.alone);
    const Json refused = formless.run_tool("a");
    BOOST_TEST(holds(text_of(refused), "nobody could be asked to confirm"), text_of(refused));
  }
}

BOOST_AUTO_TEST_CASE(a_cancelled_call_takes_its_question_back) {
  const Asking shop;
  shop.add("a.md", workflow("tool: true\n", one_state, "- A: Wait for user confirmation \"Go?\"\n"));
  Client client(shop, {}, with_forms);
  const Json id = client.begin("a");
  const Json question = client.question();
  client.notify("notifications/cancelled", {{"requestId", id}});
  client.wait_for_news("notifications/cancelled");
  BOOST_TEST((client.news.back().at("params").at("requestId") == question.at("id")));
  BOOST_TEST(client.ask("ping").contains("result"));
  BOOST_TEST(!client.has_answer(id));
}

BOOST_AUTO_TEST_CASE(a_question_that_ends_the_call_is_answered_by_the_next_and_nothing_runs_twice) {
  const Asking shop;
  shop.add("a.md", workflow("tool: true\nfinally: C\n", "[*] --> A\nA --> B\nB --> [*]\nC --> [*]\n",
                            "- A: Shell \"echo a >> did\"\n- B: Shell \"touch b\"\n- C: Shell \"echo c >> did\"\n"));
  Modern client(shop, shop.options);
  const Json asking = client.call("a").at("result");
  BOOST_TEST(asking.at("resultType") == "input_required", asking.dump());
  // The run is only suspended, so `finally` has not run yet.
  BOOST_TEST(shop.content("did") == "a\n");
  const Json result = client.come_back("a", asking, "yes").at("result");
  BOOST_TEST(result.at("resultType") == "complete");
  BOOST_TEST(result.at("isError") == false, result.dump());
  BOOST_TEST(shop.exists("b"));
  BOOST_TEST(shop.content("did") == "a\nc\n");
  BOOST_TEST(shop.runs().size() == 1U);
  // A request state is valid only once.
  BOOST_TEST(client.come_back("a", asking, "yes").contains("error"));
}

BOOST_AUTO_TEST_CASE(questions_of_several_branches_are_answered_one_after_the_other) {
  const Asking shop;
  shop.add("a.md", workflow("tool: true\n", two_branches,
                            "- A: Shell \"touch a; echo a >> did\"\n- B: Shell \"touch b; echo b >> did\"\n"));
  Modern client(shop, shop.options);
  Json said = client.call("a").at("result");
  int questions = 0;
  while (said.at("resultType") == "input_required" && ++questions <= 4) {
    said = client.come_back("a", said, "yes").at("result");
  }
  BOOST_TEST(said.at("isError") == false, said.dump());
  BOOST_TEST(questions == 2);
  BOOST_TEST(shop.content("did").size() == 4U, shop.content("did"));
}

BOOST_AUTO_TEST_CASE(what_runs_beside_a_question_comes_to_its_end) {
  const Asking shop;
  shop.add(
      "a.md",
      workflow("tool: true\n",
               "state Split <<fork>>\nstate Meet <<join>>\n[*] --> Split\nSplit --> Until\nUntil --> A\nSplit --> B\n"
               "A --> Meet\nB --> Meet\nMeet --> [*]\n",
               "- Until: Shell \"until test -e begun; do sleep 0.01; done\"\n- A: Shell \"touch a\"\n"
               "- B: Shell \": > begun; sleep 0.3; echo b >> did\"\n"));
  Modern client(shop, shop.options);
  const Json asking = client.call("a").at("result");
  BOOST_TEST(asking.at("resultType") == "input_required", asking.dump());
  BOOST_TEST(shop.content("did") == "b\n");
  BOOST_TEST(client.come_back("a", asking, "yes").at("result").at("isError") == false);
  BOOST_TEST(shop.content("did") == "b\n");
}

BOOST_AUTO_TEST_CASE(an_answer_of_no_fails_the_run_and_a_call_without_a_reply_asks_again) {
  const Asking shop;
  shop.add("a.md", workflow("tool: true\n", one_state, "- A: Shell \"touch a\"\n"));
  Modern client(shop, shop.options);
  const Json asking = client.call("a").at("result");
  const Json again = client.call("a", with_forms, {{"requestState", asking.at("requestState")}}).at("result");
  BOOST_TEST(again.at("resultType") == "input_required", again.dump());
  const Json result = client.come_back("a", again, "no").at("result");
  BOOST_TEST(result.at("isError") == true);
  BOOST_TEST(!shop.exists("a"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
