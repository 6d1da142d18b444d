// The option `output`: reads what a step gave as JSON, and checks it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>

#include "expressions/value.h"
#include "runner/outcome.h"

namespace wtool::host::runner {

// The value of the standard output: JSON as a whole, or in the last fenced block that is JSON. Or why it is not what the
// schema says, as a part of a sentence: `is not JSON: "Yes"`.
std::variant<expressions::Value, std::string> typed_answer(const Outcome& outcome, const nlohmann::json& schema);

// What is added to a prompt, so that its answer has that form; with `wrong`, what was wrong with the last answer.
std::string form_of_answer(const nlohmann::json& schema, const std::string& wrong, const std::string& last);

}  // namespace wtool::host::runner
