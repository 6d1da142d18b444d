// Keeps what a command writes to one stream. Output up to the cap is kept whole. Beyond the cap, only the beginning and
// the end are kept, half of the cap each. The count of bytes is always exact, and never more bytes than the cap are
// kept.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/outcome.h"

namespace wtool::engine {

class Capture {
 public:
  // `cap` in bytes, at least 2.
  explicit Capture(std::size_t cap) : head_cap_(cap / 2), tail_cap_(cap - cap / 2) {}

  // Adds bytes. Bytes that were read into room() are not copied again.
  void append(std::string_view bytes);

  // The two parts of the ring that contains the end of the output. The caller may read the next bytes directly into
  // them, which overwrites the oldest bytes. It then appends what it read, part by part. Both parts are empty if the
  // ring is smaller than `least` bytes. Both are also empty until bytes have been left out, so that whole() stays valid
  // until append().
  std::array<std::span<char>, 2> room(std::size_t least);

  std::uint64_t total_bytes() const { return total_; }
  bool truncated() const { return total_ > head_cap_ + tail_cap_; }
  // True if `bytes` more bytes would all be kept.
  bool fits(std::size_t bytes) const { return total_ + bytes <= head_cap_ + tail_cap_; }
  // All bytes so far, in two parts. Call it only while nothing has been left out. The parts are valid until
  // the next append.
  std::array<std::string_view, 2> whole() const { return {head_, tail_}; }

  // The text as valid UTF-8. Where bytes were left out, one line between head and tail says how many. Head and tail are
  // cut between characters. `lossy` is set if bytes had to be replaced. Empties the capture.
  std::string take_text(bool& lossy);

  // The text, and what there is to say about it. Empties the capture.
  StreamText take();

 private:
  std::size_t head_cap_;
  std::size_t tail_cap_;
  std::string head_;
  std::string tail_;            // a ring once it is full
  std::size_t tail_start_ = 0;  // where the oldest byte of the ring is
  std::uint64_t total_ = 0;
};

}  // namespace wtool::engine
