// What is wrong with a text that is not YAML, in the words of who wrote it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wtool::host {

struct YamlMistake {
  std::size_t offset = 0;  // in the text
  std::string message;     // without the place
};

// `line` and `column` (from 0) and `message` are what yaml-cpp says. It tells where it gave up, which is often far
// behind the mistake: a tab, a bracket or a quote that is not closed, a line that is indented differently.
YamlMistake explain_yaml_error(std::string_view text, int line, int column, const std::string& message);

}  // namespace wtool::host
