// The cgroup (version 2) of one call, in which the kernel holds its memory and its number of processes.
//
// Contract:
// - Lives from the start of a call to the death of its last process; nothing of it is left then.
// - Whatever fails in making it is no failure of the call: make() says that there is none, and the watch enforces then.
// - It counts and holds; kill() ends all that is in it, and the custodian ends the tree besides.
//
// Rationale: the base comes as an opened directory from the plugin, which knows the mounts; the warden knows no paths.
#pragma once

#include <cstdint>

#include "base/descriptor.h"
#include "warden/protocol.h"

namespace wtool::warden {

class Cgroup {
 public:
  // `base`: the directory to make it in, or -1. Stays the caller's.
  explicit Cgroup(int base) : base_(base) {}
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;
  ~Cgroup() { remove(); }

  // Makes one for call number `call`, with the limits of memory and processes that there are. False where it cannot be
  // made.
  bool make(std::uint64_t call, const Limits& limits);

  // The same in a directory that is there already, and stays.
  bool use(Descriptor directory, const Limits& limits);

  bool made() const { return static_cast<bool>(directory_); }

  // For the command to be started in it; -1 when there is no cgroup.
  int directory() const { return directory_.get(); }

  // For poll: POLLPRI or POLLERR when exceeded() may have something new to say; -1 when there is no cgroup. They stay
  // so until exceeded() has read them.
  int memory_events() const { return memory_events_.get(); }
  int process_events() const { return process_events_.get(); }

  // The CPU time of all that was ever in it, children that nobody waited for included; 0 where it is not known.
  std::uint64_t cpu_us() const;

  // Kills all that is in it, by the kernel's own hand (Linux 5.14).
  void kill() const;

  // The limit at which the kernel has refused something.
  Limit exceeded();

  // Afterwards there is none. To be called when no process is in it.
  void remove();

 private:
  bool set_limits(const Limits& limits);
  bool write(const char* file, std::uint64_t value) const;
  std::uint64_t read(const char* file) const;

  const int base_;
  char name_[48] = {};
  std::uint32_t max_processes_ = 0;
  Descriptor directory_, memory_events_, process_events_;
};

// Removes what custodians that are no more left in `base`. Those that are alive keep theirs.
void remove_stale_cgroups(int base);

}  // namespace wtool::warden
