// The third party besides custodian and warden: the plugin itself ends what a command has left when both keepers do not
// answer, because the command has stopped, starved or crippled them.
//
// Contract:
// - It kills processes below the custodian, and those that the warden has inherited; never a keeper.
// - It recognises keepers by their session, which is the warden's: each command begins its own, and no process can join
//   another's.
// - It sees only what is below a living keeper. If the command has killed both, its processes cannot be found here.
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

  // Continues the keepers, and sends SIGKILL to every visible process of the command. Returns how many lived before the
  // signal; never waits.
  std::uint32_t kill_once();

  // True when the last kill_once sent its signal to a process that the one before had not seen.
  bool found_new() const { return found_new_; }

  // True when the last kill_once could look everywhere.
  bool sees_all() const { return sees_all_; }

  // The first of those that lived at the last kill_once.
  std::vector<ProcessName> living() const { return names_of(names_, living_); }

 private:
  // False when not every process below `root` could be looked at.
  bool kill_below(std::unique_ptr<ProcessTree>& tree, pid_t root, pid_t spared);

  const Custodian& custodian_;
  std::unique_ptr<ProcessTree> below_custodian_, below_warden_;
  std::uint32_t living_ = 0;
  bool sees_all_ = false;
  bool found_new_ = false;
  NamedProcess names_[max_named] = {};
};

}  // namespace wtool::engine
