// The defaults that a workflow or a composite state sets for the steps inside of it: how they are read, and applied to
// the steps.
//
// The nearest setting applies: first a step's own options, then those of the composite states around it from the inside
// out, then the command line, then the front matter. Within one of these, `env` takes precedence over `env_file`, and a
// later file over an earlier one. Variables are merged name by name.
#pragma once

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/parse/action_cursor.h"
#include "workflow/parse/environment_file.h"

namespace wtool::host::workflow {

// Reads the value of `env=`: an object of texts. False: a diagnostic says why.
bool take_environment(ActionCursor& cursor, Diagnostics& diagnostics,
                      std::vector<std::pair<std::string, TemplateText>>& out);
// Reads the value of `env_file=`: the name of a file in quotes. False: a diagnostic says why.
bool take_environment_file(ActionCursor& cursor, Diagnostics& diagnostics, std::vector<NamedPlace>& out);

// Writes into each action the defaults that apply to it. Without `source`, files of variables are not read.
void apply_defaults(Workflow& workflow, const EnvironmentSource* source, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
