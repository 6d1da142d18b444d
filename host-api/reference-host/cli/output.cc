#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <string>

#include "base/files.h"
#include "terminal/terminal.h"
#include "tracing/escape.h"

namespace wtool::host {

bool print(std::string_view text) {
  const int failed = write_all(STDOUT_FILENO, text).error;
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
