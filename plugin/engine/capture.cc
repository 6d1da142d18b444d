#include "engine/capture.h"

#include <algorithm>

#include "base/utf8.h"

namespace wtool::engine {

std::array<std::span<char>, 2> Capture::room(std::size_t least) {
  if (!truncated() || tail_cap_ < least) return {};
  const std::span<char> ring(tail_);
  return {ring.subspan(tail_start_), ring.first(tail_start_)};
}

void Capture::append(std::string_view bytes) {
  total_ += bytes.size();
  if (!tail_.empty() && bytes.data() == tail_.data() + tail_start_) {
    tail_start_ = (tail_start_ + bytes.size()) % tail_cap_;
    return;
  }
  if (head_.size() < head_cap_) {
    const std::size_t part = std::min(bytes.size(), head_cap_ - head_.size());
    head_.append(bytes.substr(0, part));
    bytes.remove_prefix(part);
  }
  // If more bytes come than fit into the ring, only the last of them can stay.
  if (bytes.size() > tail_cap_) bytes.remove_prefix(bytes.size() - tail_cap_);
  if (tail_.size() < tail_cap_) {
    const std::size_t part = std::min(bytes.size(), tail_cap_ - tail_.size());
    tail_.append(bytes.substr(0, part));
    bytes.remove_prefix(part);
  }
  while (!bytes.empty()) {
    const std::size_t part = std::min(bytes.size(), tail_cap_ - tail_start_);
    std::copy_n(bytes.begin(), part, tail_.begin() + static_cast<std::ptrdiff_t>(tail_start_));
    tail_start_ = (tail_start_ + part) % tail_cap_;
    bytes.remove_prefix(part);
  }
}

std::string Capture::take_text(bool& lossy) {
  std::string text = std::move(head_);
  std::rotate(tail_.begin(), tail_.begin() + static_cast<std::ptrdiff_t>(tail_start_), tail_.end());
  if (truncated()) {
    // Drops the last character of the head if it is cut. (Four or more invalid bytes at the end are not a cut
    // character. Such output is not text, and nothing is dropped.)
    const std::size_t whole = valid_utf8_prefix(text);
    if (text.size() - whole < 4 && whole < text.size()) text.resize(whole);
    tail_.erase(0, cut_after(tail_, 0));
    const std::uint64_t left_out = total_ - text.size() - tail_.size();
    const std::string line = "[... " + std::to_string(left_out) + " bytes left out ...]\n";
    text.reserve(text.size() + 1 + line.size() + tail_.size());  // so that it is copied once, and takes no spare room
    if (!text.empty() && text.back() != '\n') text.push_back('\n');
    text += line;
  }
  text += tail_;
  head_ = {};
  tail_ = {};
  tail_start_ = 0;
  bool replaced = false;
  text = to_utf8(std::move(text), &replaced);
  lossy = replaced;
  return text;
}

StreamText Capture::take() {
  StreamText result;
  result.bytes = total_;
  result.truncated = truncated();
  result.text = take_text(result.lossy);
  return result;
}

}  // namespace wtool::engine
