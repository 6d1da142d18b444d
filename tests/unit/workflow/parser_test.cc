// What a workflow file is read as, and what is said about one that cannot be read.
#include <boost/test/unit_test.hpp>

#include "reading.h"

namespace parser_test {

using namespace wtool::test;
using namespace wtool::host::workflow;

BOOST_AUTO_TEST_CASE(a_whole_file_is_read) {
  const Workflow workflow = read(R"(---
name: demo
title: A demo
description: >
  Two lines
  of text
tags: [a, b]
max_steps: 50
parameters:
  - name: target
    description: what to build
    required: true
  - {name: count, type: number, default: 3, choices: [1, 3]}
  - name: dry
    type: boolean
    default: false
---
# Demo

Some *prose* with `- Code: not an action`.

- And a list: that is none either

```mermaid
%% a comment
stateDiagram-v2
  direction LR
  [*] --> Build
  Build --> Test: On Success
  Build --> Report : failure
  Test --> Report: exit_code == 0 && !Build.stdout.contains("x")
  Test-->Report:default
  Report --> [*]
  state "The report" as Report
  Build: Builds it
  state Pick <<choice>>
  note right of Build: a note
  note left of Test
    more notes --> that: say nothing
  end note
  classDef red fill:#f00
  class Build red
  Report --> Pick: Build.exit_code == 3
  Pick --> [*]
```

## Actions

Prose in between.

- Build: shell "make \"${target}\"" with timeout=60 result="built" working_dir="src" env={"K": "${count}"}
* **Test**: CALL TOOL "lookup" with {"a": [1, {"b": "${built}"}]} result="found"

### More of them

1. `Report`: Log warning "done: {{ built.stdout | trim }}"

## Something else

- Build: prose again
)");
  BOOST_TEST(workflow.name == "demo");
  BOOST_TEST(workflow.title == "A demo");
  BOOST_TEST(workflow.max_steps.value() == 50);
  BOOST_REQUIRE_EQUAL(workflow.parameters.size(), 3U);
  BOOST_TEST(workflow.parameters[0].required);
  BOOST_TEST(*workflow.parameters[1].fallback->as_int() == 3);
  BOOST_TEST(*workflow.parameters[2].fallback->as_bool() == false);
  BOOST_REQUIRE_EQUAL(workflow.states.size(), 4U);
  BOOST_TEST(workflow.states[workflow.start].id == "Build");
  BOOST_TEST(workflow.find("Report")->description == "The report");
  BOOST_TEST(workflow.find("Build")->description == "Builds it");
  BOOST_TEST((workflow.find("Pick")->kind == State::Kind::choice));
  const auto& exits = workflow.find("Test")->exits;
  BOOST_REQUIRE_EQUAL(exits.size(), 2U);
  BOOST_TEST((exits[0].kind == Transition::Kind::expression));
  BOOST_TEST((exits[1].kind == Transition::Kind::fallback));
  const auto& shell = action_of<ShellAction>(workflow, "Build");
  BOOST_TEST(shell.command.written.text() == "make \"${target}\"");
  BOOST_TEST(options_of(workflow, "Build").timeout->written.text() == "60");
  BOOST_TEST(options_of(workflow, "Build").result.name == "built");
  BOOST_TEST(shell.working_directory->written.text() == "src");
  BOOST_TEST(shell.environment[0].first == "K");
  const auto& tool = action_of<ToolAction>(workflow, "Test");
  BOOST_TEST(tool.tool == "lookup");
  BOOST_TEST(tool.arguments->dump() == R"({"a":[1,{"b":"${built}"}]})");
  BOOST_TEST((action_of<LogAction>(workflow, "Report").level == LogAction::Level::warning));
}

BOOST_AUTO_TEST_CASE(a_diagram_needs_no_fence) {
  const std::string text =
      "# Title\n\nstateDiagram-v2\n    [*] --> A\n    A --> [*]: success\n\n## Actions\n\n- A: Log \"x\"\n";
  BOOST_TEST(read(text).find("A")->action.has_value());
  BOOST_TEST(diagnostics_of("stateDiagram-v2\n[*] --> A\nA --> [*]\n").find("error") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(line_ends_tabs_marks_and_unicode_do_not_matter) {
  std::string text =
      "\xEF\xBB\xBF" + workflow_text("\t[*] -->\tStraße\n\tStraße --> 終: success\n\t終 --> [*]\n",
                                     "-\tStraße:\tShell \"echo ü\"\n- 終: Log \"${Straße}\"\n", "name: x\n");
  BOOST_TEST(diagnostics_of(text).empty(), diagnostics_of(text));
  std::string dos;
  for (const char c : text) dos += c == '\n' ? "\r\n" : std::string(1, c);
  BOOST_TEST(diagnostics_of(dos).empty(), diagnostics_of(dos));
  const Workflow workflow = read(dos);
  BOOST_TEST(action_of<ShellAction>(workflow, "Straße").command.written.text() == "echo ü");
  std::string mac;
  for (const char c : text) mac += c == '\n' ? '\r' : c;
  BOOST_TEST(diagnostics_of(mac).empty(), diagnostics_of(mac));
}

BOOST_AUTO_TEST_CASE(escapes_in_quotes_are_few_and_the_others_stay) {
  const Workflow workflow = read(one_action(R"(Shell "grep '\d\.\(x\)' \"a\\b\" \$X\n\tend *_`[x](y)<b>&amp;")"));
  BOOST_TEST(action_of<ShellAction>(workflow, "A").command.written.text() ==
             "grep '\\d\\.\\(x\\)' \"a\\b\" \\$X\n\tend *_`[x](y)<b>&amp;");
}

BOOST_AUTO_TEST_CASE(a_script_in_a_block_keeps_its_bytes) {
  const Workflow workflow =
      read(workflow_text("[*] --> A\nA --> [*]\n",
                         "- A: Shell with timeout=5\n\n  ```sh\n  cat <<-END\n  \ttab\n    four\n\n  END\n"
                         "  echo *a* `b` [c](d) \\\"\n  ```\n"));
  const auto& shell = action_of<ShellAction>(workflow, "A");
  BOOST_TEST(shell.command.written.text() == "cat <<-END\n\ttab\n  four\n\nEND\necho *a* `b` [c](d) \\\"");
  BOOST_TEST(options_of(workflow, "A").timeout->written.text() == "5");
}

BOOST_AUTO_TEST_CASE(an_action_may_continue_in_the_next_line) {
  const Workflow workflow = read(one_action("Call tool \"lookup\"\n    with {\"a\":\n      1}\n    result=\"r\""));
  BOOST_TEST(action_of<ToolAction>(workflow, "A").arguments->dump() == "{\"a\":1}");
  BOOST_TEST(options_of(workflow, "A").result.name == "r");
}

BOOST_AUTO_TEST_CASE(the_other_forms_of_actions_are_read) {
  const Workflow pairs = read(one_action("Call tool lookup with q=\"a b\" n=3 yes=true f=-1.5 result=\"r\""));
  BOOST_TEST(action_of<ToolAction>(pairs, "A").arguments->dump() == R"({"f":-1.5,"n":3,"q":"a b","yes":true})");
  const Workflow without_with = read(one_action("Shell \"x\" result=\"r\" timeout=\"9\""));
  BOOST_TEST(options_of(without_with, "A").result.name == "r");
  for (const char* form : {"Set v=\"1\"", "SET VARIABLE v=\"1\"", "set_variable v=\"1\"", "Set v=\"1\" w=2"}) {
    BOOST_TEST(action_of<SetAction>(read(one_action(form)), "A").assignments[0].name == "v");
  }
  BOOST_TEST(action_of<SetAction>(read(one_action("Set variable=\"1\"")), "A").assignments[0].name == "variable");
  BOOST_TEST((action_of<LogAction>(read(one_action("log ERROR \"x\"")), "A").level == LogAction::Level::error));
  BOOST_TEST(action_of<AbortAction>(read(one_action("abort \"x\"")), "A").message.written.text() == "x");
}

BOOST_AUTO_TEST_CASE(actions_that_are_not_understood_are_errors_with_line_and_column) {
  // The action begins in line 9, column 6.
  const std::pair<const char*, const char*> cases[] = {
      {"", "9:6: error: the action is missing"},
      {"Shel \"x\"", "9:6: error: unknown action \"Shel \\\"x\\\"\"; did you mean 'shell'? An action is "},
      {"Shell", "9:11: error: Shell needs a command"},
      {"Shell \"\"", "9:12: error: the command is empty"},
      {"Shell \"x", "9:12: error: this text has no closing double quote"},
      {"Shell 'x'", "9:12: error: Shell needs a command"},
      {"Shell \"x\" working_dir=\"\"", "9:28: error: working_dir is empty; name the directory of the commands"},
      {"Shell \"x\" inputs=[\"a\", \"\"]",
       "9:23: error: a text of this list is empty; write what it names, as in [\"src/**\"]"},
      {"Shell \"x\" keep=[\"!dist/**\"]", "9:21: error: these patterns only exclude files, so nothing would be kept"},
      {"Shell \"x\" with", "9:20: error: an option is missing after `with`"},
      {"Shell \"x\" with tiemout=5", "9:21: error: this is not an option: \"tiemout=5\"; did you mean 'timeout'?\n"},
      {"Shell \"x\" retries=3", "9:16: error: this is not an option: \"retries=3\"; did you mean 'retry'?\n"},
      {"Execute promt \"x\"",
       "9:14: error: this action is written Execute prompt \"name\" with name=\"value\"; did you mean 'prompt'?"},
      {"Execute prompt \"x\" with", nullptr},
      {"Run \"x\"", "9:10: error: this action is written Run workflow"},
      {"Run workflow \"x\" with a=\"1\" a=\"2\"", "9:34: error: the argument a is given twice"},
      {"Run workflow \"x\" with 7", "9:28: error: name=\"value\" pairs are expected here"},
      {"Run workflow \"x\" {% if a %} b=\"1\"", "error: this {% if ... %} is not closed"},
      {"Run workflow \"x\" {% endif %}", "9:23: error: this {% endif %} ends no {% if ... %}"},
      {"Run workflow \"x\" {% else %}", "9:23: error: an argument that is not always passed"},
      {"Wait", "9:10: error: this action is written Wait 5 seconds"},
      {"Wait 5 secnds",
       "9:13: error: a unit is expected here: seconds, minutes, hours or milliseconds; did you mean 'seconds'?"},
      {"Wait 25 hours", "9:11: error: a wait must be a number of hours, and at most 24 hours"},
      {"Wait for user confirmaton",
       "9:20: error: this action is written Wait for user confirmation or Wait for user input, "
       "then a question in quotes; did you mean 'confirmation'?"},
      {"Shell \"x\" with retry=101", "9:27: error: retry must be a whole number of further tries, from 0 to 100"},
      {"Shell \"x\" max=0", "9:20: error: max must be a whole number from 1 to 10000000, such as max=5, not \"0\""},
      {"Shell \"x\" max=many", "9:20: error: max must be a whole number"},
      {"Prompt \"x\" ask_again=21", "9:27: error: ask_again must be a whole number from 0 to 20"},
      {"Shell \"x\" output=text", "9:23: error: a JSON object such as {\"name\": \"value\"} is expected here"},
      {"Shell \"x\" output={", "9:23: error: this JSON object is not closed"},
      {"Shell \"x\" output={}", "9:23: error: this object names no field of the answer"},
      {"Shell \"x\" output={\"a\": \"strng\"}",
       "9:24: error: the type of 'a' must be string, number, integer, boolean, object, list or any, not \"strng\"; did "
       "you "
       "mean 'string'?"},
      {"Shell \"x\" output={\"a\": \"string\", \"b\": [\"pass\"]}",
       "9:39: error: a list of one entry means a list of that type"},
      {"Shell \"x\" output={\"a\": []}", "9:24: error: 'a' must have a type such as"},
      {"Shell \"x\" output={\"a\": [\"string\", \"number\"]}", "9:24: error: a choice must be a list of texts"},
      {"Shell \"x\" output={\"a\": \"string\", \"a?\": \"string\"}", "error: 'a' is given twice"},
      {"Shell \"x\" output={\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"text\"}}}",
       "9:23: error: this JSON Schema is not valid: #/properties/a/type is \"text\", which is not a type"},
      {"Shell \"x\" output={\"a\": {\"b\": [\"string\"]}, \"c\": [1, null], \"d?\": [{\"e\": \"any\"}]}", nullptr},
      {"Run workflow \"x\" output=\"a\" max=\"5\"", nullptr},
      {"Shell \"x\" with backoff=60s..2s",
       "9:29: error: this backoff begins with a wait that is longer than its upper limit; write backoff=2s..60s"},
      {"Shell \"x\" on failure B", "9:27: error: this option is written `on failure: State`"},
      {"Shell \"x\" on failure:", "9:27: error: the state that a failure leads to is missing"},
      {"Shell \"x\" secret=maybe", "9:23: error: secret must be true or false"},
      {"Shell \"x\" matrix={\"os\": 5}", "9:23: error: a matrix must be an object of lists"},
      {"Shell \"x\" with timeout=0",
       "9:29: error: a timeout must be a number of seconds, or a duration such as 300ms, 30s, 5m or 2h"},
      {"Shell \"x\" with timeout=+5", "and at least 1ms and at most 876600h (100 years); this is \"+5\""},
      {"Shell \"x\" with timeout=9999999999999",
       "and at least 1ms and at most 876600h (100 years); this is \"9999999999999\""},
      {"Shell \"x\" with timeout=876601h", "9:29: error: a timeout must be"},
      {"Shell \"x\" with timeout=876600h", nullptr},
      {"Shell \"x\" with retry=2 backoff=+2s", "or only the first wait, not \"+2s\""},
      {"Service \"x\" ready=\"y\" ready_timeout=+5", "this is \"+5\""},
      {"Shell \"x\" with timeout=0.1ms", "9:29: error: a timeout must be"},
      {"Shell \"x\" with timeout=2d", "9:29: error: a timeout must be"},
      {"Shell \"x\" with shell=fish", "9:27: error: a shell must be sh, bash or an absolute path"},
      {"Shell \"x\" with shell=\"./sh\"", "9:27: error: a shell must be sh, bash or an absolute path"},
      {"Shell \"x\" with shell_options=\"-n\"", "9:35: error: shell_options must be options of the shell's `set`"},
      {"Shell \"x\" with shell_options=\"-e; id\"", "9:35: error: shell_options must be options"},
      {"Shell \"x\" with shell_options=\"-o\"", "9:35: error: shell_options must be options"},
      {"Shell \"x\" with shell_options=\"-o pipe\"", "9:35: error: shell_options must be options"},
      {"Shell \"x\" with timeout=soon", "9:29: error: a timeout must be"},
      {"Shell \"x\" with timeout", "9:28: error: a '=' is expected"},
      {"Shell \"x\" with timeout=5 timeout=6", "9:31: error: the option timeout is given twice"},
      {"Shell \"x\" with result=\"a b\"", "9:28: error: a result's name is made of"},
      {"Shell \"x\" with result=\"exit_code\"", "9:28: error: 'exit_code' is set by the run itself"},
      {"Shell \"x\" with env={\"K\": 1}", "9:25: error: the environment variable K must be a text"},
      {"Shell \"x\" with env={\"K L\": \"\"}", "9:25: error: \"K L\" cannot name an environment variable"},
      {"Shell \"x\" with env={\"K\": \"\", \"K\": \"\"}", "9:25: error: the key \"K\" occurs twice"},
      {"Shell \"x\" with env={\"K\": }", "9:31: error: this is not valid JSON here"},
      {"Shell \"x\" with env={", "9:25: error: this JSON object is not closed"},
      {"Shell \"x\" \"y\"", "9:16: error: this is not an option: \"\\\"y\\\"\""},
      {"Service", "9:13: error: Service needs a command"},
      {"Service \"x\" timeout=5", "9:18: error: a service has no timeout"},
      {"Service \"x\" raedy=\"y\"", "9:18: error: this is not an option: \"raedy=\\\"y\\\"\"; did you mean 'ready'?"},
      {"Service \"x\" ready=\"\"", "9:24: error: the command of `ready` is empty"},
      {"Service \"x\" ready=\"y\" ready=\"z\"", "9:28: error: the option ready is given twice"},
      {"Service \"x\" ready=\"y\" ready_timeout=soon", "9:42: error: a timeout must be"},
      {"Service \"x\" restart=-1", "9:26: error: restart must be how many times"},
      {"Service \"x\" free_port=5", "9:28: error: free_port must name the variable"},
      {"Service \"x\" free_port=exit_code", "9:28: error: 'exit_code' is set by the run itself"},
      {"Service \"x\" on=cluster", "9:21: error: a service runs on the machine of wtool"},
      {"Service \"x\" matrix={\"a\": [1]}", "9:25: error: a service cannot have a matrix"},
      {"Approve \"\"", "9:14: error: the question is empty"},
      {"Approve ''", "9:14: error: the question is empty"},
      {"Approve \"x\" by=\"\"", "9:21: error: `by` is empty"},
      {"Call lookup", "9:11: error: this action is written Call tool"},
      {"Call tool", "9:15: error: the name of the tool is missing"},
      {"Call tool calc/echo with n=1",
       "9:16: error: the name of a tool of a server must be in double quotes, such as \"calc/TOOL\""},
      {"Call tool \"nothing\"", "9:16: error: there is no tool \"nothing\""},
      {"Call tool \"lookup\" with {\"n\": 1e999}", "9:30: error: a number in this JSON object is too large"},
      {"Call tool \"lookup\" with {\"n\": ${x}}", "9:36: error: this is not valid JSON here: a value from a variable"},
      {"Call tool \"lookup\" with {\"n\": \"${y | z}\"} x", "9:48: error: after the tool, write `with`"},
      {"Call tool \"lookup\" with {\"n\": \"{{ y | z }}\"}",
       "9:30: error: in the text \"{{ y | z }}\": there is no filter"},
      {"Log", "9:9: error: the text of Log [warning|error] in double quotes is expected"},
      {"Log \"a\" \"b\"", "9:14: error: this is not expected after the action"},
      {"Set", "9:9: error: this action is written Set name=\"value\""},
      {"Set v", "9:10: error: this action is written Set name=\"value\""},
      {"Set v=x", "9:12: error: the value of v in double quotes"},
      {"Set success=\"x\"", "9:10: error: 'success' is set by the run itself"},
      {"Set v=\"1\" w=\"2\" v=\"3\"", "9:22: error: the variable v is set twice; only the last value would remain"},
      {"Abort", "9:11: error: the reason in double quotes"},
      {"Shell \"echo ${nme}\"",
       "9:18: error: the variable 'nme' is not defined; a variable of the shell is written $nme, or $${nme}"},
      {"Service \"serve ${port}\"",
       "9:21: error: the variable 'port' is not defined; a variable of the shell is written $port, or $${port}; the "
       "option free_port=port gives it the number of a free port"},
      {"Service \"serve ${report}\"",
       "9:21: error: the variable 'report' is not defined; a variable of the shell is written $report, or "
       "$${report}\n"},
      {"Shell \"\\\"\\\"\\n${nme}\"", "9:19: error: the variable 'nme'"},
      {"Shell \"echo # ${A}\"", "9:20: error: ${A} cannot be put here: it is in a comment"},
      {"Shell \"echo {{ A | bad }}\"", "9:18: error: there is no filter 'bad'"},
      {"Log \"${exit_cod}\"", "9:11: error: the variable 'exit_cod' is not defined; did you mean 'exit_code'?"},
      {"Log \"${A.stdot}\"", "9:11: error: the outcome 'A' has no field 'stdot'; did you mean 'stdout'?"},
  };
  for (const auto& [action, expected] : cases) {
    BOOST_TEST_CONTEXT(action) {
      const std::string text = workflow_text("[*] --> A\nA --> [*]\n", std::string("- A: ") + action + "\n");
      const std::string found = diagnostics_of(text);
      if (expected == nullptr) {
        BOOST_TEST(found.empty(), found);
      } else {
        BOOST_TEST(found.find(expected) != std::string::npos, found);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(arrows_of_other_notations_are_errors_with_the_repair) {
  const std::pair<const char*, const char*> cases[] = {
      {"A -->|exit_code == 0| B", "a condition follows a colon; write `A --> B: exit_code == 0`"},
      {"A --> B --> [*]", "a line has one arrow; write `A --> B` and `B --> [*]` on two lines"},
      {"A --> B, C", "an arrow leads to one state; write one line for each, such as `A --> B`"},
  };
  for (const auto& [line, expected] : cases) {
    const std::string found =
        diagnostics_of(workflow_text(std::string("[*] --> A\n") + line + "\n", "- A: Log \"x\"\n"));
    BOOST_TEST(found.find(std::string("error: ") + expected) != std::string::npos, found);
  }
}

BOOST_AUTO_TEST_CASE(items_that_belong_to_nothing_are_errors) {
  const std::string diagram = "[*] --> A\nA --> [*]\n";
  const std::pair<const char*, const char*> cases[] = {
      {"- no colon\n", "9:3: error: an action is written `- State: action`"},
      {"- A: Log \"x\"\n- B: Log \"x\"\n",
       "10:3: warning: there is no state \"B\" in the diagram, so this action never runs"},
      {"- A: Prompt \"x\"\n  Store As: y\n",
       "10:3: warning: this line is not part of the action, and is ignored: "
       "\"Store As: y\"; to store the result, write result=\"name\""},
      {"- [*]: Log \"x\"\n", "9:3: error: [*] is the start and the end"},
      {"- A: Log \"x\"\n- A: Log \"y\"\n", "10:3: error: this is a second action for the state 'A'"},
      {"- A: Log \"x\"\n\n  A note.\n", "11:3: error: this text belongs to no action"},
      {"- A: Log \"x\"\n  ```sh\n  y\n  ```\n", "10:6: error: only the actions Shell and Service take a code block"},
      {"- A: Shell \"x\"\n  ```sh\n  y\n  ```\n", "10:6: error: the command is given twice"},
      {"- A: Shell\n  ```python\n  y\n  ```\n", "10:6: error: commands are run by sh or bash"},
      {"- A: Shell shell=sh\n  ```bash\n  y\n  ```\n", "9:18: error: the shell is given twice"},
      {"- A: Shell\n  ```sh\n  y\n  ```\n  ```sh\n  y\n  ```\n", "13:6: error: an action has only one code block"},
      {"- A: Shell\n\n```sh\ny\n```\n", "11:4: error: this block belongs to no action; indent it"},
      {"- A: Shell\n  ```sh\n  ```\n", "9:11: error: the command is empty"},
      {"<!-- - A: Log \"x\"\n\n- A: Log \"x\"\n", "9:1: error: this comment is never closed"},
      {"Text\n2. A: Log \"x\"\n", "10:1: error: this looks like an action, but"},
  };
  for (const auto& [actions, expected] : cases) {
    BOOST_TEST_CONTEXT(actions) {
      const std::string found = diagnostics_of(workflow_text(diagram, actions));
      BOOST_TEST(found.find(expected) == 0U, found);
    }
  }
}

BOOST_AUTO_TEST_CASE(lines_of_a_diagram_that_are_not_understood_are_errors) {
  const std::pair<const char*, const char*> cases[] = {
      {"A -> B", "3:3: error: an arrow is written -->, as in `A --> B`"},
      {"A B: success", "3:1: error: this line is not understood; a transition is written `A --> B: success`"},
      {"A and B", "3:1: error: this line is not understood; a line of the diagram is"},
      {"A -->", "3:1: error: the state after the arrow is missing"},
      {"--> B", "3:1: error: the state before the arrow is missing"},
      {"A B --> C", "3:1: error: \"A B\" cannot name a state"},
      {"A --> B C", "3:7: error: \"B C\" cannot name a state"},
      {"A --> B:", "3:1: error: a condition is missing"},
      {"A --> B: exit_code = 3", "3:20: error: the condition is not understood: a single '='"},
      {"  A --> B: when it works",
       "3:12: error: the condition is not understood: a condition is written without \"when\""},
      {"[*] --> [*]", "3:1: error: a diagram cannot lead from its start straight"},
      {"[*] --> A: success", "3:12: error: the arrow from the start must not have a condition"},
      {"state F <<nothing>>", "3:9: error: unknown kind of state <<nothing>>"},
      {"}", "3:1: error: this } closes nothing"},
      {"--", "3:1: error: -- divides the regions of a composite state, but this is not inside one"},
      {"state F <<frok>>", "3:9: error: unknown kind of state <<frok>>; did you mean 'fork'? The kinds are <<choice>>"},
      {"state A {\nB --> C\n}", "3:1: error: the composite state 'A' has no start inside"},
      {"state A {\n[*] --> B\n--\nC --> D\n}", "5:1: error: this region of 'A' has no start"},
      {"state A {\n[*] --> B\n[*] --> C\n}", "5:1: error: this is a second start inside 'A'"},
      {"state A {\n[*] --> B", "3:1: error: this { is not closed"},
      {"direction XY", "3:1: error: direction must be TB, TD, BT, LR or RL"},
      {"note beside A: x", "3:1: error: a note is written"},
      {"note right of A", "3:1: error: this note is not closed"},
      {"state \"x\" A", "3:1: error: this line must have the form `state \"text\" as Name`"},
  };
  for (const auto& [line, expected] : cases) {
    BOOST_TEST_CONTEXT(line) {
      const std::string found = diagnostics_of(std::string("```mermaid\nstateDiagram-v2\n") + line + "\n");
      BOOST_TEST(found.find(expected) != std::string::npos, found);
    }
  }
}

BOOST_AUTO_TEST_CASE(files_without_one_diagram_are_errors) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "1:1: error: the file is empty; there is no state diagram"},
      {"# Title\n", "1:1: error: there is no state diagram"},
      {"```mermaid\nflowchart TD\nA --> B\n```\n", "1:4: error: this mermaid block is not a state diagram"},
      {"```mermaid\n```\n", "1:4: error: this mermaid block is not a state diagram"},
      {"```mermaid\nstateDiagram-v2\n```\n", "2:1: error: the diagram has no states"},
      {"```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n```mermaid\nstateDiagram-v2\n[*] --> A\n```\n",
       "7:1: error: this is a second state diagram; the first begins in line 2"},
      {"---\nname: x\n", "1:1: error: the front matter that begins here is not closed"},
      {"stateDiagram-v2\n[*] --> A\nA --> [*]\n\n# S\n\n### A\n- **Action**: Log \"x\"\n", nullptr},
  };
  for (const auto& [text, expected] : cases) {
    BOOST_TEST_CONTEXT(text) {
      const Source source("", text);
      Diagnostics diagnostics;
      const Workflow workflow = parse_workflow(source, diagnostics);
      check_workflow(workflow, {}, nullptr, diagnostics);
      if (expected == nullptr) {
        BOOST_TEST(diagnostics.count() == 0U, diagnostics.text(source));
      } else {
        BOOST_TEST(diagnostics.text(source).find(std::string(":") + expected) == 0U, diagnostics.text(source));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_file_may_be_a_diagram_alone) {
  BOOST_TEST(diagnostics_of("\n      stateDiagram-v2\n          [*] --> A\n          A --> [*]\n   \n").find("error") ==
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(one_mistake_is_not_reported_again_where_its_result_is_read) {
  const std::string found = diagnostics_of(workflow_text(
      "[*] --> A\nA --> B\nB --> [*]\n", "- A: Shell \"x\" with retyr=3 result=\"r\"\n- B: Log \"${r}\"\n"));
  BOOST_TEST(found.find('\n') == found.size() - 1, found);
}

}  // namespace parser_test
