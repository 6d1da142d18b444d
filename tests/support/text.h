// What tests look for in texts: whether a message, an output or a file contains something.
#pragma once

#include <string>
#include <string_view>

namespace wtool::test {

inline bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace wtool::test
