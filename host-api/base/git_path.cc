#include "base/git_path.h"

namespace wtool {

std::optional<std::string> path_in_git_file(std::string_view content, std::string_view prefix) {
  if (!content.starts_with(prefix)) return std::nullopt;
  content.remove_prefix(prefix.size());
  const std::size_t last = content.find_last_not_of("\r\n");
  // For git, a zero byte ends the path.
  if (last == std::string_view::npos || content.find('\0') != std::string_view::npos) return std::nullopt;
  return std::string(content.substr(0, last + 1));
}

}  // namespace wtool
