#include "engine/output_pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace wtool::engine {

int OutputPipe::open() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
  reader_ = Descriptor(ends[0]);
  writer_ = Descriptor(ends[1]);
  // Ours alone: the flag belongs to the reading end, the command's end blocks as it expects.
  return ::fcntl(reader_.get(), F_SETFL, O_NONBLOCK) == 0 ? 0 : errno;
}

std::string_view OutputPipe::read_some() {
  if (!reader_) return {};
  if (!buffer_) buffer_.reset(new char[buffer_size_]);  // NOLINT: make_unique would clear it first.
  ssize_t got;
  do {
    got = ::read(reader_.get(), buffer_.get(), buffer_size_);
  } while (got < 0 && errno == EINTR);
  if (got < 0 && errno == EAGAIN) return {};
  if (got <= 0) {
    reader_.reset();
    return {};
  }
  return {buffer_.get(), static_cast<std::size_t>(got)};
}

StreamText OutputPipe::take() {
  reader_.reset();
  writer_.reset();
  buffer_.reset();
  StreamText result;
  result.bytes = capture_.total_bytes();
  result.truncated = capture_.truncated();
  result.text = capture_.take_text(result.lossy);
  return result;
}

}  // namespace wtool::engine
