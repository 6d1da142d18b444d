// Runs of `wtool mcp --workflows DIR` that do not get to their end in one go: another call continues them, or a person is
// asked.
#include <boost/test/unit_test.hpp>
#include <csignal>

#include "mcp_workshop.h"

BOOST_AUTO_TEST_SUITE(mcp_resumed_test)

using namespace wtool::test;
using namespace wtool::test::mcp_workshop;
using Json = nlohmann::json;

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

BOOST_AUTO_TEST_CASE(a_client_continues_only_the_part_to_which_a_person_has_limited_the_run) {
  const Workshop shop;
  shop.add("a.md", workflow("tool: true\n", "[*] --> Build\nBuild --> Test\nTest --> Deploy\nDeploy --> [*]\n",
                            "- Build: Shell \"echo build >> did\"\n- Test: Shell \"test -e repaired && echo test >> "
                            "did\"\n- Deploy: Shell \"echo deploy >> did\"\n"));
  BOOST_TEST(run({wtool_path, "run", "tools/a.md", "--until", "Test"}, shop.here()).exit_code == 1);
  Client client(shop);
  shop.folder.file("repaired", "");
  const Json result = client.run_tool("a", {{"resume", "last"}});
  BOOST_TEST(structure(result).at("status") == "completed", result.dump());
  BOOST_TEST(structure(result).at("until") == "Test", result.dump());
  BOOST_TEST(holds(text_of(result), "[completed (until Test), 2 steps"), text_of(result));
  BOOST_TEST(holds(text_of(result), "; the rest of the workflow was not run]"), text_of(result));
  BOOST_TEST(shop.content("did") == "build\ntest\n");
  const std::string again = text_of(client.run_tool("a", {{"resume", "last"}}));
  BOOST_TEST(holds(again, "it has completed the part that --until named; `wtool resume "), again);
  BOOST_TEST(shop.content("did") == "build\ntest\n");
  BOOST_TEST(run({wtool_path, "resume", "last"}, shop.here()).exit_code == 0);
  BOOST_TEST(shop.content("did") == "build\ntest\ndeploy\n");
}

BOOST_AUTO_TEST_CASE(a_continued_run_that_ends_without_reaching_the_named_state_is_an_error) {
  const Workshop shop;
  shop.add("a.md", workflow("tool: true\n", "[*] --> A\nA --> B: result == \"a\"\nA --> C\nB --> [*]\nC --> [*]\n",
                            "- A: Shell \"test -e repaired && printf a\"\n- B: Log \"b\"\n- C: Log \"c\"\n"));
  BOOST_TEST(run({wtool_path, "run", "tools/a.md", "--until", "C"}, shop.here()).exit_code == 1);
  Client client(shop);
  shop.folder.file("repaired", "");
  const Json result = client.run_tool("a", {{"resume", "last"}});
  BOOST_TEST(result.at("isError") == true);
  BOOST_TEST(holds(text_of(result), "the run ended without reaching C, which --until names"), text_of(result));
  BOOST_TEST(!holds(text_of(result), "\"resume\""), text_of(result));
}

BOOST_AUTO_TEST_CASE(an_argument_with_another_value_makes_the_steps_that_read_it_run_again) {
  const Workshop shop;
  shop.add("a.md", until_repaired);
  Client client(shop);
  const std::string id = structure(client.run_tool("a", {{"word", "old"}})).at("run");
  shop.folder.file("repaired", "");
  const Json result = client.run_tool("a", {{"resume", id}, {"word", "new"}});
  BOOST_TEST(result.at("isError") == false, result.dump());
  BOOST_TEST(shop.content("did") == "old\nnew\n");
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
  // `wtool stop` would refuse to stop it.
  BOOST_TEST(holds(text_of(result), "another call of this server runs it"), text_of(result));
  BOOST_TEST(holds(text_of(result), "job_stop ends it"), text_of(result));
  BOOST_TEST(!holds(text_of(result), "wtool stop"), text_of(result));
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
