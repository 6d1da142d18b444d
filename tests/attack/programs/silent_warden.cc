// Takes the place of shell-warden: it has the right version, but never greets. Ends when its socket closes, or after a
// minute.
#include <poll.h>
#include <unistd.h>

#include "warden/protocol.h"

namespace {

[[gnu::section(".note.wtool"), gnu::used, gnu::aligned(4)]] constinit const wtool::warden::VersionNote version_note{
    .version = wtool::warden::protocol_version};

}  // namespace

int main() {
  alarm(60);
  pollfd socket{0, 0, 0};
  poll(&socket, 1, -1);
}
