#include "cli/mcp_settings.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "base/files.h"
#include "base/json.h"

namespace wtool::host {

namespace {

// Makes the folder of the policy's audit trail, which may not exist yet. False: the reason is on stderr.
bool prepare_audit(const Config& config, bool is_open) {
  if (is_open) return true;
  const EffectiveKey& key = *config.find("audit.file");
  if (key.value.is_null()) {
    // audit.file may be locked by --policy, or by a file that the user names with --config.
    const bool in_a_file = key.lock && key.lock->file != "--policy";
    complain(in_a_file ? "there is no file for the audit trail: audit.file is locked without a value by " +
                             to_text(*key.lock) + "; set it there"
                       : "there is no file for the audit trail, because HOME is not the path of a folder; set HOME, or "
                         "audit.file in a configuration (--config FILE)");
    return false;
  }
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::path(key.value.get<std::string>()).parent_path();
  if (key.layer == "--policy") failure = make_folders(folder.string());
  if (!failure) return true;
  complain("the folder " + folder.string() + " of the audit trail cannot be created: " + failure.message() +
           "; set audit.file in a configuration (--config FILE)");
  return false;
}

mcp::ResultStyle style_of(const std::string& name) {
  return name == "text"         ? mcp::ResultStyle::text
         : name == "structured" ? mcp::ResultStyle::structured
                                : mcp::ResultStyle::both;
}

// Many clients wait for a minute, and clients that get progress messages often wait longer.
void set_answer_within(const nlohmann::json& value, mcp::ServerSettings& settings) {
  constexpr std::chrono::seconds usual{50};
  settings.waits_for_progress = value == "auto";
  if (value == "auto") settings.answer_within = usual;
  if (value.is_number()) settings.answer_within = std::chrono::seconds(value.get<int>());
}

// The tools that are served only if `--tools` names them, to spare the model: those that refuse every call with this
// configuration, and those that few models need.
std::vector<std::string> tools_not_served(const Config& config) {
  std::vector<std::string> tools;
  const char* programs = std::getenv("ALLOWED_COMMANDS");
  if (programs == nullptr || *programs == '\0') tools.emplace_back("execute_command");
  std::error_code failure;
  const bool has_list = std::filesystem::exists("tools-allow.json", failure) ||
                        std::filesystem::exists("apps/tools/caws/tools-allow.json", failure) ||
                        !config.value("sessions.tools_allow").is_null();
  if (!has_list) {
    for (const char* tool : {"create_session", "execute_command", "get_status", "close_session"}) {
      tools.push_back(std::string("terminal_") + tool);
    }
  }
  // With such rules, typed input is allowed only for the programs in commands.interactive.
  const nlohmann::json& allow = config.value("commands.allow");
  const bool has_rules = config.value("directories.confine_arguments") == true ||
                         !config.value("commands.deny").empty() || !config.value("commands.ask").empty() ||
                         std::find(allow.begin(), allow.end(), "*") == allow.end();
  if (config.value("mcp.pty") != true || (has_rules && config.value("commands.interactive").empty())) {
    for (const char* tool : {"start", "send", "read", "resize", "stop", "list"}) {
      tools.push_back(std::string("pty_") + tool);
    }
  }
  return tools;
}

}  // namespace

std::optional<McpSettings> read_mcp_settings(Context& context, const std::vector<std::string>& tools, bool is_open) {
  std::string error;
  const std::optional<Config> config = context.config_files().load_config(error);
  if (!config) {
    complain(error);
    return std::nullopt;
  }
  if (!prepare_audit(*config, is_open)) return std::nullopt;
  McpSettings all;
  mcp::ServerSettings& settings = all.server;
  settings.about.version = WTOOL_VERSION;
  settings.served = tools;
  if (tools.empty()) settings.not_served = tools_not_served(*config);
  settings.shell = config->value("shell.program").get<std::string>();
  if (const nlohmann::json& wanted = config->value("mcp.login_environment"); wanted != "none") {
    all.login_shell = wanted == "login" ? LoginShell::login : LoginShell::interactive;
  }
  settings.results.style = style_of(config->value("mcp.results").get<std::string>());
  settings.results.output_bytes = config->value("mcp.output_bytes").get<std::size_t>();
  set_answer_within(config->value("mcp.answer_within"), settings);
  if (const nlohmann::json& within = config->value("mcp.approve_within"); within.is_number()) {
    settings.approve_within = std::chrono::seconds(within.get<int>());
    settings.about.questions_wait = true;
  }
  settings.stored_bytes = config->value("mcp.stored_bytes").get<std::uint64_t>();
  settings.max_calls = config->value("mcp.max_calls").get<int>();
  settings.max_wait = std::chrono::seconds(config->value("mcp.queue_seconds").get<int>());
  settings.message_bytes = config->value("mcp.message_bytes").get<std::size_t>();
  return all;
}

}  // namespace wtool::host
