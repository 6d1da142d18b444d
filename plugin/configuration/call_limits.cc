#include "configuration/call_limits.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "base/config/keys.h"
#include "base/edit_distance.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/paths.h"
#include "configuration/section.h"

namespace wtool {

namespace {

using Json = nlohmann::json;

// How many configurations with different limits are kept for a tool.
constexpr std::size_t max_known = 64;

// The files that a call may use, out of those that its configuration allows.
struct CallFiles {
  std::vector<std::string> read, list, write;
  std::string temporary;
};

bool is_path(const std::string& text) { return text.starts_with('/') && text.find('\0') == std::string::npos; }

// Reads the limits of a call, key by key, and keeps the first mistake.
class LimitsReader {
 public:
  LimitsReader(const Json& limits, std::string& error) : rest_(limits), error_(error) {}

  // A limit, in the same range as in the configuration. A call cannot ask for no limit.
  template <typename Number>
  void limit(engine::LimitName name, Number& value, std::uint32_t& of_call) {
    const char* const key = engine::to_text(name);
    const Json given = take(key);
    if (given.is_discarded()) return;
    ConfigKey known = key_named("limits", key);
    known.or_none = false;
    if (!given.is_number() || !is_in_range(known, known.most, given.get<double>())) {
      return complain(key, given, range_of(known, known.most));
    }
    const auto asked = static_cast<Number>(given.get<double>());
    if (value != 0 && value <= asked) return;
    value = asked;
    of_call |= 1U << static_cast<unsigned>(name);
  }

  // True if the key is given. Its only valid value is `allowed`.
  bool word(const char* key, const char* allowed) {
    const Json given = take(key);
    if (given.is_discarded()) return false;
    if (given != allowed) complain(key, given, std::string("\"") + allowed + '"');
    return true;
  }

  // The lists of absolute paths in the object `files`. Nothing: the limits say nothing about files.
  std::optional<CallFiles> files() {
    const Json given = take("files");
    if (given.is_discarded()) return std::nullopt;
    CallFiles files;
    const std::pair<const char*, std::vector<std::string>*> lists[] = {
        {"read", &files.read}, {"list", &files.list}, {"write", &files.write}};
    bool is_good = given.is_object();
    std::size_t known = 0;
    for (const auto& [key, paths] : lists) {
      const auto found = is_good ? given.find(key) : given.end();
      if (found == given.end()) continue;
      ++known;
      is_good = found->is_array();
      for (const Json& path : is_good ? *found : Json::array()) {
        is_good = is_good && path.is_string() && is_path(path.get_ref<const std::string&>());
        if (is_good) paths->push_back(path.get<std::string>());
      }
    }
    if (const auto found = is_good ? given.find("temporary") : given.end(); found != given.end()) {
      ++known;
      is_good = found->is_string() && is_path(found->get_ref<const std::string&>());
      if (is_good) files.temporary = found->get<std::string>();
    }
    if (!is_good || known != given.size()) {
      complain("files", given,
               R"({"read": [...], "list": [...], "write": [...], "temporary": "..."}, with absolute paths)");
    }
    return files;
  }

  void end() {
    if (rest_.empty() || !error_.empty()) return;
    error_ = "limits of the call: there is no key " + show_json(rest_.begin().key()) +
             known_names(rest_.begin().key(), "keys",
                         {"files", "sandbox", "network", "cpu_seconds", "memory_bytes", "processes", "open_files",
                          "file_bytes"});
  }

 private:
  Json take(const char* key) {
    const auto found = rest_.find(key);
    if (found == rest_.end()) return Json(Json::value_t::discarded);
    Json value = *found;
    rest_.erase(found);
    return value;
  }

  void complain(const char* key, const Json& given, const std::string& allowed) {
    if (error_.empty()) {
      error_ = std::string("limits of the call: ") + key + " is " + show_json(given) + "; allowed is " + allowed;
    }
  }

  Json rest_;
  std::string& error_;
};

// Resolves the links in the paths. Paths that do not exist are left out.
std::vector<std::string> without_links(const std::vector<std::string>& paths) {
  std::vector<std::string> resolved;
  for (const std::string& path : paths) {
    char real[PATH_MAX];
    if (::realpath(path.c_str(), real) != nullptr) resolved.emplace_back(real);
  }
  return resolved;
}

// The roots of everything that is below a root in `allowed` and also below a root in `wanted`. No path in these lists
// has links in it.
std::vector<std::string> common_roots(const std::vector<std::string>& allowed, const std::vector<std::string>& wanted) {
  std::vector<std::string> roots;
  for (const std::string& path : wanted) {
    for (const std::string& root : allowed) {
      if (is_within(path, root)) {
        roots.push_back(path);
        break;
      }
      if (is_within(root, path)) roots.push_back(root);
    }
  }
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  return roots;
}

// Links are resolved before paths are compared, so no link below an allowed folder leads out of it.
engine::HeldFiles held_files(const CallFiles& files, const engine::SandboxPolicy& policy) {
  const std::vector<std::string> writable = without_links(policy.write);
  // Paths that may be written may also be read.
  std::vector<std::string> readable = without_links(policy.read);
  readable.insert(readable.end(), writable.begin(), writable.end());
  return {common_roots(readable, without_links(files.read)), common_roots(readable, without_links(files.list)),
          common_roots(writable, without_links(files.write))};
}

// A sandbox that refuses nothing. If the configuration has no sandbox, the limits tighten this one.
engine::SandboxPolicy open_sandbox() {
  engine::SandboxPolicy policy;
  policy.read = {"/"};
  policy.write = {"/"};
  policy.ipc = true;
  return policy;
}

}  // namespace

std::shared_ptr<const Configuration> tightened(const Configuration& configuration, std::string_view limits,
                                               std::string& error) {
  error.clear();
  std::string problem;
  const Json all = parse_json_object(limits, problem);
  if (!problem.empty()) {
    error = "limits of the call: " + problem;
    return nullptr;
  }
  auto held = std::make_shared<Configuration>(configuration);
  LimitsReader reader(all, error);
  engine::Limits& most = held->limits;
  using engine::LimitName;
  reader.limit(LimitName::cpu_seconds, most.cpu_seconds, most.of_call);
  reader.limit(LimitName::memory_bytes, most.memory_bytes, most.of_call);
  reader.limit(LimitName::processes, most.processes, most.of_call);
  reader.limit(LimitName::open_files, most.open_files, most.of_call);
  reader.limit(LimitName::file_bytes, most.file_bytes, most.of_call);
  const bool read_only = reader.word("sandbox", "read-only");
  const bool no_network = reader.word("network", "deny");
  const std::optional<CallFiles> files = reader.files();
  reader.end();
  if (!error.empty()) return nullptr;
  if (!read_only && !no_network && !files) return held;
  engine::SandboxPolicy policy = held->sandbox ? *held->sandbox : open_sandbox();
  if (files) {
    policy.held = held_files(*files, policy);
    policy.needs_files = true;
    if (!files->temporary.empty()) {
      std::vector<std::string> own = common_roots(without_links(policy.write), without_links({files->temporary}));
      // If the call may not write there, TMPDIR would name a useless folder.
      if (!own.empty() && !read_only) held->temporary_folder = own.front();
      policy.held->write.insert(policy.held->write.end(), own.begin(), own.end());
    }
  }
  if (read_only) {
    // What was writable stays readable.
    policy.read.insert(policy.read.end(), policy.write.begin(), policy.write.end());
    policy.write.clear();
    if (policy.held) {
      policy.held->read.insert(policy.held->read.end(), policy.held->write.begin(), policy.held->write.end());
      policy.held->write.clear();
    }
    policy.ipc = false;
    policy.needs_files = true;
  }
  if (no_network) {
    policy.network_of_call = policy.network;
    policy.network = false;
    policy.needs_network = true;
    held->network_stays_closed = true;
  }
  held->confinement = engine::Sandbox::shared(policy, configuration.confinement.get());
  held->sandbox = std::move(policy);
  return held;
}

std::shared_ptr<const Configuration> LimitedConfigurations::find(const Configuration& configuration,
                                                                 std::string_view limits, std::string& error) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(limits); found != known_.end()) return found->second;
  }
  // Made without the lock, because it looks up the roots, and the file system may be slow to answer.
  auto made = tightened(configuration, limits, error);
  // The files that a call may use differ from call to call, so such a configuration is not kept.
  if (!made || (made->sandbox && made->sandbox->held)) return made;
  const std::lock_guard lock(mutex_);
  if (known_.size() >= max_known) known_.clear();
  return known_.emplace(limits, made).first->second;  // another call may have been faster
}

}  // namespace wtool
