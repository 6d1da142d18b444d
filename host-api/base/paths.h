// Paths as text: nothing is looked up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace wtool {

// True if `path` is `root` or is below it. Both are absolute and normal: no `.`, no `..`, no slash at the end.
inline bool is_within(std::string_view path, std::string_view root) {
  if (root == "/") return path.starts_with('/');
  return path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
}

// The path of the entry `name` of `folder`.
inline std::string path_below(std::string_view folder, std::string_view name) {
  return std::string(folder == "/" ? "" : folder).append("/").append(name);
}

// The folder that contains the last part of an absolute path: "/a" for "/a/b", "/" for "/a".
inline std::string parent_of(std::string_view path) {
  return std::string(path.substr(0, std::max<std::size_t>(path.rfind('/'), 1)));
}

}  // namespace wtool
