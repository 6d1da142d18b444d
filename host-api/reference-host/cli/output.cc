#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <string>

#include "terminal/terminal.h"
#include "tracing/escape.h"

namespace wtool::host {

int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0) {
      return EIO;
    } else if (errno == EAGAIN) {  // Somebody who shares it with us made it non-blocking.
      pollfd ready{.fd = descriptor, .events = POLLOUT, .revents = 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

bool print(std::string_view text) {
  const int failed = write_all(STDOUT_FILENO, text);
  if (failed == 0) return true;
  complain(std::string("cannot write to standard output: ") + ::strerror(failed));
  return false;
}

void complain(std::string_view message) {
  std::string line = "wtool: ";
  append_escaped(line, message, "\n");
  line += '\n';
  Terminal::of_process().write(line);
}

void fill_closed_descriptors() {
  constexpr int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    // open gives the lowest number that is free, which is this one, as those below are open by now.
    if (::fcntl(descriptor, F_GETFD) < 0 && ::open("/dev/null", modes[descriptor]) < 0) return;
  }
}

}  // namespace wtool::host
