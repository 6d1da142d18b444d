#include "engine/output_pipe.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>

namespace wtool::engine {

int OutputPipe::open() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
  reader_ = Descriptor(ends[0]);
  writer_ = Descriptor(ends[1]);
  // Makes only our end non-blocking: the flag belongs to the reading end, and the command's end blocks as the command
  // expects.
  return ::fcntl(reader_.get(), F_SETFL, O_NONBLOCK) == 0 ? 0 : errno;
}

std::array<std::string_view, 2> OutputPipe::read_some() {
  if (!reader_) return {};
  if (last_read_ == buffer_size_) grow();
  // Once the capture leaves bytes out, further bytes are read directly into its ring: copying every byte once more
  // would slow down a large output by a third.
  auto [place, further] = capture_.room(buffer_size_);
  if (place.empty() && !more_than_little_) {
    place = little_;
  } else if (place.empty()) {
    if (!buffer_) buffer_.reset(new char[buffer_size_]);  // NOLINT: make_unique would clear it first.
    place = {buffer_.get(), buffer_size_};
  } else {
    buffer_.reset();
    place = place.first(std::min(place.size(), buffer_size_));
    further = further.first(std::min(further.size(), buffer_size_ - place.size()));
  }
  const iovec places[] = {{place.data(), place.size()}, {further.data(), further.size()}};
  ssize_t got;
  do {
    got = ::readv(reader_.get(), places, further.empty() ? 1 : 2);
  } while (got < 0 && errno == EINTR);
  last_read_ = static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  if (got < 0 && errno == EAGAIN) return {};
  if (got <= 0) {
    reader_.reset();
    return {};
  }
  more_than_little_ = more_than_little_ || last_read_ >= sizeof little_;
  const std::size_t first = std::min(last_read_, place.size());
  return {std::string_view(place.data(), first), std::string_view(further.data(), last_read_ - first)};
}

std::size_t OutputPipe::waiting() const {
  int bytes = 0;
  return reader_ && ::ioctl(reader_.get(), FIONREAD, &bytes) == 0 ? static_cast<std::size_t>(bytes) : 0;
}

void OutputPipe::grow() {
  if (grown_) return;
  grown_ = true;
  // The kernel may refuse if this user's pipes already use much memory.
  if (::fcntl(reader_.get(), F_SETPIPE_SZ, static_cast<int>(large_size)) < 0) return;
  buffer_size_ = large_size;
  buffer_.reset();
}

StreamText OutputPipe::take() {
  reader_.reset();
  writer_.reset();
  buffer_.reset();
  return capture_.take();
}

}  // namespace wtool::engine
