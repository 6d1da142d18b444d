// The configuration of a tool: the JSON that a host hands to tool_new, with every key checked.
//
//   std::string error;
//   const auto configuration = parse_configuration(R"({"limits": {"timeout_max": 60}})", error, fleet);
//   if (configuration == nullptr) return error;
//   const auto longest = configuration->timeout_max;
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "audit/trail.h"
#include "base/config/fleet.h"
#include "engine/limits.h"
#include "engine/sandbox/policy.h"
#include "engine/sandbox/sandbox.h"
#include "engine/spill.h"
#include "policy/rules.h"

namespace wtool {

// The value of limits.timeout_max for "none": 100 years, so that adding it to the time of a clock does not overflow.
inline constexpr std::chrono::seconds max_timeout{3'155'760'000};

// The initial values of the members are the defaults. docs/guide/configuration.md describes each key.
struct Configuration {
  std::string shell = "/bin/sh";                 // shell.program: an absolute path
  bool direct_exec = true;                       // shell.direct_exec
  bool takes_stdin = false;                      // shell.stdin: shell_execute has the parameter `stdin`
  std::chrono::seconds timeout_default{300};     // limits.timeout_default: 1 .. timeout_max
  std::chrono::seconds timeout_max{1800};        // limits.timeout_max: 1 .. 1800, or "none": max_timeout
  bool timeout_fractions = false;                // limits.timeout_fractions: timeouts in seconds may have a fraction
  std::chrono::milliseconds grace{2000};         // limits.grace_seconds: 0 .. 60
  std::size_t output_bytes = 1024UL * 1024;      // output.bytes, per stream: 4096 .. 67108864
  engine::Limits limits;                         // the other keys of `limits`
  engine::SpillOptions spill;                    // output.spill, directory, max_bytes
  std::optional<engine::SandboxPolicy> sandbox;  // the `sandbox` section; absent: no sandbox
  std::string temporary_folder;                  // TMPDIR of this one call; empty: not set (call_limits.h)
  bool network_stays_closed = false;             // The limits of a call forbid approvals to open the network.

  policy::CommandRules commands;         // commands.*
  policy::DirectoryRules directories;    // directories.roots, confine_arguments
  policy::EnvironmentRules environment;  // environment.inherit, deny, allow, set
  audit::TrailOptions audit;             // audit.file, sync, output, when_unwritable, max_bytes, keep

  bool keep_background = false;         // background: end | keep
  std::size_t sessions_max = 50;        // sessions.max: 1 .. 1000
  std::string tools_allow;              // sessions.tools_allow: an absolute path; empty: the default path
  std::size_t pty_max = 8;              // pty.max: 1 .. 64
  std::chrono::seconds pty_idle{1800};  // pty.idle_seconds: 1 .. 86400
  std::string execute_run_root;         // execute_run.root: an absolute path; empty: it is searched for

  // The configuration's own files, commands.approvals, sessions.tools_allow and audit.file. Each is listed as an
  // absolute path whose folder has no links, and, if the file itself is a link, also by the path of its target.
  std::vector<std::string> files_in_force;

  // output.directory, shared by all calls; nullptr: output.spill is never.
  std::shared_ptr<engine::SpillDirectory> spill_directory;
  std::shared_ptr<engine::Sandbox> confinement;  // made from `sandbox`, shared by the calls of all tools
  std::shared_ptr<audit::Trail> trail;           // the audit trail, shared by all calls; nullptr: no audit.file
};

// nullptr: the configuration is not valid; `error` is then one sentence that names the wrong key with its value and what
// is allowed, or says what else is wrong. An empty text means {}. The fleet policy is the first layer of the
// configuration; `json` must not change a value that the policy locks.
std::shared_ptr<const Configuration> parse_configuration(std::string_view json, std::string& error,
                                                         const FleetPolicy& policy = {});

}  // namespace wtool
