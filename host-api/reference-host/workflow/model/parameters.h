// The inputs of a run: what the front matter declares, combined with what the command line gives. Also the limits that
// the value of a parameter must keep: choices, a pattern, a range, a length.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

// A text as a value of `type`; in a list, commas separate the elements. Nothing for an invalid text: `why` says why,
// without the text of a secret.
std::optional<expressions::Value> parameter_value(Parameter::Type type, const std::string& text, std::string& why,
                                                  bool secret = false);

// `given` are the KEY=VALUE texts of --var, in order; the last one of a key counts. It is an error if a key is neither
// declared nor among `used` (the names that the workflow reads), if a value breaks the parameter's limits, or if a
// required parameter has no value. Every error is one sentence. `values` are inputs that are known as values, such as
// those of an earlier run; `given` takes precedence over them, and unknown ones are left out. A parameter that is not
// required and has no default has no value. `option` is what messages put before a name, such as --var; empty if the
// values do not come from a command line.
std::map<std::string, expressions::Value> resolve_inputs(const Workflow& workflow,
                                                         const std::vector<std::string>& given,
                                                         const std::vector<std::string>& used,
                                                         std::vector<std::string>& errors,
                                                         const std::map<std::string, expressions::Value>& values = {},
                                                         const std::string& option = "--var ");

// The inputs of a workflow that another one runs, which gives it values. `used` and `errors` are as for resolve_inputs().
std::map<std::string, expressions::Value> resolve_arguments(const Workflow& workflow,
                                                            const std::map<std::string, expressions::Value>& arguments,
                                                            const std::vector<std::string>& used,
                                                            std::vector<std::string>& errors);

// The required parameters that have no value with these texts of --var, in the order of the file. The pointers are
// valid as long as the workflow.
std::vector<const Parameter*> missing_parameters(const Workflow& workflow, const std::vector<std::string>& given);

// What is wrong with the value, half a sentence ("... is not one of: a, b"); empty if it is valid. The value of a list
// parameter is checked element by element.
std::string limit_problem(const Parameter& parameter, const expressions::Value& value);

// Why this is not a pattern in RE2 syntax; empty if it is one.
std::string pattern_problem(const std::string& pattern);

// ---- parameter_schema.cc: the parameters of a workflow as those of a tool: their JSON schema, and the values that a
// caller gives. Pure.
//
//   parameters_schema(workflow)
//     {"type": "object", "properties": {"count": {"type": "number", "minimum": 1, "default": 3}},
//      "required": ["target"], "additionalProperties": false}
//
// A pattern is given in the description, because readers of schemas expect another syntax than RE2's. The default of a
// secret is never shown.

nlohmann::ordered_json parameters_schema(const Workflow& workflow);

// The value that `given` is for the parameter. Nothing: it has another type; `why` says so in half a sentence, without
// the value of a secret. Limits are not checked here.
std::optional<expressions::Value> argument_value(const Parameter& parameter, const nlohmann::json& given,
                                                 std::string& why);

}  // namespace wtool::host::workflow
