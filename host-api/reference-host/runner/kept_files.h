// The option keep=["dist/**"]: keeps copies of files that a step has made, beside the journal of the run.
#pragma once

#include <optional>
#include <string>

#include "loader/explanation.h"
#include "runner/actions.h"

namespace wtool::host::runner {

// Copies the files that the option names into the run's outputs, whether the step has succeeded or not, and adds them
// to the step. A file that cannot be kept is reported as a notice, and does not make the step fail.
void keep_files(Step& step, const ActionContext& context);

// The directory in which a call of the tool works, as the tool says. Nothing: it is not known, for the reason `why`.
std::optional<std::string> directory_of(const Explanation& explained, const std::string& tool, std::string& why);

}  // namespace wtool::host::runner
