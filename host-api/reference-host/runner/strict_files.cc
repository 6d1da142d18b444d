#include "runner/strict_files.h"

#include <stdlib.h>  // mkdtemp

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/environment.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/paths.h"
#include "cache/patterns.h"
#include "expressions/value.h"

namespace wtool::host::runner {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

// Where programs and their data are. A folder that contains the directory of the step is left out: its files are what
// inputs are for.
constexpr const char* system_folders[] = {"/usr", "/bin",  "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc",
                                          "/opt", "/proc", "/sys",  "/dev", "/run",   "/nix",   "/gnu",    "/snap"};

std::string below(const std::string& directory, const std::string& path) {
  return path.starts_with('/') ? path : directory + "/" + path;
}

}  // namespace

StrictFiles::~StrictFiles() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

std::string StrictFiles::prepare(const std::string& directory, const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& outputs) {
  std::error_code failed;
  for (const char* folder : system_folders) {
    if (fs::is_directory(folder, failed) && !is_within(directory, folder)) read_.emplace_back(folder);
  }
  for (const std::string& output : outputs) {
    if (const std::string problem = cache::output_problem(output); !problem.empty()) {
      return "the output " + expressions::quoted_for_message(output) + " " + problem;
    }
    const std::string folder = cache::folder_of(output);
    if (folder.empty()) {
      return "with cache=strict, an output lies in a folder that the step may fill, such as build/app, and not " +
             expressions::quoted_for_message(output);
    }
    const std::string made = below(directory, folder);
    fs::create_directories(made, failed);
    if (failed) return "the folder " + made + " of its outputs cannot be made: " + failed.message();
    write_.push_back(made);
  }
  cache::FoundFiles found = cache::find_files(directory, inputs, outputs);
  if (!found.problem.empty()) return "its inputs are not known: " + found.problem;
  for (const std::string& path : found.paths) {
    if (std::string name = below(directory, path); fs::exists(name, failed)) read_.push_back(std::move(name));
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
  temporary_ = environment_folder("TMPDIR", "/tmp") + "/wtool-step-XXXXXX";
  if (::mkdtemp(temporary_.data()) == nullptr) {
    const std::string why = std::strerror(errno);
    return "its temporary folder " + std::exchange(temporary_, {}) + " cannot be made: " + why;
  }
  write_.push_back(temporary_);
  return {};
}

std::string StrictFiles::added_to(const std::string& limits) const {
  ordered_json all = limits.empty() ? ordered_json::object() : parse_ordered_json_or_throw(limits);
  all["files"] = {{"read", read_}, {"list", list_}, {"write", write_}};
  return all.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace wtool::host::runner
