// Questions whose answer holds only for this one time. Nothing keeps an `always` or a `never`, so neither is offered or
// accepted.
#pragma once

#include "approval/question.h"

namespace wtool::host {

// The member of a question's subject that says so, with the value true.
inline constexpr const char* once_member = "once";

// True if the question is of that kind.
bool takes_only_yes_or_no(const Question& question);

}  // namespace wtool::host
