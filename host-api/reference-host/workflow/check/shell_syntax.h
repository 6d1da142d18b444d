// Finds commands that a shell cannot read: quotes that are not closed, a missing `fi`, `${` without `}`.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

struct ShellMistake {
  std::size_t command = 0;  // which of those that were asked about
  std::size_t line = 0;     // of it, from 0
  std::string message;      // as the shell says it
};

// The commands that a shell cannot read. `shell` is a name such as sh or bash, or a path; empty means the configured
// one. None of them is run.
using ShellReader =
    std::function<std::vector<ShellMistake>(const std::string& shell, const std::vector<std::string>& commands)>;

// Commands with tags, or with `raw`, are left out: what they are is known only during a run.
void check_shell_syntax(const Workflow& workflow, const ShellReader& reader, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
