// Texts and files: whether a message or an output contains something, and what is in a file.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace wtool::test {

inline bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// The whole file; empty if it cannot be read.
inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace wtool::test
