// The processes below one process, as /proc shows them, and signals to them that never reach an unrelated process.
//
// Contract:
// - Only the constructor allocates: a keeper must be able to kill even after a command has lowered the keeper's memory
//   limit. A tree of more than `most` processes is handled in several rounds.
// - By the time a process is signalled, it may have been reaped, and its number may belong to another process. A child
//   of this process is signalled by its number, because nobody else can reap it. Every other process is signalled
//   through a pidfd, after a check that its parent is still the same.
// - When no descriptor is left, the tree consists only of this process's own children. Killing them is enough: when a
//   child dies, its children move to a subreaper, where the next round finds them.
//
// Hazards:
// - Children move while the tree is read: a process that forks and exits leaves its child to the subreaper, whose list
//   was already read. A walk that signals as it goes therefore misses most of a wide tree. Collect first, then signal,
//   and repeat until nothing new is found.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "base/descriptor.h"
#include "system/process_files.h"

namespace wtool {

class ProcessTree {
 public:
  struct Member {
    pid_t process;
    pid_t parent;
  };
  static constexpr std::size_t most = 65'536;

  // No session has this number. 0 will not do: in a PID namespace, every session from outside has the number 0.
  static constexpr pid_t no_session = -1;

  // The tree below `root`. Children of `root` that are in the session `spared` are left out, with all processes below
  // them.
  explicit ProcessTree(pid_t root, pid_t spared = no_session);

  // Reads the tree, parents before children. The tree may contain zombies. False if the children of `root` cannot be
  // read. The tree is then empty, even though processes may exist.
  bool collect();

  // The fallback of collect() on kernels that do not list the children of a process (CONFIG_PROC_CHILDREN): reads the
  // status of every process, twice for most trees.
  bool collect_from_all();

  const std::vector<Member>& members() const { return members_; }
  bool empty() const { return members_.empty(); }

  // Sends SIGTERM to each member that is not marked yet, and SIGCONT so that a stopped process can react. Marks these
  // members. Parents come first, because a parent that is still running when its child ends would react: a shell would
  // write "Terminated", and a supervisor would start the child again. True if there was a member that was not marked.
  bool ask_to_end();
  void forget_asked() { asked_.clear(); }

  // Repeatedly collects the tree and sends SIGSTOP to every member, until none runs or a limit on the rounds is
  // reached.
  void stop();

  // Sends SIGKILL to each member and to its process group, children before parents. True if a member is new since the
  // previous kill().
  bool kill();

  // Sends SIGKILL to the member with this number, if there is one.
  void kill_member(pid_t process) const;

  // Names the living members, at most max_named, and returns how many are alive. Zombies are left out, and so are
  // processes that are about to become zombies: a process closes its descriptors well before it can be reaped, and a
  // caller may call this function as soon as it has seen the descriptors close.
  std::uint32_t name_living(NamedProcess* names) const;

 private:
  // The groups that one pass has signalled. Without this list, n processes of one group would cause n * n signals.
  class Groups {
   public:
    bool has(pid_t group) const;
    // If the list is full, the oldest group is forgotten.
    void add(pid_t group);

   private:
    pid_t groups_[64] = {};
    std::size_t count_ = 0;
  };

  bool read_children(pid_t process, pid_t thread, int file);
  void add(pid_t process, pid_t parent);
  // With `groups`, also signals the member's process group, unless this pass has already done so.
  bool signal(const Member& member, std::initializer_list<int> signals, Groups* groups) const;

  const pid_t self_, root_, spared_;
  // Open if this process is the root. The file lists the children of this process's main thread, so this process must
  // have no other threads. Opened by the constructor, while descriptors are free.
  Descriptor own_children_;
  std::vector<Member> members_;
  std::vector<pid_t> asked_;   // the marked members, sorted
  std::vector<pid_t> killed_;  // the members that the last kill() signalled, sorted
};

// After vfork, a process cannot run before its child has called exec or ended. So it cannot continue a child that
// somebody has stopped (SIGSTOP), and this function does so: it sends SIGCONT to a stopped child of `process` if
// `process` waits uninterruptibly and the child still has its parent's name, as each child has until exec. Allocates
// nothing.
void continue_vfork_child(pid_t process);

// The same for each child of `process`.
void continue_vfork_children_below(pid_t process);

}  // namespace wtool
