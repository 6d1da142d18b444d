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

// Takes the next value: a text in quotes, a number, true or false, or one placeholder without quotes. Nothing after a
// diagnostic, which says that `what` was expected.
std::optional<std::variant<expressions::Value, TemplateText>> take_value(ActionCursor& cursor, Diagnostics& diagnostics,
                                                                         const std::string& what);

// Takes the rest of an action: pairs, some of them perhaps in `{% if ... %} ... {% endif %}`, and options in between.
// False after a diagnostic.
bool take_arguments(ActionCursor& cursor, OptionReader& options, Options& read_options,
                    std::vector<Argument>& arguments, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
