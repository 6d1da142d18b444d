#include "configuration.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "json_text.h"

namespace wtool {

namespace {

using Json = nlohmann::json;

// 2^53: any whole number up to it is exact in JSON.
constexpr std::uint64_t largest_size = 1ULL << 53;

// Reads the keys of one section, each once, and then says which are left.
class Section {
 public:
  Section(const Json& all, std::string name, std::string& error) : name_(std::move(name)), error_(error) {
    const auto found = all.find(name_);
    if (found == all.end()) return;
    present_ = true;
    if (found->is_object()) {
      rest_ = *found;
    } else {
      complain("", *found, "an object");
    }
  }

  bool present() const { return present_; }

  template <typename Number>
  void number(const char* key, Number lowest, Number highest, bool whole, Number& value, bool or_none = false) {
    if (!take(key)) return;
    const Json& given = taken_;
    const double wanted = given.is_number() ? given.get<double>() : std::nan("");
    const bool in_range =
        (wanted >= static_cast<double>(lowest) && wanted <= static_cast<double>(highest)) || (or_none && wanted == 0);
    if (!in_range || (whole && wanted != std::floor(wanted))) {
      return complain(key, given,
                      (whole ? "a whole number from " : "a number from ") + Json(lowest).dump() + " to " +
                          Json(highest).dump() + (or_none ? ", or 0 for no limit" : ""));
    }
    value = static_cast<Number>(wanted);
  }

  // A limit: a whole number, or 0 for none.
  template <typename Number>
  void limit(const char* key, Number lowest, Number highest, Number& value) {
    number<Number>(key, lowest, highest, true, value, true);
  }

  void flag(const char* key, bool& value) {
    if (!take(key)) return;
    const Json& given = taken_;
    if (!given.is_boolean()) return complain(key, given, "true or false");
    value = given.get<bool>();
  }

  // One of `choices`; `value` is its place among them.
  void choice(const char* key, const std::vector<std::string>& choices, std::size_t& value) {
    if (!take(key)) return;
    const auto found = std::find(choices.begin(), choices.end(), taken_.is_string() ? taken_.get<std::string>() : "");
    if (found == choices.end()) return complain(key, taken_, alternatives(choices));
    value = static_cast<std::size_t>(found - choices.begin());
  }

  void absolute_path(const char* key, std::string& value) {
    if (!take(key)) return;
    if (!is_absolute(taken_)) return complain(key, taken_, "an absolute path");
    value = taken_.get<std::string>();
  }

  void absolute_paths(const char* key, std::vector<std::string>& value) {
    if (!take(key)) return;
    if (!taken_.is_array() || !std::all_of(taken_.begin(), taken_.end(), is_absolute)) {
      return complain(key, taken_, "a list of absolute paths");
    }
    value = taken_.get<std::vector<std::string>>();
  }

  // "default", "none", or a list of names. `value` holds the default before.
  void names(const char* key, std::vector<std::string>& value) {
    if (!take(key) || taken_ == "default") return;
    value.clear();
    if (taken_ == "none") return;
    if (!taken_.is_array() || !std::all_of(taken_.begin(), taken_.end(), is_name)) {
      return complain(key, taken_, "default, none or a list of relative paths without . and ..");
    }
    value = taken_.get<std::vector<std::string>>();
  }

  void end() {
    if (error_.empty() && !rest_.empty()) {
      error_ = "configuration: there is no key " + name_ + "." + rest_.begin().key();
    }
  }

 private:
  static bool is_path(const Json& value) {
    return value.is_string() && !value.get_ref<const std::string&>().empty() &&
           value.get_ref<const std::string&>().find('\0') == std::string::npos;
  }

  static bool is_absolute(const Json& value) {
    return is_path(value) && value.get_ref<const std::string&>().front() == '/';
  }

  static bool is_name(const Json& value) {
    if (!is_path(value)) return false;
    // With a slash on both sides, every part has one.
    const std::string path = '/' + value.get<std::string>() + '/';
    return path.find("//") == std::string::npos && path.find("/./") == std::string::npos &&
           path.find("/../") == std::string::npos;
  }

  // "a, b or c"
  static std::string alternatives(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
      text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i];
    return text;
  }

  bool take(const char* key) {
    const auto found = rest_.find(key);
    if (found == rest_.end()) return false;
    taken_ = std::move(*found);
    rest_.erase(found);
    return true;
  }

  void complain(const std::string& key, const Json& given, const std::string& allowed) {
    if (!error_.empty()) return;
    error_ = "configuration: " + name_ + (key.empty() ? "" : "." + key) + " is " + show_json(given) + "; allowed is " +
             allowed;
  }

  const std::string name_;
  std::string& error_;
  bool present_ = false;
  Json rest_ = Json::object();
  Json taken_;
};

// Whatever starts a program by itself later, outside of any sandbox, when it stands below a folder of a person's.
const std::vector<std::string> protected_by_default = {
    ".git/hooks", ".git/config", ".gitmodules", ".bashrc",       ".bash_profile",   ".bash_login",
    ".profile",   ".zshrc",      ".zprofile",   ".zshenv",       ".zlogin",         ".envrc",
    ".ssh",       ".gitconfig",  ".config/git", ".vscode",       ".idea",           ".mcp.json",
    ".wtool",     "wtool.yaml",  ".clada",      ".config/wtool", "tools-allow.json"};

std::optional<engine::SandboxPolicy> read_sandbox(Section& section, std::string& error) {
  engine::SandboxPolicy policy;
  policy.read = {"/"};
  policy.protect = protected_by_default;
  section.absolute_paths("read", policy.read);
  section.absolute_paths("write", policy.write);
  section.names("protect", policy.protect);
  std::size_t network = 0;
  section.choice("network", {"allow", "deny"}, network);
  policy.network = network == 0;
  section.flag("required", policy.required);
  section.end();
  if (!error.empty()) return std::nullopt;
  return policy;
}

}  // namespace

std::shared_ptr<const Configuration> parse_configuration(std::string_view text, std::string& error) {
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
  auto configuration = std::make_shared<Configuration>();
  for (const auto& [key, value] : all.items()) {
    if (key != "shell" && key != "limits" && key != "output" && key != "sandbox") {
      error = "configuration: there is no section " + key + "; there are shell, limits, output and sandbox";
      return nullptr;
    }
  }
  Section shell(all, "shell", error);
  shell.absolute_path("program", configuration->shell);
  shell.flag("direct_exec", configuration->direct_exec);
  shell.end();

  Section limits(all, "limits", error);
  std::int64_t timeout_max = configuration->timeout_max.count();
  limits.number<std::int64_t>("timeout_max", 1, 1800, true, timeout_max);
  std::int64_t timeout_default = std::min<std::int64_t>(configuration->timeout_default.count(), timeout_max);
  limits.number<std::int64_t>("timeout_default", 1, timeout_max, true, timeout_default);
  double grace_seconds = 2;
  limits.number<double>("grace_seconds", 0, 60, false, grace_seconds);
  engine::Limits& most = configuration->limits;
  limits.limit<std::uint64_t>("cpu_seconds", 1, 1'000'000, most.cpu_seconds);
  limits.limit<std::uint64_t>("memory_bytes", 1 << 20, largest_size, most.memory_bytes);
  limits.limit<std::uint32_t>("processes", 1, 1'000'000, most.processes);
  limits.limit<std::uint32_t>("open_files", 16, 1'000'000, most.open_files);
  limits.limit<std::uint64_t>("file_bytes", 1, largest_size, most.file_bytes);
  limits.end();
  configuration->timeout_max = std::chrono::seconds(timeout_max);
  configuration->timeout_default = std::chrono::seconds(timeout_default);
  configuration->grace = std::chrono::milliseconds(static_cast<std::int64_t>(grace_seconds * 1000));

  Section output(all, "output", error);
  output.number<std::size_t>("bytes", 4096, 64UL * 1024 * 1024, true, configuration->output_bytes);
  std::size_t when = 0;
  output.choice("spill", {"never", "when_cut", "always"}, when);
  configuration->spill.when = static_cast<engine::SpillOptions::When>(when);
  output.absolute_path("directory", configuration->spill.directory);
  output.number<std::uint64_t>("max_bytes", 1 << 20, largest_size, true, configuration->spill.max_bytes);
  output.end();
  if (error.empty() && when != 0 && configuration->spill.directory.empty()) {
    error = "configuration: output.spill needs output.directory, the absolute path of the folder for the files";
  }
  const engine::SpillOptions& spill = configuration->spill;
  if (when != 0) {
    configuration->spill_directory = std::make_shared<engine::SpillDirectory>(spill.directory, spill.max_bytes);
  }

  Section sandbox(all, "sandbox", error);
  if (sandbox.present()) configuration->sandbox = read_sandbox(sandbox, error);
  if (configuration->sandbox) configuration->confinement = std::make_shared<engine::Sandbox>(*configuration->sandbox);
  return error.empty() ? configuration : nullptr;
}

}  // namespace wtool
