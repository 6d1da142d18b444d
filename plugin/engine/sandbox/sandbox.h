// The sandbox of a configuration: what is made once for all its calls, and what each call adds.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "engine/command.h"
#include "engine/sandbox/policy.h"
#include "engine/sandbox/protected_names.h"
#include "engine/sandbox/report.h"
#include "engine/sandbox/repositories.h"
#include "engine/sandbox/repository_search.h"
#include "engine/sandbox/roots.h"
#include "engine/sandbox/timed_mutex.h"

namespace wtool::engine {

// Which parts of a sandbox this kernel can enforce. A plain value, so that a test can pretend to have another kernel.
struct SandboxFeatures {
  int landlock_abi = 0;    // 0: this kernel has no Landlock
  int landlock_error = 0;  // the errno that says why it has none
  bool seccomp = false;

  // The features of the running kernel.
  static SandboxFeatures of_kernel();
};

// What all calls share. Never changed once it is made.
struct SharedSandbox {
  Roots roots;    // of the policy
  Roots allowed;  // what Landlock allows: the same, or the files to which a call is limited
  Descriptor ruleset;
  Descriptor ruleset_in_scope;  // empty if the kernel has no scopes
  std::string filter;
  bool network_refused = false;
  bool network_of_call = false;  // as in the policy
  bool ipc_refused = false;
  SandboxReport report;  // without the protected names
};

// The sandbox of one command.
struct PreparedSandbox {
  std::shared_ptr<const SharedSandbox> shared;
  ProtectedNames names;
  Repositories repositories;     // those that existed before the command
  std::int64_t since_ns = 0;     // when they were searched for
  std::set<std::string> hidden;  // the paths of those that only earlier searches have found
  Confinement confinement;
  SandboxReport report;
};

// Any thread may call any member.
class Sandbox {
 public:
  explicit Sandbox(SandboxPolicy policy) : Sandbox(std::move(policy), SandboxFeatures::of_kernel()) {}
  Sandbox(SandboxPolicy policy, SandboxFeatures features, std::shared_ptr<KnownRoots> known = nullptr);

  // The existing sandbox of this policy if one is in use, or a new one. Tools with the same policy thus share the
  // record of what their commands have made. `wider`: the sandbox of the configuration from which the policy was made,
  // for limits of one call; a root that was replaced since the configuration was read is then refused here, too.
  static std::shared_ptr<Sandbox> shared(const SandboxPolicy& policy, const Sandbox* wider = nullptr);

  const SandboxPolicy& policy() const { return policy_; }

  // Prepares for a command in `directory` (canonical). Nothing, with `refusal`, when a root is missing, or something
  // required cannot be enforced. `no_namespaces`: why namespaces are known to be unavailable; empty while they may
  // work. `given_up`: true once the caller no longer waits; the returned value must then not be used, and `refusal` may
  // be empty. `lifts_network`: the network is open, whatever the policy says.
  std::optional<PreparedSandbox> prepare(const std::string& directory, const std::string& no_namespaces,
                                         SandboxRefusal& refusal, const RepositorySearch::GivenUp& given_up = {},
                                         bool lifts_network = false);

  // After the command: adds the names and the repositories that it has made to the report, and puts aside what it added
  // to repositories that existed before, if the policy says so. Waits for other searches for at most 1 s, and searches
  // for at most 1 s of processor time, or 4 s; comparing what is known has no time limit. No cancellation or deadline
  // shortens these steps, because a command could use that to hide what it has made.
  void look_afterwards(const PreparedSandbox& prepared, SandboxReport& report);

 private:
  std::shared_ptr<const SharedSandbox> share(bool network, SandboxRefusal& refusal);
  std::shared_ptr<const SharedSandbox> make(bool network, SandboxRefusal& refusal) const;
  bool find_names(const std::vector<Root>& write_roots, bool namespaces, const RepositorySearch::GivenUp& given_up,
                  PreparedSandbox& prepared);

  const SandboxPolicy policy_;
  const SandboxFeatures features_;
  const std::shared_ptr<KnownRoots> known_;
  std::mutex mutex_;
  // Made at the first call, and again when a root that is only read, or a file, has been replaced.
  std::shared_ptr<const SharedSandbox> shared_;
  std::shared_ptr<const SharedSandbox> shared_with_network_;  // for calls whose approval opens the network

  TimedMutex search_mutex_;
  NamesInFolders folders_;
  RepositorySearch search_;
  // Repositories that commands of this sandbox have made. They are not protected: their contents came from commands in
  // the first place, and if they were protected, later commands could not remove them.
  FoundByPath made_;
  // The repositories that the last search has found, and earlier ones that are still there. A command could move away what
  // makes a folder a repository, change what is no longer protected, and move it back.
  FoundByPath seen_;
};

}  // namespace wtool::engine
