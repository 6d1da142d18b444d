#include "config/files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/descriptor.h"
#include "base/environment.h"
#include "base/escape.h"
#include "base/files.h"
#include "base/json.h"
#include "base/shell_quote.h"
#include "base/timespec.h"
#include "base/utf8.h"

namespace wtool::host {

namespace {

// The time stamps of files lag behind the clock by less than this.
constexpr std::int64_t settling_ns = 100'000'000;

// People may think that this name is read, too. Its rules would not apply.
constexpr const char* misspelt_name = "wtool.yml";

bool is_there(const std::filesystem::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

std::string would_be_ignored(const std::filesystem::path& file) {
  const std::string right = (file.parent_path() / config_default_name).string();
  if (is_there(right)) {
    return "the file is ignored, because its name does not end in .yaml; move what it says into " + escaped(right) +
           ", and remove it";
  }
  return "the file would be ignored, because its name does not end in .yaml; rename it: mv " +
         shell_word(file.string()) + ' ' + shell_word(right);
}

// Whether everybody may put files into the folder, but nobody may replace those of other users, as in /tmp.
bool is_shared(const std::filesystem::path& folder) {
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 && (status.st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH);
}

// Why users other than this one and root may have written the file or folder, and how to correct that: a configuration
// names programs. Empty: nobody else can have written it.
std::string why_not_trusted(const std::filesystem::path& path) {
  struct stat link {
  }, status{};
  if (::lstat(path.c_str(), &link) != 0 || ::stat(path.c_str(), &status) != 0) return {};  // reading it fails, too
  const std::string name = escaped(path.string());
  for (const uid_t owner : {link.st_uid, status.st_uid}) {
    if (owner == ::geteuid() || owner == 0) continue;
    return name + " belongs to user " + std::to_string(owner) + ", and not to you or root; to trust that user, run " +
           "`chown -h root " + escaped(shell_word(path.string())) + "` as root";
  }
  // With the sticky bit, only the owners of a folder and of a file in it, and root, may replace the file.
  if (S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0) return {};
  // On many systems, each user has a group of their own.
  const mode_t others = status.st_gid == ::getegid() ? S_IWOTH : S_IWOTH | S_IWGRP;
  if ((status.st_mode & others) == 0) return {};
  const bool everybody = (status.st_mode & S_IWOTH) != 0;
  return (everybody ? "every user" : "group " + std::to_string(status.st_gid)) + " may write to " + name + "; `chmod " +
         (everybody ? "o-w " : "g-w ") + escaped(shell_word(path.string())) + "` corrects this";
}

// About a file in a folder that is_shared(). Every user could otherwise stop all others in such a folder and below it.
std::string not_used(const std::filesystem::path& file, const std::string& why) {
  return "the configuration " + escaped(file.string()) +
         " is not used: every user may put files into its folder, and " + why;
}

// The project's file: the nearest one, from the current directory up to the project's folder.
struct ProjectFile {
  std::string path = config_default_name;
  std::string problem{};  // why nothing may run: a file exists, but its rules would not apply
  std::string notice{};   // what a person should know
};

ProjectFile find_project_file() {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::path here = fs::current_path(failed);
  ProjectFile found;
  if (failed) return found;
  if (is_there(misspelt_name)) {
    const std::string why = why_not_trusted(misspelt_name);
    if (why.empty() || !is_shared(here)) {
      found.path = misspelt_name;
      found.problem = would_be_ignored(misspelt_name);
      return found;
    }
    found.notice = not_used(misspelt_name, why);
  }
  if (is_there(config_default_name)) return found;
  const std::string project = project_of(here.string());
  if (project.empty()) return found;
  for (fs::path at = here; at != fs::path(project) && at.has_relative_path();) {
    at = at.parent_path();
    for (const char* name : {misspelt_name, config_default_name}) {
      const fs::path file = at / name;
      if (!is_there(file)) continue;
      std::string why = why_not_trusted(file);
      if (!why.empty() && is_shared(at)) {
        found.notice = not_used(file, why);
        continue;
      }
      found.path = file.string();
      if (name == misspelt_name) {
        found.problem = would_be_ignored(file);
        return found;
      }
      if (why.empty()) why = why_not_trusted(at);
      if (!why.empty()) {
        found.problem = "this configuration of the project cannot be trusted: " + why +
                        ". To use the file as it is, name it with --config " + escaped(shell_word(file.string())) +
                        "; to do without it, put a " + config_default_name + " of your own into " +
                        escaped(here.string());
      }
      return found;
    }
  }
  return found;
}

}  // namespace

std::string user_config_folder() {
  if (const std::string folder = environment_folder("XDG_CONFIG_HOME"); !folder.empty()) return folder + "/wtool";
  const std::string home = environment_folder("HOME");
  return home.empty() ? home : home + "/.config/wtool";
}

ConfigFiles::ConfigFiles(std::string named, const std::string& user_folder) {
  if (!user_folder.empty()) {
    approvals_ = (std::filesystem::path(user_folder) / "approvals.json").lexically_normal();
    files_.push_back({"user", (std::filesystem::path(user_folder) / config_default_name).lexically_normal()});
    const std::filesystem::path misspelt = (std::filesystem::path(user_folder) / misspelt_name).lexically_normal();
    if (is_there(misspelt)) problems_.push_back({misspelt.string(), would_be_ignored(misspelt)});
  }
  if (named.empty()) {
    ProjectFile project = find_project_file();
    notice_ = std::move(project.notice);
    if (!project.problem.empty()) problems_.push_back({project.path, std::move(project.problem)});
    files_.push_back({"project", std::move(project.path)});
  } else {
    files_.push_back({"--config", std::move(named), true});
  }
}

ConfigFiles::Watched ConfigFiles::built_in(const std::string& title, const std::string& text) {
  Watched layer{title, title};
  layer.kept = text;
  layer.is_built_in = true;
  return layer;
}

void ConfigFiles::add_policy(const PolicyPreset& preset) {
  files_.insert(files_.end() - 1, built_in("--policy", preset.boundary));
  add_defaults("--policy", preset.defaults);
}

void ConfigFiles::add_defaults(const std::string& title, const std::string& text) {
  files_.insert(files_.begin(), built_in(title, text))->yields = true;
}

ConfigFiles::Stamp ConfigFiles::look_at(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {.error = errno};
  return {.error = 0,
          .regular = S_ISREG(info.st_mode),
          .device = info.st_dev,
          .inode = info.st_ino,
          .size = info.st_size,
          .modified_ns = to_ns(info.st_mtim),
          .status_changed_ns = to_ns(info.st_ctim)};
}

bool ConfigFiles::changed() {
  return std::any_of(files_.begin(), files_.end(), [](const Watched& file) {
    if (file.is_built_in) return false;
    // The content of a pipe has already been read, and cannot be read again.
    if (file.stamp.error == 0 && !file.stamp.regular && file.must_be_there) return false;
    return !file.settled || look_at(file.path) != file.stamp;
  });
}

void ConfigFiles::read_layer(Watched& file, std::vector<Layer>& layers, ConfigDiagnostics& diagnostics) {
  if (file.is_built_in) {
    layers.push_back({.title = file.title, .file = file.path, .folder = "/", .base = "", .yields = file.yields});
    return parse_layer(*file.kept, layers.back(), diagnostics);
  }
  // The stamp is taken before the file is read, so that a change in between is noticed next time.
  file.stamp = look_at(file.path);
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t last = std::max(file.stamp.modified_ns, file.stamp.status_changed_ns);
  file.settled = file.stamp.error != 0 || to_ns(now) - last > settling_ns;
  // A file that has appeared since the first load may be a command's, so it is not used. Without a sandbox, this would
  // gain nothing: commands can do whatever this program can.
  const bool is_late = is_loaded_ && has_sandbox_ && !file.is_used;
  if (!file.must_be_there) {
    struct stat link {};
    const bool dangling = file.stamp.error == ENOENT && ::lstat(file.path.c_str(), &link) == 0;
    if (dangling && !is_late)
      return diagnostics.add({file.path}, "the configuration is a symbolic link to a missing file");
    if (file.stamp.error == ENOENT || file.stamp.error == ENOTDIR) {
      file.is_used = false;
      return;
    }
    if (is_late) {
      notice_ =
          escaped(file.path) +
          " has appeared since wtool began; it is not used until the next start, because a command may have made it";
      return;
    }
    if (file.stamp.error != 0) {
      return diagnostics.add({file.path},
                             std::string("the configuration cannot be examined: ") + ::strerror(file.stamp.error));
    }
    // If a pipe had that name, and were accepted, every start of wtool in this folder would wait for a writer.
    if (!file.stamp.regular) return diagnostics.add({file.path}, "the configuration is not a regular file");
  }
  std::string error;
  std::optional<std::string> text = file.kept;
  if (!text) text = read_file(file.path, config_size_limit, error);
  if (!text) return diagnostics.add({}, error);
  if (!file.stamp.regular) file.kept = text;
  file.is_used = true;
  const std::string folder = std::filesystem::path(file.path).parent_path().string();
  // If the user's file leaves a key at its default, paths in the default belong to the project, not to that file.
  Layer layer{.title = file.title, .file = file.path, .folder = folder, .base = file.title == "user" ? "" : folder};
  parse_layer(*text, layer, diagnostics);
  layers.push_back(std::move(layer));
}

std::optional<Config> ConfigFiles::load_config(std::string& error) {
  if (!fleet_ && fleet_error_.empty()) fleet_ = read_fleet_policy(fleet_error_);
  if (!fleet_) {
    error = fleet_error_;
    return std::nullopt;
  }
  std::vector<Layer> layers = fleet_->layers;
  ConfigDiagnostics diagnostics;
  for (const Problem& problem : problems_) diagnostics.add({problem.file}, problem.text);
  for (Watched& file : files_) read_layer(file, layers, diagnostics);
  std::optional<Config> config = merge(layers, approvals_, diagnostics);
  error = diagnostics.text();
  is_loaded_ = true;
  if (config) has_sandbox_ = config->sandbox;
  return config;
}

std::optional<std::string> to_text(const Config& config, std::string& error) {
  try {
    return config.json.dump();
  } catch (const nlohmann::json::type_error&) {  // The texts of files are UTF-8, but folder names need not be.
    error = "a path of the configuration is not valid UTF-8, because the folder that it is relative to is not";
    return std::nullopt;
  }
}

std::optional<std::string> ConfigFiles::load(std::string& error) {
  const std::optional<Config> config = load_config(error);
  return config ? to_text(*config, error) : std::nullopt;
}

std::vector<std::string> ConfigFiles::paths_in_force() const {
  std::vector<std::string> paths = more_in_force_;
  for (const Watched& file : files_) {
    std::error_code failure;
    const std::filesystem::path path = std::filesystem::absolute(file.path, failure);
    // A path that is not UTF-8 cannot be passed as JSON. A file with the usual name is protected even without its path.
    if (file.is_built_in || !file.is_used) continue;
    const bool is_usual = file.title == "project";
    if (failure || file.stamp.error != 0 || !file.stamp.regular || (is_usual && !is_utf8(path.native()))) continue;
    paths.push_back(path.string());
  }
  return paths;
}

void ConfigFiles::add_in_force(const std::vector<std::string>& paths) {
  more_in_force_.insert(more_in_force_.end(), paths.begin(), paths.end());
}

std::vector<ConfigFiles::File> ConfigFiles::files() const {
  std::vector<File> files;
  if (!fleet_ || fleet_->files.empty()) files.push_back({fleet_title, fleet_file, false});
  if (fleet_) {
    for (const std::string& file : fleet_->files) files.push_back({fleet_title, file, true});
  }
  for (const Watched& file : files_) {
    if (!file.is_built_in) files.push_back({file.title, file.path, file.stamp.error == 0});
  }
  return files;
}

// ---- Reading a file of limited size.

namespace {

std::string cannot_read(const std::string& name, std::string_view why) {
  return "cannot read " + escaped(name) + ": " + std::string(why);
}

}  // namespace

std::optional<std::string> read_descriptor(int descriptor, const std::string& name, std::size_t limit,
                                           std::string& error) {
  std::string bytes;
  const int failed = read_all(descriptor, limit, bytes);
  if (failed == 0) return bytes;
  error = failed == EFBIG ? escaped(name) + " has more than the " + std::to_string(limit) + " bytes that are allowed"
                          : cannot_read(name, ::strerror(failed));
  return std::nullopt;
}

std::optional<std::string> read_file(const std::string& path, std::size_t limit, std::string& error) {
  std::string why;
  const Descriptor file = open_given(path, why);
  if (file) return read_descriptor(file.get(), path, limit, error);
  error = cannot_read(path, why);
  return std::nullopt;
}

}  // namespace wtool::host
