// Required parameters that the command line does not give are asked for, where somebody sits at the terminal.
#pragma once

#include <string>
#include <vector>

#include "workflow/model/model.h"

namespace wtool::host {

// Asks for missing parameters and adds the answers to `given`, as NAME=VALUE; what is typed for a secret is not shown.
// Adds nothing where nobody can be asked, or no usable answer comes. False: a signal such as Ctrl-C has ended the
// question, and `exit_status` is the program's exit status.
bool ask_for_parameters(const workflow::Workflow& workflow, std::vector<std::string>& given, int& exit_status);

// The same for inputs of a run that is resumed whose values the journal does not hold: nothing of them is shown.
bool ask_again(const workflow::Workflow& workflow, const std::vector<std::string>& names,
               std::vector<std::string>& given, int& exit_status);

}  // namespace wtool::host
