// Makes a shell command from a template: every value is quoted for its place.
//
// Without tags, the places are known once the template is parsed. With tags, these are evaluated first; the result is a
// text with values in it, and the places are found in that text. So a tag may produce any part of a command, even a
// quote, and a loop's value is quoted like every other.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "expressions/evaluator.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

// The kernel refuses an argument of 128 KiB, and a command line is one argument of the shell.
inline constexpr std::size_t max_command = 100 * 1024;  // bytes

// What can be known before any value is: places that are refused, with each part of the tags taken once.
void check_places(const CommandText& command, Diagnostics& diagnostics);

// The command with a plain word in place of each value. Nothing where that says too little: with tags, or if a value is
// inserted without quoting.
std::optional<std::string> command_with_words(const CommandText& command);

// The command, or what is wrong with a value (the offset is that of the placeholder in command.written).
std::variant<std::string, expressions::ExpressionError> render_command(const CommandText& command,
                                                                       const expressions::Scope& scope);

}  // namespace wtool::host::workflow
