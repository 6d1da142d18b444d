// Confines the child that is about to become a command: mount namespace, capabilities, Landlock, system call filter.
//
// - All or nothing: if anything that was asked for fails, the failure is reported with its stage, and the command does
//   not run.
// - Protected paths are bound onto themselves, read-only. Each folder above them, up to a write root, is also bound
//   onto itself, but stays writable. A mount point cannot be renamed, so nobody can move a folder away and put another
//   in its place.
// - Needs nothing but system calls: it runs in a vfork child.
//
// Hazards:
// - The working directory was entered before the binds and is the folder beneath them, so relative paths would bypass
//   all binds. It is therefore entered again by its path, and must be the same folder.
// - A descriptor of a folder that was opened outside the new mount namespace still leads to the mounts outside. No such
//   descriptor reaches the command.
// - The custodian is not dumpable, and a vfork child shares its memory: without privileges such a child cannot open its
//   own uid_map. So the child gets its own memory if it needs a user namespace.
#pragma once

#include <linux/filter.h>
#include <sys/types.h>

#include <cstddef>
#include <vector>

#include "warden/protocol.h"

namespace wtool::warden {

// The headers of the build may be older than this call. The number is the same on every architecture.
constexpr long sys_landlock_restrict_self = 446;

struct SpawnFailure {
  Stage stage = Stage::none;
  int error = 0;
  int cgroup_error = 0;  // errno of starting in the cgroup. Not a failure: the command runs outside of it.
};

// What enter_sandbox does. Points into the SandboxMessage that made it.
struct SandboxPlan {
  int ruleset = -1;                    // Landlock; -1: none
  sock_filter* filter = nullptr;       // seccomp
  unsigned short filter_size = 0;      // instructions; 0: none
  const char* const* binds = nullptr;  // each a bind_as_is or bind_read_only and a path
  std::size_t bind_count = 0;          // 0: no namespace
  const char* directory_path = nullptr;
  int directory = -1;           // the same folder, opened outside the namespace
  bool user_namespace = false;  // The child is in a new user namespace, and must write the two maps below.
  char user_map[32] = {};       // "1000 1000 1"
  char group_map[32] = {};
};

// Lays out a SandboxPart. Memory is kept from call to call.
class SandboxMessage {
 public:
  // `bytes` must not change while the plan is used. False if they are malformed.
  bool lay_out(const char* bytes, std::size_t size);

  SandboxPlan& plan(int ruleset, int directory);

 private:
  std::vector<sock_filter> filter_;
  std::vector<const char*> texts_;
  SandboxPlan plan_;
};

// Call it in the child, once its working directory is entered.
SpawnFailure enter_sandbox(const SandboxPlan& plan);

// Enters the filter, which this process and all that it starts can never leave. Returns 0 or the errno.
int enter_filter(sock_filter* filter, unsigned short size);

// True when the plan has binds and this process may not make a mount namespace without a user namespace.
bool needs_user_namespace(const SandboxPlan& plan);

// Starts a child with its own memory in new user and mount namespaces, where it calls `body(argument, failure)`, which
// must not return. `cgroup`: the directory of the cgroup to start it in, or -1. Returns what spawn() does: the child's
// number; on failure, -1 with `failure`.
pid_t spawn_in_user_namespace(SandboxPlan& plan, int cgroup, void (*body)(const void*, volatile SpawnFailure&),
                              const void* argument, SpawnFailure& failure);

}  // namespace wtool::warden
