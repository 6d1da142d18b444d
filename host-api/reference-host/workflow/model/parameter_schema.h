// The parameters of a workflow as those of a tool: their JSON schema, and the values that a caller gives. Pure.
//
//   parameters_schema(workflow)
//     {"type": "object", "properties": {"count": {"type": "number", "minimum": 1, "default": 3}},
//      "required": ["target"], "additionalProperties": false}
//
// A pattern stands in the description: it is in RE2 syntax, and readers of schemas know another one. The default of a
// secret stands nowhere.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "workflow/model/model.h"

namespace wtool::host::workflow {

nlohmann::ordered_json parameters_schema(const Workflow& workflow);

// The value of that parameter. Nothing: `why` says, in half a sentence without the value of a secret, that the type is
// another one. Limits are not looked at (parameter_limits.h).
std::optional<expressions::Value> argument_value(const Parameter& parameter, const nlohmann::json& given,
                                                 std::string& why);

}  // namespace wtool::host::workflow
