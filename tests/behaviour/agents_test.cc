// Agents as steps: checked answers, budgets and bounds, and what an agent sets. A command plays the agent.
#include <signal.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(agents_test)

using namespace std::string_literals;
using namespace wtool::test;

namespace {

namespace fs = std::filesystem;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

// At its call N, the agent answers with the file `answers/N`, or with the last one before N. It saves the prompts, and
// runs the file `does` if there is one.
struct Agents : Place {
  Agents() {
    scratch.file("wtool.yaml", "prompts: {command: \"sh agent.sh {{ prompt_file }}\"}\n");
    scratch.file("agent.sh",
                 "echo x >>calls; n=$(wc -l <calls)\n"
                 "cat \"$1\" >>prompts\n"
                 "if test -e does; then . ./does; fi\n"
                 "while test $n -gt 1 && ! test -e answers/$n; do n=$((n - 1)); done\n"
                 "if test -e answers/$n; then cat answers/$n; fi\n");
  }
  void answers(const std::vector<std::string>& all) const {
    for (std::size_t i = 0; i < all.size(); ++i) scratch.file("answers/" + std::to_string(i + 1), all[i]);
  }
  std::size_t calls() const { return count_of(file("calls"), "x"); }
  // A workflow that begins with these lines of front matter.
  std::string with(const std::string& front, const std::string& diagram, const std::string& actions) const {
    return scratch.file("workflow.md", "---\n" + front + "---\n```mermaid\nstateDiagram-v2\n" + diagram +
                                           "```\n## Actions\n" + actions);
  }
  // A workflow in which a review decides whether Good or Bad comes next.
  std::string review(const std::string& options) const {
    return with("title: Review\n",
                "[*] --> Review\nReview --> Good: Review.verdict == \"pass\"\nReview --> Bad: default\n"
                "Good --> [*]\nBad --> [*]\n",
                "- Review: Prompt \"Review.\" " + options +
                    "\n- Good: Shell \"echo good ${Review.files[0]}\"\n- Bad: Shell \"echo bad\"\n");
  }
};

const std::string verdict = "output={\"verdict\": [\"pass\", \"fail\"], \"files\": [\"string\"]}";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(agents, Agents)

// ---- Answers.

BOOST_AUTO_TEST_CASE(an_answer_is_read_field_by_field_also_from_a_fenced_block) {
  for (const std::string answer : {"{\"verdict\": \"pass\", \"files\": [\"a b.c\"]}\n",
                                   "I looked at it:\n```\nnot this\n```\n```json\n{\"verdict\": \"pass\", \"files\": "
                                   "[\"a b.c\"], \"more\": 1}\n```\nDone.\n"}) {
    answers({answer});
    const Finished finished = run_workflow(review(verdict));
    BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
    BOOST_TEST(holds(finished.err, "good a b.c"), finished.err);
  }
  BOOST_TEST(calls() == 2U);
  BOOST_TEST(holds(file("prompts"), "must conform to this JSON Schema"), file("prompts"));
}

BOOST_AUTO_TEST_CASE(an_answer_that_is_not_valid_is_asked_for_again_with_the_reason) {
  answers({"Yes.", "{\"verdict\": \"maybe\", \"files\": []}", "{\"verdict\": \"pass\", \"files\": [\"x\"]}"});
  const Finished finished = run_workflow(review(verdict));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(calls() == 3U);
  BOOST_TEST(holds(finished.err, "'Review' is asked again (2 of 2): the answer is not valid: #/verdict is \"maybe\""),
             finished.err);
  BOOST_TEST(holds(file("prompts"), "because it is not JSON: \"Yes.\"\nIt was:\nYes.\n"), file("prompts"));
}

BOOST_AUTO_TEST_CASE(an_answer_with_two_values_for_a_key_is_refused) {
  answers({"{\"verdict\": \"fail\", \"files\": [], \"verdict\": \"pass\"}"});
  const Finished finished = run_workflow(review(verdict + " ask_again=0"));
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(holds(finished.out, "the answer has the key \"verdict\" twice"), finished.out);
  answers({"{\"verdict\": \"pass\", \"files\": [\"x\"]}\0{\"verdict\": \"fail\"}"s});
  BOOST_TEST(run_workflow(review(verdict + " ask_again=0")).exit_code == 1);
}

BOOST_AUTO_TEST_CASE(an_answer_that_stays_wrong_fails_the_step_after_the_last_question) {
  answers({"{\"verdict\": \"pass\"}"});
  const Finished finished = run_workflow(review(verdict + " ask_again=1"));
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(calls() == 2U);
  BOOST_TEST(holds(finished.out, "the answer is not valid: the value has no \"files\" (asked 2 times)"), finished.out);
  fs::remove(scratch.path() + "/calls");
  BOOST_TEST(run_workflow(review(verdict + " ask_again=0")).exit_code == 1);
  BOOST_TEST(calls() == 1U);
}

BOOST_AUTO_TEST_CASE(a_failure_without_an_answer_leads_out_of_the_composite_state) {
  const std::string diagram =
      "[*] --> Work\nstate Work {\n[*] --> Review\nReview --> Good: Review.verdict == \"pass\"\nReview --> Bad: "
      "default\n"
      "Good --> [*]\nBad --> [*]\n}\nWork --> Sorry: failure\nWork --> [*]: default\nSorry --> [*]\n";
  for (const std::string does : {"exit 7", "echo no JSON; exit"}) {
    scratch.file("does", does);
    const Finished finished = run_workflow(
        with("title: Review\n", diagram,
             "- Review: Prompt \"Review.\" ask_again=0 " + verdict +
                 "\n- Good: Shell \"echo good\"\n- Bad: Shell \"echo bad\"\n- Sorry: Shell \"echo sorry\"\n"));
    BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
    BOOST_TEST(holds(finished.err, "sorry"), finished.err);
    BOOST_TEST(!holds(finished.err, "bad"), finished.err);
  }
}

BOOST_AUTO_TEST_CASE(the_output_of_any_step_is_checked_and_is_a_field_of_a_resumed_run) {
  const std::string file_ = with("title: w\n", "[*] --> A\nA --> B: A.count > 1\nA --> [*]: default\nB --> [*]\n",
                                 "- A: Shell \"cat given\" output={\"count\": \"integer\"}\n"
                                 "- B: Shell \"echo ${A.count} >>seen; test -e go\"\n");
  scratch.file("given", "{\"count\": \"many\"}");
  const Finished wrong = run_workflow(file_);
  BOOST_TEST(wrong.exit_code == 1);
  BOOST_TEST(holds(wrong.out, "the output is not valid: #/count is \"many\", but its type must be \"integer\""),
             wrong.out);
  scratch.file("given", "{\"count\": 7}");
  BOOST_TEST(run_workflow(file_).exit_code == 1);
  scratch.file("go", "");
  scratch.file("given", "{}");
  const Finished resumed = wtool({"resume", "last"});
  BOOST_TEST(resumed.exit_code == 0, resumed.out << resumed.err);
  BOOST_TEST(file("seen") == "7\n7\n");
}

BOOST_AUTO_TEST_CASE(an_integer_that_is_written_with_a_decimal_point_is_a_whole_number) {
  workflow(
      "[*] --> A\nA --> Good: A.n + 1 == 2 && A.list[0] == 3 && A.deep.m == -4\nA --> Bad: default\nGood --> [*]\nBad "
      "--> [*]\n",
      "- A: Shell \"echo '{\\\"n\\\": 1.0, \\\"list\\\": [3e0], \\\"deep\\\": {\\\"m\\\": -4.0}}'\" "
      "output={\"n\": \"integer\", \"list\": [\"integer\"], \"deep\": {\"m\": \"integer\"}}\n"
      "- Good: Log \"good\"\n- Bad: Log \"bad\"\n");
  const Finished finished = run_workflow("workflow.md");
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(holds(finished.err, "good"), finished.err);
}

BOOST_AUTO_TEST_CASE(an_integer_beyond_64_bits_is_refused_instead_of_rounded) {
  workflow("[*] --> A\nA --> [*]\n",
           "- A: Shell \"echo '{\\\"n\\\": 9223372036854775808}'\" output={\"n\": \"integer\"}\n");
  const Finished finished = run_workflow("workflow.md");
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(holds(finished.err, "has the integer 9223372036854775808, which does not fit into 64 bits"), finished.err);
}

BOOST_AUTO_TEST_CASE(what_an_agent_set_with_an_answer_that_was_not_valid_is_kept) {
  scratch.file("does", "test $n -gt 1 || echo note=kept >>$WTOOL_STEER\n");
  answers({"no", "{\"n\": 1}"});
  const Finished finished = run_workflow(with("title: w\n", "[*] --> A\nA --> B\nB --> [*]\n",
                                              "- A: Prompt \"Set a note.\" output={\"n\": \"integer\"}\n"
                                              "- B: Shell \"echo ${note} ${A.n}\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(holds(finished.err, "kept 1"), finished.err);
}

BOOST_AUTO_TEST_CASE(an_agent_that_ends_the_workflow_must_still_give_a_valid_answer) {
  const std::string file_ =
      with("title: w\n", "[*] --> A\nA --> B\nA --> [*]\nB --> [*]\nTell --> [*]\n",
           "- A: Prompt \"x\" output={\"n\": \"integer\"}\n- B: Shell \"echo B ran\"\n- finally: Tell\n"
           "- Tell: Shell \"echo got ${A.n}\"\n");
  // What the agent said with its first answer still holds when it is asked again.
  scratch.file("does", "test $n -gt 1 || echo exit >>$WTOOL_STEER\n");
  answers({"no", "{\"n\": 1}"});
  const Finished ended = run_workflow(file_);
  BOOST_TEST(ended.exit_code == 0, ended.out << ended.err);
  BOOST_TEST(calls() == 2U);
  BOOST_TEST(holds(ended.err, "the agent of 'A' ended the workflow"), ended.err);
  BOOST_TEST(holds(ended.err, "got 1"), ended.err);
  BOOST_TEST(!holds(ended.err, "B ran"), ended.err);
  scratch.file("does", "echo exit >>$WTOOL_STEER\n");
  answers({"no", "no"});
  std::filesystem::remove(scratch.path() + "/calls");
  const Finished without = run_workflow(file_);
  BOOST_TEST(without.exit_code == 1, without.out << without.err);
  BOOST_TEST(calls() == 3U);
  BOOST_TEST(holds(without.out, " (asked 3 times)"), without.out);
}

// The number of ways through the schema is 2^64.
BOOST_AUTO_TEST_CASE(a_check_against_a_schema_that_refers_to_itself_twice_ends, *boost::unit_test::timeout(60)) {
  const Finished finished = run_workflow(
      with("title: w\n", "[*] --> A\nA --> [*]\n",
           "- A: Shell \"echo '{}'\" output={\"type\": \"object\", \"anyOf\": [{\"$ref\": \"#\"}, {\"$ref\": "
           "\"#\"}]}\n"));
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(holds(finished.out, "the output is not valid: "), finished.out);
}

BOOST_AUTO_TEST_CASE(the_command_gets_the_schema_as_a_file) {
  scratch.file("does", "cat \"$WTOOL_SCHEMA\" >schema\n");
  answers({"{\"verdict\": \"pass\", \"files\": [\"x\"]}"});
  BOOST_TEST(run_workflow(review(verdict)).exit_code == 0);
  BOOST_TEST(nlohmann::json::parse(file("schema"))["properties"]["verdict"]["enum"] ==
             nlohmann::json::array({"pass", "fail"}));
}

BOOST_AUTO_TEST_CASE(a_field_that_the_output_does_not_have_is_found_before_a_run) {
  const Finished lint = wtool({"lint", review("output={\"verdct\": [\"pass\", \"fail\"], \"message\": \"string\"}")});
  BOOST_TEST(lint.exit_code == 2);
  BOOST_TEST(holds(lint.out, "the outcome 'Review' has no field 'verdict'; did you mean 'verdct'?"), lint.out);
  BOOST_TEST(holds(lint.out, "every outcome has a field 'message' of its own"), lint.out);
}

// ---- Budgets and bounds.

const std::string repair =
    "[*] --> Fix\nFix --> Test\nFix --> GiveUp: exhausted\nTest --> Fix: failure\nTest --> [*]: success\n"
    "GiveUp --> [*]\n";

BOOST_AUTO_TEST_CASE(a_transition_takes_a_state_whose_visits_are_used_up) {
  const std::string file_ = with(
      "title: w\n", repair,
      "- Fix: Prompt \"Fix.\" max=2\n- Test: Shell \"false\"\n- GiveUp: Shell \"echo given up: ${Fix.message}\"\n");
  BOOST_TEST(holds(wtool({"lint", file_}).out, "0 errors, 0 warnings"));
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(calls() == 2U);
  BOOST_TEST(holds(finished.err, "given up: it has had its 2 visits (max=2)"), finished.err);
}

BOOST_AUTO_TEST_CASE(a_plain_arrow_or_always_does_not_bypass_a_budget) {
  for (const std::string arrow : {"Fix --> Test\n", "Fix --> Test: always\n"}) {
    fs::remove(scratch.path() + "/calls");
    const Finished finished = run_workflow(
        with("budget: {calls: 3}\n", "[*] --> Fix\n" + arrow + "Test --> Fix: failure\nTest --> [*]: success\n",
             "- Fix: Prompt \"Fix.\" retry=5\n- Test: Shell \"false\"\n"));
    BOOST_TEST(finished.exit_code == 1);
    BOOST_TEST(calls() == 3U);
    BOOST_TEST(holds(finished.out, "step 'Fix' was not completed: the budget of 3 calls is used up"), finished.out);
  }
}

BOOST_AUTO_TEST_CASE(tokens_and_cost_are_counted_from_what_the_command_reports) {
  scratch.file("does",
               "echo '{\"input_tokens\": 30, \"output_tokens\": 10}' >>$WTOOL_USAGE\n"
               "echo '{\"cost\": 0.25, \"model\": \"m\"}' >>$WTOOL_USAGE\n");
  for (const auto& [budget, expected] : {std::pair("tokens: 100", 3U), std::pair("cost: 0.5", 2U)}) {
    fs::remove(scratch.path() + "/calls");
    const Finished finished =
        run_workflow(with("budget: {" + std::string(budget) + "}\n", repair,
                          "- Fix: Prompt \"Fix.\"\n- Test: Shell \"echo used ${budget.used.tokens}; false\"\n"
                          "- GiveUp: Shell \"echo given up\"\n"));
    BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
    BOOST_TEST(calls() == expected, finished.err);
    BOOST_TEST(holds(finished.err, "used 80"), finished.err);
  }
  const auto shown = nlohmann::json::parse(wtool({"show", "last", "--json"}).out);
  BOOST_TEST(shown["usage"]["calls"] == 2);
  BOOST_TEST(shown["usage"]["tokens"] == 80);
  BOOST_TEST(shown["usage"]["cost"] == 0.5);
  BOOST_TEST(holds(wtool({"show", "last"}).out, "Prompts: 2 calls in "));
  BOOST_TEST(holds(wtool({"show", "last"}).out, ", 80 tokens, cost 0.5"));
}

BOOST_AUTO_TEST_CASE(a_budget_that_is_used_up_by_a_wrong_answer_is_reported_with_that_answer) {
  const Finished finished = run_workflow(with("budget: {calls: 1}\n", "[*] --> A\nA --> [*]\n",
                                              "- A: Prompt \"x\" output={\"v\": \"integer\"} ask_again=3\n"));
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(calls() == 1U);
  BOOST_TEST(holds(finished.out,
                   "step 'A' was not completed: the budget of 1 call is used up; the agent has given 1 wrong answer, "
                   "and the last one "),
             finished.out);
}

BOOST_AUTO_TEST_CASE(reports_of_any_size_use_a_budget_up) {
  scratch.file("does", "for i in $(seq 4000); do echo '{\"tokens\":1e15}'; done >>$WTOOL_USAGE\n");
  const Finished finished =
      run_workflow(with("budget: {tokens: 9000000000000000000, calls: 9}\n", repair,
                        "- Fix: Prompt \"Fix.\"\n- Test: Shell \"false\"\n- GiveUp: Shell \"echo given up\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(calls() == 3U, finished.err);
}

BOOST_AUTO_TEST_CASE(a_budget_that_nothing_is_reported_for_fails_the_step) {
  const std::string file_ = with("budget: {tokens: 100}\n", "[*] --> A\nA --> [*]\n", "- A: Prompt \"x\"\n");
  const Finished silent = run_workflow(file_);
  BOOST_TEST(silent.exit_code == 1);
  BOOST_TEST(holds(silent.out, "a budget of tokens, but prompts.command has not reported any"), silent.out);
  for (const auto& [report, said] :
       {std::pair("tokens=3", "line 1 of $WTOOL_USAGE is not understood: it is not JSON"),
        std::pair("{\"tokens\": -1}", "\"tokens\" is -1, but must be a number of at least 0"),
        std::pair("[1]", "it is not a JSON object")}) {
    scratch.file("report", report);
    scratch.file("does", "cat report >>$WTOOL_USAGE\n");
    const Finished wrong = run_workflow(file_);
    BOOST_TEST(wrong.exit_code == 1);
    BOOST_TEST(holds(wrong.out, said), wrong.out);
  }
}

BOOST_AUTO_TEST_CASE(a_pipe_in_the_place_of_a_report_is_not_waited_for) {
  scratch.file("does", "rm $WTOOL_USAGE; mkfifo $WTOOL_USAGE\n");
  const Finished finished = run_workflow(with("title: w\n", "[*] --> A\nA --> [*]\n", "- A: Prompt \"x\"\n"));
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(holds(finished.out, "$WTOOL_USAGE is no longer a file"), finished.out);
}

BOOST_AUTO_TEST_CASE(the_time_of_a_budget_ends_a_call) {
  scratch.file("does", "sleep 61\n");
  const Finished finished = run_workflow(with("budget: {time: 300ms}\n", repair,
                                              "- Fix: Prompt \"Fix.\" timeout=60\n- Test: Shell \"false\"\n"
                                              "- GiveUp: Shell \"echo given up: ${Fix.message}\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(holds(finished.err, "given up: the budget's time for prompts ran out"), finished.err);
}

BOOST_AUTO_TEST_CASE(an_inner_workflow_uses_the_budget_of_the_one_around_it) {
  scratch.file("inner.md",
               "---\nbudget: {calls: 9}\n---\n```mermaid\nstateDiagram-v2\n[*] --> Ask\nAsk --> Say\nSay --> "
               "[*]\n```\n## Actions\n"
               "- Ask: Prompt \"x\"\n- Say: Shell \"echo left ${budget.calls}\"\n");
  const Finished finished =
      run_workflow(with("budget: {calls: 2}\n", "[*] --> W\nW --> W\nW --> Done: exhausted\nDone --> [*]\n",
                        "- W: Run workflow \"inner\"\n- Done: Shell \"echo done\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(calls() == 2U);
  BOOST_TEST(holds(finished.err, "left 1"), finished.err);
  BOOST_TEST(holds(finished.err, "left 0"), finished.err);
}

BOOST_AUTO_TEST_CASE(branches_together_make_no_more_calls_than_the_budget_has) {
  const Finished finished = run_workflow(
      with("budget: {calls: 3}\n", "[*] --> A\nA --> B: exhausted\nA --> [*]: success\nB --> [*]\n",
           "- A: Prompt \"${matrix.n}\" matrix={\"n\": [1, 2, 3, 4, 5, 6, 7, 8]}\n- B: Shell \"echo over\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(calls() <= 3U);
  BOOST_TEST(holds(finished.err, "over"), finished.err);
}

BOOST_AUTO_TEST_CASE(a_resumed_run_counts_what_its_earlier_parts_used_also_a_call_that_a_kill_ended) {
  scratch.file("does", "touch ready; test -e go || sleep 61\n");
  const std::string file_ =
      with("budget: {calls: 3}\n", repair,
           "- Fix: Prompt \"Fix.\"\n- Test: Shell \"false\"\n- GiveUp: Shell \"echo given up\"\n");
  {
    Program program({wtool_path, "run", file_}, Program::On::pipes, here());
    BOOST_REQUIRE(wait_until([&] { return fs::exists(scratch.path() + "/ready"); }, std::chrono::seconds(30)));
    program.kill(SIGKILL);
    program.wait();
  }
  scratch.file("go", "");
  const Finished resumed = wtool({"resume", "last"});
  BOOST_TEST(resumed.exit_code == 0, resumed.out << resumed.err);
  BOOST_TEST(calls() == 3U);
  BOOST_TEST(nlohmann::json::parse(wtool({"show", "last", "--json"}).out)["usage"]["calls"] == 3);
}

BOOST_AUTO_TEST_CASE(conditions_on_a_replayed_path_see_what_was_left_then) {
  const std::string file_ = with(
      "budget: {calls: 4}\n",
      "[*] --> A\nA --> Many: budget.calls == 3\nA --> Few: default\nMany --> B\nFew --> [*]\nB --> C\nC --> [*]\n",
      "- A: Prompt \"a\"\n- Many: Shell \"echo many >>seen\"\n- Few: Shell \"echo few >>seen\"\n- B: Prompt \"b\"\n"
      "- C: Shell \"echo left ${budget.calls} >>seen; test -e go\"\n");
  BOOST_TEST(run_workflow(file_).exit_code == 1);
  scratch.file("go", "");
  const Finished resumed = wtool({"resume", "last"});
  BOOST_TEST(resumed.exit_code == 0, resumed.out << resumed.err);
  BOOST_TEST(file("seen") == "many\nleft 2\nleft 2\n");
}

BOOST_AUTO_TEST_CASE(a_budget_that_does_not_bound_prompts_that_run_at_the_same_time_is_a_warning) {
  const auto linted = [&](const std::string& budget, const std::string& diagram, const std::string& actions) {
    return wtool({"lint", with("budget: {" + budget + "}\n", diagram, actions)}).out;
  };
  const std::string one = "[*] --> A\nA --> B\nB --> [*]\n";
  const std::string fork =
      "state F <<fork>>\nstate J <<join>>\n[*] --> F\nF --> A\nF --> B\nA --> J\nB --> J\nJ --> C\nC --> F: failure\n"
      "C --> [*]: success\n";
  const std::string both = "- A: Prompt \"x\"\n- B: Prompt \"y\"\n";
  const std::string third = "- C: Shell \"true\" max=3\n";
  const char* matrix = "2:9: warning: the combinations of the prompt 'A' run at the same time";
  const char* branches = "2:9: warning: the prompts 'A' and 'B' run at the same time";
  BOOST_TEST(holds(linted("tokens: 10", one, "- A: Prompt \"x\" matrix={\"n\": [1, 2]}\n"), matrix));
  BOOST_TEST(holds(linted("cost: 10", fork, both + third), branches));
  BOOST_TEST(holds(linted("time: 10m, calls: 5", fork, both + third), "more than the budget of time"));
  BOOST_TEST(!holds(linted("calls: 10", fork, both + third), "at the same time"));
  BOOST_TEST(!holds(linted("tokens: 10", one, both), "at the same time"));
  BOOST_TEST(!holds(linted("tokens: 10", fork, "- A: Prompt \"x\"\n- C: Prompt \"y\" max=3\n"), "at the same time"));
  BOOST_TEST(!holds(linted("tokens: 10", one, "- A: Prompt \"x\" lock=\"l\" matrix={\"n\": [1, 2]}\n"), "same time"));
}

BOOST_AUTO_TEST_CASE(a_loop_that_nothing_bounds_is_a_warning) {
  const std::string loop = "[*] --> A\nA --> B\nB --> A: failure\nB --> [*]: success\n";
  const std::string open = "- A: Prompt \"x\"\n- B: Shell \"x\"\n";
  const char* warning = "warning: the loop through 'A' has no bound except the run's own";
  BOOST_TEST(holds(wtool({"lint", with("title: w\n", loop, open)}).out, warning));
  const std::string counted = "[*] --> A\nA --> N\nN --> B\nB --> A: n < 3\nB --> [*]: default\n";
  for (const std::string& bounded : {with("max_steps: 50\n", loop, open), with("budget: {time: 1h}\n", loop, open)}) {
    BOOST_TEST(!holds(wtool({"lint", bounded}).out, warning));
  }
  BOOST_TEST(
      !holds(wtool({"lint", with("title: w\n", loop, "- A: Prompt \"x\"\n- B: Shell \"x\" max=3\n")}).out, warning));
  BOOST_TEST(!holds(
      wtool({"lint", with("title: w\n", counted, open + "- N: Set n={{ n | default: 0 | plus: 1 }}\n")}).out, warning));
}

BOOST_AUTO_TEST_CASE(a_loop_without_prompts_that_nothing_bounds_is_a_warning) {
  const char* warning =
      ": warning: the loop through 'A' has no bound except the run's own limit of 10000 states; give one of its states "
      "max=N, or the front matter `max_steps`";
  const auto linted = [&](const std::string& front, const std::string& diagram, const std::string& actions) {
    return wtool({"lint", with(front, diagram, actions)}).out;
  };
  const std::string alone = "[*] --> A\nA --> A: failure\nA --> [*]: success\n";
  BOOST_TEST(holds(linted("title: w\n", alone, "- A: Shell \"x\"\n"), "11:3" + std::string(warning)));
  BOOST_TEST(holds(linted("title: w\n", alone, "- A: Shell \"x\" retry=3\n"), warning));
  BOOST_TEST(holds(linted("budget: {calls: 3}\n", alone, "- A: Shell \"x\"\n"), warning));
  BOOST_TEST(!holds(linted("title: w\n", alone, "- A: Shell \"x\" max=3\n"), "the loop"));
  BOOST_TEST(!holds(linted("title: w\n", alone, "- A: Log \"x\"\n"), "the loop"));
  BOOST_TEST(!holds(linted("max_steps: 9\n", alone, "- A: Shell \"x\"\n"), "the loop"));
  const std::string two = "[*] --> A\nA --> B\nB --> A: failure\nB --> [*]: success\n";
  BOOST_TEST(holds(linted("title: w\n", two, "- A: Shell \"y\"\n- B: Shell \"x\"\n"), warning));
  BOOST_TEST(holds(linted("title: w\n", two, "- A: Shell \"y\"\n- B: Run workflow \"x\"\n"), warning));
  BOOST_TEST(!holds(linted("title: w\n", two, "- A: Shell \"y\"\n- B: Approve \"x\"\n"), "the loop"));
  BOOST_TEST(!holds(linted("title: w\n", two, "- A: Shell \"y\" on failure: A\n- B: Wait for user confirmation\n"),
                    "the loop through 'B'"));
}

// ---- What an agent sets.

BOOST_AUTO_TEST_CASE(a_value_that_an_agent_gives_a_parameter_keeps_its_declaration) {
  const std::string file_ = with(
      "parameters:\n  - {name: size, type: number, min: 1, max: 9, default: 1}\n"
      "  - {name: kind, type: choice, choices: [a, b], default: a}\n  - {name: token, secret: true, default: none}\n",
      "[*] --> A\nA --> B\nB --> [*]\n", "- A: Prompt \"x\"\n- B: Shell \"echo ${size} ${kind} ${token}\"\n");
  for (const auto& [line, said] : {std::pair("size=many", "'size' to a wrong value: must be a number"),
                                   std::pair("size=12", "the agent set the parameter 'size' to a wrong value"),
                                   std::pair("kind=c", "the agent set the parameter 'kind' to a wrong value")}) {
    scratch.file("does", "echo '" + std::string(line) + "' >>$WTOOL_STEER\n");
    const Finished wrong = run_workflow(file_);
    BOOST_TEST(wrong.exit_code == 1);
    BOOST_TEST(holds(wrong.out, said), wrong.out);
  }
  scratch.file("does", "printf 'size=7\\nkind=b\\ntoken=hunter2hunter2\\n' >>$WTOOL_STEER\n");
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(holds(finished.err, "7 b ***"), finished.err);
  for (const auto& journal : fs::directory_iterator(scratch.path() + "/.wtool/runs")) {
    if (journal.is_regular_file()) BOOST_TEST(!holds(content_of(journal.path()), "hunter2"), journal.path());
  }
}

BOOST_AUTO_TEST_CASE(a_condition_on_what_a_failed_agent_would_have_set_is_false) {
  scratch.file("does", "exit 3\n");
  const Finished finished = run_workflow(
      with("title: w\n",
           "state All {\n[*] --> A\nA --> Good: done == true\nA --> Bad: default\nGood --> [*]\nBad --> [*]\n}\n"
           "[*] --> All\nAll --> Sorry: failure\nAll --> [*]\nSorry --> [*]\n",
           "- A: Prompt \"Set done to true or false.\"\n- Good: Log \"good\"\n- Bad: Log \"bad\"\n"
           "- Sorry: Log \"handled: ${A.message}\"\n"));
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(holds(finished.err, "handled: Command failed with exit code 3"), finished.err);
}

BOOST_AUTO_TEST_CASE(a_name_that_nothing_mentions_is_reported_when_an_agent_sets_it) {
  const std::string file_ = with("title: w\n", "[*] --> A\nA --> [*]: all_done\nA --> [*]: default\n",
                                 "- A: Prompt \"Set all_done or remark.\"\n");
  scratch.file("does", "printf 'all_done=true\nremark=1\nalldone=2\nmark=3\n' >>$WTOOL_STEER\n");
  const Finished finished = run_workflow(file_);
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  for (const char* name : {"alldone", "mark"}) {
    BOOST_TEST(holds(finished.err, "the agent of 'A' set '" + std::string(name) + "', but neither its prompt nor"),
               finished.err);
  }
  for (const char* name : {"'all_done'", "'remark'"}) BOOST_TEST(!holds(finished.err, name), finished.err);
}

// A condition that reads an outcome must read what the step itself returned: a verdict, or a person's answer.
BOOST_AUTO_TEST_CASE(an_agent_cannot_replace_an_outcome) {
  const std::string file_ =
      with("", "[*] --> Work\nWork --> Review\nReview --> [*]\n",
           "- Work: Prompt \"Do the work.\" result=\"done\"\n- Review: Shell \"echo good\" result=\"verdict\"\n");
  for (const char* name : {"Review", "Work", "verdict", "done", "result", "budget", "exhausted", "success"}) {
    scratch.file("does", "echo '" + std::string(name) + "=true' >>$WTOOL_STEER\n");
    const Finished finished = run_workflow(file_);
    BOOST_TEST(finished.exit_code == 1, name);
    BOOST_TEST(holds(finished.out, std::string("'") + name + "', which"), finished.out);
  }
  scratch.file("does", "echo reviewed=true >>$WTOOL_STEER\n");
  BOOST_TEST(run_workflow(file_).exit_code == 0);
}

// The shapes of SwissArmyHammer's `do`, `test` and `review`: loops that their agents end, by a variable or by `exit`.
BOOST_AUTO_TEST_CASE(workflows_that_agents_steer_and_end_run_as_intended) {
  scratch.file("prompts/do_next.md", "Do the next task. Set `all_done` to true or false.");
  scratch.file("prompts/make_pass.md", "Repair one test. Set `tests_pass`.");
  scratch.file("prompts/check_rules.md", "Check the rules. End the workflow when none is broken.");
  scratch.file("do.md",
               "```mermaid\nstateDiagram-v2\n[*] --> start\nstart --> work\nwork --> loop\nloop --> done: all_done\n"
               "loop --> work: default\ndone --> [*]\n```\n## Actions\n- start: log \"Tasks\"\n"
               "- work: execute prompt \"do_next\"\n- done: log \"All tasks are done\"\n");
  scratch.file(
      "test.md",
      "```mermaid\nstateDiagram-v2\n[*] --> test\ntest --> loop\nloop --> done: tests_pass\n"
      "loop --> tasks: default\ntasks --> test\ndone --> [*]\n```\n## Actions\n- test: execute prompt "
      "\"make_pass\"\n- tasks: run workflow \"do\"\n- loop: log \"Looking\"\n- done: log \"All tests pass\"\n");
  const std::string review = scratch.file(
      "review.md",
      "```mermaid\nstateDiagram-v2\n[*] --> start\nstart --> check\ncheck --> fix\nfix --> test\ntest --> check\n"
      "done --> [*]\n```\n## Actions\n- start: log \"Rules\"\n- check: execute prompt \"check_rules\"\n"
      "- fix: run workflow \"do\"\n- test: run workflow \"test\"\n- done: log \"never entered\"\n");
  scratch.file(
      "does",
      "echo \"$(cat $1)\" | cut -c1-8 >>said\n"
      "case $(cat $1) in\n"
      "*all_done*) if test -e half; then rm half; echo all_done=true; else touch half; echo all_done=false; fi;;\n"
      "*tests_pass*) if test -e tested; then echo tests_pass=true; else touch tested; echo tests_pass=false; fi;;\n"
      "*rules*) if test -e checked; then echo exit; else touch checked; fi;;\n"
      "esac >>$WTOOL_STEER\n");
  const Finished lint = wtool({"lint", review});
  BOOST_TEST(lint.exit_code == 0, lint.out);
  BOOST_TEST(holds(lint.out, "only an agent can end the run"), lint.out);
  const Finished finished = run_workflow(review);
  BOOST_TEST(finished.exit_code == 0, finished.out << finished.err);
  BOOST_TEST(file("said") == "Check th\nDo the n\nDo the n\nRepair o\nDo the n\nDo the n\nRepair o\nCheck th\n");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
