// What tests of reading need: a workflow that has no errors, and what its states do.
#pragma once

#include <boost/test/unit_test.hpp>
#include <string>

#include "support.h"

namespace wtool::test {

inline host::workflow::Workflow read(const std::string& text) {
  const host::workflow::Source source("test.md", text);
  host::workflow::Diagnostics diagnostics;
  host::workflow::Workflow workflow = host::workflow::parse_workflow(source, diagnostics);
  BOOST_TEST(diagnostics.empty(), diagnostics.text(source));
  return workflow;
}

inline const host::workflow::Action& action_at(const host::workflow::Workflow& workflow, const std::string& id) {
  const host::workflow::State* state = workflow.find(id);
  BOOST_REQUIRE(state != nullptr);
  BOOST_REQUIRE(state->action.has_value());
  return *state->action;
}

template <class Kind>
const Kind& action_of(const host::workflow::Workflow& workflow, const std::string& id) {
  const Kind* kind = std::get_if<Kind>(&action_at(workflow, id).kind);
  BOOST_REQUIRE(kind != nullptr);
  return *kind;
}

// Returns a copy, because a temporary workflow ends with its statement.
template <class Kind>
Kind action_of(const host::workflow::Workflow&& workflow, const std::string& id) {
  return action_of<Kind>(workflow, id);
}

inline const host::workflow::ActionOptions& options_of(const host::workflow::Workflow& workflow,
                                                       const std::string& id) {
  return action_at(workflow, id).options;
}

inline std::string one_action(const std::string& action) {
  return workflow_text("[*] --> A\nA --> [*]\n", "- A: " + action + "\n");
}

}  // namespace wtool::test
