// The configured policy as plain values, which were checked when the configuration was read.
// docs/guide/configuration.md describes each key.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/environment.h"

namespace wtool::policy {

// The `commands` section of the configuration.
struct CommandRules {
  // The allow list; without it, or with "*" in it, every command is allowed. An entry of one word allows the program;
  // several words must match exactly; a trailing " *" makes the entry a prefix of whole words.
  std::optional<std::vector<std::string>> allow;
  std::vector<std::string> deny, ask;            // prefixes
  std::vector<std::string> ask_network;          // prefixes; a yes opens the network for the call
  bool safe_arguments = false;                   // arguments: any | safe
  bool ask_unlisted = false;                     // unlisted: deny | ask
  std::optional<std::vector<std::string>> path;  // path: default (absent) | absolute folders
  std::string approvals;                         // approvals: absolute path of the file; empty: nothing is remembered
  // The only programs that may run interactively if there are rules for commands; "*": all programs.
  std::vector<std::string> interactive;
};

// The `directories` section of the configuration.
struct DirectoryRules {
  std::vector<std::string> roots;  // absolute; empty: no limit
  bool confine_arguments = false;
};

// The `environment` section of the configuration.
struct EnvironmentRules {
  enum class Inherit { all, core, none };
  Inherit inherit = Inherit::all;
  std::vector<std::string> deny;   // name patterns with * and ?
  std::vector<std::string> allow;  // name patterns: what a call may set under an allow list, besides harmless names
  Variables set;
};

}  // namespace wtool::policy
