// What an agent returns besides its answer: variables of the workflow, and that the workflow is over.
//
//   wtool.yaml:  prompts: {command: "my-model --file {{ prompt_file }} --values {{ values_file }}"}
//   the agent:   echo 'tests_pass=true' >>"$values"      sets the variable tests_pass
//                echo 'exit' >>"$values"                 ends the workflow, as completed
//
// `values_file` is an empty file for this call. It is read when the command has succeeded, and removed. A line is
// NAME=VALUE or `exit`; empty lines are skipped. VALUE is JSON if it can be parsed as such (true, 3, "a", [1, 2]), and
// a text otherwise. A line of another form makes the step fail, so that nothing an agent wrote is lost silently.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expressions/value.h"

namespace wtool::host::runner {

inline constexpr std::size_t max_prompt_values = 64 * 1024;  // bytes of the file

struct PromptValues {
  std::vector<std::pair<std::string, expressions::Value>> assigned;
  bool ends_workflow = false;
  std::string error;  // what is wrong with the lines; empty: nothing
};

PromptValues parse_prompt_values(std::string_view lines);

// The lines in that file. One that cannot be read, or is too large, is an error.
PromptValues read_prompt_values(const std::string& file);

}  // namespace wtool::host::runner
