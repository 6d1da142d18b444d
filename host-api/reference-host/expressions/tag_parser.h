// Parses the rest of a tag after its word, up to the end of the tag. Each function returns the mistake, if any.
#pragma once

#include <optional>
#include <string>

#include "expressions/template.h"
#include "expressions/template_cursor.h"

namespace wtool::host::expressions {

using TagMistake = std::optional<ExpressionError>;

// if, elsif, unless: an expression.
TagMistake parse_test(TemplateCursor& cursor, TemplateBranch& branch);
// for: `x in EXPRESSION { "|" filter }`; in a prompt also `x in (1..n)`, and `limit: n`, `offset: n`, `reversed`. The
// caller has set its offset.
TagMistake parse_loop(TemplateCursor& cursor, Dialect dialect, Loop& loop);

// Those of a prompt alone. `tag` is the offset of the tag.
TagMistake parse_assign(TemplateCursor& cursor, std::size_t tag, Assign& assign);
TagMistake parse_capture(TemplateCursor& cursor, Capture& capture);
TagMistake parse_case(TemplateCursor& cursor, std::size_t tag, Case& made);
TagMistake parse_when(TemplateCursor& cursor, std::size_t tag, When& when);
TagMistake parse_cycle(TemplateCursor& cursor, Cycle& cycle);
TagMistake parse_inclusion(TemplateCursor& cursor, const std::string& word, Inclusion& inclusion);

}  // namespace wtool::host::expressions
