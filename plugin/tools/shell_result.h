// What shell_execute answers: every ending of a call as {"content", "is_error", "metadata"}. docs/guide/results.md
// describes each key.
#pragma once

#include <string>

#include "call.h"
#include "tools/tool.h"

namespace wtool::tools {

// Of a call whose parameters are wrong. `problem` is a sentence that names the parameter.
Answer refusal(const std::string& problem);

// Of a call that was carried through, whatever became of it.
Answer answer(const CommandRequest& request, CallResult result);

}  // namespace wtool::tools
