// What the check of one action may use, and where it reports.
#pragma once

#include <string>
#include <vector>

#include "workflow/check/check_context.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

struct ActionCheck {
  // A workflow or prompt that is missing here and now: an error where the workflow is to run.
  void missing(std::size_t offset, std::string message);
  void shell_is_usable(const NamedPlace& shell);

  const Workflow& workflow;
  const std::vector<std::string>& given;  // the names of --var
  const CheckContext& around;
  Diagnostics& diagnostics;
  bool told_of_command = false;  // that no command is configured for prompts; said once a file
};

// What is wrong with setting a variable of this name, or with a parameter of it, if it is one of the run's own.
void check_own_name(const std::string& name, std::size_t offset, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
