#include "base/execute_run_project.h"

#include <sys/stat.h>

#include "base/paths.h"

namespace wtool {

namespace {

bool is_project(const std::string& folder) {
  struct stat status {};
  return ::stat(path_below(folder, ".git").c_str(), &status) == 0 ||
         ::stat(path_below(folder, ".clada").c_str(), &status) == 0;
}

}  // namespace

std::string find_execute_run_project(const std::string& folder) {
  for (std::string at = folder;;) {
    if (is_project(at)) return at;
    if (at == "/") return folder;
    at = parent_of(at);
  }
}

}  // namespace wtool
