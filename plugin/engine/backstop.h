// The last resort if neither the custodian nor the warden answers, because the command has stopped, starved or crippled
// them: the plugin itself kills the remaining processes of the command.
//
// Contract:
// - It kills processes below the custodian, and those that the warden has inherited, but never a keeper.
// - It recognises keepers by their session, which is the warden's: each command begins a session of its own, and no
//   process can join another session.
// - It sees only what is below a living keeper. If the command has killed both keepers, its processes cannot be found.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/custodian.h"
#include "system/process_tree.h"

namespace wtool::engine {

class Backstop {
 public:
  // Throws std::bad_alloc. The custodian must outlive this object.
  explicit Backstop(const Custodian& custodian) : custodian_(custodian) {}

  // Sends SIGCONT to the keepers, and SIGKILL to every visible process of the command. Returns how many of them were
  // alive before the signal. Never waits.
  std::uint32_t kill_once();

  // True if the last kill_once sent its signal to a process that the previous kill_once had not seen.
  bool found_new() const { return found_new_; }

  // True if, at the last kill_once, a keeper was alive and the processes below each living keeper could be read.
  bool sees_all() const { return sees_all_; }

  // The names of processes that lived at the last kill_once, at most max_named.
  std::vector<ProcessName> living() const { return names_of(names_, living_); }

 private:
  // False if the processes below `root` could not be read.
  bool kill_below(std::unique_ptr<ProcessTree>& tree, pid_t root, pid_t spared);

  const Custodian& custodian_;
  std::unique_ptr<ProcessTree> below_custodian_, below_warden_;
  std::uint32_t living_ = 0;
  bool sees_all_ = false;
  bool found_new_ = false;
  NamedProcess names_[max_named] = {};
};

}  // namespace wtool::engine
