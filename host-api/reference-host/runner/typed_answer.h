// The option `output`: reads the output of a step as JSON, and checks it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>

#include "expressions/value.h"
#include "runner/outcome.h"

namespace wtool::host::runner {

// The value in the standard output: the whole text if that is JSON, otherwise the last fenced block that is JSON. If
// there is no such value, or it does not match the schema, the reason as a part of a sentence: `is not JSON: "Yes"`.
std::variant<expressions::Value, std::string> typed_answer(const Outcome& outcome, const nlohmann::json& schema);

// The text that asks a prompt for an answer that matches the schema. With `wrong`, it also says what was wrong with the
// last answer.
std::string form_of_answer(const nlohmann::json& schema, const std::string& wrong, const std::string& last);

}  // namespace wtool::host::runner
