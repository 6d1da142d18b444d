// Prompts that are up to date: the answer is taken from the store, and the command is not asked again.
#include <boost/test/unit_test.hpp>

#include "up_to_date_place.h"

BOOST_AUTO_TEST_SUITE(kept_prompts_test)

using namespace wtool::test;

BOOST_FIXTURE_TEST_SUITE(kept_prompts, UpToDate)

BOOST_AUTO_TEST_CASE(a_prompt_is_kept_by_its_text_its_command_and_its_files) {
  const auto configure = [&](const std::string& command) {
    scratch.file("wtool.yaml", "prompts:\n  command: '" + command + "'\n");
  };
  const std::string command = "cat {{ prompt_file }} src/a.c; echo seen=3 >> {{ values_file }}; echo x >> ran";
  configure(command);
  scratch.file("src/a.c", "int a;\n");
  const auto ask = [&](const std::string& text) {
    scratch.file("workflow.md",
                 "```mermaid\nstateDiagram-v2\n[*] --> Ask\nAsk --> Tell\nTell --> [*]\n```\n## Actions\n- Ask: Prompt "
                 "\"" +
                     text + " seen\" with inputs=[\"src/**\"]\n- Tell: Log \"it says ${Ask} and ${seen}\"\n");
    return run_it();
  };
  ask("Look at");
  const Finished again = ask("Look at");
  BOOST_TEST(ran() == 1);
  BOOST_TEST(holds(again.err, "it says Look at seen"), again.err);
  BOOST_TEST(holds(again.err, "and 3"), again.err);
  ask("Read");
  BOOST_TEST(ran() == 2);
  configure(command + "; true");
  ask("Read");
  BOOST_TEST(ran() == 3);
  scratch.file("src/a.c", "int b;\n");
  ask("Read");
  BOOST_TEST(ran() == 4);
  ask("Read");
  BOOST_TEST(ran() == 4);
}

BOOST_AUTO_TEST_CASE(a_plan_says_whether_a_prompt_is_up_to_date) {
  scratch.file("wtool.yaml", "prompts: {command: \"sh agent.sh {{ prompt_file }} {{ values_file }}\"}\n");
  scratch.file("agent.sh", "cat $1 $2 > answer; echo '{\"n\": 1}'\n");
  scratch.file("prompts/review.md", "Look at {{ what }}.\n");
  scratch.file("in", "1");
  const auto write = [&](const std::string& actions) {
    workflow("[*] --> Find\nFind --> Ask\nAsk --> Say\nSay --> [*]\n", "- Find: Shell \"echo it\"\n" + actions);
  };
  const auto planned = [&] { return wtool({"plan", "workflow.md"}).out; };
  const std::string say = "- Say: Prompt \"Say it.\" with inputs=[\"in\"]\n";
  write("- Ask: Execute prompt \"review\" with what=\"a\" inputs=[\"in\"] output={\"n\": \"integer\"}\n" + say);
  BOOST_TEST(holds(planned(), "no result of this step is kept"), planned());
  run_it();
  const std::string skipped = "up to date: it would be skipped";
  const std::string both = planned();
  BOOST_TEST(both.find(skipped) != both.rfind(skipped), both);
  scratch.file("prompts/review.md", "Look well at {{ what }}.\n");
  BOOST_TEST(holds(planned(), "the text of the prompt changed"), planned());
  scratch.file("prompts/review.md", "Look at {{ what }}.\n");
  scratch.file("in", "2");
  BOOST_TEST(holds(planned(), "'in' changed"), planned());
  scratch.file("in", "1");
  BOOST_TEST(planned() == both);
  // The value of an earlier step is not known to a plan.
  write("- Ask: Execute prompt \"review\" with what=\"${Find}\" inputs=[\"in\"] output={\"n\": \"integer\"}\n" + say);
  const std::string open = planned();
  BOOST_TEST(open.find(skipped) == open.rfind(skipped), open);
  BOOST_TEST(holds(open, "only known during the run"), open);
}

BOOST_AUTO_TEST_CASE(a_prompt_that_was_asked_again_is_kept_under_its_first_question) {
  // The first answer of a run never matches `output`. With it, the agent sets `seen`, which shows in which run it
  // answered.
  scratch.file("wtool.yaml", "prompts: {command: \"sh agent.sh {{ values_file }} {{ prompt_file }}\"}\n");
  scratch.file("agent.sh",
               "echo x >> ran\n"
               "if test -e again; then rm again; echo '{\"n\": 1}'; exit; fi\n"
               "touch again; echo seen=$(cat run) >> $1; echo wrong\n");
  scratch.file("in", "");
  scratch.file("workflow.md",
               "```mermaid\nstateDiagram-v2\n[*] --> Ask\nAsk --> Tell\nTell --> [*]\n```\n## Actions\n- Ask: Prompt "
               "\"Tell what was seen.\" with inputs=[\"in\"] output={\"n\": \"integer\"} ask_again=1\n- Tell: Log \"it "
               "was ${seen}\"\n");
  scratch.file("run", "1");
  BOOST_TEST(holds(run_it().err, "it was 1"));
  BOOST_TEST(ran() == 2);
  scratch.file("run", "2");
  BOOST_TEST(holds(run_it().err, "it was 1"));
  BOOST_TEST(ran() == 2);
  BOOST_TEST(holds(run_it({"--force"}).err, "it was 2"));
  BOOST_TEST(ran() == 4);
  BOOST_TEST(holds(run_it().err, "it was 2"));
  BOOST_TEST(ran() == 4);
}

BOOST_AUTO_TEST_CASE(a_prompt_that_is_up_to_date_uses_nothing_of_a_budget) {
  scratch.file("wtool.yaml", "prompts:\n  command: 'cat {{ prompt_file }}; echo x >> ran'\n");
  scratch.file("in", "");
  scratch.file("workflow.md",
               "---\ntitle: w\nbudget: {calls: 1}\n---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\nB --> "
               "[*]\n```\n## Actions\n- A: Prompt \"Look.\" with inputs=[\"in\"]\n- B: Prompt \"Look.\" with "
               "inputs=[\"in\"]\n");
  run_it();
  run_it();
  BOOST_TEST(ran() == 1);
  BOOST_TEST(Json::parse(wtool({"show", "last", "--json"}).out).value("usage", Json::object()).value("calls", 0) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
