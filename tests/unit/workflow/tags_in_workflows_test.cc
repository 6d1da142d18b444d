// Tags of templates in the actions of a workflow: which mistakes are reported before a run, and what runs.
#include <boost/test/unit_test.hpp>

#include "expressions/value.h"
#include "support.h"

namespace tags_in_workflows_test {

using namespace wtool::test;
using namespace wtool::host;
using namespace wtool::host::runner;
using namespace wtool::host::workflow;
using wtool::Stop;

namespace {

const std::string one_state = "[*] --> A\nA --> [*]\n";

std::string diagnostics_of_action(const std::string& action) {
  return diagnostics_of(
      workflow_text(one_state, "- A: " + action + "\n", "parameters:\n  - {name: p, required: true}\n"));
}

// What the tool was called with.
Json arguments_of(const std::string& action, const Json& parameters) {
  const Source source("w.md", workflow_text(one_state, "- A: " + action + "\n"));
  Diagnostics diagnostics;
  const Workflow workflow = parse_workflow(source, diagnostics);
  std::map<std::string, expressions::Value> inputs;
  std::vector<std::string> given;
  for (const auto& [name, value] : parameters.items()) {
    inputs.emplace(name, *expressions::from_json(value));
    given.push_back(name);
  }
  FakeTools tools;
  check_workflow(workflow, given, &tools, diagnostics);
  BOOST_REQUIRE_MESSAGE(diagnostics.empty(), diagnostics.text(source));
  Stop stop;
  RunObserver observer;
  run_workflow({workflow, source, std::move(inputs), tools, stop, observer});
  BOOST_REQUIRE_EQUAL(tools.calls.size(), 1U);
  return tools.calls[0].arguments;
}

}  // namespace

BOOST_AUTO_TEST_CASE(names_in_tags_are_checked_before_a_run) {
  const std::pair<const char*, const char*> cases[] = {
      {"Log \"{% if nowhere %}a{% endif %}{% if not nowhere.x and p %}b{% endif %}\"", ""},
      {"Log \"{% for x in p | lines %}${x} ${forloop.index}{% endfor %}\"", ""},
      {"Log \"{% if nowhere == 1 %}a{% endif %}\"", "13:17: error: the variable 'nowhere' is not defined\n"},
      {"Log \"{% for x in q %}{% endfor %}${x}\"",
       "13:23: error: the variable 'q' is not defined\n13:39: error: the variable 'x' is not defined\n"},
      {"Shell \"{% for x in [1] %}echo ${y}{% endfor %}\"",
       "13:36: error: the variable 'y' is not defined; a variable of the shell is written $y, or $${y}\n"},
      {"Log \"{% if A.nothing %}{% endif %}\"",
       "13:17: error: the outcome 'A' has no field 'nothing'; the fields are stdout, stderr, "},
      {"Log \"{% if p %}\"", "13:11: error: this {% if %} has no {% endif %}\n"},
      {"Shell \"{% if p %}echo `${p}`{% endif %}\"", "13:29: error: ${p} cannot be put here"},
      {"Shell \"x\" with timeout=\"{% if p %}5{% else %}10{% endif %}\"", ""},
  };
  for (const auto& [action, expected] : cases) {
    const std::string found = diagnostics_of_action(action);
    BOOST_TEST((*expected == '\0' ? found.empty() : found.starts_with(expected)), action << " gave " << found);
  }
}

BOOST_AUTO_TEST_CASE(conditions_with_has_may_name_what_is_not_there) {
  BOOST_TEST(
      diagnostics_of(workflow_text("[*] --> A\nA --> [*]: has(nowhere.x)\nA --> [*]: default\n", "- A: Shell \"x\"\n"))
          .empty());
  BOOST_TEST(diagnostics_of(
                 workflow_text("[*] --> A\nA --> [*]: A.exists(x, x == y)\nA --> [*]: default\n", "- A: Shell \"x\"\n"))
                 .starts_with("4:29: error: the variable 'y' is not defined"));
}

BOOST_AUTO_TEST_CASE(tags_are_followed_in_every_text_of_an_action) {
  const Json given = {{"files", {"a b", "c'"}}, {"deep", true}, {"n", 7}};
  BOOST_TEST(arguments_of("Shell \"ls{% for f in files %} ${f}{% endfor %}{% if deep %} -R{% endif %}\"",
                          given)["command"] == "ls 'a b' 'c'\\''' -R");
  const Json all = arguments_of(
      "Shell \"x\" with timeout=\"{% if deep %}5{% else %}10{% endif %}\" working_dir=\"{% unless deep %}x{% else "
      "%}y{% "
      "endunless %}\" env={\"N\": \"{% for f in files %}${forloop.index}{% endfor %}\"}",
      given);
  BOOST_TEST(all["timeout"] == 5);
  BOOST_TEST(all["working_directory"] == "y");
  BOOST_TEST(all["environment"]["N"] == "12");
  // A text that consists of a single placeholder is the value itself. With a tag around the placeholder, it is a text.
  const Json values = arguments_of(
      "Call tool lookup with {\"a\": \"${n}\", \"b\": \"{% if deep %}${n}{% endif %}\", \"c\": \"{{ files | size }}\"}",
      given);
  BOOST_TEST(values["a"] == 7);
  BOOST_TEST(values["b"] == "7");
  BOOST_TEST(values["c"] == 2);
}

}  // namespace tags_in_workflows_test
