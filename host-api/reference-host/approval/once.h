// Questions whose answer counts only this once: nothing keeps an `always` or a `never`, so neither is offered or accepted.
#pragma once

#include "approval/question.h"

namespace wtool::host {

// The member of a question's subject that says so, with the value true.
inline constexpr const char* once_member = "once";

bool counts_once(const Question& question);

}  // namespace wtool::host
