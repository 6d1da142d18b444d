// Reads one quoted text: "..." or '...', three quotes at each end for texts that contain quotes and newlines, and an r
// before the quotes to make backslashes literal. The escapes are those of CEL.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace wtool::host::expressions {

struct StringLiteral {
  std::string value;
  std::size_t end = 0;  // behind the last quote
};

struct StringMistake {
  std::size_t offset = 0;
  std::string message;
};

// Whether one begins there.
bool is_string_start(std::string_view text, std::size_t at);

// `at` is where is_string_start() says so.
std::variant<StringLiteral, StringMistake> read_string(std::string_view text, std::size_t at);

}  // namespace wtool::host::expressions
