#include "sessions/background.h"

#include <utility>

namespace wtool {

bool Background::has_room() {
  const std::lock_guard lock(mutex_);
  forget_dead();
  return trees_.size() < max_commands;
}

void Background::keep(std::shared_ptr<engine::KeptTree> tree) {
  const std::lock_guard lock(mutex_);
  forget_dead();
  trees_.push_back(std::move(tree));
}

void Background::request_end(std::chrono::milliseconds grace) {
  const std::lock_guard lock(mutex_);
  for (const auto& tree : trees_) tree->request_end(grace);
}

std::vector<engine::ProcessName> Background::end(std::chrono::milliseconds grace) {
  std::vector<std::shared_ptr<engine::KeptTree>> trees;
  {
    const std::lock_guard lock(mutex_);
    trees.swap(trees_);
  }
  // All at once: their grace is the same.
  for (const auto& tree : trees) tree->request_end(grace);
  std::vector<engine::ProcessName> unkillable;
  for (const auto& tree : trees) {
    for (engine::ProcessName& process : tree->wait_end()) unkillable.push_back(std::move(process));
  }
  return unkillable;
}

void Background::forget_dead() {
  std::erase_if(trees_, [](const auto& tree) { return !tree->alive(); });
}

}  // namespace wtool
