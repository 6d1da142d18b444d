// What a workflow or a composite state says for the steps inside of it: how it is read, and how it gets to the steps.
//
// What is nearer to a step counts: its own options, then those of the composite states around it from the inside out, then
// the command line, then the front matter. Of one place, `env` goes before `env_file`, and a later file before an earlier
// one. Variables are put together name by name.
#pragma once

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/parse/action_cursor.h"
#include "workflow/parse/environment_file.h"

namespace wtool::host::workflow {

// Takes what stands after `env=`: an object of texts. False after a diagnostic.
bool take_environment(ActionCursor& cursor, Diagnostics& diagnostics,
                      std::vector<std::pair<std::string, TemplateText>>& out);
// Takes what stands after `env_file=`: the name of a file in quotes. The same.
bool take_environment_file(ActionCursor& cursor, Diagnostics& diagnostics, std::vector<NamedPlace>& out);

// Writes into each action what counts for it. Without `source`, files of variables are not read.
void apply_defaults(Workflow& workflow, const EnvironmentSource* source, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
