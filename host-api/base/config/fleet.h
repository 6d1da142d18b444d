// The policy of a fleet: what root has put into /etc/wtool, for every user and every host of the plugin.
//
// - /etc/wtool/wtool.yaml, then /etc/wtool/wtool.d/*.yaml in the order of their names, are the first layers of the
//   configuration. Without them, there is no policy. No variable and no option changes these paths.
// - The files are trusted only if nobody but root can have written them: the files and all folders above them belong to
//   root, nobody else may write to them, and none of them is a symbolic link. Each file is opened only once, so that
//   the file that is checked is also the file that is read.
// - A policy that exists but cannot be used is an error: the program that reads it refuses all calls. Reading never
//   waits, even if there is a pipe or a device in place of a file. A file of more than one mebibyte cannot be used.
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
  std::vector<std::string> files;  // the absolute paths of the policy's files
};

// An empty policy if there are no files. Nothing: `error` names the file and says what to do.
std::optional<FleetPolicy> read_fleet_policy(std::string& error);

// The policy as it will be once the file `candidate` has been moved to /etc/wtool/wtool.yaml. Owners and modes must fit
// every user. Nothing: `error` names the file and says what to do.
std::optional<FleetPolicy> try_fleet_policy(const std::string& candidate, std::string& error);

// Combines `layers`, which the caller has read, into a policy and checks it. Nothing: `error` names the file and says
// what to do.
std::optional<FleetPolicy> fleet_policy(std::vector<Layer> layers, std::string& error);

// Applies the policy to a configuration in the form that tool_new takes: keys that the configuration leaves out get the
// policy's values, and commands may not write the policy's files. False: `config` has a value that the policy's locks
// do not allow, or that is not valid; `error` says which. Without `with_cluster`, the keys of the `cluster` section
// stay as they are. Keys that only a host can set, and not a configuration file, always stay as they are.
bool hold_to(const FleetPolicy& policy, bool with_cluster, nlohmann::json& config, std::string& error);

}  // namespace wtool
