// The policy of a fleet: what root has put into /etc/wtool, for every user and every host of the plugin.
//
// - /etc/wtool/wtool.yaml, then /etc/wtool/wtool.d/*.yaml in the order of their names, are the first layers of the
//   configuration. Without them, there is no policy. No variable and no option changes these paths.
// - They are trusted only if nobody but root can have written them: the files and all folders above them belong to
//   root, nobody else may write to them, and none of them is a symbolic link. Each file is opened once, and what is
//   checked is what is read.
// - A policy that exists but cannot be used is an error, and its reader then refuses all calls. Reading never waits,
//   even for a pipe or a device in place of a file, and takes at most a mebibyte of each file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/config/config.h"

namespace wtool {

inline constexpr const char* fleet_file = "/etc/wtool/wtool.yaml";
inline constexpr const char* fleet_title = "fleet";

struct FleetPolicy {
  std::vector<Layer> layers;
  std::vector<std::string> files;  // their absolute paths
};

// An empty policy if there are no files. Nothing: `error` names the file and says what to do.
std::optional<FleetPolicy> read_fleet_policy(std::string& error);

// The policy that consists of `layers`, which were read elsewhere. Checks them together. Nothing: as above.
std::optional<FleetPolicy> fleet_policy(std::vector<Layer> layers, std::string& error);

// Applies the policy to a configuration as tool_new takes it: keys that the configuration leaves out get the policy's
// values, and commands may not write the policy's files. False: `config` has a value that the policy's locks do not
// allow, or that is not valid; `error` says which. Without `with_cluster`, the keys of the `cluster` section are left
// alone. Keys that only a host can set, not a configuration file, are always left alone.
bool hold_to(const FleetPolicy& policy, bool with_cluster, nlohmann::json& config, std::string& error);

}  // namespace wtool
