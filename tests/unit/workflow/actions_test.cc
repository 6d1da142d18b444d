// What the forms of actions are read as.
#include <boost/test/unit_test.hpp>

#include "reading.h"

namespace actions_test {

using namespace wtool::test;
using namespace wtool::host::workflow;

namespace {

std::string text_of(const std::variant<wtool::host::expressions::Value, TemplateText>& value) {
  if (const auto* text = std::get_if<TemplateText>(&value)) return text->written.text();
  return wtool::host::expressions::to_json(std::get<wtool::host::expressions::Value>(value));
}

std::string arguments_text(const std::vector<Argument>& arguments) {
  std::string out;
  for (const Argument& argument : arguments) out += argument.name + "=" + text_of(argument.value) + " ";
  return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_prompt_takes_arguments_and_options_in_any_order) {
  const Workflow workflow = read(one_action(
      "execute PROMPT \"say-hello\" with name=\"${A}\" loud=true n=5 result=\"greeting\" timeout=2m x={{ A }}"));
  const auto& prompt = action_of<PromptAction>(workflow, "A");
  BOOST_TEST(prompt.prompt.written.text() == "say-hello");
  BOOST_TEST(!prompt.is_inline);
  BOOST_TEST(arguments_text(prompt.arguments) == "name=${A} loud=true n=5 x={{ A }} ");
  BOOST_TEST(options_of(workflow, "A").result.name == "greeting");
  BOOST_TEST(options_of(workflow, "A").timeout->written.text() == "2m");
  BOOST_TEST(action_of<PromptAction>(read(one_action("Prompt \"Say hello\"")), "A").is_inline);
}

BOOST_AUTO_TEST_CASE(an_argument_may_be_guarded) {
  Diagnostics diagnostics;
  const Source source("", one_action("Execute prompt \"p\" with a=\"1\"{% if A %} with b=\"2\" {% endif %} c=\"3\""));
  const Workflow workflow = parse_workflow(source, diagnostics);
  BOOST_TEST_REQUIRE(diagnostics.empty());
  const auto& prompt = action_of<PromptAction>(workflow, "A");
  BOOST_TEST(arguments_text(prompt.arguments) == "a=1 b=2 c=3 ");
  BOOST_TEST(prompt.arguments[1].guard->written.text() == "{% if A %}1{% endif %}");
  BOOST_TEST(!prompt.arguments[0].guard);
  BOOST_TEST(!prompt.arguments[2].guard);
}

BOOST_AUTO_TEST_CASE(another_workflow_is_run_in_three_forms) {
  for (const char* form :
       {"Run workflow \"do\" with input=\"x\"", "Delegate to \"do\" input=\"x\"", "delegate 'do' input='x'"}) {
    const Workflow workflow = read(one_action(form));
    BOOST_TEST(action_of<WorkflowAction>(workflow, "A").workflow.written.text() == "do");
    BOOST_TEST(arguments_text(action_of<WorkflowAction>(workflow, "A").arguments) == "input=x ");
  }
}

BOOST_AUTO_TEST_CASE(all_options_are_read) {
  const Workflow workflow =
      read(one_action("Shell \"x\" with retry=3 backoff=2s..60s total_timeout=600 on failure: A secret timeout=30s "
                      "working-dir='d' result=name matrix={\"os\": [\"a\", \"b\"]} environment={\"K\": \"v\"}"));
  const ActionOptions& options = options_of(workflow, "A");
  BOOST_TEST(options.retry == 3);
  BOOST_TEST(options.backoff->first.count() == 2000);
  BOOST_TEST(options.backoff->longest.count() == 60'000);
  BOOST_TEST(options.total_timeout->written.text() == "600");
  BOOST_TEST(options.on_failure.name == "A");
  BOOST_TEST(options.secret);
  BOOST_TEST(options.timeout->written.text() == "30s");
  BOOST_TEST(options.result.name == "name");
  BOOST_TEST(options.matrix->dump() == R"({"os":["a","b"]})");
  BOOST_TEST(action_of<ShellAction>(workflow, "A").working_directory->written.text() == "d");
  const Workflow tool =
      read(one_action("Call tool \"lookup\" with timeout=5 retry=1 on_failure=\"A\" secret=false k=${A}"));
  BOOST_TEST(action_of<ToolAction>(tool, "A").arguments->dump() == R"({"k":"${A}","timeout":5})");
  BOOST_TEST(options_of(tool, "A").retry == 1);
  BOOST_TEST(options_of(tool, "A").on_failure.name == "A");
}

BOOST_AUTO_TEST_CASE(a_step_runs_where_it_says_or_what_is_around_it_says) {
  const Workflow workflow = read(workflow_text(
      "[*] --> Out\nOut --> Work\nstate Work {\n[*] --> In\nIn --> Deep\nstate Deep {\n[*] --> Inner\nInner --> "
      "[*]\n}\n"
      "Deep --> Here\nHere --> [*]\n}\nWork --> [*]\n",
      "- Out: Shell \"true\"\n- Work: on=cluster\n- In: Shell \"true\" timeout=5 on failure: Out\n"
      "- Inner: Call tool shell_execute with command=\"true\"\n- Here: Shell \"true\" with on=\"local\"\n"));
  const auto place = [&](const char* id) { return place_of(workflow, workflow.index_of(id)).on; };
  BOOST_TEST(place("Out") == "");
  BOOST_TEST(place("In") == "cluster");
  BOOST_TEST(place("Inner") == "cluster");
  BOOST_TEST(place("Here") == "local");
  BOOST_TEST(options_of(workflow, "In").on_failure.name == "Out");
}

BOOST_AUTO_TEST_CASE(an_invalid_limit_is_an_error) {
  const auto problems = [](const std::string& options) {
    return diagnostics_of(one_action("Shell \"true\" " + options));
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  BOOST_TEST(problems("sandbox=\"read-only\" network=deny memory=1G cpu=60s processes=50") == "");
  BOOST_TEST(
      has(problems("sandbox=none"), "9:27: error: sandbox must be read-only, which keeps a step from writing files"));
  BOOST_TEST(has(problems("network=allow"), "network must be deny: a step can only have less"));
  for (const char* wrong :
       {"memory=1", "memory=1X", "memory=-1G", "memory=\"\"", "memory=99999999999T", "memory=\"${m}\""}) {
    BOOST_TEST(has(problems(wrong), "memory must be a size of at least 1M"), wrong);
  }
  for (const char* wrong : {"cpu=0", "cpu=x", "cpu=300ms", "cpu=1500ms", "cpu=\"-1s\"", "cpu=999999999s"}) {
    BOOST_TEST(has(problems(wrong), "cpu must be the processor time of the whole step"), wrong);
  }
  for (const char* wrong : {"processes=0", "processes=many", "processes=1000001"}) {
    BOOST_TEST(has(problems(wrong), "processes must be the number of processes that may exist at the same time"),
               wrong);
  }
  BOOST_TEST(has(problems("memory=1G memory=2G"), "the option memory is given twice"));
  BOOST_TEST(has(diagnostics_of(one_action("memory=1G")), "'A' has no action"));
}

BOOST_AUTO_TEST_CASE(a_message_about_an_option_shows_how_it_is_written) {
  const auto problems = [](const std::string& options) {
    return diagnostics_of(one_action("Shell \"true\" " + options));
  };
  const std::pair<const char*, const char*> examples[] = {{"sandbox", "sandbox=\"read-only\""},
                                                          {"network", "network=deny"},
                                                          {"memory", "memory=1G"},
                                                          {"cpu", "cpu=60s"},
                                                          {"processes", "processes=50"},
                                                          {"on", "on=cluster"},
                                                          {"slot", "slot=big"},
                                                          {"retry", "retry=3"},
                                                          {"max", "max=5"},
                                                          {"lock", "lock=\"name\""},
                                                          {"cache", "cache=true"},
                                                          {"result", "result=\"name\""}};
  for (const auto& [option, example] : examples) {
    const std::string said = problems(option);
    BOOST_TEST(said.find(example) != std::string::npos, option << ": " << said);
  }
  const std::string unknown = problems("tmieout=5");
  BOOST_TEST(unknown.find("did you mean 'timeout'?") != std::string::npos, unknown);
  BOOST_TEST(unknown.find("with,") == std::string::npos, unknown);
}

BOOST_AUTO_TEST_CASE(limits_are_shown_in_the_largest_unit_that_leaves_nothing_over) {
  const auto memory = [](std::uint64_t bytes) {
    StepLimits limits;
    limits.memory_bytes = bytes;
    return limit_words(limits).at(0).second;
  };
  BOOST_TEST(memory(1025) == "1025 bytes");
  BOOST_TEST(memory(1024) == "1 KiB");
  BOOST_TEST(memory(std::uint64_t{3} << 30) == "3 GiB");
  BOOST_TEST(memory(std::uint64_t{1} << 50) == "1024 TiB");
}

BOOST_AUTO_TEST_CASE(an_invalid_place_is_an_error) {
  const auto problems = [](const std::string& action) { return diagnostics_of(one_action(action)); };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  BOOST_TEST(has(problems("Shell \"true\" on=clutser"),
                 "9:22: error: on must be cluster or local, not \"clutser\"; did you mean 'cluster'?"));
  BOOST_TEST(has(problems("Shell \"true\" on=\"${where}\""), "on must be cluster or local, not"));
  BOOST_TEST(has(problems("Shell \"true\" on=local on=cluster"), "the option on is given twice"));
  BOOST_TEST(has(problems("Shell \"true\" slot=\"${what}\""), "slot must be the name of a class in cluster.classes"));
  BOOST_TEST(has(problems("on=cluster slot=a slot=b"), "the option slot is given twice"));
  BOOST_TEST(has(problems("slot=big"), "'A' has no action, so it takes no options; slot=big must follow an action"));
  BOOST_TEST(has(problems("on=cluster"), "'A' has no action, so it takes no options"));
  BOOST_TEST(has(problems("on=cluster result=\"x\""), "this is not expected after on=cluster"));
  const std::string twice = diagnostics_of(workflow_text("[*] --> W\nstate W {\n[*] --> A\nA --> [*]\n}\nW --> [*]\n",
                                                         "- W: on=cluster\n- W: on=local\n- A: Log \"x\"\n"));
  BOOST_TEST(has(twice, "this is a second item for the state 'W'"), twice);
}

BOOST_AUTO_TEST_CASE(waits_have_units) {
  const std::pair<const char*, std::pair<const char*, int>> cases[] = {
      {"Wait 2 seconds", {"2", 1000}},
      {"wait 1 MINUTE", {"1", 60'000}},
      {"Wait 5s", {"5", 1000}},
      {"Wait 250 ms \"for the port\"", {"250", 1}},
      {"Wait {{ A | default: '5' }} hours", {"{{ A | default: '5' }}", 3'600'000}},
      {"Wait ${A} sec", {"${A}", 1000}},
  };
  for (const auto& [form, expected] : cases) {
    const Workflow workflow = read(one_action(form));
    BOOST_TEST(action_of<WaitAction>(workflow, "A").amount.written.text() == expected.first);
    BOOST_TEST(action_of<WaitAction>(workflow, "A").unit.count() == expected.second);
  }
}

BOOST_AUTO_TEST_CASE(a_person_is_asked_with_or_without_quotes) {
  BOOST_TEST(!action_of<ConfirmAction>(read(one_action("Wait for user input")), "A").question);
  for (const char* form : {"Wait for user confirmation \"Go on?\"", "wait for user input Go on?"}) {
    BOOST_TEST(action_of<ConfirmAction>(read(one_action(form)), "A").question->written.text() == "Go on?");
  }
}

BOOST_AUTO_TEST_CASE(values_are_set_from_placeholders_and_kept_secret) {
  BOOST_TEST(text_of(action_of<SetAction>(read(one_action("Set a=${A}")), "A").assignments[0].value) == "${A}");
  const auto secret = action_of<SetAction>(read(one_action("Set secret a=\"x\" b=2")), "A");
  BOOST_TEST(secret.secret);
  BOOST_TEST(secret.assignments.size() == 2U);
  BOOST_TEST(!action_of<SetAction>(read(one_action("Set secret=\"x\"")), "A").secret);
  BOOST_TEST(action_of<LogAction>(read(one_action("Log info 'it\\'s \"done\"'")), "A").message.written.text() ==
             "it's \"done\"");
  BOOST_TEST(action_of<AbortAction>(read(one_action("Abort with message \"x\"")), "A").message.written.text() == "x");
}

BOOST_AUTO_TEST_CASE(the_workflow_has_states_for_failures_and_for_its_end) {
  const Workflow workflow = read(workflow_text("[*] --> A\nA --> [*]\nSorry --> [*]\nTidy --> [*]\n",
                                               "- A: Log \"x\"\n- on failure: Sorry\n- finally: Tidy\n"));
  BOOST_TEST(workflow.on_failure.name == "Sorry");
  BOOST_TEST(workflow.finally.name == "Tidy");
  const Workflow state = read(workflow_text("[*] --> finally\nfinally --> [*]\n", "- finally: Log \"x\"\n"));
  BOOST_TEST(state.finally.name.empty());
}

BOOST_AUTO_TEST_CASE(prose_in_the_place_of_an_action_is_an_error) {
  const std::string diagram = "[*] --> A\nA --> B\nB --> [*]\n";
  for (const std::string prose : {"Initialize workflow", "make all", "$ make", "\n  run: make"}) {
    const std::string found = diagnostics_of(workflow_text(diagram, "- A: " + prose + "\n- B: Log \"x\"\n"));
    BOOST_TEST(
        found.find("10:3: error: this text describes 'A' and is not an action, so the state would do nothing") == 0U,
        found);
  }
  const std::string beside = diagnostics_of(workflow_text(diagram, "- A: Log \"x\"\n- A: a note\n- B: Log \"x\"\n"));
  BOOST_TEST(beside.find("11:3: warning: this text describes 'A' and is not an action") == 0U, beside);
}

BOOST_AUTO_TEST_CASE(an_action_that_is_not_a_list_item_is_an_error_with_the_repair) {
  const std::string diagram = "[*] --> A\nA --> Deploy\nDeploy --> [*]\n";
  const std::string lost = "this action would be lost, because it is not a list item; write `- Deploy: Shell \"make\"`";
  for (const std::string text : {"Deploy: Shell \"make\"", "**Deploy**: Shell \"make\"", "**Deploy:** Shell \"make\"",
                                 "`Deploy`: `Shell \"make\"`", "Deploy Shell \"make\"", "### Deploy\nShell \"make\"",
                                 "| state | action |\n|---|---|\n| Deploy | Shell \"make\" |",
                                 "> Deploy: Shell \"make\"", "Some words.\nDeploy: Shell \"make\""}) {
    const std::string found = diagnostics_of(workflow_text(diagram, "- A: Log \"x\"\n\n" + text + "\n"));
    BOOST_TEST(found.find("error: " + lost) != std::string::npos, text << "\n" << found);
  }
  const std::string nameless =
      diagnostics_of(workflow_text(diagram, "- A: Log \"x\"\n\n## More\n\nText\n\n## Actions\n\nShell \"x\"\n"));
  BOOST_TEST(nameless.find("write `- STATE: Shell \"x\"`") != std::string::npos, nameless);
  const std::string box = diagnostics_of(workflow_text(diagram, "- [ ] A: Log \"x\"\n- Deploy: Log \"x\"\n"));
  BOOST_TEST(box.find("10:3: error: an action has no check box; write `- A: ...`") == 0U, box);
}

BOOST_AUTO_TEST_CASE(prose_between_actions_is_allowed) {
  BOOST_TEST(diagnostics_of(workflow_text("[*] --> A\nA --> [*]\n",
                                          "Shell commands run in the sandbox. Set it up first.\n\n- A: Log \"x\"\n\n"
                                          "### Why\n\nA: the first state. Log is enough for A: it says \"x\".\n")) ==
             "");
}

BOOST_AUTO_TEST_CASE(an_action_that_is_missing_where_the_file_ends_is_reported_inside_the_file) {
  std::string text = one_action("");
  text.erase(text.find("- A:") + 4);
  Diagnostics diagnostics;
  const Source source("", text);
  parse_workflow(source, diagnostics);
  const auto found = diagnostics.sorted();
  BOOST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].offset == text.size());
}

BOOST_AUTO_TEST_CASE(what_a_guard_asks_for_may_be_missing) {
  const std::string found =
      diagnostics_of(one_action("Prompt \"x\" {% if plan %} with a=\"${plan} ${plam}\" {% endif %}"));
  BOOST_TEST(found.find("'plan' is not defined") == std::string::npos, found);
}

BOOST_AUTO_TEST_CASE(an_argument_that_is_nearly_an_option_is_a_warning) {
  const std::string found = diagnostics_of(one_action("Prompt \"x\" with tiemout=5"));
  BOOST_TEST(found ==
                 "9:22: warning: 'tiemout' is passed on as an argument, and is not an option; did you mean "
                 "'timeout'?\n",
             found);
}

BOOST_AUTO_TEST_CASE(a_service_has_two_commands_in_the_same_place) {
  const Workflow workflow = read(one_action(
      "Service \"serve ${port}\" free_port=port ready=\"ask ${port}\" ready_timeout=20s restart=3 backoff=1s "
      "working_dir=\"d\" env={\"A\": \"b\"} shell=bash"));
  const auto& service = action_of<ServiceAction>(workflow, "A");
  BOOST_TEST(service.run.command.written.text() == "serve ${port}");
  BOOST_TEST(service.free_port.name == "port");
  BOOST_TEST(service.restart == 3);
  BOOST_TEST(service.ready_timeout->written.text() == "20s");
  BOOST_REQUIRE(service.ready.has_value());
  BOOST_TEST(service.ready->command.written.text() == "ask ${port}");
  BOOST_TEST(service.ready->working_directory->written.text() == "d");
  BOOST_TEST(service.ready->environment.size() == 1U);
  BOOST_TEST(service.ready->shell.name == "bash");
}

BOOST_AUTO_TEST_CASE(a_service_without_ready_may_have_a_time_for_its_start) {
  const Workflow workflow = read(one_action("Service \"serve\" ready_timeout=5s"));
  BOOST_TEST(action_of<ServiceAction>(workflow, "A").ready_timeout->written.text() == "5s");
}

BOOST_AUTO_TEST_CASE(the_free_port_of_a_service_is_read_by_its_commands_and_by_states_that_follow) {
  const std::string diagram = "[*] --> First\nFirst --> A\nA --> B\nB --> [*]\n";
  const std::string service = "- A: Service \"serve ${port}\" free_port=port ready=\"ask ${port}\"\n";
  BOOST_TEST(diagnostics_of(workflow_text(diagram, "- First: Log \"x\"\n" + service + "- B: Shell \"echo ${port}\"\n"))
                 .empty());
  const std::string found =
      diagnostics_of(workflow_text(diagram, "- First: Log \"${port}\"\n" + service + "- B: Log \"x\"\n"));
  BOOST_TEST(found.find("'port' has no value here") != std::string::npos, found);
}

BOOST_AUTO_TEST_CASE(a_name_of_the_run_has_a_value_before_a_state_sets_it) {
  const std::string diagram = "[*] --> A\nA --> B\nB --> C: result == 'x'\nB --> C\nC --> [*]\n";
  const std::string found = diagnostics_of(
      workflow_text(diagram, "- A: Shell \"echo A\"\n- B: Log \"B ${result}\"\n- C: Set result=\"mine\"\n"));
  BOOST_TEST(found.find("error") == std::string::npos, found);
  BOOST_TEST(found.find("has no value here") == std::string::npos, found);
}

}  // namespace actions_test
