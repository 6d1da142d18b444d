// Makes a shell command of a template: every value is quoted for the place where it stands.
//
// The places of a template without tags are those that were found when it was parsed. Tags are followed first: what
// they make is a text with values in it, and the places are those in that text. So what a tag decides may be any part
// of a command, a quote as well, and a value of a loop is quoted like every other.
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

// The command with a plain word in the place of each value, as far as it is known so: not with tags, and not where a
// value is inserted without quoting.
std::optional<std::string> command_with_words(const CommandText& command);

// The command, or what is wrong with a value (the offset is that of the placeholder in command.written).
std::variant<std::string, expressions::ExpressionError> render_command(const CommandText& command,
                                                                       const expressions::Scope& scope);

}  // namespace wtool::host::workflow
