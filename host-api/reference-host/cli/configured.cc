#include "cli/configured.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/sha256.h"
#include "cli/shell_reader.h"

namespace wtool::host {
namespace {

// Leaves `out` as it is if the key has no value.
template <typename T>
void read_value(const Config& config, std::string_view key, T& out) {
  if (const nlohmann::json& value = config.value(key); !value.is_null()) value.get_to(out);
}

}  // namespace

std::optional<Config> loaded_config(Context& context) {
  std::string error;
  std::optional<Config> config = context.config_files().load_config(error);
  if (!config) complain(error);
  if (const std::string notice = context.config_files().take_notice(); !notice.empty()) complain("warning: " + notice);
  return config;
}

servers::Catalog configured_servers(const Config& config, const std::string& directory) {
  const EffectiveKey* const key = config.find("mcp_servers");
  return key == nullptr ? servers::Catalog() : servers::Catalog(key->value, directory);
}

workflow::ShellReader configured_shell(const Config& config) {
  const nlohmann::json& configured = config.value("shell.program");
  const std::string shell = configured.is_string() ? configured.get<std::string>() : "/bin/sh";
  return [shell](const std::string& wanted, const std::vector<std::string>& commands) {
    return unreadable_commands(wanted.empty() ? shell : wanted, commands);
  };
}

std::unique_ptr<runner::Prompts> configured_prompts(const Config& config, const std::string& directory) {
  runner::PromptSettings settings;
  read_value(config, "prompts.command", settings.command);
  read_value(config, "prompts.directories", settings.directories);
  read_value(config, "prompts.timeout", settings.timeout);
  read_value(config, "directories.confine_arguments", settings.confines_arguments);
  std::string error;
  auto prompts = std::make_unique<runner::Prompts>(std::move(settings), directory, error);
  if (error.empty()) return prompts;
  complain(error);
  return nullptr;
}

OutputLimits configured_output_limits(const Config& config) {
  OutputLimits limits;
  read_value(config, "output.max_bytes", limits.max_bytes);
  read_value(config, "output.json_bytes", limits.json_bytes);
  return limits;
}

audit::AppendOptions configured_trail(const Config& config) {
  audit::AppendOptions trail;
  read_value(config, "audit.file", trail.file);
  read_value(config, "audit.max_bytes", trail.max_bytes);
  read_value(config, "audit.keep", trail.keep);
  trail.sync_data = config.value("audit.sync") == "data";
  trail.continue_when_unwritable = config.value("audit.when_unwritable") == "continue";
  return trail;
}

std::string configured_work(const Config& config) {
  // Settings that, besides the call itself, determine what a command sees.
  std::string settings;
  for (const EffectiveKey& key : config.keys) {
    if (key.name.starts_with("environment.") || key.name.starts_with("shell.") || key.name == "commands.path") {
      settings += key.name + "=" + key.value.dump() + "\n";
    }
  }
  // With rules that trust certain programs, PATH has only the folders in which these are looked for.
  const nlohmann::json& allow = config.value("commands.allow");
  const bool has_allow_list = allow.is_array() && std::find(allow.begin(), allow.end(), "*") == allow.end();
  if (has_allow_list || config.value("directories.confine_arguments") == true) {
    settings += "trusted folders outside of " + config.value("directories.roots").dump();
  }
  return sha256(settings);
}

cache::StepCache::Options configured_cache(const Config& config) {
  cache::StepCache::Options cached;
  read_value(config, "cache.max_bytes", cached.max_bytes);
  return cached;
}

void look_for_prompts(const runner::Prompts& prompts, workflow::CheckContext& check_context) {
  check_context.prompt_problems = [&prompts](const std::string& name, const std::string& file,
                                             const std::set<std::string, std::less<>>& known) {
    return prompts.check(name, file, known);
  };
  check_context.prompt_sets = [&prompts](const std::string& prompt, bool is_inline, const std::string& file) {
    return prompts.settable_names(prompt, is_inline, file);
  };
  check_context.prompt_command_problem = [&prompts] {
    return prompts.has_command() ? std::string() : runner::Prompts::no_command();
  };
}

}  // namespace wtool::host
