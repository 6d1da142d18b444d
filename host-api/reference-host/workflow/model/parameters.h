// The inputs of a run: what the front matter declares, combined with what the command line gives. Also checks the
// limits of a parameter's value: choices, a pattern, a range, a length.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

// Null: the workflow has no parameter of this name.
const Parameter* find_parameter(const Workflow& workflow, std::string_view name);

// Reads a text as a value of `type`; in a list, commas separate the elements. Nothing: the text is invalid, and `why`
// says why, without showing the text of a secret.
std::optional<expressions::Value> parameter_value(Parameter::Type type, const std::string& text, std::string& why,
                                                  bool secret = false);

// `given` are the KEY=VALUE texts of --var, in order; of several texts with one key, the last one is used. It is an
// error if a key is neither declared nor among `used` (the names that the workflow reads), if a value breaks the
// parameter's limits, or if a required parameter has no value, or is a secret with an empty value. Every error is one
// sentence. `values` are further inputs, such as those of an earlier run; `given` takes precedence over them, and
// unknown names are left out. A parameter that is neither given nor required, and has no default, gets no value.
// `option` is what messages put before a name, such as --var; empty: the values do not come from a command line.
std::map<std::string, expressions::Value> resolve_inputs(const Workflow& workflow,
                                                         const std::vector<std::string>& given,
                                                         const std::vector<std::string>& used,
                                                         std::vector<std::string>& errors,
                                                         const std::map<std::string, expressions::Value>& values = {},
                                                         const std::string& option = "--var ");

// The inputs of a workflow that another workflow runs with `arguments`. `used` and `errors` are as in resolve_inputs().
std::map<std::string, expressions::Value> resolve_arguments(const Workflow& workflow,
                                                            const std::map<std::string, expressions::Value>& arguments,
                                                            const std::vector<std::string>& used,
                                                            std::vector<std::string>& errors);

// The required parameters to which the texts of --var (`given`) give no value, in the order of the file. The pointers
// are valid as long as the workflow exists.
std::vector<const Parameter*> missing_parameters(const Workflow& workflow, const std::vector<std::string>& given);

// What is wrong with the value, in half a sentence ("... is not one of: a, b"); empty: it is valid. The value of a list
// parameter is checked element by element.
std::string limit_problem(const Parameter& parameter, const expressions::Value& value);

// What is wrong with the value as an argument for the parameter, in half a sentence; empty: it is valid.
std::string argument_problem(const Parameter& parameter, const expressions::Value& value);

// Why `pattern` is not valid in RE2 syntax; empty: it is valid.
std::string pattern_problem(const std::string& pattern);

// ---- parameter_schema.cc: a workflow as a tool: the JSON schema of its parameters, and the values that a caller gives
// for them. Pure functions.
//
//   parameters_schema(workflow)
//     {"type": "object", "properties": {"count": {"type": "number", "minimum": 1, "default": 3}},
//      "required": ["target"], "additionalProperties": false}
//
// A pattern is given in the description, because readers of schemas expect a different syntax from RE2's. The default
// of a secret is never shown.

nlohmann::ordered_json parameters_schema(const Workflow& workflow);

// Reads `given` as a value of the parameter. Nothing: `given` has the wrong type; `why` says so in half a sentence,
// without the value of a secret. Limits are not checked here.
std::optional<expressions::Value> argument_value(const Parameter& parameter, const nlohmann::json& given,
                                                 std::string& why);

}  // namespace wtool::host::workflow
