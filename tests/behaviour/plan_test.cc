// `wtool plan` says what a run would do, and does nothing.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/shell_tool.h"
#include "support/text.h"

BOOST_AUTO_TEST_SUITE(plan_test)

using namespace wtool::test;

namespace {

struct Place {
  ScratchFolder scratch;

  std::string workflow(const std::string& diagram, const std::string& actions, const std::string& front = "") const {
    return scratch.file("workflow.md", "---\nname: planned\n" + front + "---\n```mermaid\nstateDiagram-v2\n" + diagram +
                                           "```\n\n## Actions\n\n" + actions);
  }
  Finished plan(const std::string& file, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> argv{WTOOL_TEST_PROGRAM, "plan", file};
    argv.insert(argv.end(), more.begin(), more.end());
    ProgramOptions options;
    options.directory = scratch.path();
    return run(argv, options);
  }
  Json json(const std::string& file, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> with = more;
    with.emplace_back("--json");
    const Finished finished = plan(file, with);
    BOOST_REQUIRE_MESSAGE(!finished.out.empty(), finished.err);
    return Json::parse(finished.out);
  }
  // A state of a plan as JSON; null if the plan does not have it.
  static Json state(const Json& plan, const std::string& name) {
    for (const Json& state : plan.at("states")) {
      if (state.at("state") == name) return state;
    }
    return nullptr;
  }
  static std::string command(const Json& plan, const std::string& name) {
    return state(plan, name).at("commands").at(0).at("command");
  }
  static std::string verdict(const Json& plan, const std::string& name) {
    return state(plan, name).at("commands").at(0).at("verdict");
  }
  static std::vector<std::string> order(const Json& plan) {
    std::vector<std::string> names;
    for (const Json& state : plan.at("states")) names.push_back(state.at("state"));
    return names;
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path())) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
};

const std::string one = "    [*] --> One\n    One --> [*]\n";
const std::string two = "    [*] --> One\n    One --> Two\n    Two --> [*]\n";

}  // namespace

BOOST_FIXTURE_TEST_CASE(nothing_runs_and_no_file_is_written, Place) {
  const std::string file =
      workflow(two, "- One: Shell \"touch made\"\n- Two: Call tool shell_execute with command=\"touch made\"\n");
  const Finished finished = plan(file);
  BOOST_TEST(finished.exit_code == 0, finished.err);
  BOOST_TEST(holds(finished.out, "$ touch made\n"), finished.out);
  BOOST_TEST(holds(finished.out, "2 states, 2 commands: 2 allowed\n"), finished.out);
  BOOST_TEST(files() == std::vector<std::string>{"workflow.md"}, boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(commands_are_filled_in_with_what_is_known, Place) {
  const std::string file = workflow(
      two,
      "- One: Set mode=\"fast ${kind}\"\n"
      "- Two: Shell \"make ${mode} ${One.stdout} {{ absent | default: \\\"none\\\" }}\" timeout=${limit} retry=2 "
      "backoff=1s..2m\n",
      "parameters:\n  - name: kind\n    default: it's\n  - {name: limit, type: number, default: 60}\n");
  const Json plan = json(file, {"--var", "limit=7"});
  BOOST_TEST(command(plan, "Two") == R"(make 'fast it'\''s' <One.stdout> 'none')");
  // No rule is configured that could refuse a command. With a rule, the verdict depends on the values.
  BOOST_TEST(verdict(plan, "Two") == "allow");
  scratch.file("wtool.yaml", "commands: {deny: [rm]}\n");
  BOOST_TEST(verdict(json(file, {"--var", "limit=7"}), "Two") == "unknown");
  BOOST_TEST(state(plan, "One").at("action") == R"(sets mode="fast it's")");
  const std::string options = state(plan, "Two").at("options").dump();
  BOOST_TEST(holds(options, "7 s"), options);
  BOOST_TEST(holds(options, "up to 3, waiting 1 s first and at most 2 min"), options);
}

BOOST_FIXTURE_TEST_CASE(a_run_that_would_be_refused_for_a_missing_value_has_no_plan, Place) {
  const std::string file = workflow(one, "- One: Shell \"echo ${target}\"\n", "parameters: [{name: target}]\n");
  const Finished refused = plan(file);
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(holds(refused.err, "the workflow cannot run: 1 parameter without a value"), refused.err);
  BOOST_TEST(refused.out == "");
  BOOST_TEST(plan(file, {"--var", "target=here"}).exit_code == 0);
}

BOOST_FIXTURE_TEST_CASE(a_plan_that_is_shown_above_is_named_even_if_no_more_are_shown, Place) {
  scratch.file("inner.md",
               "---\nparameters: [{name: n}]\n---\n```mermaid\nstateDiagram-v2\n[*] --> X\nX --> [*]\n```\n"
               "## Actions\n- X: Log \"${n}\"\n");
  std::string diagram = "[*] --> S0\n", actions;
  constexpr int most = 200;
  for (int i = 0; i < most + 2; ++i) {
    const std::string name = "S" + std::to_string(i);
    diagram += name + " --> " + (i == most + 1 ? "[*]" : "S" + std::to_string(i + 1)) + "\n";
    actions += "- " + name + ": Run workflow \"inner\" with n=\"" + std::to_string(i == most + 1 ? 0 : i) + "\"\n";
  }
  const Json made = json(workflow(diagram, actions));
  BOOST_TEST(state(made, "S199").at("workflow").is_object());
  BOOST_TEST(state(made, "S200").at("remark") ==
             "its plan is not shown, because this plan already has too many workflows");
  BOOST_TEST(state(made, "S201").at("remark") == "its plan is shown above");
}

BOOST_FIXTURE_TEST_CASE(a_variable_that_is_set_twice_is_not_known, Place) {
  const std::string file = workflow(
      "    [*] --> One\n    One --> Two: success\n    One --> Use: failure\n    Two --> Use\n    Use --> [*]\n",
      "- One: Set a=\"1\" b=\"2\"\n- Two: Set a=\"3\"\n- Use: Shell \"echo ${a} ${b} {{ b | default: \\\"x\\\" }}\"\n");
  // A placeholder with a default may be reached before any Set of its variable, so it stays as it is.
  BOOST_TEST(command(json(file), "Use") == "echo <a> '2' <b | default: \"x\">");
}

BOOST_FIXTURE_TEST_CASE(a_default_does_not_replace_what_an_agent_may_set, Place) {
  scratch.file("wtool.yaml", "prompts: {command: \"cat {{ prompt_file }}\"}\n");
  const std::string file =
      workflow(two,
               "- One: Prompt \"Set mode to fast or slow.\"\n- Two: Shell \"make {{ mode | default: \\\"slow\\\" }} "
               "{{ absent | default: \\\"none\\\" }} ${mode}\"\n");
  BOOST_TEST(command(json(file), "Two") == "make <mode | default: \"slow\"> 'none' <mode>");
}

BOOST_FIXTURE_TEST_CASE(what_the_front_matter_limits_is_shown, Place) {
  const std::string file =
      workflow("[*] --> A\nA --> [*]\n", "- A: Log \"x\"\n", "concurrency: deploy\nmax_steps: 7\nfail_fast: false\n");
  const Finished shown = plan(file);
  BOOST_TEST(holds(shown.out, "  only one run at a time holds the lock deploy\n"), shown.out);
  BOOST_TEST(holds(shown.out, "  ends after at most 7 steps\n"), shown.out);
  BOOST_TEST(holds(shown.out, "  if a branch fails, the others continue\n"), shown.out);
  const Json object = json(file);
  BOOST_TEST(object.at("concurrency") == "deploy");
  BOOST_TEST(object.at("max_steps") == 7);
  BOOST_TEST(object.at("fail_fast") == false);
}

BOOST_FIXTURE_TEST_CASE(secrets_are_not_shown, Place) {
  const std::string file = workflow(two,
                                    "- One: Set secret pass=\"swordfish\"\n"
                                    "- Two: Shell \"login ${token} ${pass}\" env={\"TOKEN\": \"${token}\"}\n",
                                    "parameters:\n  - {name: token, secret: true}\n");
  for (const bool as_json : {false, true}) {
    std::vector<std::string> more{"--var-file", "token=" + scratch.file("token", "hunter2")};
    if (as_json) more.emplace_back("--json");
    const Finished finished = plan(file, more);
    BOOST_TEST(finished.exit_code == 0, finished.err);
    BOOST_TEST(!holds(finished.out, "hunter2"), finished.out);
    BOOST_TEST(!holds(finished.out, "swordfish"), finished.out);
    BOOST_TEST(holds(finished.out, "login '***' '***'"), finished.out);
  }
}

BOOST_FIXTURE_TEST_CASE(the_policy_is_asked, Place) {
  scratch.file("wtool.yaml", "commands: {allow: [echo, rm, make], ask: [make install], deny: [rm -rf]}\n");
  const std::string file =
      workflow("    [*] --> A\n    A --> B\n    B --> C\n    C --> D\n    D --> [*]\n",
               "- A: Shell \"echo ${matrix.n}\" matrix={\"n\": [1, 2]}\n- B: Shell \"make install\"\n"
               "- C: Shell \"rm -rf ${what}\"\n- D: Shell \"echo ${C.stdout}\"\n",
               "parameters: [{name: what, default: all}]\n");
  const Finished finished = plan(file);
  BOOST_TEST(finished.exit_code == 3);
  for (const char* part : {"allowed", "needs an approval: ", "REFUSED: ", "decided when it runs",
                           "4 states, 5 commands: 2 allowed, 1 needs approval, 1 refused, 1 decided when it runs\n"}) {
    BOOST_TEST(holds(finished.out, part), finished.out << " lacks " << part);
  }
  const Json plan = json(file);
  BOOST_TEST(state(plan, "A").at("commands").at(1).at("command") == "echo '2'");
  BOOST_TEST(state(plan, "A").at("commands").at(1).at("matrix") == "{\"n\":2}");
  BOOST_TEST(verdict(plan, "B") == "ask");
  BOOST_TEST(verdict(plan, "C") == "deny");
  BOOST_TEST(
      plan.at("counts") ==
      Json({{"states", 4}, {"commands", 5}, {"allow", 2}, {"ask", 1}, {"deny", 1}, {"unknown", 1}, {"up_to_date", 0}}));
}

BOOST_FIXTURE_TEST_CASE(a_command_whose_variables_would_be_refused_is_refused_whatever_its_values_are, Place) {
  scratch.file("wtool.yaml", "commands: {allow: [make]}\n");
  const std::string diagram = "    [*] --> One\n    One --> A\n    A --> B\n    B --> C\n    C --> D\n    D --> [*]\n";
  const Json plan = json(workflow(diagram,
                                  "- One: Shell \"make\"\n"
                                  "- A: Shell \"make ${One.stdout}\" env={\"RM\": \"x\"}\n"
                                  "- B: Shell \"make all\" env={\"RM\": \"${One.stdout}\"}\n"
                                  "- C: Shell \"make ${One.stdout}\" env={\"LANG\": \"C\"}\n"
                                  "- D: Shell \"make ${One.stdout}\"\n"));
  for (const char* refused : {"A", "B"}) {
    BOOST_TEST(verdict(plan, refused) == "deny", refused);
    BOOST_TEST(holds(state(plan, refused).dump(), "RM may not be set"), state(plan, refused));
  }
  for (const char* open : {"C", "D"}) BOOST_TEST(verdict(plan, open) == "unknown", open);
}

BOOST_FIXTURE_TEST_CASE(a_directory_that_is_made_by_a_state_is_not_a_refusal, Place) {
  const Json plan = json(workflow(two, "- One: Shell \"mkdir new\"\n- Two: Shell \"ls\" working_dir=\"new\"\n"));
  BOOST_TEST(verdict(plan, "Two") == "unknown");
  BOOST_TEST(holds(state(plan, "Two").dump(), "does not exist"));
}

BOOST_FIXTURE_TEST_CASE(states_are_listed_in_the_order_of_reading, Place) {
  const std::string file = workflow(
      "    [*] --> Split\n    state Split <<fork>>\n    state Meet <<join>>\n    Split --> A\n    Split --> B\n"
      "    A --> A2\n    A2 --> Meet\n    B --> Meet\n    Meet --> Last\n    Last --> [*]\n"
      "    Clean --> [*]\n    Sorry --> Sorrier\n    Sorrier --> [*]\n",
      "- A: Log \"a\"\n- Last: Log \"last\"\n- Clean: Log \"clean\"\n- Sorry: Log \"sorry\"\n",
      "on failure: Sorry\nfinally: Clean\n");
  const Json plan = json(file);
  const std::vector<std::string> expected{"Split", "A", "A2", "B", "Meet", "Last", "Sorry", "Sorrier", "Clean"};
  BOOST_TEST(order(plan) == expected, boost::test_tools::per_element());
  BOOST_TEST(state(plan, "A2").at("branches") == Json({"A"}));
  BOOST_TEST(state(plan, "Meet").at("branches") == Json::array());
  BOOST_TEST(state(plan, "Sorrier").at("part") == "on_failure");
  BOOST_TEST(state(plan, "Clean").at("part") == "finally");
  BOOST_TEST(plan.at("finally") == "Clean");
}

BOOST_FIXTURE_TEST_CASE(a_state_that_only_a_failure_inside_of_a_composite_state_leads_to_is_listed, Place) {
  for (const std::string rule : {"", "failures: continue\n"}) {
    const Json plan = json(
        workflow("    [*] --> X\n    state X {\n    [*] --> A\n    A --> A: success\n    }\n    X --> Sorry: failure\n"
                 "    Sorry --> [*]\n",
                 "- A: Shell \"true\" max=2\n- Sorry: Log \"sorry\"\n", rule));
    const std::vector<std::string> expected{"X", "A", "Sorry"};
    BOOST_TEST_CONTEXT(rule) { BOOST_TEST(order(plan) == expected, boost::test_tools::per_element()); }
  }
}

BOOST_FIXTURE_TEST_CASE(workflows_that_are_run_are_shown_within, Place) {
  scratch.file("inner.md",
               "---\nname: inner\nparameters: [{name: x}, {name: y, required: true}]\n---\n```mermaid\n"
               "stateDiagram-v2\n    [*] --> I\n    I --> [*]\n```\n## Actions\n- I: Shell \"echo ${x} ${y}\"\n");
  const std::string file = workflow("    [*] --> A\n    A --> B\n    B --> C\n    C --> [*]\n",
                                    "- A: Run workflow \"inner\" with x=\"a b\" y=\"2\"\n"
                                    "- B: Delegate to \"inner\" with x=\"a b\" y=\"2\"\n"
                                    "- C: Run workflow \"inner\" with x=\"c\" y=\"${A}\"\n");
  const Json plan = json(file);
  BOOST_TEST(command(state(plan, "A").at("workflow"), "I") == "echo 'a b' '2'");
  BOOST_TEST(state(plan, "B").at("workflow").is_null());
  BOOST_TEST(state(plan, "B").at("remark") == "its plan is shown above");
  BOOST_TEST(command(state(plan, "C").at("workflow"), "I") == "echo 'c' <y>");
  BOOST_TEST(plan.at("counts").at("commands") == 2);
}

BOOST_FIXTURE_TEST_CASE(a_list_that_another_workflow_gets_stays_a_list, Place) {
  scratch.file("inner.md",
               "---\nname: inner\nparameters: [{name: x, type: list, choices: [\"a,b\", c]}]\n---\n```mermaid\n"
               "stateDiagram-v2\n    [*] --> I\n    I --> [*]\n```\n## Actions\n- I: Shell \"echo ${x}\"\n");
  const std::string file =
      workflow("    [*] --> A\n    A --> [*]\n", "- A: Run workflow \"inner\" with x=\"${items}\"\n",
               "parameters: [{name: items, type: list, default: [\"a,b\", c]}]\n");
  const Json plan = json(file);
  BOOST_TEST(state(plan, "A").at("remark") == "");
  BOOST_TEST(state(plan, "A").at("workflow").at("inputs").at("x") == R"(["a,b","c"])");
}

BOOST_FIXTURE_TEST_CASE(what_is_wrong_with_the_inputs_of_another_workflow_names_no_option, Place) {
  scratch.file("inner.md",
               "---\nname: inner\nparameters: [{name: x, type: number}]\n---\n```mermaid\n"
               "stateDiagram-v2\n    [*] --> I\n    I --> [*]\n```\n## Actions\n- I: Shell \"echo ${x}\"\n");
  const std::string file = workflow("    [*] --> A\n    A --> [*]\n", "- A: Run workflow \"inner\" with x=\"${p}\"\n",
                                    "parameters: [{name: p, default: one}]\n");
  BOOST_TEST(state(json(file), "A").at("remark") == "it cannot be run like this: x: \"one\" is not a number");
}

BOOST_FIXTURE_TEST_CASE(an_input_that_is_not_known_yet_is_not_shown_with_its_default, Place) {
  scratch.file("inner.md",
               "---\nname: inner\nparameters: [{name: x, default: usual}]\n---\n```mermaid\n"
               "stateDiagram-v2\n    [*] --> I\n    I --> [*]\n```\n## Actions\n- I: Shell \"echo ${x}\"\n");
  const std::string file =
      workflow("    [*] --> A\n    A --> B\n    B --> C\n    C --> [*]\n",
               "- A: Shell \"date\"\n- B: Run workflow \"inner\" with x=\"${A}\"\n- C: Run workflow \"inner\"\n");
  const Json plan = json(file);
  BOOST_TEST(state(plan, "B").at("workflow").at("inputs") == Json({{"x", "<x>"}}));
  BOOST_TEST(command(state(plan, "B").at("workflow"), "I") == "echo <x>");
  // The same workflow with its default is another plan.
  BOOST_TEST(state(plan, "C").at("remark") == "");
  BOOST_TEST(command(state(plan, "C").at("workflow"), "I") == "echo 'usual'");
  const std::string text = this->plan(file).out;
  BOOST_TEST(text.find("with x = \"usual\"") > text.find("with x = <x>"), text);
}

BOOST_FIXTURE_TEST_CASE(the_free_port_of_a_service_is_not_known, Place) {
  const std::string file = workflow(
      "    [*] --> Db\n    Db --> Use\n    Use --> [*]\n",
      "- Db: Service \"serve ${port}\" free_port=port\n- Use: Shell \"echo {{ port | default: \\\"x\\\" }}\"\n");
  BOOST_TEST(command(json(file), "Use") == "echo <port | default: \"x\">");
}

BOOST_FIXTURE_TEST_CASE(prompts_are_shown_with_their_command, Place) {
  scratch.file("wtool.yaml", "prompts: {command: \"model --file {{ prompt_file }}\"}\n");
  scratch.file("prompts/review.md", "Look at {{ diff }}, and at {{ One }}\n");
  const std::string file =
      workflow(two, "- One: Prompt \"Say hello\"\n- Two: Execute prompt \"review\" with diff=\"${One}\"\n");
  const Json with_file = json(file);
  BOOST_TEST(verdict(with_file, "Two") == "allow");
  BOOST_TEST(holds(command(with_file, "Two"), "model --file "));
  scratch.file("wtool.yaml", "prompts: {command: \"model {{ prompt }}\"}\n");
  const Json with_text = json(file);
  BOOST_TEST(command(with_text, "One") == "model 'Say hello'");
  BOOST_TEST(verdict(with_text, "Two") == "unknown");
}

BOOST_FIXTURE_TEST_CASE(a_workflow_that_is_not_valid_has_no_plan, Place) {
  const Finished wrong = plan(workflow(one, "- One: Conjure \"a rabbit\"\n"));
  BOOST_TEST(wrong.exit_code == 2);
  BOOST_TEST(wrong.out.empty());
  BOOST_TEST(holds(wrong.err, "Conjure"));
  const Finished unknown = plan(workflow(one, "- One: Log \"x\"\n"), {"--var", "nobody=reads"});
  BOOST_TEST(unknown.exit_code == 2);
  BOOST_TEST(plan(scratch.path() + "/none.md").exit_code == 2);
}

BOOST_FIXTURE_TEST_CASE(a_command_with_a_text_for_its_standard_input_is_judged_whatever_the_text_will_be, Place) {
  scratch.file("wtool.yaml", "commands: {allow: [echo, wc, sh]}\n");
  const std::string file = workflow("    [*] --> Make\n    Make --> Count\n    Count --> Run\n    Run --> [*]\n",
                                    "- Make: Shell \"echo made\" result=\"text\"\n"
                                    "- Count: Call tool shell_execute with command=\"wc -c\" stdin=\"${text}\"\n"
                                    "- Run: Call tool shell_execute with command=\"sh\" stdin=\"${text}\"\n");
  const Json made = json(file);
  BOOST_TEST(verdict(made, "Count") == "allow", made);
  BOOST_TEST(verdict(made, "Run") == "deny", made);
  BOOST_TEST(command(made, "Count") == R"(shell_execute {"command":"wc -c","stdin":null})");
}

BOOST_AUTO_TEST_SUITE_END()
