#include "engine/backstop.h"

#include <unistd.h>

#include <algorithm>

namespace wtool::engine {

// If a keeper dies while the processes below it are collected, some of them are missed, because they have moved to the
// warden, or out of reach. So the result is used only if the keeper is still alive afterwards. The warden comes last,
// because it inherits processes from the custodian.
std::uint32_t Backstop::kill_once() {
  custodian_.wake();
  living_ = 0;
  found_new_ = false;
  bool seen = false;
  bool unread = false;
  const auto look = [&](const auto& keeper, std::unique_ptr<ProcessTree>& tree, pid_t root, pid_t spared) {
    if (!keeper.alive()) return;
    const bool read = kill_below(tree, root, spared);
    if (!keeper.alive()) return;
    seen = true;
    unread = unread || !read;
  };
  look(custodian_, below_custodian_, custodian_.process, ProcessTree::no_session);
  const pid_t warden = custodian_.warden->process();
  look(*custodian_.warden, below_warden_, warden, ::getsid(warden));
  sees_all_ = seen && !unread;
  return living_;
}

bool Backstop::kill_below(std::unique_ptr<ProcessTree>& tree, pid_t root, pid_t spared) {
  if (!tree) tree = std::make_unique<ProcessTree>(root, spared);
  const bool complete = tree->collect();
  NamedProcess names[max_named];
  const std::uint32_t found = tree->name_living(names);
  for (std::uint32_t i = 0; i < std::min<std::size_t>(found, max_named) && living_ + i < max_named; ++i) {
    names_[living_ + i] = names[i];
  }
  living_ += found;
  found_new_ = tree->kill() || found_new_;
  return complete;
}

}  // namespace wtool::engine
