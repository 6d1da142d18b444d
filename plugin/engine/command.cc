#include "engine/command.h"

namespace wtool::engine {

std::vector<std::string> candidate_paths(std::string_view name, std::string_view search_path) {
  if (name.find('/') != std::string_view::npos) return {std::string(name)};
  std::vector<std::string> paths;
  for (;;) {
    const std::size_t colon = search_path.find(':');
    const std::string_view part = search_path.substr(0, colon);
    std::string path;
    path.reserve(part.size() + name.size() + 1);
    path.append(part);
    if (!part.empty()) path.push_back('/');
    path.append(name);
    paths.push_back(std::move(path));
    if (colon == std::string_view::npos) return paths;
    search_path.remove_prefix(colon + 1);
  }
}

}  // namespace wtool::engine
