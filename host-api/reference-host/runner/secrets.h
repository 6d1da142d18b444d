// The secret values of a run. Nothing that the run leaves behind may contain them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>

namespace wtool::host::runner {

// Any thread may call any member.
class Secrets {
 public:
  static constexpr std::string_view mask = "***";
  // A part of a secret - a line, a value in JSON, or the beginning of a value that a message has cut - is hidden by itself
  // only if it has at least this length in bytes: hiding `}` or `--` would hide half of the output.
  static constexpr std::size_t shortest_part = 6;

  // Hides the value from now on: the value itself, each of its longer lines, and its forms in JSON, in the quotes of a
  // shell, in base64 (also as a part of a longer text), in URLs and in HTML. An empty value hides nothing.
  void add(std::string_view value);

  bool empty() const { return !any_.load(std::memory_order_acquire); }

  // The text with every secret in it replaced by the mask; if several secrets begin at the same place, the longest is
  // replaced. If a part of the text was left out ("[... 4711 bytes left out ...]", or at the end of a value in a
  // message), a secret that was cut off there is replaced, too.
  std::string masked(std::string_view text) const;

  // How many bytes at the end of a text may be the beginning of a secret, so that a stream must hold them back until
  // more comes.
  std::size_t undecided_tail(std::string_view text) const;

 private:
  // The caller of these functions holds mutex_.
  std::string masked_piece(std::string_view text) const;
  std::size_t longest_beginning_at_the_end(std::string_view text) const;
  std::size_t longest_end_at_the_beginning(std::string_view text) const;
  // The size of the longest form with which `text` (not empty) begins; 0 if it begins with no form.
  std::size_t max_at_the_beginning(std::string_view text) const;

  std::atomic<bool> any_{false};
  mutable std::shared_mutex mutex_;
  // A secret may be an output of thousands of lines, each of which is a form. So forms are looked up, and not searched
  // for one by one.
  std::set<std::string, std::less<>> forms_;
  std::size_t longest_ = 0;
  std::array<bool, 256> begins_{};  // a form begins with that byte
};

}  // namespace wtool::host::runner
