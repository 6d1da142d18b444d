#include "config/keys.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>

namespace wtool::host {

namespace {

// 2^53: any whole number up to it is exact in JSON.
constexpr double largest_size = 9007199254740992.0;

// Short names for the columns of the table.
using Type = KeyType;
using Lock = Tightening;

// A section of the table below with an empty name is a key of its own at the top.
constexpr auto keys = std::to_array<ConfigKey>({
    {"shell", "program", true, Type::program, Lock::equal, R"("/bin/sh")"},
    {"shell", "direct_exec", true, Type::boolean, Lock::equal, "true"},
    {"commands", "allow", true, Type::entries, Lock::within, R"(["*"])"},
    {"commands", "deny", true, Type::entries, Lock::add, "[]"},
    {"commands", "ask", true, Type::entries, Lock::add, "[]"},
    {"commands", "arguments", true, Type::choice, Lock::ranked, R"("any")", 0, 0, "", false, "any safe"},
    {"commands", "unlisted", true, Type::choice, Lock::ranked, R"("deny")", 0, 0, "", false, "ask deny"},
    {"commands", "path", true, Type::paths_or_default, Lock::equal, R"("default")"},
    {"commands", "approvals", true, Type::path, Lock::equal},
    {"directories", "roots", true, Type::paths, Lock::below_roots, "[]"},
    {"directories", "confine_arguments", true, Type::boolean, Lock::stays_true, "false"},
    {"environment", "inherit", true, Type::choice, Lock::ranked, R"("all")", 0, 0, "", false, "all core none"},
    {"environment", "deny", true, Type::patterns, Lock::add, "[]"},
    {"environment", "set", true, Type::variables, Lock::equal, "{}"},
    {"limits", "timeout_default", true, Type::integer, Lock::lower, "300", 1, 1800, "seconds"},
    {"limits", "timeout_max", true, Type::integer, Lock::lower, "1800", 1, 1800, "seconds"},
    {"limits", "grace_seconds", true, Type::number, Lock::lower, "2", 0, 60, "seconds"},
    {"limits", "cpu_seconds", true, Type::integer, Lock::lower_limit, "0", 1, 1e6, "seconds", true},
    {"limits", "memory_bytes", true, Type::integer, Lock::lower_limit, "0", 1 << 20, largest_size, "bytes", true},
    {"limits", "processes", true, Type::integer, Lock::lower_limit, "0", 1, 1e6, "processes", true},
    {"limits", "open_files", true, Type::integer, Lock::lower_limit, "0", 16, 1e6, "descriptors", true},
    {"limits", "file_bytes", true, Type::integer, Lock::lower_limit, "0", 1, largest_size, "bytes", true},
    {"output", "bytes", true, Type::integer, Lock::lower, "1048576", 4096, 67108864, "bytes"},
    {"output", "spill", true, Type::choice, Lock::free, R"("never")", 0, 0, "", false, "never when_cut always"},
    {"output", "directory", true, Type::path, Lock::equal},
    {"output", "max_bytes", true, Type::integer, Lock::lower, "1073741824", 1 << 20, largest_size, "bytes"},
    {"background", ""},
    {"sandbox", "read", true, Type::paths, Lock::below, R"(["/"])"},
    {"sandbox", "write", true, Type::paths, Lock::below, R"(["/"])"},
    {"sandbox", "protect", true, Type::names, Lock::add, R"("default")", 0, 0, "", false, "default none"},
    {"sandbox", "network", true, Type::choice, Lock::ranked, R"("allow")", 0, 0, "", false, "allow deny"},
    {"sandbox", "required", true, Type::boolean, Lock::stays_true, "false"},
    {"audit", "file", true, Type::path, Lock::equal},
    {"audit", "sync", true, Type::choice, Lock::equal, R"("none")", 0, 0, "", false, "none data"},
    {"audit", "output", true, Type::choice, Lock::equal, R"("none")", 0, 0, "", false, "none captured"},
    {"audit", "when_unwritable", true, Type::choice, Lock::equal, R"("refuse")", 0, 0, "", false, "refuse continue"},
    {"audit", "max_bytes", true, Type::integer, Lock::equal, "67108864", 4096, largest_size, "bytes", true},
    {"audit", "keep", true, Type::integer, Lock::equal, "0", 0, 1e6, "files"},
    {"sessions", ""},
});

}  // namespace

std::span<const ConfigKey> config_keys() { return keys; }

std::string full_name(const ConfigKey& key) { return std::string(key.section) + '.' + std::string(key.name); }

std::vector<std::string> choices_of(const ConfigKey& key) {
  std::istringstream words{std::string(key.choices)};
  return {std::istream_iterator<std::string>(words), {}};
}

const ConfigKey* find_key(std::string_view section, std::string_view name) {
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [&](const ConfigKey& key) { return key.section == section && key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

bool is_known_section(std::string_view section) {
  return std::any_of(keys.begin(), keys.end(), [&](const ConfigKey& key) { return key.section == section; });
}

bool is_supported_section(std::string_view section) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const ConfigKey& key) { return key.section == section && key.supported; });
}

std::vector<std::string> supported_sections() {
  std::vector<std::string> names;
  for (const ConfigKey& key : keys) {
    if (key.supported && (names.empty() || names.back() != key.section)) names.emplace_back(key.section);
  }
  return names;
}

std::vector<std::string> supported_names(std::string_view section) {
  std::vector<std::string> names;
  for (const ConfigKey& key : keys) {
    if (key.supported && key.section == section) names.emplace_back(key.name);
  }
  return names;
}

}  // namespace wtool::host
