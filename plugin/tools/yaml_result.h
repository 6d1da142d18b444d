// The result of a command as YAML text, that a person can read and every parser reads back byte for byte. Pure.
#pragma once

#include <string>
#include <string_view>

namespace wtool::tools {

// One scalar, as it stands behind "key: " in a mapping that is not indented; it ends with a newline.
//
// - Lines of printable characters are a literal block ("|"), as they are.
// - Everything else is in double quotes: no parser takes it for a number, a boolean or nothing, and what cannot be seen
//   is escaped.
// `text` is valid UTF-8.
std::string yaml_scalar(std::string_view text);

// exit_code, stdout and stderr, in this order.
std::string yaml_result(int exit_code, std::string_view out, std::string_view err);

}  // namespace wtool::tools
