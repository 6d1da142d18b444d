#include "warden/scope_keeper.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/pidfd.h"
#include "warden/event_set.h"
#include "warden/protocol.h"
#include "warden/sandbox_child.h"

namespace wtool::warden {

namespace {

enum ScopeKeeperSource : unsigned { message, host_gone, warden_gone };

bool enter(const Descriptor& ruleset) {
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::syscall(sys_landlock_restrict_self, ruleset.get(), 0U) == 0;
}

// Makes a child of the warden in this process's domain. A raw system call, because clone() of the C library needs a
// stack of its own, and fork() makes no sibling.
pid_t make_sibling() {
  return static_cast<pid_t>(
      ::syscall(SYS_clone, static_cast<unsigned long>(CLONE_PARENT | SIGCHLD), 0UL, 0UL, 0UL, 0UL));
}

void introduce(int socket, pid_t process) {
  const Descriptor handle = open_process(process);
  const int sent = handle.get();
  const CustodianSpawned custodian_spawned{{Kind::custodian_spawned, 0, 0}, process, 0};
  send_message(socket, &custodian_spawned, sizeof custodian_spawned, &sent, handle ? 1 : 0);
}

}  // namespace

void run_scope_keeper(const CustodianStation& station, Descriptor ruleset) {
  Descriptor limits = open_own_limits();
  EventSet events;
  if (!enter(ruleset) || !events || !events.add(station.socket, message) || !events.add(station.host, host_gone) ||
      !events.add(station.warden, warden_gone)) {
    quit(station);
  }
  ruleset.reset();
  continue_on_message(station.socket);
  for (;;) {
    const unsigned news = events.wait(-1);
    if (holds(news, host_gone) || holds(news, warden_gone) || station.state->changed(limits)) quit(station);
    if (!holds(news, message)) continue;
    SpawnCustodian spawn_custodian{};
    const Received received = receive_message(station.socket, &spawn_custodian, sizeof spawn_custodian);
    if (received.size <= 0) quit(station);
    Descriptor socket(received.descriptors[0]);
    if (spawn_custodian.header.kind != Kind::spawn_custodian || !socket)
      continue;  // The sender sees its socket closed.
    const pid_t process = make_sibling();
    if (process < 0) tell_not_spawned(socket.get(), errno);
    if (process != 0) continue;
    events.close();
    ::close(station.socket);
    limits.reset();
    introduce(socket.get(), ::getpid());
    CustodianStation its = station;
    its.socket = socket.release();
    its.in_scope = true;
    run_custodian(its);
  }
}

}  // namespace wtool::warden
