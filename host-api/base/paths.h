// Paths as text: nothing is looked up.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace wtool {

// Whether `path` is `root` or lies below it. Both are absolute and normal: no `.`, no `..`, no slash at the end.
inline bool is_within(std::string_view path, std::string_view root) {
  if (root == "/") return path.starts_with('/');
  return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

// The folder that the variable `name` holds, as it is written; `otherwise` where it is unset or not an absolute path.
inline std::string environment_folder(const char* name, std::string otherwise = {}) {
  const char* value = std::getenv(name);
  return value != nullptr && value[0] == '/' ? std::string(value) : std::move(otherwise);
}

}  // namespace wtool
