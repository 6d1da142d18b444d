// The policies that need no file, as `wtool mcp --policy` offers them: each is two layers of the configuration.
//
//   std::string error;
//   const auto preset = policy_preset({.kind = PolicyPreset::Kind::project, .root = "/home/me/app"}, error);
//   if (preset) config_files.add_policy(*preset);
//
// - The boundary is the kernel's sandbox. Every command can write in temporary folders and, with Kind::project, below
//   the root. With Kind::read_only, a temporary folder that contains the root is left out. Every command can read these
//   folders, the root, the system and the toolchains in the home folder, but not the rest of the home folder.
// - The user's file may change `defaults`. `boundary` comes after it and is locked: the project's file, which an agent
//   may write, can only tighten it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace wtool::host {

struct PolicyPreset {
  enum class Kind { project, read_only };

  std::string defaults;  // YAML; so is `boundary`
  std::string boundary;
  std::string summary;               // what the policy does, in a few sentences for models and people
  std::vector<std::string> notices;  // what may surprise the person who starts it
};

struct PolicyRequest {
  PolicyPreset::Kind kind = PolicyPreset::Kind::project;
  std::string root;       // absolute, existing, without links
  std::string project{};  // absolute; the project of execute_run. Empty: execute_run looks for it at each call
  bool network = false;   // commands may use the network
  // A person has named the last file (--config): it may also set keys that are not part of the boundary.
  bool trusts_last_file = false;
};

// The preset for the request. Nothing: `error` says why the root cannot be used, or what this system lacks.
std::optional<PolicyPreset> policy_preset(const PolicyRequest& request, std::string& error);

// The project that `folder` belongs to: the nearest folder, from `folder` upwards, with a repository, or else with a
// file that build tools look for. Empty: no such folder exists. Neither / nor the home folder is a project.
std::string project_of(const std::string& folder);

}  // namespace wtool::host
