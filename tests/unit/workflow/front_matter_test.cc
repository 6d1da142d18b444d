// The front matter: which keys and forms are understood, and which errors the others cause.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "reading.h"

namespace front_matter_test {

using namespace wtool::test;
using namespace wtool::host::workflow;

BOOST_AUTO_TEST_CASE(front_matter_that_is_not_understood_is_an_error) {
  const std::pair<const char*, const char*> cases[] = {
      {"nme: x\n", "2:1: error: unknown key 'nme' in the front matter; did you mean 'name'?"},
      {"name: [a]\n", "2:7: error: 'name' must be a text"},
      {"name: a\nname: b\n", "3:1: error: the key 'name' occurs here a second time"},
      {"max_steps: 0\n", "2:12: error: 'max_steps' must be a whole number from 1 to"},
      {"- a\n", "2:1: error: the front matter must contain lines"},
      {"name: [a\n", "error: the front matter is not valid YAML"},
      {"parameters: x\n", "2:13: error: 'parameters' must be a list"},
      {"parameters:\n  - x\n", "3:5: error: a parameter must be an entry"},
      {"parameters:\n  - type: string\n", "3:5: error: this parameter has no name"},
      {"parameters:\n  - name: a b\n", "3:11: error: the name of a parameter is made of"},
      {"parameters:\n  - name: a\n    typ: string\n",
       "4:5: error: unknown key 'typ' of a parameter; did you mean 'type'?"},
      {"parameters:\n  - name: a\n    pattern: \"(\"\n",
       "4:14: error: the pattern is not a regular expression in RE2 syntax: missing )"},
      {"parameters:\n  - name: a\n    validation:\n      mix: 1\n",
       "5:7: error: unknown key 'mix' of a validation; did you mean 'min'?"},
      {"parameters:\n  - name: a\n    min: 1\n", "3:5: error: 'min' and 'max' are only for a parameter of type number"},
      {"parameters:\n  - name: a\n    type: number\n    min: 2\n    default: 1\n",
       "6:14: error: the default \"1\" is less than the minimum 2"},
      {"parameters:\n  - name: a\n    type: multi_choice\n", "3:5: error: a parameter of type multi_choice needs"},
      {"parameters:\n  - name: a\n    min_length: -1\n", "4:17: error: 'min_length' must be a whole number"},
      {"parameters:\n  - name: a\n    condition: a ==\n", "4:16: error: the condition is not understood"},
      {"parameters:\n  - name: a\n    default: ${USER}\n", "4:14: warning: the default is this literal text"},
      {"colour: red\n", "2:1: warning: the key 'colour' in the front matter is not known, and has no effect"},
      {"fail_fast: maybe\n", "2:12: error: 'fail_fast' must be true or false"},
      {"tool: maybe\n", "2:7: error: 'tool' must be true or false"},
      {"tol: true\n", "2:1: error: unknown key 'tol' in the front matter; did you mean 'tool'?"},
      {"enviroment: {A: b}\n", "2:1: error: unknown key 'enviroment' in the front matter; did you mean 'env'?"},
      {"environment: {A: b}\n", "2:1: error: unknown key 'environment' in the front matter; did you mean 'env'?"},
      {"retries: 3\n", "2:1: error: unknown key 'retries' in the front matter; did you mean 'retry'?"},
      {"working_directory: x\n", "unknown key 'working_directory' in the front matter; did you mean 'working_dir'?"},
      {"budget: {}\n", "2:9: error: 'budget' must be a map such as"},
      {"working_dir: \"\"\n", "2:14: error: working_dir is empty; name the directory"},
      {"finally: B\n", "2:10: error: `finally` leads to \"B\", but the diagram has no such state"},
      {"parameters:\n  - name: a\n    type: date\n", "4:11: error: unknown type 'date'"},
      {"parameters:\n  - name: a\n    type: number\n    default: x\n",
       "5:14: error: parameter 'a': \"x\" is not a number"},
      {"parameters:\n  - name: a\n    choices: [x, y]\n    default: z\n", "5:14: error: the default \"z\" is not one"},
      {"parameters:\n  - name: a\n    required: maybe\n", "4:15: error: 'required' must be true or false"},
      {"parameters:\n  - name: a\n  - name: a\n", "4:5: error: this is a second parameter 'a'"},
      {"on failure: A\non_failure: A\n",
       "3:1: error: the key 'on_failure' occurs here a second time; the first one is written 'on failure'"},
      {"on_failure: A\non failure: A\n",
       "3:1: error: the key 'on failure' occurs here a second time; the first one is written 'on_failure'"},
      {"parameters:\n  - name: a\n    type: number\n    min: 7\n    validation: {min: 5}\n",
       "6:18: error: the key 'min' occurs here a second time; the first one is in line 5"},
      {"parameters:\n  - name: a\n    validation: {choices: [x]}\n    choices: [y]\n",
       "5:5: error: the key 'choices' occurs here a second time; the first one is in line 4"},
      {"parameters:\n  - name: a\n    choices: []\n",
       "4:14: error: this list of choices is empty, so no value is allowed"},
      {"parameters:\n  - name: a\n    type: multi_choice\n    choices: []\n",
       "5:14: error: this list of choices is empty, so no value is allowed"},
      {"parameters:\n  - name: exit_code\n", "3:5: error: 'exit_code' is set by the run itself"},
  };
  for (const auto& [yaml, expected] : cases) {
    BOOST_TEST_CONTEXT(yaml) {
      const std::string found = diagnostics_of(workflow_text("[*] --> A\nA --> [*]\n", "", yaml));
      BOOST_TEST(found.find(expected) != std::string::npos, found);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_empty_value_is_reported_at_its_key) {
  const std::pair<const char*, const char*> cases[] = {
      {"timeout:", "a timeout must be"},
      {"retry:", "'retry' must be"},
      {"budget:", "'budget' must be a map"},
      {"max_steps:", "'max_steps' must be"},
      {"failures:", "'failures' must be"},
      {"on failure:", "'on failure' needs the name of a state"},
      {"finally:", "'finally' needs the name of a state"},
      {"shell:", "a shell must be"},
      {"working_dir:", "working_dir is empty"},
      {"concurrency:", "the name of a lock must"},
      {"env_file:", "'env_file' needs the name of a file"},
      {"fail_fast:", "'fail_fast' must be true or false"},
      {"tool:", "'tool' must be true or false"},
  };
  for (const auto& [key, message] : cases) {
    BOOST_TEST_CONTEXT(key) {
      for (const char* after : {"\n", "\n\n# A remark.\nversion: 1\n", " ~\n"}) {
        const std::string yaml = std::string("title: t\n") + key + after;
        const std::string found = diagnostics_of(workflow_text("[*] --> A\nA --> [*]\n", "", yaml));
        BOOST_TEST(found.find(std::string("3:1: error: ") + message) != std::string::npos, found);
      }
    }
  }
  // Keys and elements below another key.
  const std::pair<const char*, const char*> inner[] = {
      {"budget:\n  calls:\n  time:\n", "3:3: error: 'calls' of a budget must be"},
      {"budget:\n  calls:\n  time:\n", "4:3: error: 'time' of a budget must be"},
      {"parameters:\n  - name: a\n    type: number\n    min:\n", "5:5: error: 'min' must be a number"},
      {"parameters:\n  - name: a\n    validation:\n", "4:5: error: 'validation' needs"},
      {"parameters:\n  -\n", "2:1: error: a parameter must be an entry"},
      {"env_file:\n  - .env\n  -\n", "2:1: error: 'env_file' needs the name of a file"},
  };
  for (const auto& [yaml, expected] : inner) {
    const std::string found = diagnostics_of(workflow_text("[*] --> A\nA --> [*]\n", "", yaml));
    BOOST_TEST(found.find(expected) != std::string::npos, found);
  }
}

BOOST_AUTO_TEST_CASE(malformed_front_matter_is_read_and_reported) {
  const std::string rest =
      "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n\n## Actions\n\n- A: Log \"${x}\"\n";
  const std::string keys = "parameters:\n  - name: x\n    default: y\n";
  const auto found = [&](const std::string& top) {
    const std::string all = diagnostics_of(top + rest);
    BOOST_TEST(std::count(all.begin(), all.end(), '\n') <= 1, all);
    return all;
  };
  BOOST_TEST(found("---\n" + keys + "---\n") == "");
  const std::string dashes = found("----\n" + keys + "---\n");
  BOOST_TEST(dashes.find("1:1: error: the front matter must be between two lines ---; this line is \"----\"") !=
                 std::string::npos,
             dashes);
  BOOST_TEST(found("--\n" + keys + "--\n").find("1:1: error: ") != std::string::npos);
  BOOST_TEST(found("\n---\n" + keys + "----\n").find("6:1: error: ") != std::string::npos);
  const std::string lower = found("\n\n---\n" + keys + "---\n");
  BOOST_TEST(
      lower.find("3:1: warning: front matter must begin in the first line of the file; this front matter is read") !=
          std::string::npos,
      lower);
  // Rows of dashes that markdown uses for other things do not begin front matter.
  const std::string other = "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n\n## Actions\n\n- A: Log \"a\"\n";
  for (const char* top :
       {"\n---\nNote: this is a text\n\n---\n", "-----\n\nwords\n\n-----\n", "\n---\nkey: x\n\n# Title\n\n---\n"}) {
    BOOST_TEST(diagnostics_of(top + other) == "", top);
  }
}

BOOST_AUTO_TEST_CASE(older_names_in_the_front_matter_are_understood) {
  const Workflow workflow = read(workflow_text("[*] --> A\nA --> [*]\n", "",
                                               "arguments:\n  - name: a\n    type_hint: string\n    default: 5\n"
                                               "variables:\n  b: \"x\"\n  c: 3\nmode: tester\nparameter_groups:\n  - "
                                               "name: g\nfail_fast: false\non failure: A\nfinally: A\nversion: 1.0\n"));
  BOOST_REQUIRE_EQUAL(workflow.parameters.size(), 3U);
  BOOST_TEST(*workflow.parameters[0].fallback->as_text() == "5");
  BOOST_TEST(*workflow.parameters[2].fallback->as_text() == "3");
  BOOST_TEST(!workflow.fail_fast.value());
  BOOST_TEST(workflow.on_failure.name == "A");
  BOOST_TEST(workflow.version == "1.0");
}

BOOST_AUTO_TEST_CASE(a_workflow_is_a_tool_where_it_says_so) {
  const auto read = [](const char* yaml) {
    Diagnostics diagnostics;
    const Source source("", workflow_text("[*] --> A\nA --> [*]\n", "- A: Log \"a\"\n", yaml));
    const Workflow workflow = parse_workflow(source, diagnostics);
    return std::pair(workflow.is_tool, workflow.says_tool);
  };
  BOOST_TEST((read("tool: true\n") == std::pair(true, true)));
  BOOST_TEST((read("tool: false\n") == std::pair(false, true)));
  BOOST_TEST((read("tool: yes\n") == std::pair(false, true)));
  BOOST_TEST((read("name: a\n") == std::pair(false, false)));
}

}  // namespace front_matter_test
