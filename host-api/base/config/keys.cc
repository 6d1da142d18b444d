#include "base/config/keys.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace wtool {

namespace {

// Short names for the columns of the table.
using Type = KeyType;
using Lock = LockRule;

constexpr auto keys = std::to_array<ConfigKey>({
    {"shell", "program", Type::program, Lock::equal, R"("/bin/sh")"},
    {"shell", "direct_exec", Type::boolean, Lock::equal, "true"},
    {"commands", "allow", Type::entries, Lock::within, R"(["*"])"},
    {"commands", "deny", Type::entries, Lock::add, "[]"},
    {"commands", "ask", Type::entries, Lock::add, "[]"},
    {"commands", "ask_network", Type::entries, Lock::equal, "[]"},
    {"commands", "interactive", Type::programs, Lock::within, "[]"},
    {"commands", "arguments", Type::choice, Lock::ranked, R"("any")", 0, 0, "", false, "any safe"},
    {"commands", "unlisted", Type::choice, Lock::ranked, R"("deny")", 0, 0, "", false, "ask deny"},
    {"commands", "path", Type::paths_or_default, Lock::equal, R"("default")"},
    {"commands", "approvals", Type::path, Lock::equal, "null", 0, 0, "", false, "", true},
    {"directories", "roots", Type::paths, Lock::below_roots, "[]"},
    {"directories", "confine_arguments", Type::boolean, Lock::stays_true, "false"},
    {"environment", "inherit", Type::choice, Lock::ranked, R"("all")", 0, 0, "", false, "all core none"},
    {"environment", "deny", Type::patterns, Lock::add, "[]"},
    {"environment", "allow", Type::patterns, Lock::within, "[]"},
    {"environment", "set", Type::variables, Lock::equal, "{}"},
    {"limits", "timeout_default", Type::integer, Lock::lower, "300", 1, 1800, "seconds"},
    {"limits", "timeout_max", Type::integer, Lock::lower, "1800", 1, 1800, "seconds", false, "none"},
    {"limits", "grace_seconds", Type::number, Lock::lower, "2", 0, 60, "seconds"},
    {"limits", "cpu_seconds", Type::integer, Lock::lower_limit, "0", 1, 1e6, "seconds", true},
    {"limits", "memory_bytes", Type::integer, Lock::lower_limit, "0", 1 << 20, max_json_integer, "bytes", true},
    {"limits", "processes", Type::integer, Lock::lower_limit, "0", 1, 1e6, "processes", true},
    {"limits", "open_files", Type::integer, Lock::lower_limit, "0", 16, 1e6, "descriptors", true},
    {"limits", "file_bytes", Type::integer, Lock::lower_limit, "0", 1, max_json_integer, "bytes", true},
    {"output", "bytes", Type::integer, Lock::lower, "1048576", 4096, 67108864, "bytes"},
    {"output", "spill", Type::choice, Lock::free, R"("never")", 0, 0, "", false, "never when_cut always"},
    {"output", "directory", Type::path, Lock::equal, "null", 0, 0, "", false, "", true},
    {"output", "max_bytes", Type::integer, Lock::lower, "1073741824", 1 << 20, max_json_integer, "bytes"},
    {"output", "json_bytes", Type::integer, Lock::lower, "67108864", 1 << 20, max_json_integer, "bytes"},
    {"cache", "max_bytes", Type::integer, Lock::lower, "5368709120", 1 << 20, max_json_integer, "bytes"},
    {"background", "", Type::choice, Lock::ranked, R"("end")", 0, 0, "", false, "keep end"},
    {"sandbox", "read", Type::paths, Lock::below, R"(["/"])"},
    {"sandbox", "write", Type::paths, Lock::below, R"(["/"])"},
    {"sandbox", "protect", Type::names, Lock::add, R"("default")", 0, 0, "", false, "default none"},
    {"sandbox", "put_aside", Type::boolean, Lock::stays_true},
    {"sandbox", "network", Type::choice, Lock::ranked, R"("allow")", 0, 0, "", false, "allow deny"},
    {"sandbox", "ipc", Type::choice, Lock::ranked, R"("deny")", 0, 0, "", false, "allow deny"},
    {"sandbox", "required", Type::boolean, Lock::stays_true, "false"},
    {"audit", "file", Type::path, Lock::equal},
    {"audit", "sync", Type::choice, Lock::equal, R"("none")", 0, 0, "", false, "none data"},
    {"audit", "output", Type::choice, Lock::equal, R"("none")", 0, 0, "", false, "none captured"},
    {"audit", "when_unwritable", Type::choice, Lock::equal, R"("refuse")", 0, 0, "", false, "refuse continue"},
    {"audit", "max_bytes", Type::integer, Lock::equal, "67108864", 4096, max_json_integer, "bytes", true},
    {"audit", "keep", Type::integer, Lock::equal, "0", 0, 1e6, "files"},
    {"sessions", "max", Type::integer, Lock::lower, "50", 1, 1000, "sessions"},
    {"sessions", "tools_allow", Type::path, Lock::equal},
    {"pty", "max", Type::integer, Lock::lower, "8", 1, 64, "terminals"},
    {"pty", "idle_seconds", Type::integer, Lock::lower, "1800", 1, 86400, "seconds"},
    {"execute_run", "root", Type::path, Lock::equal},
    {"cluster", "slots", Type::integer, Lock::equal, "4", 1, 1024, "calls"},
    {"cluster", "nodes", Type::integer, Lock::equal, "1", 1, 1000, "nodes"},
    {"cluster", "cpus", Type::integer, Lock::equal, "1", 1, 1024, "processors"},
    {"cluster", "memory", Type::text, Lock::equal},
    {"cluster", "time", Type::integer, Lock::equal, "60", 1, 525600, "minutes"},
    {"cluster", "partition", Type::text, Lock::equal},
    {"cluster", "account", Type::text, Lock::equal},
    {"cluster", "qos", Type::text, Lock::equal},
    {"cluster", "constraint", Type::text, Lock::equal},
    {"cluster", "gres", Type::text, Lock::equal},
    {"cluster", "extra", Type::text, Lock::equal},
    {"cluster", "wait", Type::integer, Lock::equal, "300", 1, 604800, "seconds"},
    {"cluster", "idle", Type::integer, Lock::equal, "60", 1, 86400, "seconds"},
    {"cluster", "address", Type::text, Lock::equal},
    {"cluster", "directory", Type::path, Lock::equal},
    {"cluster", "auth", Type::choice, Lock::equal, R"("auto")", 0, 0, "", false, "auto munge key"},
    {"cluster", "munge_socket", Type::path, Lock::equal},
    {"cluster", "program", Type::choice, Lock::equal, R"("installed")", 0, 0, "", false, "installed copy"},
    {"cluster", "classes", Type::classes, Lock::equal, "{}"},
    {"cluster", "slot", Type::text, Lock::equal},
    {"mcp", "login_environment", Type::choice, Lock::ranked, R"("none")", 0, 0, "", false, "interactive login none"},
    {"mcp", "results", Type::choice, Lock::free, R"("text")", 0, 0, "", false, "text structured both"},
    {"mcp", "output_bytes", Type::integer, Lock::lower, "32768", 1024, 1048576, "bytes"},
    {"mcp", "answer_within", Type::integer, Lock::free, R"("auto")", 1, 86400, "seconds", false, "auto none"},
    {"mcp", "approve_within", Type::integer, Lock::free, "600", 1, 86400, "seconds", false, "none"},
    {"mcp", "stored_bytes", Type::integer, Lock::lower, "268435456", 16777216, max_json_integer, "bytes"},
    {"mcp", "max_calls", Type::integer, Lock::lower, "32", 1, 256, "calls"},
    {"mcp", "queue_seconds", Type::integer, Lock::lower, "45", 1, 3600, "seconds"},
    {"mcp", "pty", Type::boolean, Lock::free, "false"},
    {"mcp", "message_bytes", Type::integer, Lock::lower, "20971520", 65536, 67108864, "bytes"},
    {"mcp_servers", "", Type::servers, Lock::equal, "{}"},
    {"prompts", "command", Type::text, Lock::equal},
    {"prompts", "directories", Type::paths, Lock::equal, "[]"},
    {"prompts", "timeout", Type::integer, Lock::lower, "1800", 1, 1800, "seconds"},
});

}  // namespace

std::span<const ConfigKey> config_keys() { return keys; }

std::string full_name(const ConfigKey& key) {
  std::string name(key.section);
  if (!key.name.empty()) name.append(".").append(key.name);
  return name;
}

std::vector<std::string> choices_of(const ConfigKey& key) {
  std::istringstream words{std::string(key.choices)};
  return {std::istream_iterator<std::string>(words), {}};
}

const ConfigKey* find_key(std::string_view section, std::string_view name) {
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [&](const ConfigKey& key) { return key.section == section && key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

const ConfigKey& key_named(std::string_view section, std::string_view name) {
  const ConfigKey* key = find_key(section, name);
  if (key == nullptr)
    throw std::logic_error("the table of keys has no " + std::string(section) + '.' + std::string(name));
  return *key;
}

bool is_known_section(std::string_view section) {
  return std::any_of(keys.begin(), keys.end(), [&](const ConfigKey& key) { return key.section == section; });
}

bool is_for_plugin(const ConfigKey& key) {
  if (key.section == "output" && key.name == "json_bytes") return false;
  return key.section != "mcp" && key.section != "cache" && key.section != "mcp_servers" && key.section != "prompts";
}

bool is_for_class(const ConfigKey& key) {
  constexpr std::array<std::string_view, 7> whole{"address", "directory", "auth", "munge_socket",
                                                  "program", "classes",   "slot"};
  return key.section == "cluster" && std::find(whole.begin(), whole.end(), key.name) == whole.end();
}

std::vector<std::string> section_names() {
  std::vector<std::string> names;
  for (const ConfigKey& key : keys) {
    if (names.empty() || names.back() != key.section) names.emplace_back(key.section);
  }
  return names;
}

std::vector<std::string> key_names(std::string_view section) {
  std::vector<std::string> names;
  for (const ConfigKey& key : keys) {
    if (key.section == section) names.emplace_back(key.name);
  }
  return names;
}

}  // namespace wtool
