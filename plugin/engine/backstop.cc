#include "engine/backstop.h"

#include <unistd.h>

#include <algorithm>

namespace wtool::engine {

std::uint32_t Backstop::kill_once() {
  custodian_.wake();
  living_ = 0;
  const bool custodian_lives = custodian_.alive();
  const bool warden_lives = custodian_.warden->alive();
  sees_all_ = custodian_lives || warden_lives;
  if (custodian_lives) kill_below(below_custodian_, custodian_.process, ProcessTree::no_session);
  if (warden_lives) {
    const pid_t warden = custodian_.warden->process();
    kill_below(below_warden_, warden, ::getsid(warden));
  }
  return living_;
}

void Backstop::kill_below(std::unique_ptr<ProcessTree>& tree, pid_t root, pid_t spared) {
  if (!tree) tree = std::make_unique<ProcessTree>(root, spared);
  if (!tree->collect()) sees_all_ = false;
  NamedProcess names[max_named];
  const std::uint32_t found = tree->name_living(names);
  for (std::uint32_t i = 0; i < std::min<std::size_t>(found, max_named) && living_ + i < max_named; ++i) {
    names_[living_ + i] = names[i];
  }
  living_ += found;
  tree->kill();
}

}  // namespace wtool::engine
