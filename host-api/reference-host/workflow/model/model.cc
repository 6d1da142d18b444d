#include "workflow/model/model.h"

#include <algorithm>

namespace wtool::host::workflow {

const std::vector<std::string>& run_names() {
  static const std::vector<std::string> names = {
      "success", "failure", "exit_code",     "is_error", "result", "last_action_result",
      "output",  "error",   "workflow_name", "run_id",   "matrix"};
  return names;
}

bool is_settable_run_name(std::string_view name) { return name == "result" || name == "output" || name == "error"; }

bool is_run_name(std::string_view name) {
  return std::find(run_names().begin(), run_names().end(), name) != run_names().end();
}

const std::vector<std::string>& outcome_fields() {
  static const std::vector<std::string> fields = {
      "stdout", "stderr", "content",  "exit_code",   "is_error",  "success", "failure",     "message",
      "error",  "json",   "metadata", "duration_ms", "variables", "matrix",  "stdout_file", "stderr_file"};
  return fields;
}

}  // namespace wtool::host::workflow
