// The arguments of tools, prompts and workflows, with their templates filled in.
//
// A text that consists of a single placeholder becomes the value itself, so that a number stays a number.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runner/run.h"
#include "workflow/model/model.h"

namespace wtool::host::runner {

// The strings in the JSON are templates; its depth is bounded by the parser. Nothing: `why` says what is wrong.
std::optional<nlohmann::json> rendered_arguments(const nlohmann::json& arguments, const expressions::Scope& values,
                                                 std::string& why);

// Those whose guard says so are left out. Nothing: `why` says what is wrong, with its place.
std::optional<std::map<std::string, expressions::Value>> rendered_arguments(
    const std::vector<workflow::Argument>& arguments, const WorkflowInvocation& invocation,
    const expressions::Scope& values, std::string& why);

// The value that a text with a template stands for.
std::variant<expressions::Value, expressions::ExpressionError> rendered_value(const expressions::Template& text,
                                                                              const expressions::Scope& values);

}  // namespace wtool::host::runner
