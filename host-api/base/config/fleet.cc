#include "base/config/fleet.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include <algorithm>
#include <string_view>

#include "base/config/keys.h"
#include "base/descriptor.h"
#include "base/escape.h"
#include "base/files.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/listing.h"
#include "base/temporary_path.h"

namespace wtool {

namespace {

using nlohmann::json;

constexpr std::size_t max_files = 64;
constexpr std::size_t max_entries = 4096;
constexpr const char* parts_folder = "wtool.d";
constexpr const char* not_usable = "the fleet policy cannot be used, so nothing is run: ";
constexpr const char* host_place = "the configuration of the host";

std::string sentence(const std::string& path, const std::string& what, const std::string& advice) {
  return escaped(path) + ' ' + what + " (" + advice + ')';
}

// Why somebody other than root may have written the file or folder; empty: only root can have written it.
std::string odd_owner(const struct stat& found, const std::string& path) {
  if (found.st_uid != 0) {
    return sentence(path, "belongs to user " + std::to_string(found.st_uid) + ", but must belong to root",
                    "chown root " + escaped(path));
  }
  if ((found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return sentence(path, "can be written by users other than root", "chmod go-w " + escaped(path));
  }
  return {};
}

// Whose files must be usable: for a policy that will be used, every user must be able to read it.
enum class Readers { this_user, everybody };

// Why not every user can read the file, or reach what is in the folder; empty: every user can.
std::string not_for_everybody(const struct stat& found, const std::string& path, bool is_listed) {
  const mode_t needed = S_ISDIR(found.st_mode) ? (is_listed ? S_IXOTH | S_IROTH : S_IXOTH) : S_IROTH;
  if ((found.st_mode & needed) == needed) return {};
  return sentence(path, "cannot be read by every user", "chmod a+rX " + escaped(path));
}

std::string cannot(const std::string& path, const char* what, int number) {
  const std::string tail = number == EACCES ? "every user must be able to read it: chmod a+rX " + escaped(path)
                                            : "repair it, or remove it if you need no fleet policy";
  return sentence(path, std::string("cannot be ") + what + ": " + ::strerror(number), tail);
}

constexpr const char* no_links = "put the file or folder itself there, because symbolic links are not followed";

// Opens the folder `name` in `above`, only to reach paths below it. An empty descriptor: `error` says why, or is empty
// if the folder does not exist. `is_listed`: the names of its files are read.
Descriptor open_folder(int above, const char* name, const std::string& path, Readers readers, bool is_listed,
                       std::string& error) {
  Descriptor folder(::openat(above, name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat found {};
  if (!folder || ::fstat(folder.get(), &found) != 0) {
    if (errno != ENOENT) error = cannot(path, "opened", errno);
    return {};
  }
  if (S_ISLNK(found.st_mode)) {
    error = sentence(path, "is a symbolic link", no_links);
  } else if (!S_ISDIR(found.st_mode)) {
    error = sentence(path, "is not a folder", "remove it");
  } else {
    error = odd_owner(found, path);
  }
  if (error.empty() && readers == Readers::everybody) error = not_for_everybody(found, path, is_listed);
  return error.empty() ? std::move(folder) : Descriptor();
}

// The text of the file. Nothing: `error` says why, or is empty if the file does not exist. Never waits, even if the
// path names a pipe or a device.
std::optional<std::string> read_trusted(int folder, const char* name, const std::string& path, Readers readers,
                                        std::string& error) {
  const Descriptor file(::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) {
    if (errno == ELOOP) {
      error = sentence(path, "is a symbolic link", no_links);
    } else if (errno != ENOENT) {
      error = cannot(path, "opened", errno);
    }
    return std::nullopt;
  }
  struct stat found {};
  if (::fstat(file.get(), &found) != 0) {
    error = cannot(path, "looked at", errno);
  } else if (!S_ISREG(found.st_mode)) {
    error = sentence(path, "is not a regular file", "remove it");
  } else {
    error = odd_owner(found, path);
  }
  if (error.empty() && readers == Readers::everybody) error = not_for_everybody(found, path, false);
  if (!error.empty()) return std::nullopt;
  std::string text;
  const int failed = read_all(file.get(), config_size_limit, text);
  if (failed == 0) return text;
  error = failed == EFBIG
              ? sentence(path, "has more than " + std::to_string(config_size_limit) + " bytes", "make it smaller")
              : cannot(path, "read", failed);
  return std::nullopt;
}

// Lists the names of the policy's files (*.yaml) in the folder wtool.d, sorted. False: `error` says why.
bool list_parts(int folder, const std::string& path, std::vector<std::string>& names, std::string& error) {
  const Listing stream = list_folder(Descriptor(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  if (!stream) {
    error = cannot(path, "listed", errno);
    return false;
  }
  std::size_t entries = 0;
  errno = 0;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (++entries > max_entries) {
      error = sentence(path, "has more than " + std::to_string(max_entries) + " entries",
                       "remove the files that are not policies");
      return false;
    }
    if (name.starts_with('.')) continue;
    if (name.ends_with(".yml")) {
      error = sentence(path + '/' + std::string(name), "would be ignored", "rename it so that its name ends in .yaml");
      return false;
    }
    if (name.ends_with(".yaml")) names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) {
    error = cannot(path, "listed", errno);
    return false;
  }
  std::sort(names.begin(), names.end());
  if (names.size() < max_files) return true;
  error = sentence(path, "has " + std::to_string(names.size()) + " files",
                   "at most " + std::to_string(max_files - 1) + " are read: merge some");
  return false;
}

// Relative paths in default values are resolved from the project, as those of the user's file are.
void add_layer(const std::string& text, const std::string& path, const std::string& folder, std::vector<Layer>& layers,
               ConfigDiagnostics& diagnostics) {
  Layer layer{.title = fleet_title, .file = path, .folder = folder, .base = ""};
  parse_layer(text, layer, diagnostics);
  layers.push_back(std::move(layer));
}

std::optional<FleetPolicy> checked(std::vector<Layer> layers, ConfigDiagnostics& diagnostics, std::string& error) {
  std::vector<std::string> set;
  for (const Layer& layer : layers) {
    for (const auto& [name, setting] : layer.settings) set.push_back(name);
    for (const auto& [name, place] : layer.lock) {
      const std::size_t dot = name.find('.');
      const ConfigKey* key = dot == std::string::npos ? nullptr : find_key(name.substr(0, dot), name.substr(dot + 1));
      if (key == nullptr || !key->is_chosen || std::find(set.begin(), set.end(), name) != set.end()) continue;
      diagnostics.add(place,
                      "the lock on " + name + " has no effect, because no file of the policy sets this key: set it");
    }
  }
  if (diagnostics.empty()) merge(layers, {}, diagnostics);
  if (!diagnostics.empty()) {
    error = diagnostics.text();
    return std::nullopt;
  }
  FleetPolicy policy;
  for (const Layer& layer : layers) policy.files.push_back(layer.file);
  policy.layers = std::move(layers);
  return policy;
}

bool is_path(KeyType type) {
  return type == KeyType::path || type == KeyType::program || type == KeyType::paths ||
         type == KeyType::paths_or_default;
}

// Whether the key may have this value, which comes from the host. Normalizes the value: paths lose `..`.
bool take_value(const ConfigKey& key, json& value, std::string& error) {
  const auto is_relative = [](const json& one) {
    return one.is_string() && one != "default" && !one.get_ref<const std::string&>().starts_with('/');
  };
  const bool relative = is_path(key.type) &&
                        (value.is_array() ? std::any_of(value.begin(), value.end(), is_relative) : is_relative(value));
  std::string problem = relative ? "must be an absolute path, but is " + shown(value) : check_value(key, "/", value);
  if (problem.empty()) return true;
  error = "configuration: " + full_name(key) + ' ' + problem;
  return false;
}

// Removes, from the folders that the configuration lets commands read, those that a host has made for its commands, and
// returns them. They contain only what the host has put there, so no lock needs to cover them.
json take_guarded_folders(json& config) {
  json taken = json::array();
  const auto sandbox = config.find("sandbox");
  if (sandbox == config.end() || !sandbox->is_object()) return taken;
  const auto read = sandbox->find("read");
  if (read == sandbox->end() || !read->is_array()) return taken;
  json others = json::array();
  for (json& path : *read) {
    const bool is_guarded = path.is_string() && is_guarded_folder(path.get_ref<const std::string&>());
    (is_guarded ? taken : others).push_back(std::move(path));
  }
  *read = std::move(others);
  return taken;
}

// `candidate` is the file to read instead of wtool.yaml, as if it were in its place and had to serve every user; empty:
// wtool.yaml itself is read.
std::optional<FleetPolicy> read_policy(const std::string& candidate, std::string& error) {
  const Readers readers = candidate.empty() ? Readers::this_user : Readers::everybody;
  const std::string folder = "/etc/wtool";
  std::vector<Layer> layers;
  ConfigDiagnostics diagnostics;
  if (!candidate.empty()) {
    const auto text = read_trusted(AT_FDCWD, candidate.c_str(), candidate, readers, error);
    if (!text) {
      if (error.empty()) error = escaped(candidate) + " does not exist";
      return std::nullopt;
    }
    add_layer(*text, candidate, folder, layers, diagnostics);
  }
  struct stat there {};
  if (::lstat(folder.c_str(), &there) != 0) {
    // Without this folder there is no policy, so it does not matter who owns the folders above it.
    if (errno == ENOENT || errno == ENOTDIR) return checked(std::move(layers), diagnostics, error);
    error = cannot(folder, "looked at", errno);
    return std::nullopt;
  }
  Descriptor at = open_folder(AT_FDCWD, "/", "/", readers, false, error);
  if (at) at = open_folder(at.get(), "etc", "/etc", readers, false, error);
  if (at) at = open_folder(at.get(), "wtool", folder, readers, false, error);
  if (!error.empty()) return std::nullopt;
  if (!at) return checked(std::move(layers), diagnostics, error);

  if (::fstatat(at.get(), "wtool.yml", &there, AT_SYMLINK_NOFOLLOW) == 0) {
    error = sentence(folder + "/wtool.yml", "would be ignored", "rename it to wtool.yaml");
    return std::nullopt;
  }
  if (candidate.empty()) {
    if (const auto text = read_trusted(at.get(), "wtool.yaml", fleet_file, readers, error)) {
      add_layer(*text, fleet_file, folder, layers, diagnostics);
    }
    if (!error.empty()) return std::nullopt;
  }
  const std::string parts = folder + '/' + parts_folder;
  const Descriptor below = open_folder(at.get(), parts_folder, parts, readers, true, error);
  std::vector<std::string> names;
  if (!error.empty() || (below && !list_parts(below.get(), parts, names, error))) return std::nullopt;
  for (const std::string& name : names) {
    std::string path = parts;
    path.append("/").append(name);
    const auto text = read_trusted(below.get(), name.c_str(), path, readers, error);
    if (!text) {
      if (error.empty()) error = cannot(path, "opened", ENOENT);
      return std::nullopt;
    }
    add_layer(*text, path, parts, layers, diagnostics);
  }
  return checked(std::move(layers), diagnostics, error);
}

}  // namespace

std::optional<FleetPolicy> fleet_policy(std::vector<Layer> layers, std::string& error) {
  ConfigDiagnostics diagnostics;
  std::optional<FleetPolicy> policy = checked(std::move(layers), diagnostics, error);
  if (!policy) error = not_usable + error;
  return policy;
}

std::optional<FleetPolicy> read_fleet_policy(std::string& error) {
  error.clear();
  std::optional<FleetPolicy> policy = read_policy({}, error);
  if (!policy) error = not_usable + error;
  return policy;
}

std::optional<FleetPolicy> try_fleet_policy(const std::string& candidate, std::string& error) {
  error.clear();
  return read_policy(candidate, error);
}

bool hold_to(const FleetPolicy& policy, bool with_cluster, json& config, std::string& error) {
  if (policy.layers.empty()) return true;
  const json guarded = take_guarded_folders(config);
  Layer host{.title = "host", .file = host_place, .folder = "/", .base = "", .is_whole = true};
  const auto is_held = [&](const ConfigKey& key) {
    return is_for_plugin(key) && (with_cluster || key.section != "cluster");
  };
  for (const ConfigKey& key : config_keys()) {
    const auto section = config.find(key.section);
    if (!is_held(key) || section == config.end()) continue;
    if (!key.name.empty() && !section->is_object()) {
      error = "configuration: " + std::string(key.section) + " is " + show_json(*section) + ", but must be an object";
      return false;
    }
    if (!key.name.empty()) host.sections.emplace(key.section, ConfigPlace{host_place});
    const auto value = key.name.empty() ? section : section->find(key.name);
    if (value == (key.name.empty() ? config.end() : section->end())) continue;
    Setting setting{*value, {host_place}};
    if (!take_value(key, setting.value, error)) return false;
    host.settings.insert_or_assign(full_name(key), std::move(setting));
  }
  // Without `write`, a host's sandbox allows writing nowhere.
  const auto sets_write = [](const Layer& layer) { return layer.settings.contains("sandbox.write"); };
  if (host.sections.contains("sandbox") && !sets_write(host) &&
      std::none_of(policy.layers.begin(), policy.layers.end(), sets_write)) {
    host.settings.insert_or_assign("sandbox.write", Setting{json::array(), {host_place}});
  }
  std::vector<Layer> layers = policy.layers;
  layers.push_back(std::move(host));
  ConfigDiagnostics diagnostics;
  const std::optional<Config> merged = merge(layers, {}, diagnostics);
  if (!merged) {
    error = diagnostics.text();
    return false;
  }
  if (merged->sandbox && !config.contains("sandbox")) config["sandbox"] = json::object();
  for (const ConfigKey& key : config_keys()) {
    const auto section = merged->json.find(key.section);
    if (!is_held(key) || section == merged->json.end()) continue;
    if (key.name.empty()) {
      config[std::string(key.section)] = *section;
    } else if (const auto value = section->find(key.name); value != section->end()) {
      config[std::string(key.section)][std::string(key.name)] = *value;
    }
  }
  if (!guarded.empty()) {
    json& read = config["sandbox"]["read"];
    read.insert(read.end(), guarded.begin(), guarded.end());
  }
  // A value of the wrong type is reported later.
  json& active = config["in_force"];
  if (active.is_null()) active = json::object();
  if (active.is_object()) {
    json& files = active["configuration"];
    if (files.is_null()) files = json::array();
    if (files.is_array()) {
      for (const std::string& file : policy.files) files.push_back(file);
    }
  }
  return true;
}

}  // namespace wtool
