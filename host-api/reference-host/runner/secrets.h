// The values of a run that nobody must see in what it leaves behind.
#pragma once

#include <atomic>
#include <cstddef>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::host::workflow {

// All members: any thread.
class Secrets {
 public:
  static constexpr std::string_view mask = "***";

  // Hides the value from now on: as it is, each of its longer lines, and as JSON, a shell's quotes and base64 write it.
  // Empty values hide nothing.
  void add(std::string_view value);

  bool empty() const { return !any_.load(std::memory_order_acquire); }

  // The text with every secret in it replaced by the mask; the longest match counts.
  std::string masked(std::string_view text) const;

  // How many bytes at the end of a text may be the beginning of a secret: what a stream must keep back until more
  // comes.
  std::size_t undecided_tail(std::string_view text) const;

 private:
  std::atomic<bool> any_{false};
  mutable std::shared_mutex mutex_;
  std::vector<std::string> forms_;  // the longest first
};

}  // namespace wtool::host::workflow
