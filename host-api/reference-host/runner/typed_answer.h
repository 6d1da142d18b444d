// The option `output`: reads the output of a step as JSON, and checks it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>

#include "expressions/value.h"
#include "runner/outcome.h"

namespace wtool::host::runner {

// The value in the standard output: the whole text if that is JSON, otherwise the last fenced block that is JSON. If
// there is no such value, or it does not match the schema, returns the reason as a predicate: `is not JSON: "Yes"`.
std::variant<expressions::Value, std::string> typed_answer(const Outcome& outcome, const nlohmann::json& schema);

// The text that is added to a prompt to ask for an answer that matches the schema. Unless `wrong` is empty, the text
// also says what was wrong with the last answer, `last`.
std::string form_of_answer(const nlohmann::json& schema, const std::string& wrong, const std::string& last);

}  // namespace wtool::host::runner
