// Parses what stands inside a placeholder: `${ path }`, `{{ path or "text" | filters }}`, and the filters of a loop.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expressions/template.h"
#include "expressions/template_cursor.h"

namespace wtool::host::expressions {

// `name { . name | [ index ] | [ "key" ] }`; false where something else follows a dot or a bracket.
bool parse_path(TemplateCursor& cursor, Placeholder& placeholder, Dialect dialect = Dialect::workflow);

// A text in quotes, a number, true, false, nil or a path, in a tag of a prompt; false where it is none of these.
bool parse_operand(TemplateCursor& cursor, Operand& operand);

// `{ "|" name [ ":" argument { "," argument } ] }`, with trailing blanks. Returns a sentence if it is malformed.
std::optional<std::string> parse_filters(TemplateCursor& cursor, std::vector<Filter>& filters, Dialect dialect);

// The inside of `${...}`, up to its brace; false where it is the shell's.
bool parse_dollar(TemplateCursor& cursor, Placeholder& placeholder);

// The inside of `{{ }}`, from after the opening braces up to the closing ones. Returns a sentence if it is malformed.
std::optional<std::string> parse_braces(TemplateCursor& cursor, Placeholder& placeholder, Dialect dialect);

}  // namespace wtool::host::expressions
