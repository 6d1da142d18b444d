// Workflows as tools of `wtool mcp --workflows DIR`: which workflows are served, and how they run, fail and are cancelled.
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <set>

#include "mcp_workshop.h"
#include "support/sandboxed.h"

BOOST_AUTO_TEST_SUITE(mcp_workflows_test)

using namespace wtool::test;
using namespace wtool::test::mcp_workshop;
using Json = nlohmann::json;

namespace {

namespace fs = std::filesystem;

// The tools that a server with only workflows lists: the workflows, and the tools that run nothing.
std::set<std::string> with_job_tools(std::set<std::string> workflows) {
  workflows.insert({"job_poll", "job_stop", "job_list"});
  return workflows;
}

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

BOOST_AUTO_TEST_CASE(a_call_without_a_value_that_every_run_reads_is_refused_before_the_first_step) {
  const Workshop shop;
  shop.add("deploy.md", workflow("tool: true\nparameters:\n  - {name: target}\n", two_states,
                                 "- A: Shell \"touch began\"\n- B: Shell \"echo to ${target}\"\n"));
  Client client(shop);
  const Json refused = client.run_tool("deploy");
  BOOST_TEST(refused.at("isError") == true);
  BOOST_TEST(holds(text_of(refused), "nothing was run:\n"), text_of(refused));
  BOOST_TEST(holds(text_of(refused),
                   "deploy.md:17:21: error: the state 'B' reads the parameter 'target', which has no "
                   "value in this run, so the run would fail there; give the parameter a value, or "
                   "give it a `default` in the front matter"),
             text_of(refused));
  BOOST_TEST(!holds(text_of(refused), "--var"), text_of(refused));
  BOOST_TEST(!shop.exists("began"));
  BOOST_TEST(holds(text_of(client.run_tool("deploy", {{"target", "prod"}})), "to prod"));
}

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
  shop.add("a.md", workflow("tool: true\n", one_state, "- A: Log \"x\"\n"));
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
      {{{"target", 5}}, "target: must be a string, but is 5"},
      {{{"target", "x"}, {"taget", "y"}}, "taget: the workflow has no parameter of that name; did you mean 'target'?"},
      {{{"target", "x"}, {"kind", "huge"}}, "kind: \"huge\" is not one of: small, large"},
      {{{"target", "x"}, {"count", 4}}, "count: \"4\" is more than the maximum 3"},
      {{{"target", "x"}, {"count", "2"}}, "count: must be a number"},
      {{{"target", "x"}, {"count", std::uint64_t{9223372036854775808U}}},
       "count: 9223372036854775808 does not fit into 64 bits"},
      {{{"target", "x"}, {"count", 1e20}}, "count: 1e+20 does not fit into 64 bits"},
      {{{"target", "x"}, {"flag", "true"}}, "flag: must be true or false"},
      {{{"target", "x"}, {"resume", 7}}, "resume: must be the id of a run, a string"},
      {{{"target", "x"}, {"resume", ""}}, "resume: must be the id of a run, or `last`, but is empty"},
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

BOOST_AUTO_TEST_CASE(progress_contains_no_output_of_a_secret_step) {
  const Workshop shop;
  shop.add("a.md", workflow("tool: true\n", two_states,
                            "- A: Shell \"echo tok-opensesame-1\" secret=true\n"
                            "- B: Shell \"echo shown; while [ ! -e go ]; do sleep 0.01; done\"\n"));
  Client client(shop);
  const Json id = client.begin("a", Json::object(), true);
  while (client.news.empty() || client.news.back().at("params").value("message", "") != "B: shown") {
    BOOST_REQUIRE(client.read());
  }
  shop.folder.file("go", "");
  client.answer(id);
  for (const Json& news : client.news) BOOST_TEST(!holds(news.dump(), "opensesame"), news.dump());
}

BOOST_AUTO_TEST_CASE(the_result_is_what_the_workflow_wrote_before_finally) {
  const Workshop shop;
  shop.add("a.md", workflow("tool: true\nfinally: B\n", one_state + "B --> [*]\n",
                            "- A: Shell \"echo the result\"\n- B: Shell \"echo tidied up\"\n"));
  Client client(shop);
  const Json result = client.run_tool("a", Json::object());
  BOOST_TEST(structure(result).at("output") == "the result\n");
  BOOST_TEST(text_of(result).starts_with("the result\n[completed, 2 steps, "), text_of(result));
}

BOOST_AUTO_TEST_CASE(a_workflow_that_is_stopped_gives_what_its_steps_had_written) {
  const Workshop shop;
  shop.add("a.md", workflow("tool: true\n", one_state, "- A: Shell \"echo half of it; touch a; sleep 61\"\n"));
  Client client(shop, {"--config", shop.folder.file("c.yaml", "mcp: {answer_within: 1}\n")});
  const int job = job_of(text_of(client.run_tool("a", Json::object())));
  BOOST_REQUIRE(wait_until([&] { return shop.exists("a"); }, within(10000)));
  const Json stopped = client.run_tool("job_stop", {{"job", job}});
  BOOST_TEST(holds(text_of(stopped), "half of it\n"), text_of(stopped));
  const Json& steps = structure(stopped).at("stopped");
  BOOST_REQUIRE(steps.size() == 1U);
  BOOST_TEST(steps[0].at("state") == "A");
  BOOST_TEST(steps[0].at("stdout") == "half of it\n");
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

BOOST_AUTO_TEST_CASE(a_confirmation_counts_once_and_only_yes_and_no_are_offered) {
  const Workshop shop;
  shop.add("a.md", workflow("tool: true\n", "[*] --> A\nA --> B: success\nA --> C: failure\nB --> [*]\nC --> [*]\n",
                            "- A: Wait for user confirmation \"Go?\"\n- B: Shell \"echo went\"\n"
                            "- C: Shell \"echo stayed\"\n"));
  Client client(shop, {}, with_forms);
  for (const std::string choice : {"yes", "no", "always", "never"}) {
    const Json id = client.begin("a");
    const Json question = client.question();
    BOOST_TEST(
        (question.at("params").at("requestedSchema").at("properties").at("answer").at("enum") == Json{"yes", "no"}));
    client.reply(question, choice);
    const std::string text = text_of(client.answer(id).at("result"));
    BOOST_TEST(text.starts_with(choice == "yes" ? "went\n" : "stayed\n"), text);
  }
}

BOOST_AUTO_TEST_CASE(a_confirmation_in_another_terminal_is_not_always_or_never) {
  const Workshop shop;
  shop.add("a.md", workflow("tool: true\n", one_state, "- A: Wait for user confirmation \"Go?\"\n"));
  ProgramOptions here = shop.here();
  here.set["XDG_RUNTIME_DIR"] = shop.folder.path();
  McpClient client(with_workflows({"--config", shop.folder.file("c.yaml", "mcp: {answer_within: 1}\n")}), here);
  client.initialize();
  const Json answer = client.ask("tools/call", {{"name", "a"}, {"arguments", Json::object()}});
  const std::string text = text_of(answer.at("result"));
  const std::size_t begin = text.find("wtool approve ");
  BOOST_REQUIRE_MESSAGE(begin != std::string::npos, text);
  const std::string question = text.substr(begin + 14, text.find('`', begin) - begin - 14);
  const Finished shown = run({WTOOL_TEST_PROGRAM, "approve", question}, here);
  BOOST_TEST(holds(shown.out, "--answer yes|no\n"), shown.out);
  const Finished refused = run({WTOOL_TEST_PROGRAM, "approve", question, "--answer", "always"}, here);
  BOOST_TEST(refused.exit_code == 1);
  BOOST_TEST(holds(refused.err, "the answer to this question must be yes or no"), refused.err);
  const Finished taken = run({WTOOL_TEST_PROGRAM, "approve", question, "--answer", "yes"}, here);
  BOOST_TEST(taken.exit_code == 0, taken.err);
}

BOOST_AUTO_TEST_CASE(runs_without_a_journal_wait_for_the_locks_of_one_another) {
  const Workshop shop;
  Gate gate(shop.folder);
  shop.folder.file(".wtool", "no folder, so runs keep no journal");
  shop.add("hold.md", workflow("tool: true\n", one_state,
                               "- A: Shell \"touch begun; " + gate.wait() + "; echo first >>order\" lock=\"db\"\n"));
  shop.add("wait.md", workflow("tool: true\n", one_state, "- A: Shell \"echo second >>order\" lock=\"db\"\n"));
  Client client(shop);
  const Json first = client.begin("hold");
  BOOST_REQUIRE(wait_until([&] { return shop.exists("begun"); }, within(10000)));
  const Json second = client.begin("wait", Json::object(), true);
  client.wait_for_news("notifications/progress");
  gate.open();
  BOOST_TEST(client.answer(first).at("result").at("isError") == false);
  BOOST_TEST(client.answer(second).at("result").at("isError") == false);
  BOOST_TEST(shop.content("order") == "first\nsecond\n");
}

// The end of the server would end the calls of all its clients.
BOOST_AUTO_TEST_CASE(a_run_of_a_server_is_not_stopped_from_outside) {
  const Workshop shop;
  shop.add("a.md", workflow("tool: true\n", one_state, "- A: Shell \"touch here; sleep 61\"\n"));
  ProgramOptions talking = shop.here();
  talking.directory = "/";
  talking.talk = true;
  Program server({WTOOL_TEST_PROGRAM, "-C", shop.folder.path(), "mcp", "--policy", "open", "--workflows", "tools"},
                 Program::On::pipes, talking);
  server.say(Json{{"jsonrpc", "2.0"},
                  {"id", 1},
                  {"method", "initialize"},
                  {"params",
                   {{"protocolVersion", "2025-11-25"},
                    {"capabilities", Json::object()},
                    {"clientInfo", {{"name", "test"}, {"version", "1"}}}}}}
                 .dump() +
             '\n');
  std::string line;
  BOOST_TEST_REQUIRE(server.next_line(line));
  server.say(R"({"jsonrpc": "2.0", "method": "notifications/initialized"})"
             "\n");
  server.say(R"({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "a", "arguments": {}}})"
             "\n");
  BOOST_TEST_REQUIRE(wait_until([&] { return shop.exists("here"); }, within(10000)));
  const Finished stopped = run({WTOOL_TEST_PROGRAM, "stop", "last"}, shop.here());
  BOOST_TEST(stopped.exit_code == 1);
  BOOST_TEST(holds(stopped.err, "only that client can cancel it"), stopped.err);
  server.say(R"({"jsonrpc": "2.0", "id": 3, "method": "ping"})"
             "\n");
  BOOST_TEST(server.next_line(line), line);
  BOOST_TEST(holds(line, "\"id\":3"), line);
  server.end_input();
  server.wait();
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

BOOST_AUTO_TEST_SUITE_END()
