#include "mcp/input.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace wtool::host::mcp {

namespace {

constexpr std::size_t piece_size = 65536;

}  // namespace

Input::Input(int descriptor, int wake, int output, std::size_t longest)
    : descriptor_(descriptor), wake_(wake), output_(output), longest_(longest) {}

void Input::hold_while(std::function<bool()> is_full, int room) {
  is_full_ = std::move(is_full);
  room_ = room;
}

Input::Next Input::hold() {
  while (is_full_ && is_full_()) {
    std::array<pollfd, 4> watched{
        {{descriptor_, POLLRDHUP, 0}, {wake_, POLLIN, 0}, {output_, 0, 0}, {room_, POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR && errno != EAGAIN) return Next::failed;
    if (watched[1].revents != 0) return Next::woken;
    if ((watched[2].revents & (POLLERR | POLLHUP)) != 0) return Next::end;
    // The input has ended. What is left of it is little, and must be read so that its end is found.
    if (watched[0].revents != 0) is_full_ = nullptr;
  }
  return Next::line;
}

Input::Next Input::wait() const {
  // No events are requested for the output: poll always reports errors and hang-ups.
  std::array<pollfd, 3> watched{{{descriptor_, POLLIN, 0}, {wake_, POLLIN, 0}, {output_, 0, 0}}};
  while (::poll(watched.data(), watched.size(), -1) < 0) {
    if (errno != EINTR && errno != EAGAIN) return Next::failed;
  }
  if (watched[1].revents != 0) return Next::woken;
  if ((watched[2].revents & (POLLERR | POLLHUP)) != 0) return Next::end;
  return Next::line;
}

// Takes the next complete line of the buffer, if it has one.
bool Input::take_line(std::string& line) {
  const std::size_t newline = buffer_.find('\n', searched_);
  if (newline == std::string::npos) {
    searched_ = buffer_.size();
    return false;
  }
  line.assign(buffer_, begin_, newline - begin_);
  begin_ = searched_ = newline + 1;
  return true;
}

Input::Next Input::next(std::string& line) {
  const auto skipped = [&] {
    too_long_.feed(line);
    skipping_ = false;
    return Next::too_long;
  };
  const auto skip = [&] {
    skipping_ = true;
    too_long_ = IdScanner();
  };
  if (const Next held = hold(); held != Next::line) return held;
  while (true) {
    if (take_line(line)) {
      if (!skipping_ && line.size() > longest_) skip();
      return skipping_ ? skipped() : Next::line;
    }
    if (ended_) {
      line.assign(buffer_, begin_);
      buffer_.clear();
      begin_ = searched_ = 0;
      if (skipping_) return skipped();
      return line.empty() ? Next::end : Next::line;
    }
    buffer_.erase(0, begin_);
    begin_ = 0;
    if (!skipping_ && buffer_.size() > longest_) skip();
    if (skipping_) {
      too_long_.feed(buffer_);
      buffer_.clear();
    }
    searched_ = buffer_.size();
    if (buffer_.empty() && buffer_.capacity() > 4 * piece_size) buffer_.shrink_to_fit();

    if (const Next ready = wait(); ready != Next::line) return ready;
    const std::size_t had = buffer_.size();
    buffer_.resize(had + piece_size);
    const ssize_t got = ::read(descriptor_, buffer_.data() + had, piece_size);
    const int error = errno;
    buffer_.resize(had + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got == 0) ended_ = true;
    if (got < 0 && error == ECONNRESET) ended_ = true;
    if (got < 0 && error != EINTR && error != EAGAIN && error != ECONNRESET) return Next::failed;
  }
}

}  // namespace wtool::host::mcp
