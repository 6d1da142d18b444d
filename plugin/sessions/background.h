// Background processes that live on after their command, until they are ended or their session is closed.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/kept_tree.h"

namespace wtool {

// Any thread may call any member. The custody that the trees came from must outlive it.
class Background {
 public:
  // Each command that left something behind costs a custodian and a descriptor.
  static constexpr std::size_t max_commands = 64;

  // Whether the processes of one more command can be kept.
  bool has_room();

  void keep(std::shared_ptr<engine::KeptTree> tree);

  // Asks all of them to end, and does not wait.
  void request_end(std::chrono::milliseconds grace);

  // Ends all of them, and waits for it. What the kernel would not let us kill is named.
  std::vector<engine::ProcessName> end(std::chrono::milliseconds grace);

 private:
  void forget_dead();

  std::mutex mutex_;
  std::vector<std::shared_ptr<engine::KeptTree>> trees_;
};

}  // namespace wtool
