#include "loader/find_plugin.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <vector>

#include "tracing/escape.h"

namespace wtool::host {

namespace {

namespace fs = std::filesystem;

constexpr const char* usual_name = "shell_tools.so";

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::vector<fs::path> libraries_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (entry->path().extension() == ".so" && is_file(entry->path())) found.push_back(entry->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::string program_path() {
  std::error_code failed;
  const fs::path path = fs::read_symlink("/proc/self/exe", failed);
  return failed ? std::string{} : path.string();
}

std::string find_plugin(const std::string& program, const std::string& search_path, std::string& error) {
  std::string looked_at;
  if (!program.empty()) {
    const fs::path beside = (fs::path(program).parent_path() / "../lib/wtool" / usual_name).lexically_normal();
    if (is_file(beside)) return beside;
    looked_at = "\n  " + escaped(beside.string());
  }
  std::istringstream folders(search_path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (folder.empty()) continue;
    if (const fs::path usual = fs::path(folder) / usual_name; is_file(usual)) return usual;
    const std::vector<fs::path> libraries = libraries_in(folder);
    if (libraries.size() == 1) return libraries.front();
    if (libraries.size() > 1) {
      error = "the folder " + escaped(folder) + " of WTOOL_PLUGIN_PATH has several libraries and no " + usual_name +
              "; say with --plugin which one is meant:";
      for (const fs::path& library : libraries) error += "\n  " + escaped(library.string());
      return {};
    }
    looked_at += "\n  " + escaped(folder) + "/*.so (from WTOOL_PLUGIN_PATH)";
  }
  error = "no plugin was found; name one with --plugin, or its folder in WTOOL_PLUGIN_PATH. Looked at:" + looked_at;
  return {};
}

}  // namespace wtool::host
