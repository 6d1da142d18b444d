// The cgroup (version 2) of one call, in which the kernel limits the call's memory and number of processes.
//
// Contract:
// - The cgroup lives from the start of a call to the death of the call's last process, and leaves nothing behind.
// - If it cannot be made, the call does not fail: make() returns false, and the resource monitor enforces the limits.
// - The cgroup measures and limits what its processes use. kill() ends all processes in it, but the custodian still
//   ends the tree, because a process may have left the cgroup.
//
// Rationale: the plugin finds the base directory, because it reads the mounts, and passes it as a descriptor. So the
// warden needs no paths.
#pragma once

#include <cstdint>

#include "base/descriptor.h"
#include "warden/protocol.h"

namespace wtool::warden {

class Cgroup {
 public:
  // `base`: the directory to make the cgroup in; -1: none. The caller keeps ownership.
  explicit Cgroup(int base) : base_(base) {}
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;
  ~Cgroup() { remove(); }

  // Makes the cgroup for call number `call`, with its limits on memory and processes. False on failure.
  bool make(std::uint64_t call, const ProtocolLimits& limits);

  // Like make(), but uses the cgroup `directory`, which already exists and which remove() leaves in place.
  bool use(Descriptor directory, const ProtocolLimits& limits);

  bool made() const { return static_cast<bool>(directory_); }

  // The directory in which the command is started; -1 without a cgroup.
  int directory() const { return directory_.get(); }

  // Descriptors to poll for POLLPRI or POLLERR. Such an event means that exceeded() may return something new. The
  // descriptors stay ready until exceeded() has read them. -1: there is no cgroup, or it has no such limit.
  int memory_events() const { return memory_events_.get(); }
  int process_events() const { return process_events_.get(); }

  // The CPU time of all processes that were ever in the cgroup, including children that nobody waited for; 0 if
  // unknown.
  std::uint64_t cpu_us() const;

  // Has the kernel kill all processes in the cgroup (since Linux 5.14).
  void kill() const;

  // Returns the limit at which the kernel refused something; none if it has refused nothing.
  Limit exceeded();

  // Removes the cgroup. No process may be in it.
  void remove();

 private:
  bool set_limits(const ProtocolLimits& limits);
  bool write(const char* file, std::uint64_t value) const;
  std::uint64_t read(const char* file) const;

  const int base_;
  char name_[48] = {};
  std::uint32_t max_processes_ = 0;
  Descriptor directory_, memory_events_, process_events_;
};

// Removes the cgroups in `base` that were left by custodians that no longer exist. Cgroups of living custodians stay.
void remove_stale_cgroups(int base);

}  // namespace wtool::warden
