// The result of a command as YAML text, which a person can read and every parser reads back byte for byte. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace wtool {

// One scalar, as it follows "key: " in a mapping without indentation; it ends with a newline. `text` is valid UTF-8.
//
// - Lines of printable characters become a literal block ("|"), unchanged.
// - All other text is put in double quotes, so that no parser takes it for a number, a boolean or null; invisible
//   characters are escaped.
std::string yaml_scalar(std::string_view text);

// exit_code, stdout and stderr, in this order.
std::string yaml_result(int exit_code, std::string_view out, std::string_view err);

}  // namespace wtool
