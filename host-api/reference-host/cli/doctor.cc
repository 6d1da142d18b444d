// wtool doctor [--json]: shows what this machine and this configuration allow, as far as trial calls show it, and what
// to do about problems.
//
//   good     kernel         Linux 6.1.0, x86_64
//   note     cgroup         this process may make no cgroups
//            do: start wtool with `systemd-run --user --scope -p Delegate=yes`
//
// `problem` means that commands cannot run; `note` means that a guarantee does not hold in full. `wtool doctor` runs
// `true` three times in a temporary folder, which it removes again, and once in the current directory, as the
// configuration says. It opens the audit trail. It changes nothing else.
#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "audit/append.h"
#include "base/json.h"
#include "base/stop.h"
#include "base/temporary_path.h"
#include "cli/client_setup.h"
#include "cli/commands.h"
#include "cli/configured.h"
#include "cli/context.h"
#include "cli/table.h"
#include "terminal/text.h"

namespace wtool::host {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int oldest_kernel[] = {5, 10};
constexpr int call_seconds = 10;

enum class FindingLevel { good, note, problem };

const char* word(FindingLevel level) {
  switch (level) {
    case FindingLevel::good:
      return "good";
    case FindingLevel::note:
      return "note";
    case FindingLevel::problem:
      return "problem";
  }
  return "";
}

struct DoctorFinding {
  FindingLevel level = FindingLevel::good;
  std::string subject;
  std::string text;
  std::string advice{};  // what to do; empty: nothing
};

using Findings = std::vector<DoctorFinding>;

void look_at_kernel(Findings& findings) {
  utsname system{};
  ::uname(&system);
  int major = 0, minor = 0;
  std::sscanf(system.release, "%d.%d", &major, &minor);
  const std::string text = std::string(system.sysname) + ' ' + system.release + ", " + system.machine;
  if (std::pair(major, minor) < std::pair(oldest_kernel[0], oldest_kernel[1])) {
    findings.push_back({FindingLevel::problem, "kernel", text + " is too old", "use Linux 5.10 or later"});
  } else {
    findings.push_back({FindingLevel::good, "kernel", text});
  }
}

// Looks for the paths of the configuration without which calls are refused.
void look_at_paths(const Config& config, Findings& findings) {
  struct NeededPath {
    std::string_view key;
    int access;
    bool one_is_enough;  // a call is refused only if all paths of the key are missing
    const char* consequence;
  };
  static constexpr NeededPath needed[] = {
      {"sandbox.read", F_OK, false, "every call is refused until then"},
      {"sandbox.write", F_OK, false, "every call is refused until then"},
      {"shell.program", X_OK, false, "no command that needs a shell can start until then"},
      {"commands.path", X_OK, true, "no program of this folder is found until then"},
      {"directories.roots", F_OK, true, "no command can use this folder until then"},
      {"execute_run.root", F_OK, false, "execute_run cannot run anything until then"},
  };
  for (const EffectiveKey& key : config.keys) {
    const auto* const found =
        std::find_if(std::begin(needed), std::end(needed), [&](const NeededPath& one) { return one.key == key.name; });
    if (found == std::end(needed) || key.value.is_null()) continue;
    if (key.value == "default") continue;
    const json paths = key.value.is_array() ? key.value : json::array({key.value});
    const auto is_there = [&](const json& path) {
      return ::access(path.get_ref<const std::string&>().c_str(), found->access) == 0;
    };
    const bool one_is_there = std::any_of(paths.begin(), paths.end(), is_there);
    for (const json& path : paths) {
      if (is_there(path)) continue;
      std::string text = key.name;
      text.append(" names ").append(path.get<std::string>()).append(": ").append(::strerror(errno));
      if (key.place.line > 0) text.append(" (").append(to_text(key.place)).append(")");
      findings.push_back({found->one_is_enough && one_is_there ? FindingLevel::note : FindingLevel::problem,
                          "configuration", std::move(text),
                          std::string("make it, or correct the configuration: ") + found->consequence});
    }
  }
}

void look_at_trail(const Config& config, Findings& findings) {
  const audit::AppendOptions trail = configured_trail(config);
  if (trail.file.empty()) return;
  if (const std::string why = audit::try_to_open(trail); why.empty()) {
    findings.push_back({FindingLevel::good, "audit trail", trail.file});
  } else if (trail.continue_when_unwritable) {
    findings.push_back({FindingLevel::note, "audit trail", why, "correct this: no call is recorded until then"});
  } else {
    findings.push_back({FindingLevel::problem, "audit trail", why, "correct this: every call is refused until then"});
  }
}

// Nothing: the configuration cannot be used.
std::optional<Config> look_at_configuration(Context& context, Findings& findings) {
  std::string error;
  std::optional<Config> config = context.config_files().load_config(error);
  if (!config) {
    findings.push_back(
        {FindingLevel::problem, "configuration", error, "correct the file: every call is refused until then"});
    return config;
  }
  if (const std::string notice = context.config_files().take_notice(); !notice.empty()) {
    findings.push_back({FindingLevel::note, "configuration", notice, "look at the file, and remove it"});
  }
  for (const ConfigFiles::File& file : context.config_files().files()) {
    std::string text = file.title + ": " + file.path + (file.there ? "" : " (missing, which is fine)");
    std::string locked;
    for (const EffectiveKey& key : config->keys) {
      if (key.lock && key.lock->file == file.path) locked += (locked.empty() ? "; it locks " : ", ") + key.name;
    }
    findings.push_back({FindingLevel::good, "configuration", text + locked});
  }
  if (!config->sandbox) {
    findings.push_back(
        {FindingLevel::note, "configuration",
         "no layer of the configuration has a sandbox section, so a command may do whatever you may do",
         "add the `sandbox` section (guide/sandbox.md of the documentation); `wtool mcp` has its own sandbox"});
  }
  look_at_paths(*config, findings);
  look_at_trail(*config, findings);
  return config;
}

struct TrialCall {
  json metadata = json::object();
  std::string error{};  // why the call did not succeed
};

// Runs `true` with the given configuration instead of the person's configuration.
TrialCall try_call(Plugin& plugin, const json& config, const std::string& folder) {
  TrialCall trial;
  const std::unique_ptr<Toolbox> toolbox = Toolbox::open(plugin, config.dump(), trial.error);
  if (!toolbox) return trial;
  Stop stop;
  const json arguments = {{"command", "true"}, {"working_directory", folder}, {"timeout", call_seconds}};
  const ToolOutcome outcome = toolbox->call("shell_execute", arguments, stop, [](OutputStream, std::string_view) {});
  trial.error = outcome.error;
  if (outcome.kind != ToolOutcome::Kind::finished) return trial;
  trial.metadata = outcome.result.value("metadata", json::object());
  if (outcome.result.value("is_error", true)) {
    trial.error = trial.metadata.value(json::json_pointer("/error/message"), "the call failed");
  }
  return trial;
}

// What to do if a part of the sandbox cannot be enforced. `missing` begins with a name from docs/guide/results.md.
std::string advice_on(std::string_view missing) {
  if (missing.starts_with("landlock")) {
    return "use Linux 5.13 or later, with landlock in the list of the kernel parameter lsm=";
  }
  if (missing.starts_with("protected_names")) {
    return "allow user namespaces (sysctl kernel.unprivileged_userns_clone, "
           "kernel.apparmor_restrict_unprivileged_userns); until then, files with protected names are only compared "
           "after each command";
  }
  if (missing.starts_with("truncate")) return "use Linux 6.2 or later";
  return "use a kernel or a container that permits this part; `sandbox.required: true` refuses commands until then";
}

void try_sandbox(Plugin& plugin, const std::string& folder, Findings& findings) {
  const std::ofstream made(folder + "/.envrc");  // a protected name that exists
  const json config = {{"sandbox",
                        {{"read", {"/"}},
                         {"write", {folder}},
                         {"protect", {"default"}},
                         {"network", "deny"},
                         {"ipc", "deny"},
                         {"required", false}}}};
  const TrialCall trial = try_call(plugin, config, folder);
  if (!trial.error.empty()) {
    findings.push_back({FindingLevel::problem, "sandbox", trial.error});
    return;
  }
  const json sandbox = trial.metadata.value("sandbox", json::object());
  std::string enforced;
  for (const json& part : sandbox.value("enforced", json::array())) {
    enforced += (enforced.empty() ? "" : ", ") + part.get<std::string>();
  }
  if (!enforced.empty()) findings.push_back({FindingLevel::good, "sandbox", "enforced: " + enforced});
  for (const json& part : sandbox.value("not_enforced", json::array())) {
    const std::string missing = part.get<std::string>();
    findings.push_back({FindingLevel::note, "sandbox", "not enforced: " + missing, advice_on(missing)});
  }
  if (enforced.find("scopes") == std::string::npos) {
    findings.push_back({FindingLevel::note, "sandbox", "commands can signal processes outside of the sandbox",
                        "use Linux 6.12 or later"});
  }
}

void try_limits(Plugin& plugin, const std::string& folder, Findings& findings) {
  const TrialCall trial = try_call(plugin, {{"limits", {{"memory_bytes", 1 << 30}, {"processes", 64}}}}, folder);
  if (!trial.error.empty()) {
    findings.push_back({FindingLevel::problem, "limits", trial.error});
    return;
  }
  const std::string by = trial.metadata.value(json::json_pointer("/limits/memory_bytes/enforced_by"), "nobody");
  if (by == "cgroup") {
    findings.push_back({FindingLevel::good, "cgroup", "each call has a cgroup of its own"});
  } else {
    findings.push_back(
        {FindingLevel::note, "cgroup",
         "wtool cannot make cgroups here. So limits on memory are checked at intervals (" + by +
             "), and a command that kills both of its keepers can leave a daemon behind",
         "start wtool with `systemd-run --user --scope -p Delegate=yes` (architecture.md of the documentation)"});
  }
}

bool has_problem(const Findings& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const DoctorFinding& finding) { return finding.level == FindingLevel::problem; });
}

// Runs `true` by the shell and in the sandbox of the configuration. The policy might refuse this call, and the trail
// would record it, so these sections are left out.
void try_configuration(Plugin& plugin, const Config& config, Findings& findings) {
  const std::string here = working_directory();
  if (here.empty()) return;
  json configured = json::object();
  for (const char* section : {"shell", "environment", "limits", "sandbox"}) {
    if (const auto found = config.json.find(section); found != config.json.end()) configured[section] = *found;
  }
  configured["shell"]["direct_exec"] = false;
  // The call names its own timeout.
  if (const auto limits = configured.find("limits"); limits != configured.end()) {
    limits->erase("timeout_default");
    limits->erase("timeout_max");
  }
  const TrialCall trial = try_call(plugin, configured, here);
  if (trial.error.empty()) return;
  const std::string hint = trial.metadata.value(json::json_pointer("/error/hint"), "");
  findings.push_back({FindingLevel::problem, "configuration",
                      "by the shell and in the sandbox of the configuration, `true` cannot run here: " + trial.error +
                          (hint.empty() ? "" : "; " + hint),
                      "correct the sections shell, environment, limits and sandbox; sandbox.read must contain the "
                      "shell and its libraries, which are usually in /usr"});
}

void look_at_plugin(Context& context, const std::optional<Config>& config, Findings& findings) {
  const bool can_try_configuration = config && !has_problem(findings);
  Plugin* const plugin = context.plugin();
  if (plugin == nullptr) {
    findings.push_back({FindingLevel::problem, "plugin", "it cannot be loaded; the message on standard error says why",
                        "install it beside wtool, or name it with --plugin"});
    return;
  }
  findings.push_back(
      {FindingLevel::good, "plugin", plugin->path() + ", " + std::to_string(plugin->tools().size()) + " tools"});

  std::string error;
  const TemporaryPath temporary = TemporaryPath::folder("doctor", error);
  const std::string& folder = temporary.path();
  if (!temporary) {
    findings.push_back(
        {FindingLevel::problem, "temporary folder", error, "set TMPDIR to a folder that you may write in"});
    return;
  }
  const TrialCall plain = try_call(*plugin, json::object(), folder);
  if (plain.error.empty()) {
    findings.push_back({FindingLevel::good, "call",
                        "`true` took " + std::to_string(plain.metadata.value("execution_time_ms", 0)) + " ms"});
    try_sandbox(*plugin, folder, findings);
    try_limits(*plugin, folder, findings);
    if (can_try_configuration) try_configuration(*plugin, *config, findings);
  } else {
    findings.push_back({FindingLevel::problem, "call", plain.error});
  }
}

void look_for_clients(Findings& findings) {
  std::string found;
  for (const mcp::Client& client : mcp::clients()) {
    if (client.place == mcp::Client::Place::project) continue;
    const std::string file = client_file(client, {});
    if (!file.empty() && ::access(file.c_str(), F_OK) == 0)
      found += (found.empty() ? "" : ", ") + std::string(client.name);
  }
  if (found.empty()) return;
  findings.push_back(
      {FindingLevel::good, "clients", found + ": configuration found; `wtool mcp --list` shows all clients"});
}

std::string as_text(const Findings& findings, std::size_t columns) {
  constexpr std::size_t level_width = 9, subject_width = 15;
  const auto padded = [](std::string text, std::size_t width) {
    text.resize(std::max(width, text.size() + 1), ' ');
    return text;
  };
  std::string text;
  for (const DoctorFinding& finding : findings) {
    text += wrapped(padded(word(finding.level), level_width) + padded(finding.subject, subject_width) +
                        cleaned_for_terminal(finding.text, true) + '\n',
                    columns, level_width + subject_width);
    if (!finding.advice.empty()) {
      text += wrapped(std::string(level_width, ' ') + "do: " + finding.advice + '\n', columns, level_width + 4);
    }
  }
  return text;
}

std::string as_json(const Findings& findings) {
  ordered_json list = ordered_json::array();
  for (const DoctorFinding& finding : findings) {
    list.push_back({{"level", word(finding.level)},
                    {"subject", finding.subject},
                    {"text", finding.text},
                    {"advice", finding.advice}});
  }
  return dumped(ordered_json{{"version", WTOOL_VERSION}, {"findings", list}}, 2) + '\n';
}

int doctor(Context& context, bool as_object) {
  Findings findings;
  look_at_kernel(findings);
  const std::optional<Config> config = look_at_configuration(context, findings);
  look_at_plugin(context, config, findings);
  look_for_clients(findings);
  if (!print(as_object ? as_json(findings) : as_text(findings, output_columns()))) return exit_unusable;
  return has_problem(findings) ? exit_failed : exit_ok;
}

}  // namespace

void add_doctor(CLI::App& app, Context& context) {
  auto json_wanted = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("doctor", "Show what this machine and configuration allow, and what to do about problems");
  command->add_flag("--json", *json_wanted, "The findings as one JSON object");
  command->footer(
      "Runs `true` three times in a temporary folder: alone, in a sandbox, and with limits. Then runs it here, by the\n"
      "shell and in the sandbox of the configuration. Opens the audit trail, but records nothing there. A problem\n"
      "keeps commands from running; a note names a guarantee that this machine gives only in part. Exit status: 0\n"
      "without problems, 1 with one.\n\n"
      "Examples:\n"
      "  wtool doctor\n"
      "  wtool doctor --json | jq '.findings[] | select(.level != \"good\")'");
  command->callback(
      [&context, json_wanted] { context.command = [&context, json_wanted] { return doctor(context, *json_wanted); }; });
}

}  // namespace wtool::host
