// The older form of a file, with a section for each state.
#include <boost/test/unit_test.hpp>

#include "reading.h"

namespace state_sections_test {

using namespace wtool::test;
using namespace wtool::host::workflow;

BOOST_AUTO_TEST_CASE(sections_about_states_are_read) {
  const std::string diagram =
      "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> F\nF --> B\nF --> C\nB --> J\nC --> J\nJ --> [*]\n```\n";
  const Workflow workflow = read(diagram + R"(
## Parameters

- target: what to build
- `speed`: how fast

## States

### A
**Type**: Action
**Description**: Begins
**Action**: Shell "make
  ${target}"
**Store As**: built

### F
- **Type:** Fork

### J
- **type**: Join

### B
- **Action**: `Log "done: ${built}"`
- **Transitions**: Always moves to J

## More

**Note**: nothing
)");
  BOOST_TEST(action_of<ShellAction>(workflow, "A").command.written.text() == "make\n${target}");
  BOOST_TEST(options_of(workflow, "A").result.name == "built");
  BOOST_TEST(workflow.find("A")->description == "Begins");
  BOOST_TEST((workflow.find("F")->kind == State::Kind::fork));
  BOOST_TEST((workflow.find("J")->kind == State::Kind::join));
  BOOST_TEST(action_of<LogAction>(workflow, "B").message.written.text() == "done: ${built}");
  BOOST_REQUIRE_EQUAL(workflow.parameters.size(), 2U);
  BOOST_TEST(workflow.parameters[0].description == "what to build");
  BOOST_TEST(workflow.parameters[1].name == "speed");
}

BOOST_AUTO_TEST_CASE(two_actions_of_a_state_in_two_notations_are_reported) {
  const std::string two = workflow_text("[*] --> A\nA --> B\nB --> [*]\n", "- A: Log \"x\"\n") +
                          "\n# States\n\n## A\n**Action**: Log \"y\"\n\n## B\n**Action**: Log \"z\"\n\n## C\n"
                          "**Action**: Log \"z\"\n\n# Notes\n\n**Action**: none\n";
  const std::string found = diagnostics_of(two);
  BOOST_TEST(found.find("15:13: error: the state 'A' has an action here and another one under `Actions`") == 0U, found);
  BOOST_TEST(found.find("18:13: warning: this action is ignored") != std::string::npos, found);
  BOOST_TEST(found.find("20:4: warning: there is no state \"C\" in the diagram") != std::string::npos, found);
  BOOST_TEST(found.find("25:13: warning: this is not an action of a state") != std::string::npos, found);
}

}  // namespace state_sections_test
