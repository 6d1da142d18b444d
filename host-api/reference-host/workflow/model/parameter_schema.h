// The parameters of a workflow as those of a tool: their JSON schema, and the values that a caller gives. Pure.
//
//   parameters_schema(workflow)
//     {"type": "object", "properties": {"count": {"type": "number", "minimum": 1, "default": 3}},
//      "required": ["target"], "additionalProperties": false}
//
// A pattern is given in the description, because readers of schemas expect another syntax than RE2's. The default of a
// secret is never shown.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "workflow/model/model.h"

namespace wtool::host::workflow {

nlohmann::ordered_json parameters_schema(const Workflow& workflow);

// The value of that parameter. Nothing for a value of another type: `why` says so in half a sentence, without the value
// of a secret. Limits are checked elsewhere (parameters.h).
std::optional<expressions::Value> argument_value(const Parameter& parameter, const nlohmann::json& given,
                                                 std::string& why);

}  // namespace wtool::host::workflow
