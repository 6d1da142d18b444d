// The warden: the process that starts all custodians of one plugin, and ends the processes that they leave behind.
//
// Contract:
// - Forks custodians on request, continues those that were stopped, and reaps them.
// - It is a subreaper: it inherits the tree of a custodian that died (or was killed by its own command), and kills
//   every process of it.
// - It ends after the plugin or the host is gone, once no custodian and no inherited process is left.
#pragma once

#include <cstdint>
#include <vector>

#include "base/descriptor.h"
#include "system/process_tree.h"
#include "warden/event_set.h"
#include "warden/own_state.h"
#include "warden/protocol.h"

namespace wtool::warden {

class Warden {
 public:
  // `control`: the socket to the plugin. `name` and `name_room`: the memory of argv[0], where a custodian writes its
  // own name, so that killing wardens by name does not hit custodians. `problem` and `error`: why this process cannot
  // serve, if that is already known. The plugin is then informed, and no call is served.
  Warden(Descriptor control, char* name, std::size_t name_room, WardenProblem problem, int error);

  // Serves until it must end, and returns the exit status.
  int run();

  // The most custodians at a time; a request for more is answered with an error. Memory for all of them is allocated at
  // the start, because a command may later lower the memory limit.
  static constexpr std::size_t max_children = 32'768;

 private:
  struct Child {
    std::uint64_t number;  // given by the plugin
    pid_t process;
  };
  struct PendingKill {
    std::uint64_t custodian;
    std::int64_t deadline_ms;
    Descriptor answer;
    Descriptor handle;  // a pidfd of the custodian, until it is dead; empty: the custodian is known by its number
  };

  void prepare();
  bool greet();
  void take_message();
  void spawn_custodian(std::uint64_t number, Descriptor socket, Descriptor ruleset);
  void kill_tree(std::uint64_t number, Descriptor answer, Descriptor handle);
  void leave();
  bool reap();
  void sweep();
  void note_dead_custodians();
  bool has_child(std::uint64_t number) const;
  void answer_kills();

  EventSet events_;
  Descriptor limits_ = open_own_limits();
  const OwnState state_{limits_};
  WardenProblem problem_;
  int error_;
  Descriptor control_, host_, self_, null_device_, child_events_;
  Descriptor cgroup_base_;  // empty if the plugin found none
  char* name_;
  std::size_t name_room_;
  std::vector<Child> children_;
  std::vector<PendingKill> pending_kills_;
  // The processes below us, except custodians, when they were last listed. Custodians are recognised by their session,
  // which is the warden's: each command begins a session of its own, and no process can join another session.
  ProcessTree inherited_;
  bool leaving_ = false;
  bool childless_ = true;
  // A custodian that has ended, of this warden or an earlier one, may have left a cgroup.
  bool cgroups_in_doubt_ = true;
};

}  // namespace wtool::warden
