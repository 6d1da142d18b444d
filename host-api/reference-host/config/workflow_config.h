// The configuration for the tools of a workflow. It differs from the configuration of the files in two ways:
//
// - Unless the files set limits.timeout_max, timeouts have no upper limit. A timeout may be a fraction of a second.
// - A workflow or a step may choose a different shell.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "config/files.h"

namespace wtool::host {

class WorkflowConfig final : public ConfigSource {
 public:
  // `files` must outlive this object. While this object exists, nothing else may load from `files`.
  explicit WorkflowConfig(ConfigFiles& files) : files_(files) {}

  bool changed() override { return files_.changed(); }
  std::optional<std::string> load(std::string& error) override;
  std::vector<std::string> paths_in_force() const override { return files_.paths_in_force(); }
  std::string take_notice() override { return files_.take_notice(); }
  std::optional<std::string> with_shell(const std::string& config, const std::string& shell,
                                        std::string& error) override;

  struct InForce {
    std::shared_ptr<const Config> config;  // nullptr: load() has not succeeded yet
    std::uint64_t changes = 0;             // how often load() has returned another configuration than before
  };
  // The configuration of the files, as load() has last read it. Any thread may call this.
  InForce in_force() const;

  // Why a workflow cannot choose this shell, according to the last load; empty: it can.
  std::string shell_problem(const std::string& shell) const;
  // The largest timeout of a step in seconds, according to the last load. Nothing: any timeout is allowed.
  std::optional<std::int64_t> timeout_max() const { return timeout_max_; }

 private:
  // The path of the program; empty: `error` says why it cannot be used.
  std::string find_shell(const std::string& shell, std::string& error) const;

  ConfigFiles& files_;
  std::string configured_ = "/bin/sh";  // shell.program
  std::optional<ConfigPlace> lock_;     // where shell.program is locked
  std::optional<std::int64_t> timeout_max_;
  bool judges_lines_ = false;  // the policy judges the text of commands
  mutable std::mutex mutex_;   // guards the members below
  InForce in_force_;
  std::string text_;  // of in_force_.config
};

}  // namespace wtool::host
