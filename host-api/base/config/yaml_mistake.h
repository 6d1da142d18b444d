// What is wrong with a text that is not YAML, in the words of the person who wrote it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wtool {

struct YamlMistake {
  std::size_t offset = 0;  // in the text
  std::string message;     // without the place
};

// `line` and `column` (from 0) and `message` are yaml-cpp's. They describe where the parser gave up, which is
// often far behind the mistake itself: a tab, an unclosed bracket or quote, a line with another indentation.
YamlMistake explain_yaml_error(std::string_view text, int line, int column, const std::string& message);

}  // namespace wtool
