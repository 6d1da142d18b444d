#include "engine/sandbox/sandbox.h"

#include <linux/seccomp.h>
#include <sys/stat.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <set>
#include <string_view>

#include "base/lasting.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/timespec.h"
#include "engine/sandbox/filter.h"
#include "engine/sandbox/landlock.h"
#include "engine/sandbox/ruleset.h"
#include "warden/protocol.h"

namespace wtool::engine {

namespace {

// A search for repositories takes a moment if everything is in memory. These limits are for cold disks and huge trees.
constexpr std::chrono::milliseconds search_before{5000};
constexpr std::chrono::milliseconds search_after{1000};
// How long a call waits, after its command, for other calls' searches to end. After that, it skips its own search.
constexpr std::chrono::milliseconds wait_after{1000};
// How often a call that waits for another call's search checks whether its caller has given up.
constexpr std::chrono::milliseconds between_looks{20};

constexpr const char* required_hint =
    "sandbox.required is true, so nothing was run; set it to false to run without these parts, or make them possible "
    "(docs/guide/sandbox.md)";

SandboxRefusal cannot_enforce(const std::vector<std::string>& missing) {
  return {"policy_denied", "The sandbox cannot be enforced: " + joined(missing, "; "), required_hint};
}

// SandboxPart and what follows it (warden/protocol.h).
std::string message_for(const SharedSandbox& shared, const ProtectedNames& names, const std::string& directory) {
  constexpr std::size_t instruction_size = 8;
  const warden::SandboxPart part{static_cast<std::uint32_t>(shared.filter.size() / instruction_size),
                                 static_cast<std::uint32_t>(names.binds.size())};
  std::string message(reinterpret_cast<const char*>(&part), sizeof part);
  message += shared.filter;
  for (const auto& [path, read_only] : names.binds) {
    message += read_only ? warden::bind_read_only : warden::bind_as_is;
    message.append(path.c_str(), path.size() + 1);
  }
  message.append(directory.c_str(), directory.size() + 1);
  return message;
}

bool is_plain_file(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

// The roots are found here, and not at the first command: until then, other programs could replace them.
Sandbox::Sandbox(SandboxPolicy policy, SandboxFeatures features, std::shared_ptr<KnownRoots> known)
    : policy_(std::move(policy)),
      features_(features),
      known_(known ? std::move(known) : std::make_shared<KnownRoots>()) {
  known_->learn(policy_);
}

std::shared_ptr<const SharedSandbox> Sandbox::make(bool network, SandboxRefusal& refusal) const {
  auto shared = std::make_shared<SharedSandbox>();
  std::string error;
  if (!resolve_roots(policy_, shared->roots, error, known_.get())) {
    refusal = {"configuration_invalid", "configuration: " + error,
               known_->are_lost(policy_)
                   ? "put back what was there; if the new one is meant, end the program that serves the calls, such as "
                     "wtool mcp, and start it again; nothing was run"
                   : "make the folder, or remove it from the configuration; nothing was run"};
    return nullptr;
  }
  if (!policy_.held) {
    shared->allowed = shared->roots;
  } else if (!resolve_held(*policy_.held, shared->allowed, error)) {
    refusal = {"spawn_failed", "Command could not be started: " + error, "nothing was run; try again"};
    return nullptr;
  }
  SandboxReport& report = shared->report;
  if (network && !policy_.network) report.lifted.emplace_back("network");
  const int abi = features_.landlock_abi;
  if (abi > 0) {
    shared->ruleset = make_ruleset(shared->allowed, network, abi, error);
    report.enforced.emplace_back("landlock");
    if (abi >= landlock::abi_with_scopes) {
      if (error.empty()) {
        shared->ruleset_in_scope = make_ruleset(shared->allowed, network, abi, error, Scopes::outside);
      }
      report.enforced.emplace_back("scopes");
    }
  } else {
    report.not_enforced.push_back(std::string("landlock: this kernel has no Landlock, or it is turned off (") +
                                  std::strerror(features_.landlock_error) + ")");
  }
  const bool truncate_missing = abi > 0 && abi < landlock::abi_with_truncate;
  if (features_.seccomp) {
    if (error.empty()) shared->filter = make_filter({network, truncate_missing, policy_.ipc}, error);
    report.enforced.emplace_back("seccomp");
    if (!network) report.enforced.emplace_back("network");
    shared->network_refused = !network;
    shared->network_of_call = policy_.network_of_call;
    shared->ipc_refused = !policy_.ipc;
  } else {
    report.not_enforced.emplace_back("seccomp: this kernel has no filters for system calls");
    if (!network) {
      report.not_enforced.emplace_back(
          "network: without seccomp, only the TCP operations that Landlock covers are refused");
    }
    if (truncate_missing) {
      report.not_enforced.emplace_back("truncate: files can still be emptied; Landlock covers that from Linux 6.2 on");
    }
  }
  if (!error.empty()) {
    refusal = {"spawn_failed", "Command could not be started: " + error, "nothing was run; try again"};
    return nullptr;
  }
  if (policy_.required && !report.not_enforced.empty()) {
    refusal = cannot_enforce(report.not_enforced);
    return nullptr;
  }
  const bool files_missing = abi <= 0 || (truncate_missing && !features_.seccomp);
  if ((policy_.needs_files && files_missing) || (policy_.needs_network && !network && !features_.seccomp)) {
    refusal = cannot_enforce(report.not_enforced);
    refusal.hint =
        "a limit of the call requires this part, so nothing was run; leave that limit out, or use a newer kernel";
    return nullptr;
  }
  return shared;
}

std::shared_ptr<Sandbox> Sandbox::shared(const SandboxPolicy& policy, const Sandbox* wider) {
  static std::mutex mutex;
  static auto& living = lasting<std::vector<std::weak_ptr<Sandbox>>>();
  const auto find = [&]() -> std::shared_ptr<Sandbox> {
    for (const auto& known : living) {
      auto sandbox = known.lock();
      if (sandbox && sandbox->policy_ == policy && (wider == nullptr || sandbox->known_ == wider->known_))
        return sandbox;
    }
    return nullptr;
  };
  {
    const std::lock_guard lock(mutex);
    if (auto sandbox = find()) return sandbox;
  }
  // Made without the lock, because it looks up the roots, and a file system may be slow to answer.
  auto made = std::make_shared<Sandbox>(policy, SandboxFeatures::of_kernel(), wider ? wider->known_ : nullptr);
  const std::lock_guard lock(mutex);
  if (auto sandbox = find()) return sandbox;
  std::erase_if(living, [](const auto& sandbox) { return sandbox.expired(); });
  living.push_back(made);
  return made;
}

std::shared_ptr<const SharedSandbox> Sandbox::share(bool network, SandboxRefusal& refusal) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const SharedSandbox>& shared = network == policy_.network ? shared_ : shared_with_network_;
  const auto unchanged = [](const Roots& roots) {
    return std::all_of(roots.read.begin(), roots.read.end(), is_unchanged) &&
           std::all_of(roots.list.begin(), roots.list.end(), is_unchanged) &&
           std::all_of(roots.write.begin(), roots.write.end(), is_unchanged);
  };
  // A rule applies to the folder for which it was made. A folder that was removed and made again is a different one.
  // Unless the policy is held to other roots, both members name the same folders.
  if (!shared || !unchanged(shared->roots) || (policy_.held && !unchanged(shared->allowed))) {
    shared = make(network, refusal);
  }
  return shared;
}

std::optional<PreparedSandbox> Sandbox::prepare(const std::string& directory, const std::string& no_namespaces,
                                                SandboxRefusal& refusal, const RepositorySearch::GivenUp& given_up,
                                                bool lifts_network) {
  PreparedSandbox prepared;
  prepared.shared = share(policy_.network || lifts_network, refusal);
  if (!prepared.shared) return std::nullopt;
  const Roots& roots = prepared.shared->roots;
  prepared.report = prepared.shared->report;
  if (!find_names(roots.write, no_namespaces.empty(), given_up, prepared)) return std::nullopt;

  // Nothing can protect names that do not exist, so they are not reported as unprotected.
  std::vector<std::string> missing;
  if (!no_namespaces.empty()) {
    missing.push_back("protected_names: they are compared afterwards, because a namespace cannot be created (" +
                      no_namespaces + ")");
  }
  for (const std::string& path : prepared.names.linked) {
    missing.push_back("protected_names: a symbolic link leads to " + path + ", and a link can be replaced");
  }
  for (const auto* reasons : {&prepared.names.problems, &prepared.repositories.left_out}) {
    for (const std::string& reason : *reasons) missing.push_back("protected_names: " + reason);
  }
  const bool holds_names = !prepared.names.bound.empty() || !prepared.names.held.empty();
  if (missing.empty() && holds_names) prepared.report.enforced.emplace_back("protected_names");
  if (policy_.required && !missing.empty()) {
    refusal = cannot_enforce(missing);
    return std::nullopt;
  }
  prepared.report.not_enforced.insert(prepared.report.not_enforced.end(), missing.begin(), missing.end());
  prepared.confinement.ruleset = prepared.shared->ruleset.get();
  prepared.confinement.ruleset_in_scope = prepared.shared->ruleset_in_scope.get();
  if (prepared.names.binds.empty()) prepared.confinement.shared_filter = prepared.shared->filter;
  prepared.confinement.message = message_for(*prepared.shared, prepared.names, directory);
  return prepared;
}

// False: the caller has given up.
bool Sandbox::find_names(const std::vector<Root>& write_roots, bool namespaces,
                         const RepositorySearch::GivenUp& given_up, PreparedSandbox& prepared) {
  std::unique_lock lock(search_mutex_, std::defer_lock);
  while (!lock.try_lock_for(between_looks)) {
    if (given_up && given_up()) return false;
  }
  prepared.names = find_protected_names(write_roots, policy_.protect, namespaces, folders_);
  for (const std::string& file : policy_.files) {
    if (file == policy_.record && !namespaces) continue;
    const auto root = std::find_if(write_roots.begin(), write_roots.end(),
                                   [&](const Root& one) { return file != one.path && is_within(file, one.path); });
    if (root == write_roots.end() || (file == policy_.record && !is_plain_file(file))) continue;
    protect_name(root->path, file, write_roots, namespaces, prepared.names);
    // The host itself replaces the file of the audit trail when it has become large.
    std::vector<std::string>& bound = prepared.names.bound;
    if (file == policy_.record && !bound.empty() && bound.back() == file) {
      bound.pop_back();
      prepared.names.held.push_back(file);
    }
  }
  if (!policy_.repositories) return true;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  prepared.since_ns = to_ns(now);
  prepared.repositories = search_.look(write_roots, search_before, given_up);
  if (given_up && given_up()) return false;
  // Usually, nothing has changed since the last search.
  if (seen_ != prepared.repositories.found) {
    for (const auto& [path, known] : seen_) {
      if (prepared.repositories.found.contains(path) || !is_still_there(known)) continue;
      prepared.repositories.found.emplace(path, known);
      prepared.hidden.insert(path);
    }
    seen_ = prepared.repositories.found;
  }
  // Forgets the repositories that commands have made if something different is at their paths by now.
  const FoundByPath& found = prepared.repositories.found;
  std::erase_if(made_, [&](const auto& own) {
    const auto there = found.find(own.first);
    return there == found.end() || there->second != own.second;
  });
  protect_repositories(prepared.repositories, made_, write_roots, namespaces, folders_, prepared.names);
  return true;
}

void Sandbox::look_afterwards(const PreparedSandbox& prepared, SandboxReport& report) {
  MadeNames made = find_made_names(prepared.names);
  std::unique_lock lock(search_mutex_, std::defer_lock);
  if (policy_.repositories && !lock.try_lock_for(wait_after)) {
    report.not_enforced.emplace_back(
        "protected_names: after the command, the search for repositories was skipped: other calls were searching");
  } else if (policy_.repositories) {
    const Repositories after = search_.look(prepared.shared->roots.write, search_after);
    std::vector<std::string> reasons = after.left_out;
    const auto& closed = prepared.repositories.closed;
    for (const std::string& folder : after.closed) {
      // Folders that were closed before the command were protected.
      if (std::find(closed.begin(), closed.end(), folder) == closed.end()) reasons.push_back(closed_text(folder));
    }
    constexpr std::size_t max_reasons = 6;
    if (reasons.size() > max_reasons) {
      const std::size_t more = reasons.size() - (max_reasons - 1);
      reasons.resize(max_reasons - 1);
      reasons.push_back(counted(static_cast<std::int64_t>(more), "more folder") +
                        " cannot be searched for repositories");
    }
    for (const std::string& reason : reasons) {
      report.not_enforced.push_back("protected_names: after the command, " + reason);
    }
    // A search that was not complete proves nothing about what it has not found.
    if (after.left_out.empty()) {
      for (const auto& [path, known] : prepared.repositories.found) {
        if (after.found.contains(path) || prepared.hidden.contains(path)) continue;
        if (is_still_there(known)) made.paths.push_back(path);
      }
    }
    MadeRepositories repositories = find_made_repositories(prepared.repositories, after);
    made.paths.insert(made.paths.end(), repositories.reported.begin(), repositories.reported.end());
    for (const auto& [path, found] : repositories.all) made_.insert_or_assign(path, found);
    auto intruders = find_intruders(made_, repositories, prepared.repositories.found, prepared.since_ns);
    // A link in place of a guarded name, or above it, is among the additions already.
    std::erase_if(intruders, [&](const Addition& intruder) {
      return std::any_of(made.additions.begin(), made.additions.end(),
                         [&](const Addition& addition) { return is_within(addition.path, intruder.path); });
    });
    made.additions.insert(made.additions.end(), intruders.begin(), intruders.end());
    lock.unlock();
  }
  for (const Addition& addition : made.additions) made.paths.push_back(addition.path);
  std::vector<std::string> all;
  std::set<std::string_view> seen;
  for (const auto* paths : {&made.paths, &report.protected_changed, &made.contents}) {
    for (const std::string& path : *paths) {
      if (seen.insert(path).second) all.push_back(path);
    }
  }
  report.protected_changed = std::move(all);
  report.protected_left_out = made.more;
  if (!policy_.put_aside) return;
  for (const Addition& addition : made.additions) report.put_aside.push_back(put_aside(addition));
}

SandboxFeatures SandboxFeatures::of_kernel() {
  SandboxFeatures features;
  features.landlock_abi = landlock::abi_version();
  if (features.landlock_abi < 1) {
    features.landlock_error = errno;
    features.landlock_abi = 0;
  }
  // This call is only a query, and changes nothing.
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  features.seccomp = ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0U, &action) == 0;
  return features;
}

}  // namespace wtool::engine
