#include "config/workflow_config.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "base/escape.h"
#include "base/json.h"
#include "base/json_reader.h"

namespace wtool::host {

namespace {

using nlohmann::json;

// The folders of shells that parse a command line in the same way as the policy. Folders in PATH are not among them,
// because they may contain a program of the project that only has the name of a shell.
constexpr std::array<std::string_view, 3> folders = {"/bin/", "/usr/bin/", "/usr/local/bin/"};
constexpr std::array<std::string_view, 3> names = {"sh", "bash", "dash"};

bool is_known_shell(std::string_view path) {
  return std::any_of(folders.begin(), folders.end(), [&](std::string_view folder) {
    return path.starts_with(folder) && std::find(names.begin(), names.end(), path.substr(folder.size())) != names.end();
  });
}

bool is_program(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

// The program's path, in the usual folders or in those of PATH; empty: none of these folders contains the program.
std::string find_program(std::string_view name) {
  for (const std::string_view folder : folders) {
    std::string path = std::string(folder) + std::string(name);
    if (is_program(path)) return path;
  }
  const char* const value = std::getenv("PATH");
  for (std::string_view rest = value == nullptr ? "" : value; !rest.empty();) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    std::string path = std::string(folder) + "/" + std::string(name);
    if (folder.starts_with('/') && is_program(path)) return path;
  }
  return {};
}

bool has_entries(const json& commands, const char* list) {
  const auto found = commands.find(list);
  return found != commands.end() && !found->empty();
}

// Whether any rule is about the words of a command. The plugin decides this in the same way.
bool judges_lines(const json& config) {
  const json commands = config.value("commands", json::object());
  const json allow = commands.value("allow", json::array({"*"}));
  const bool has_allow_list = std::find(allow.begin(), allow.end(), "*") == allow.end();
  return has_allow_list || has_entries(commands, "deny") || has_entries(commands, "ask") ||
         has_entries(commands, "ask_network") ||
         config.value("directories", json::object()).value("confine_arguments", false);
}

}  // namespace

std::optional<std::string> WorkflowConfig::load(std::string& error) {
  std::optional<Config> config = files_.load_config(error);
  if (!config) return std::nullopt;
  if (std::optional<std::string> text = to_text(*config, error)) {
    const std::lock_guard lock(mutex_);
    if (in_force_.config && *text != text_) ++in_force_.changes;
    in_force_.config = std::make_shared<const Config>(*config);
    text_ = std::move(*text);
  }
  const EffectiveKey& shell = *config->find("shell.program");
  configured_ = shell.value.get<std::string>();
  lock_ = shell.lock;
  // If the key is locked without a value, the built-in maximum still applies.
  const EffectiveKey& most = *config->find("limits.timeout_max");
  const bool bounded = most.lock.has_value();
  json longest = most.value;
  judges_lines_ = judges_lines(config->json);
  json& limits = config->json["limits"];
  if (!bounded && !limits.contains("timeout_max")) longest = limits["timeout_max"] = "none";
  timeout_max_ = longest.is_number_integer() ? std::optional(longest.get<std::int64_t>()) : std::nullopt;
  limits["timeout_fractions"] = true;
  return to_text(*config, error);
}

std::optional<std::string> WorkflowConfig::with_shell(const std::string& config, const std::string& shell,
                                                      std::string& error) {
  const std::string path = find_shell(shell, error);
  if (path.empty()) return std::nullopt;
  json made = parse_json_or_throw(config);
  made["shell"]["program"] = path;
  return made.dump();
}

WorkflowConfig::InForce WorkflowConfig::in_force() const {
  const std::lock_guard lock(mutex_);
  return in_force_;
}

std::string WorkflowConfig::shell_problem(const std::string& shell) const {
  std::string error;
  find_shell(shell, error);
  return error;
}

std::string WorkflowConfig::find_shell(const std::string& shell, std::string& error) const {
  const std::string path = shell.starts_with('/') ? shell : find_program(shell);
  if (path.empty()) {
    error = "the shell " + shell + " is not installed: no folder of PATH has it";
  } else if (path == configured_) {
    return path;
  } else if (lock_) {
    error = "a workflow cannot choose the shell " + escaped(shell) + ": shell.program is locked by " + to_text(*lock_) +
            ", which allows only " + escaped(configured_);
  } else if (judges_lines_ && !is_known_shell(path)) {
    error = "a workflow cannot choose the shell " + escaped(path) +
            " if `commands` or `directories` of the configuration restrict what may run: the policy reads a command as "
            "sh and bash do. Choose sh or bash, or set shell.program in the configuration";
  } else if (!is_program(path)) {
    error = "the shell " + escaped(path) + " does not exist, or may not be executed";
  } else {
    return path;
  }
  return {};
}

}  // namespace wtool::host
