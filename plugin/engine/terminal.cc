#include "engine/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace wtool::engine {

bool resize_terminal(int master, int rows, int columns) {
  winsize size{};
  size.ws_row = static_cast<unsigned short>(rows);
  size.ws_col = static_cast<unsigned short>(columns);
  return ::ioctl(master, TIOCSWINSZ, &size) == 0;
}

int open_terminal(int rows, int columns, TerminalPair& pair) {
  // O_NOCTTY: the terminal must not become the host's controlling terminal.
  pair.master = Descriptor(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!pair.master || ::grantpt(pair.master.get()) != 0 || ::unlockpt(pair.master.get()) != 0) return errno;
  // The slave is not opened by its name, because another file may have that name in this mount namespace.
  pair.slave = Descriptor(::ioctl(pair.master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pair.slave || !resize_terminal(pair.master.get(), rows, columns)) return errno;
  return 0;
}

}  // namespace wtool::engine
