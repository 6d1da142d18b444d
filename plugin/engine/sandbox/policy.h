// What a sandboxed command may reach. docs/guide/configuration.md explains each key to users.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace wtool::engine {

// The name in sandbox.protect that stands for SandboxPolicy::repositories.
inline constexpr const char* repositories_name = "repositories";

// Paths without links, all of them below the policy's `read` and `write` paths. A path that no longer exists grants no
// access. A path that has since become a link is an error.
struct HeldFiles {
  std::vector<std::string> read;
  std::vector<std::string> list;  // names may be read in these folders and below
  std::vector<std::string> write;

  bool operator==(const HeldFiles&) const = default;
};

struct SandboxPolicy {
  std::vector<std::string> read;     // absolute; files below may be read and executed
  std::vector<std::string> write;    // absolute; files below may be read, executed, made, changed and removed
  std::vector<std::string> protect;  // relative to each of `write`; must not change, although commands may write there
  std::vector<std::string> files;    // absolute, without a link above the last name; must not change either
  std::string record;                // one of `files` that we write while commands run: protected, but not compared
  bool network = true;
  bool network_of_call = false;  // It is the call that has closed the network, not the configuration.
  bool required = false;         // Run nothing if a part of the sandbox cannot be enforced.
  bool ipc = false;              // Allow objects that belong to no folder: those of System V, and POSIX message queues.
  bool repositories = false;     // Protect whatever makes git execute something, in each git repository below `write`.
  bool put_aside = false;        // Rename what a command has added to such a repository.
  // Run nothing if the kernel cannot restrict access to files, or to the network.
  bool needs_files = false;
  bool needs_network = false;
  // If a call has named files, only those files may be used. What is protected below `write` stays protected.
  std::optional<HeldFiles> held{};

  bool operator==(const SandboxPolicy&) const = default;
};

}  // namespace wtool::engine
