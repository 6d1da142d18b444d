// The names that a run gives values by itself, and the fields that the outcome of a state has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wtool::host::workflow {

// success, failure, exit_code, is_error, result, last_action_result and output (its text), error (its message; empty
// after a success), workflow_name, run_id, and matrix (inside of a state that has one).
bool is_run_name(std::string_view name);
// result, output, error: a file may set these, and then has its own value from there on.
bool is_settable_run_name(std::string_view name);
const std::vector<std::string>& run_names();

// The fields of a state's or a result's value. `json` exists if the output is a JSON object or list; otherwise reading
// it is an error. `metadata` exists if a tool was called. Reading the text of an output that was cut is an error, and
// so is the name of a file that could not be written.
const std::vector<std::string>& outcome_fields();

}  // namespace wtool::host::workflow
