// What a run asks a person on the terminal: whether to continue (`Wait for user confirmation`), and required parameters
// that the command line does not give.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/stop.h"
#include "terminal/terminal.h"
#include "workflow/model/model.h"

namespace wtool::host {

// True for y and yes; false for no and Enter. Nothing: this process is not in the foreground of a terminal, a stop was
// requested, or nobody has answered (the terminal was closed, the input ended, or five lines were not understood). Only
// one question is asked at a time; further questions wait. Any thread may call this.
std::optional<bool> confirm_on_terminal(const std::string& question, Stop& stop,
                                        Terminal& terminal = Terminal::of_process());

// Asks for missing parameters and adds the answers to `given`, as NAME=VALUE. The terminal does not show what is typed
// for a secret. Adds nothing if nobody can be asked, or if no usable answer comes. False: a signal such as Ctrl-C has
// ended the question, and `exit_status` is the program's exit status.
bool ask_for_parameters(const workflow::Workflow& workflow, std::vector<std::string>& given, int& exit_status);

// Asks in the same way for those inputs of a resumed run that its journal does not contain. What is typed is not shown.
bool ask_again(const workflow::Workflow& workflow, const std::vector<std::string>& names,
               std::vector<std::string>& given, int& exit_status);

}  // namespace wtool::host
