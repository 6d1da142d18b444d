// The result of a command as YAML text, that a person can read and every parser reads back byte for byte. Pure.
#pragma once

#include <string>
#include <string_view>

namespace wtool::tools {

// One scalar, as it follows "key: " in a mapping that is not indented; it ends with a newline. `text` is valid UTF-8.
//
// - Lines of printable characters become a literal block ("|"), unchanged.
// - Everything else is put in double quotes, so that no parser takes it for a number, a boolean or null; invisible
//   characters are escaped.
std::string yaml_scalar(std::string_view text);

// exit_code, stdout and stderr, in this order.
std::string yaml_result(int exit_code, std::string_view out, std::string_view err);

}  // namespace wtool::tools
