#include "runner/strict_files.h"

#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/paths.h"
#include "base/utf8.h"
#include "cache/patterns.h"
#include "expressions/value.h"

namespace wtool::host::runner {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

// Where programs and their data are.
constexpr const char* system_folders[] = {"/usr", "/bin",  "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc",
                                          "/opt", "/proc", "/sys",  "/dev", "/run",   "/nix",   "/gnu",    "/snap"};

std::string below(const std::string& directory, const std::string& path) {
  return path.starts_with('/') ? path : directory + "/" + path;
}

// Adds a folder without the subfolder that contains `directory`, because inputs must name the files there. For a
// project in /usr/src/app, adds everything in /usr except src, and everything in /usr/src except app.
void add_around(const fs::path& folder, const std::string& directory, std::vector<std::string>& paths) {
  std::error_code failed;
  const fs::path real = fs::canonical(folder, failed);
  if (failed) return;
  if (!is_within(directory, real.string())) return paths.push_back(real);
  if (directory == real) return;
  for (fs::directory_iterator at(real, failed), end; !failed && at != end; at.increment(failed)) {
    add_around(at->path(), directory, paths);
  }
}

std::string not_made(const std::string& folder, const std::string& why) {
  return "the folder " + folder + " of its outputs cannot be created: " + why;
}

std::string holds_input(const std::string& folder, const std::string& path) {
  return "with cache=strict, an output's folder must contain no inputs, but " + folder + " contains " + path;
}

}  // namespace

std::string StrictFiles::prepare(const std::string& place, const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& outputs) {
  std::error_code failed;
  const std::string directory = fs::canonical(place, failed);
  if (failed) return "the directory " + place + " cannot be used: " + failed.message();
  for (const char* folder : system_folders) add_around(folder, directory, read_);
  for (const std::string& output : outputs) {
    if (const std::string problem = cache::output_problem(output); !problem.empty()) {
      return "the output " + expressions::quoted_for_message(output) + " " + problem;
    }
    const std::string folder = cache::folder_of(output);
    if (folder.empty()) {
      return "with cache=strict, an output must be in a folder that the step may fill, such as build/app, not " +
             expressions::quoted_for_message(output);
    }
    bool made = false;
    constexpr mode_t mode = 0777;
    if (std::string why; !make_folder_without_links(directory, folder, mode, made, why)) {
      return not_made(folder, why);
    }
    write_.push_back(below(directory, folder));
  }
  cache::FoundFiles found = cache::find_files(directory, inputs, outputs);
  if (!found.problem.empty()) return "its inputs are not known: " + found.problem;
  for (const std::string& path : found.paths) {
    const std::string name = fs::canonical(below(directory, path), failed);
    if (failed) continue;
    if (!is_utf8(name)) return "the name of an input is not UTF-8: " + expressions::quoted_for_message(name);
    for (const std::string& folder : write_) {
      if (is_within(name, folder)) return holds_input(folder, path);
    }
    read_.push_back(name);
  }
  for (const std::string& input : inputs) {
    if (input.starts_with('!')) continue;
    const std::string folder = cache::folder_of(input);
    for (const std::string& name : {below(directory, input), below(directory, folder.empty() ? "." : folder)}) {
      if (fs::is_directory(name, failed)) {
        list_.push_back(name);
        break;
      }
    }
  }
  std::string error;
  temporary_ = TemporaryPath::folder("step", error);
  return temporary_ ? "" : "its temporary folder " + error;
}

std::string StrictFiles::added_to(const std::string& limits) const {
  ordered_json all = limits.empty() ? ordered_json::object() : parse_ordered_json_or_throw(limits);
  all["files"] = {{"read", read_}, {"list", list_}, {"write", write_}};
  if (temporary_) all["files"]["temporary"] = temporary_.path();
  return dumped(all);
}

}  // namespace wtool::host::runner
