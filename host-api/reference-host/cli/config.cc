// wtool config show [--json]: shows the effective configuration, which layer set what, and what is locked.
// wtool config schema: prints the JSON Schema of wtool.yaml.
// wtool config check --fleet FILE: says whether FILE can become the policy of a fleet.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/config/fleet.h"
#include "base/config/schema.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/raw_json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/configured.h"
#include "cli/context.h"

namespace wtool::host {

namespace {

using nlohmann::ordered_json;

constexpr std::string_view mask = "[masked]";

// Whether the variable seems to hold a secret, which nobody should read over somebody's shoulder. It is better to hide
// one variable too many.
bool looks_secret(std::string_view name) {
  constexpr std::array parts{"TOKEN", "SECRET", "PASS", "KEY", "CREDENTIAL", "AUTH", "COOKIE", "PRIVATE"};
  const std::string capitals = in_capitals(name);
  return std::any_of(parts.begin(), parts.end(),
                     [&](const char* part) { return capitals.find(part) != std::string::npos; });
}

// The value, in which the values of variables that may be secret are masked.
ordered_json shown_value(const EffectiveKey& key) {
  ordered_json value = key.value;
  const auto hide = [](ordered_json& variables) {
    for (auto& [name, text] : variables.items()) {
      if (looks_secret(name)) text = mask;
    }
  };
  if (key.name == "environment.set") hide(value);
  if (key.name == "mcp_servers") {
    for (auto& [name, server] : value.items()) {
      if (server.contains("env")) hide(server["env"]);
    }
  }
  return value;
}

bool is_off(const Config& config, const EffectiveKey& key) {
  return !config.sandbox && std::string_view(key.name).starts_with("sandbox.");
}

ordered_json place_of(const ConfigPlace& place) {
  return place.file.empty() ? ordered_json() : ordered_json(to_text(place));
}

std::string as_json(const Config& config, const std::vector<ConfigFiles::File>& files) {
  ordered_json all = {{"layers", ordered_json::array()}, {"keys", ordered_json::object()}};
  for (const ConfigFiles::File& file : files) {
    all["layers"].push_back({{"layer", file.title}, {"file", escaped(file.path)}, {"present", file.there}});
  }
  for (const EffectiveKey& key : config.keys) {
    all["keys"][key.name] = {{"value", is_off(config, key) ? ordered_json() : shown_value(key)},
                             {"layer", key.layer},
                             {"place", place_of(key.place)},
                             {"locked_by", key.lock ? place_of(*key.lock) : ordered_json()}};
  }
  return dumped(all, 2) + '\n';
}

// "user, /home/me/.config/wtool/wtool.yaml:3:8, locked by ..."
std::string origin(const EffectiveKey& key) {
  std::string text = key.layer;
  if (!key.place.file.empty()) text += ", " + to_text(key.place);
  if (key.lock) text += ", locked by " + to_text(*key.lock);
  return text;
}

// The configuration as YAML with comments. The text itself could be used as a configuration file.
std::string as_text(const Config& config, const std::vector<ConfigFiles::File>& files) {
  std::string text;
  for (const ConfigFiles::File& file : files) {
    text += "# " + file.title + ": " + escaped(file.path) + (file.there ? "" : " (missing)") + '\n';
  }
  std::string section;
  for (const EffectiveKey& key : config.keys) {
    const std::size_t dot = key.name.find('.');
    const bool is_alone = dot == std::string::npos;  // at the top level, in no section
    if (!is_alone && key.name.substr(0, dot) != section) {
      section = key.name.substr(0, dot);
      const bool off = is_off(config, key);
      text += (off ? "# " : "") + section + ':' + (off ? "  # off: no layer has this section" : "") + '\n';
    }
    if (is_off(config, key)) continue;
    const bool is_set = !key.value.is_null();
    std::string line = (is_alone ? "" : "  ") + std::string(is_set ? "" : "# ");
    line += (is_alone ? key.name : key.name.substr(dot + 1)) + ": ";
    line += is_set ? escaped(dumped(shown_value(key))) : "not set";
    constexpr std::size_t column = 40;
    if (line.size() < column) line.resize(column, ' ');
    text += line + "  # " + origin(key) + '\n';
  }
  return text;
}

// The entries of commands.allow that name only a program, as they are written.
std::vector<std::string> listed_programs(const Config& config) {
  std::vector<std::string> listed;
  for (const EffectiveKey& key : config.keys) {
    if (key.name != "commands.allow" || !key.value.is_array()) continue;
    for (const auto& entry : key.value) {
      const std::string text = entry.is_string() ? entry.get<std::string>() : "";
      if (!text.empty() && text != "*" && text.find_first_of(" '") == text.npos) listed.push_back(text);
    }
  }
  return listed;
}

// Warns of listed programs that are not in the policy's database. Only the plugin has the database.
void warn_of_unknown_programs(Context& context, const std::vector<std::string>& listed) {
  Toolbox* const toolbox = listed.empty() ? nullptr : context.toolbox();
  if (toolbox == nullptr) return;
  for (const std::string& program : listed) {
    std::string error;
    Stop stop;
    const nlohmann::json arguments{{"command", "'" + program + "'"}};
    const auto explained = toolbox->explain("shell_execute", dumped(arguments), stop, error);
    if (!explained || explained->member("unknown_programs").type() == RawJson::Type::missing) continue;
    std::string warning = "warning: commands.allow: \"";
    warning.append(program).append(
        "\" is not a known program, so it may run any other program. The entry allows only arguments that are written "
        "in "
        "the line, and under `arguments: safe` it allows none. The entry \"");
    complain(warning.append(program).append(" *\" allows all arguments"));
  }
}

int show(Context& context, bool in_json) {
  const std::optional<Config> config = loaded_config(context);
  if (!config) return exit_unusable;
  const std::vector<ConfigFiles::File> files = context.config_files().files();
  const std::vector<std::string> listed = listed_programs(*config);
  if (!print(in_json ? as_json(*config, files) : as_text(*config, files))) return exit_unusable;
  warn_of_unknown_programs(context, listed);
  return exit_ok;
}

int check_fleet(const std::string& file) {
  std::string error;
  const std::optional<FleetPolicy> policy = try_fleet_policy(file, error);
  if (!policy) {
    complain(error + "\nAs " + fleet_file + ", this file would stop every call of every user");
    return exit_failed;
  }
  std::string text = escaped(file) + " can become " + fleet_file;
  for (std::size_t i = 1; i < policy->files.size(); ++i)
    text += (i == 1 ? "; it was read together with " : ", ") + escaped(policy->files[i]);
  return print(text + '\n') ? exit_ok : exit_unusable;
}

}  // namespace

void add_config(CLI::App& app, Context& context) {
  auto in_json = std::make_shared<bool>(false);
  auto fleet = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "config", "Show the active configuration, check the policy of a fleet, or print the JSON Schema of the files");
  command->require_subcommand(1);
  CLI::App* shower = command->add_subcommand("show", "Every key with its value, and which layer set it");
  shower->add_flag("--json", *in_json, "As a JSON object");
  const std::string footer =
      "Layers, from the first to the last: built in, the fleet's (/etc/wtool/wtool.yaml, /etc/wtool/wtool.d/*.yaml),\n"
      "the user's ($XDG_CONFIG_HOME/wtool/wtool.yaml, else ~/.config/wtool/wtool.yaml), the project's (the nearest\n"
      "wtool.yaml, from here up to the folder of the project, or the file of --config). Values of environment.set "
      "whose\n"
      "names look secret are masked. Exit status: 0, or 2 where a file is not valid.\n"
      "\n"
      "Examples:\n"
      "  wtool config show\n"
      "  wtool config show --json --config strict.yaml | jq '.keys[\"commands.allow\"]'";
  // Without a footer of its own, this command would show the footer of `wtool`.
  command->footer(footer);
  shower->footer(footer);
  CLI::App* schema = command->add_subcommand("schema", "The JSON Schema of wtool.yaml, for editors and other programs");
  schema->footer(
      "The schema is made from the table with which wtool checks the files. An editor with a language server for YAML\n"
      "completes and checks a wtool.yaml whose first line is\n"
      "  # yaml-language-server: $schema=wtool.schema.json\n"
      "\n"
      "Example:\n"
      "  wtool config schema > wtool.schema.json");
  schema->callback([&context] {
    context.command = [] { return print(dumped(config_schema(), 2) + '\n') ? exit_ok : exit_unusable; };
  });
  CLI::App* checker = command->add_subcommand("check", "Whether a file can become the policy of a fleet");
  checker->add_option("--fleet", *fleet, "The file to read in the place of /etc/wtool/wtool.yaml")
      ->type_name("FILE")
      ->required()
      ->check(CLI::ExistingFile);
  checker->footer(
      "Reads the file as if it were /etc/wtool/wtool.yaml: together with /etc/wtool/wtool.d/*.yaml, instead of the\n"
      "present policy. The file and the folders must belong to root, nobody else may write to them, and every user\n"
      "must be able to read them. Move the file with `mv`, which keeps its owner and mode. Exit status: 0, 1 if the\n"
      "file would stop every call, 2 if it does not exist.\n"
      "\n"
      "Examples:\n"
      "  wtool config check --fleet /etc/wtool/new && mv /etc/wtool/new /etc/wtool/wtool.yaml");
  checker->callback([&context, fleet] { context.command = [fleet] { return check_fleet(*fleet); }; });
  shower->callback([&context, in_json] { context.command = [&context, in_json] { return show(context, *in_json); }; });
}

}  // namespace wtool::host
