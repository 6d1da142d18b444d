#include "configuration/configuration.h"

#include <algorithm>
#include <array>

#include "base/edit_distance.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/paths.h"
#include "configuration/section.h"
#include "policy/directories.h"
#include "policy/startup_names.h"

namespace wtool {

namespace {

using Json = nlohmann::json;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::optional<engine::SandboxPolicy> read_sandbox(const Json& all, std::string& error) {
  Section section(all, "sandbox", error);
  if (!section.present()) return std::nullopt;
  engine::SandboxPolicy policy;
  policy.read = {"/"};
  // What `default` means.
  policy.protect = words_of(policy::startup_names);
  policy.protect.insert(policy.protect.begin(), std::string(engine::repositories_name));
  section.absolute_paths("read", policy.read);
  section.absolute_paths("write", policy.write);
  section.names("protect", policy.protect);
  std::size_t network = 0;
  section.choice("network", {"allow", "deny"}, network);
  policy.network = network == 0;
  section.choice("ipc", "deny", "allow", policy.ipc);
  section.flag("required", policy.required);
  policy.put_aside = policy.required;
  section.flag("put_aside", policy.put_aside);
  section.end();
  if (!error.empty()) return std::nullopt;
  policy.repositories = std::erase(policy.protect, engine::repositories_name) > 0;
  return policy;
}

void read_commands(const Json& all, policy::CommandRules& rules, std::string& error) {
  Section section(all, "commands", error);
  std::vector<std::string> allow;
  if (section.entries("allow", false, allow)) rules.allow = std::move(allow);
  section.entries("deny", true, rules.deny);
  section.entries("ask", true, rules.ask);
  section.entries("ask_network", true, rules.ask_network);
  section.program_names("interactive", rules.interactive);
  section.choice("arguments", "any", "safe", rules.safe_arguments);
  section.choice("unlisted", "deny", "ask", rules.ask_unlisted);
  section.absolute_paths_or_default("path", rules.path);
  section.absolute_path("approvals", rules.approvals);
  section.end();
}

void read_directories(const Json& all, policy::DirectoryRules& rules, std::string& error) {
  Section section(all, "directories", error);
  section.absolute_paths("roots", rules.roots);
  section.flag("confine_arguments", rules.confine_arguments);
  section.end();
  if (error.empty() && rules.confine_arguments && rules.roots.empty()) {
    error = "configuration: directories.confine_arguments needs directories.roots, the folders to confine them to";
  }
}

void read_environment(const Json& all, policy::EnvironmentRules& rules, std::string& error) {
  Section section(all, "environment", error);
  std::size_t inherit = 0;
  section.choice("inherit", {"all", "core", "none"}, inherit);
  rules.inherit = static_cast<policy::EnvironmentRules::Inherit>(inherit);
  section.patterns("deny", rules.deny);
  section.patterns("allow", rules.allow);
  section.variables("set", rules.set);
  section.end();
}

void read_audit(const Json& all, audit::TrailOptions& options, std::string& error) {
  Section section(all, "audit", error);
  section.absolute_path("file", options.file);
  section.choice("sync", "none", "data", options.sync_data);
  section.choice("output", "none", "captured", options.output);
  section.choice("when_unwritable", "refuse", "continue", options.continue_when_unwritable);
  section.number("max_bytes", options.max_bytes);
  section.number("keep", options.keep);
  section.end();
}

void read_background(const Json& all, bool& keep, std::string& error) {
  const auto found = all.find("background");
  if (found == all.end()) return;
  keep = *found == "keep";
  if (error.empty() && !keep && *found != "end") {
    error = "configuration: background is " + show_json(*found) + "; allowed is end or keep";
  }
}

void read_sessions(const Json& all, Configuration& configuration, std::string& error) {
  Section section(all, "sessions", error);
  section.number("max", configuration.sessions_max);
  section.absolute_path("tools_allow", configuration.tools_allow);
  section.end();
}

void read_pty(const Json& all, Configuration& configuration, std::string& error) {
  Section section(all, "pty", error);
  section.number("max", configuration.pty_max);
  std::int64_t idle = configuration.pty_idle.count();
  section.number("idle_seconds", idle);
  configuration.pty_idle = std::chrono::seconds(idle);
  section.end();
}

void read_execute_run(const Json& all, std::string& root, std::string& error) {
  Section section(all, "execute_run", error);
  section.absolute_path("root", root);
  section.end();
}

void read_shell(const Json& all, Configuration& configuration, std::string& error) {
  Section section(all, "shell", error);
  section.absolute_path("program", configuration.shell);
  section.flag("direct_exec", configuration.direct_exec);
  section.flag("stdin", configuration.takes_stdin);
  section.end();
}

void read_timeouts(Section& limits, Configuration& configuration) {
  std::int64_t timeout_max = configuration.timeout_max.count();
  if (limits.takes_word("timeout_max", "none")) {
    timeout_max = max_timeout.count();
  } else {
    limits.number("timeout_max", timeout_max);
  }
  limits.flag("timeout_fractions", configuration.timeout_fractions);
  std::int64_t timeout_default = std::min<std::int64_t>(configuration.timeout_default.count(), timeout_max);
  limits.number("timeout_default", timeout_default, static_cast<double>(timeout_max));
  double grace_seconds = 2;
  limits.number("grace_seconds", grace_seconds);
  configuration.timeout_max = std::chrono::seconds(timeout_max);
  configuration.timeout_default = std::chrono::seconds(timeout_default);
  configuration.grace = std::chrono::milliseconds(static_cast<std::int64_t>(grace_seconds * 1000));
}

void read_limits(const Json& all, Configuration& configuration, std::string& error) {
  Section section(all, "limits", error);
  read_timeouts(section, configuration);
  engine::Limits& limits = configuration.limits;
  section.number("cpu_seconds", limits.cpu_seconds);
  section.number("memory_bytes", limits.memory_bytes);
  section.number("processes", limits.processes);
  section.number("open_files", limits.open_files);
  section.number("file_bytes", limits.file_bytes);
  section.processors("processors", limits.processors);
  section.end();
}

void read_output(const Json& all, Configuration& configuration, std::string& error) {
  Section section(all, "output", error);
  section.number("bytes", configuration.output_bytes);
  engine::SpillOptions& spill = configuration.spill;
  std::size_t when = 0;
  section.choice("spill", {"never", "when_cut", "always"}, when);
  spill.when = static_cast<engine::SpillOptions::When>(when);
  section.absolute_path("directory", spill.directory);
  section.number("max_bytes", spill.max_bytes);
  section.end();
  if (error.empty() && when != 0 && spill.directory.empty()) {
    error = "configuration: output.spill needs output.directory, the absolute path of the folder for the files";
  }
}

// The files from which this configuration was made, and the files that it names. A call may not write them, because
// it could then approve itself or leave no record. Each file is listed under its own name and, if it is
// a link, also under that of its target.
std::vector<std::string> files_in_force(const Json& all, const Configuration& configuration, std::string& error) {
  std::vector<std::string> named;
  Section section(all, "in_force", error);
  section.absolute_paths("configuration", named);
  section.end();
  named.insert(named.end(), {configuration.commands.approvals, configuration.tools_allow, configuration.audit.file});
  std::vector<std::string> files;
  for (const std::string& path : named) {
    if (path.empty()) continue;
    const std::size_t slash = path.rfind('/');
    const std::string folder = policy::resolve_path("/", path.substr(0, slash + 1));
    files.push_back(path_below(folder, path.substr(slash + 1)));
    files.push_back(policy::resolve_path("/", path));
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

constexpr std::array sections{"shell",      "commands", "directories", "environment", "limits", "output",  "sandbox",
                              "background", "sessions", "pty",         "execute_run", "audit",  "in_force"};

// Makes the objects that all calls under the configuration share.
void make_shared_objects(Configuration& configuration) {
  if (!configuration.audit.file.empty()) configuration.trail = std::make_shared<audit::Trail>(configuration.audit);
  const engine::SpillOptions& spill = configuration.spill;
  if (spill.when != engine::SpillOptions::When::never) {
    configuration.spill_directory = std::make_shared<engine::SpillDirectory>(spill.directory, spill.max_bytes);
  }
  if (configuration.sandbox) configuration.confinement = engine::Sandbox::shared(*configuration.sandbox);
}

}  // namespace

std::shared_ptr<const Configuration> parse_configuration(std::string_view text, std::string& error,
                                                         const FleetPolicy& policy) {
  error.clear();
  Json all = Json::object();
  if (!text.empty()) {
    std::string problem;
    all = parse_json_object(text, problem);
    if (!problem.empty()) {
      error = "configuration: " + problem;
      return nullptr;
    }
  }
  if (!hold_to(policy, false, all, error)) return nullptr;
  auto configuration = std::make_shared<Configuration>();
  for (const auto& [key, value] : all.items()) {
    if (std::find(sections.begin(), sections.end(), key) == sections.end()) {
      error = "configuration: there is no section " + key +
              known_names(key, "sections", {sections.begin(), sections.end()});
      return nullptr;
    }
  }
  read_commands(all, configuration->commands, error);
  read_directories(all, configuration->directories, error);
  read_environment(all, configuration->environment, error);
  read_audit(all, configuration->audit, error);
  read_background(all, configuration->keep_background, error);
  read_sessions(all, *configuration, error);
  read_pty(all, *configuration, error);
  read_execute_run(all, configuration->execute_run_root, error);
  configuration->files_in_force = files_in_force(all, *configuration, error);
  read_shell(all, *configuration, error);
  read_limits(all, *configuration, error);
  read_output(all, *configuration, error);
  configuration->sandbox = read_sandbox(all, error);
  if (!error.empty()) return nullptr;
  if (configuration->sandbox && (configuration->sandbox->repositories || !configuration->sandbox->protect.empty())) {
    configuration->sandbox->files = configuration->files_in_force;
    configuration->sandbox->record = configuration->audit.file;
  }
  make_shared_objects(*configuration);
  return configuration;
}

}  // namespace wtool
