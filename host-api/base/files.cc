#include "base/files.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace wtool {

namespace {

void wait_for(int descriptor, short what) noexcept {
  pollfd ready{.fd = descriptor, .events = what, .revents = 0};
  ::poll(&ready, 1, -1);
}

}  // namespace

Written write_all(int descriptor, std::string_view bytes) noexcept {
  Written written;
  while (written.bytes < bytes.size()) {
    const ssize_t now = ::write(descriptor, bytes.data() + written.bytes, bytes.size() - written.bytes);
    if (now > 0) {
      written.bytes += static_cast<std::size_t>(now);
    } else if (now < 0 && errno == EAGAIN) {
      wait_for(descriptor, POLLOUT);
    } else if (now == 0 || errno != EINTR) {
      written.error = now == 0 ? EIO : errno;
      break;
    }
  }
  return written;
}

int read_all(int descriptor, std::size_t limit, std::string& bytes) {
  std::array<char, 65536> piece;
  for (std::size_t total = 0;;) {
    const ssize_t got = ::read(descriptor, piece.data(), piece.size());
    if (got == 0) return 0;
    if (got > 0) {
      total += static_cast<std::size_t>(got);
      bytes.append(piece.data(), static_cast<std::size_t>(got));
      if (total > limit) return EFBIG;
    } else if (errno == EAGAIN) {
      wait_for(descriptor, POLLIN);
    } else if (errno != EINTR) {
      return errno;
    }
  }
}

}  // namespace wtool
