// Forks, composite states, comments and descriptions that say what a state does.
#include <boost/test/unit_test.hpp>

#include "reading.h"

namespace diagram_test {

using namespace wtool::test;
using namespace wtool::host::workflow;

namespace {

std::string exits_of(const Workflow& workflow, const std::string& id) {
  const State* state = workflow.find(id);
  BOOST_REQUIRE(state != nullptr);
  std::string out;
  for (const Transition& exit : state->exits) {
    out += (exit.target == no_state ? "[*]" : workflow.states[exit.target].id) +
           (exit.label.empty() ? "" : ":" + exit.label) + " ";
  }
  return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_composite_state_may_be_entered_by_an_inner_state_alone) {
  BOOST_TEST(diagnostics_of(workflow_text("[*] --> In\nstate Out {\n[*] --> In\nIn --> [*]\n}\nOut --> [*]\n",
                                          "- In: Log \"x\"\n")) == "");
}

BOOST_AUTO_TEST_CASE(a_fork_has_several_exits_that_are_always_open) {
  const std::string text = workflow_text(
      "[*] --> F\nstate F <<fork>>\nF --> A\nF --> B: Always   \nstate J [[join]]\nA --> J\nB --> J\nJ --> C: All "
      "Complete\nC --> [*]\n",
      "- C: Log \"x\"\n");
  const Workflow workflow = read(text);
  BOOST_TEST((workflow.find("F")->kind == State::Kind::fork));
  BOOST_TEST((workflow.find("J")->kind == State::Kind::join));
  BOOST_TEST((workflow.find("J")->exits[0].kind == Transition::Kind::unconditional));
  BOOST_TEST(diagnostics_of(text).empty(), diagnostics_of(text));
}

BOOST_AUTO_TEST_CASE(labels_may_be_written_in_many_ways) {
  const Workflow workflow = read(workflow_text(
      "[*] --> A\nA --> B: on_success \nA --> C: ON_FAILURE\nB --> [*]: AllComplete\nC --> [*]: always\n", ""));
  BOOST_TEST((workflow.find("A")->exits[0].kind == Transition::Kind::success));
  BOOST_TEST((workflow.find("A")->exits[1].kind == Transition::Kind::failure));
  BOOST_TEST((workflow.find("B")->exits[0].kind == Transition::Kind::unconditional));
}

BOOST_AUTO_TEST_CASE(a_composite_state_becomes_two) {
  const std::string text = workflow_text(
      "[*] --> A %% in\nstate \"The work\" as A { %% begins\n  direction LR\n  [*] --> B\n  B --> C: success\n  B --> "
      "[*]: failure\n  C --> [*]\n}\nA --> D: success\nA --> [*]: default\nD --> A\n",
      "- A: Log \"x\"\n");
  const Workflow workflow = read(text);
  BOOST_TEST(exits_of(workflow, "A") == "B ");
  BOOST_TEST(exits_of(workflow, "B") == "C:success A/end:failure ");
  BOOST_TEST(exits_of(workflow, "C") == "A/end ");
  BOOST_TEST(exits_of(workflow, "A/end") == "D:success [*]:default ");
  BOOST_TEST(exits_of(workflow, "D") == "A ");
  BOOST_TEST(workflow.find("A")->description == "The work");
  BOOST_TEST(workflow.find("A/end")->hidden);
  BOOST_TEST((workflow.find("A")->kind == State::Kind::plain));
  BOOST_TEST(diagnostics_of(text).empty(), diagnostics_of(text));
}

BOOST_AUTO_TEST_CASE(regions_run_at_the_same_time) {
  const std::string text = workflow_text(
      "[*] --> A\nA --> [*]\nstate A {\n[*] --> B\nB --> [*]\n--\n[*] --> C\nstate C {\n[*] --> D\nD --> "
      "[*]\n}\nC --> [*]\n}\n",
      "- B: Log \"x\"\n");
  const Workflow workflow = read(text);
  BOOST_TEST((workflow.find("A")->kind == State::Kind::fork));
  BOOST_TEST((workflow.find("A/end")->kind == State::Kind::join));
  BOOST_TEST(exits_of(workflow, "A") == "B C ");
  BOOST_TEST(exits_of(workflow, "C/end") == "A/end ");
  BOOST_TEST(exits_of(workflow, "A/end") == "[*] ");
  BOOST_TEST(diagnostics_of(text).empty(), diagnostics_of(text));
}

BOOST_AUTO_TEST_CASE(no_composite_state_stands_inside_of_itself) {
  const std::string back =
      "[*] --> A\nstate A {\n[*] --> B\nstate B {\n[*] --> C\nC --> A: failure\nC --> [*]\n}\n"
      "B --> [*]\n}\nA --> [*]\n";
  const std::string twice = "[*] --> A\nstate A {\n[*] --> B\nB --> [*]\n}\nstate B {\n[*] --> A\nA --> [*]\n}\n";
  for (const std::string& diagram : {back, twice}) {
    const Workflow workflow = read(workflow_text(diagram, "- C: Shell \"c\"\n"));
    for (std::size_t i = 0; i < workflow.states.size(); ++i) {
      std::size_t depth = 0;
      for (std::size_t at = workflow.states[i].around; at != no_state; at = workflow.states[at].around) {
        BOOST_REQUIRE(++depth <= workflow.states.size());
      }
    }
  }
  BOOST_TEST(diagnostics_of(workflow_text(back, "- C: Shell \"c\" max=3\n")) == "");
}

BOOST_AUTO_TEST_CASE(a_state_that_is_declared_in_a_composite_state_stands_in_it) {
  for (const char* line : {"state B", "B", "B: the text", "state \"the text\" as B", "state B: the text",
                           "state B <<choice>>", "B:::style"}) {
    BOOST_TEST_CONTEXT(line) {
      const Workflow workflow = read(workflow_text("[*] --> W\nstate W {\n[*] --> A\nA --> B\n" + std::string(line) +
                                                       "\nA --> C: failure\n}\nB --> [*]\nC --> [*]\n",
                                                   ""));
      BOOST_TEST(workflow.find("B")->around == workflow.index_of("W/end"));
      BOOST_TEST(workflow.find("C")->around == no_state);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_name_of_a_composite_state_inside_of_it_does_not_move_it) {
  const Workflow workflow = read(workflow_text(
      "[*] --> W\nstate W {\n[*] --> A\nA --> [*]\nstate W\nW: the text\nA: the step\n}\nW --> [*]\n", ""));
  BOOST_TEST(workflow.find("W")->around == no_state);
  BOOST_TEST(workflow.find("A")->around == workflow.index_of("W/end"));
}

BOOST_AUTO_TEST_CASE(composite_states_are_nested_no_deeper_than_fifty_levels) {
  const auto nested = [](int levels) {
    std::string open;
    std::string close;
    for (int i = 0; i < levels; ++i) {
      const std::string inner = "S" + std::to_string(i + 1);
      open += "state S" + std::to_string(i) + " {\n[*] --> " + inner + "\n" + inner + " --> [*]\n";
      close += "}\n";
    }
    return diagnostics_of(
        workflow_text("[*] --> S0\nS0 --> [*]\n" + open + close, "- S" + std::to_string(levels) + ": Log \"x\"\n"));
  };
  BOOST_TEST(nested(50).empty(), nested(50));
  for (const int levels : {51, 60}) {
    const std::string found = nested(levels);
    BOOST_TEST(found.find("composite states are nested deeper than 50 levels") != std::string::npos, found);
    BOOST_TEST(std::count(found.begin(), found.end(), '\n') == 1, found);
  }
}

BOOST_AUTO_TEST_CASE(descriptions_may_say_what_a_state_does) {
  const Workflow workflow = read(workflow_text(R"([*] --> A
    A --> F: Always
    F --> B
    F --> C
    B --> J
    C --> J
    J --> E
    E --> X
    A: Remembers
    A: action: set_variable
    A: name: place
    A: value: "{{ A }} here"
    F: type: fork
    B: Asks
    B: action: execute_prompt
    B: prompt: test/ask
    B: timeout: 30
    B: variables:
    B:   one: "{{ place }}"
    B:   two: 2
    C: action: run_workflow
    C: workflow: other
    J: Waits for all
    J: type: join
    J: description: Waits
    E: Says so
    E: action: log
    E: level: warning
    E: message: "done: {{ place }}"
    X: terminal: true
    X: action: user_input
    X: prompt: "Fine?"
    X: description: the last one
)",
                                               ""));
  const auto& set = action_of<SetAction>(workflow, "A");
  BOOST_TEST(set.assignments[0].name == "place");
  BOOST_TEST(std::get<TemplateText>(set.assignments[0].value).written.text() == "{{ A }} here");
  BOOST_TEST(workflow.find("A")->description == "Remembers");
  BOOST_TEST((workflow.find("F")->kind == State::Kind::fork));
  BOOST_TEST((workflow.find("J")->kind == State::Kind::join));
  BOOST_TEST(workflow.find("J")->description == "Waits");
  const auto& prompt = action_of<PromptAction>(workflow, "B");
  BOOST_TEST(prompt.prompt.written.text() == "test/ask");
  BOOST_TEST(prompt.arguments.size() == 2U);
  BOOST_TEST(prompt.arguments[1].name == "two");
  BOOST_TEST(options_of(workflow, "B").timeout->written.text() == "30");
  BOOST_TEST(action_of<WorkflowAction>(workflow, "C").workflow.written.text() == "other");
  BOOST_TEST((action_of<LogAction>(workflow, "E").level == LogAction::Level::warning));
  BOOST_TEST(exits_of(workflow, "X") == "[*] ");
  BOOST_TEST(action_of<ConfirmAction>(workflow, "X").question->written.text() == "Fine?");
}

BOOST_AUTO_TEST_CASE(described_actions_that_are_not_understood_are_errors_with_their_place) {
  const std::pair<const char*, const char*> cases[] = {
      {"A: action: lgo\n", "5:12: error: unknown action \"lgo\"; did you mean 'log'?"},
      {"A: action: log\n", "5:12: error: this action needs a line `A: message: ...`"},
      {"A: action: log\nA: message: \"x\"\nA: colour: red\n", "7:4: warning: 'colour' has no effect here"},
      {"A: action: log\nA: message: \"${nme}\"\n", "6:14: error: the variable 'nme' is not defined"},
      {"A: action: log\nA: message: [x\n", "error: the descriptions of 'A' are not valid YAML"},
      {"A: action: execute_prompt\nA: prompt: p\nA: variables:\nA:   a: [1]\n",
       "8:6: error: a variable here is a plain"},
  };
  for (const auto& [lines, expected] : cases) {
    BOOST_TEST_CONTEXT(lines) {
      const std::string found = diagnostics_of(workflow_text(std::string("[*] --> A\nA --> [*]\n") + lines, ""));
      BOOST_TEST(found.find(expected) != std::string::npos, found);
    }
  }
}

}  // namespace diagram_test
