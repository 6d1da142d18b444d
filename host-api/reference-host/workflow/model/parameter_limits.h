// What the value of a parameter must keep to: choices, a pattern, a range, a length.
#pragma once

#include <string>

#include "workflow/model/model.h"

namespace wtool::host::workflow {

// What is wrong with the value, half a sentence ("... is not one of: a, b"); empty if it is valid. The value of a list
// parameter is checked element by element.
std::string limit_problem(const Parameter& parameter, const expressions::Value& value);

// Why this is not a pattern in RE2 syntax; empty if it is one.
std::string pattern_problem(const std::string& pattern);

// The length of a text in characters.
std::int64_t character_count(const std::string& text);

}  // namespace wtool::host::workflow
