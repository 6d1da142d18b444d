// Explains to the author of a text why it is not YAML, in plainer words than the parser's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wtool {

struct YamlMistake {
  std::size_t offset = 0;  // in the text
  std::string message;     // without the place
};

// `line` and `column` (from 0) and `message` are yaml-cpp's. They describe where the parser gave up, which is often far
// after the mistake itself: a tab, an unclosed bracket or quote, or a line with the wrong indentation.
YamlMistake explain_yaml_error(std::string_view text, int line, int column, const std::string& message);

}  // namespace wtool
