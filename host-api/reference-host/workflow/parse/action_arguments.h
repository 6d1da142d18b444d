// Reads the name=value pairs that tools, prompts and other workflows are given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/parse/action_cursor.h"
#include "workflow/parse/action_options.h"

namespace wtool::host::workflow {

// The value that comes next: a text in quotes, a number, true or false, or one placeholder without quotes. Nothing
// after a diagnostic; `what` says what it was to be.
std::optional<std::variant<expressions::Value, TemplateText>> take_value(ActionCursor& cursor, Diagnostics& diagnostics,
                                                                         const std::string& what);

// All that is left of an action: pairs, some of them perhaps in `{% if ... %} ... {% endif %}`, and options in between.
// False after a diagnostic.
bool take_arguments(ActionCursor& cursor, OptionReader& options, Options& read_options,
                    std::vector<Argument>& arguments, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
