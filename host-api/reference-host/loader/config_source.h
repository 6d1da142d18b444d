// Where a toolbox gets its configuration from, so that it notices changes. An interface, because the loader knows
// nothing about files; the implementation is in config/files.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace wtool::host {

// One thread at a time.
class ConfigSource {
 public:
  virtual ~ConfigSource() = default;

  // Whether load() may say something else now than the last time. Cheap: it is asked before every call.
  virtual bool changed() = 0;

  // JSON text of an object. Nothing: `error` says why, and changed() is true again only when that may be another, too.
  virtual std::optional<std::string> load(std::string& error) = 0;

  // The files that load() read last, absolute: a plugin that knows them can keep commands from writing their own rules.
  virtual std::vector<std::string> paths_in_force() const { return {}; }

  // `config`, as load() last returned it, for a tool whose shell is `shell` ("sh", "bash" or an absolute path).
  // Nothing: `error` says why that shell is not allowed.
  virtual std::optional<std::string> with_shell(const std::string& config, const std::string& shell,
                                                std::string& error) {
    (void)config, (void)shell;
    error = "no shell can be chosen here";
    return std::nullopt;
  }
};

}  // namespace wtool::host
