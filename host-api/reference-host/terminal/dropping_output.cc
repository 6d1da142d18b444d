#include "terminal/dropping_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "base/text.h"

namespace wtool::host {

DroppingOutput::DroppingOutput(int descriptor) : borrowed_(descriptor) {
  struct stat kind {};
  if (::fstat(descriptor, &kind) != 0) return;
  is_socket_ = S_ISSOCK(kind.st_mode);
  if (!S_ISFIFO(kind.st_mode) && !S_ISCHR(kind.st_mode)) return;
  // The descriptor itself must stay as it is, because other processes share its flags. If the pipe or the terminal
  // cannot be opened once more, for example because it belongs to another user, put() relies on poll() alone.
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  own_ = Descriptor(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

// Returns how many bytes were taken. If the descriptor cannot be written at all, they count as taken, since they are
// lost whenever they are written.
std::size_t DroppingOutput::put(std::string_view bytes) const {
  const int descriptor = own_ ? own_.get() : borrowed_;
  std::size_t taken = 0;
  while (taken < bytes.size()) {
    pollfd polled{descriptor, POLLOUT, 0};
    if (::poll(&polled, 1, 0) == 0) break;
    // A pipe that has room has room for this many bytes.
    const std::string_view piece = bytes.substr(taken, PIPE_BUF);
    const ssize_t now = is_socket_ ? ::send(descriptor, piece.data(), piece.size(), MSG_DONTWAIT | MSG_NOSIGNAL)
                                   : ::write(descriptor, piece.data(), piece.size());
    if (now > 0) {
      taken += static_cast<std::size_t>(now);
    } else if (now < 0 && errno == EAGAIN) {
      break;
    } else if (now == 0 || errno != EINTR) {
      return bytes.size();
    }
  }
  return taken;
}

void DroppingOutput::write(std::string_view lines) {
  if (lines.empty()) return;
  const std::lock_guard lock(mutex_);
  const auto count = static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
  rest_.erase(0, put(rest_));
  std::string text;
  if (dropped_ > 0)
    text = "wtool: " + counted(dropped_, "line") + " could not be written here in time, and were dropped\n";
  text += lines;
  const std::size_t taken = rest_.empty() ? put(text) : 0;
  if (taken == 0) {
    dropped_ += std::max<std::size_t>(count, 1);
    return;
  }
  dropped_ = 0;
  rest_ = text.substr(taken);
}

namespace {

std::atomic<DroppingOutput*> for_standard_error = nullptr;

}  // namespace

void never_wait_for_standard_error() {
  static DroppingOutput output(STDERR_FILENO);
  for_standard_error.store(&output);
}

DroppingOutput* standard_error_that_drops() { return for_standard_error.load(); }

}  // namespace wtool::host
