#include "support/mounts.h"

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace wtool::test {

bool leave_mounts() {
  if (unshare(CLONE_NEWNS) != 0) {
    const std::string user = "0 " + std::to_string(geteuid()) + " 1\n";
    const std::string group = "0 " + std::to_string(getegid()) + " 1\n";
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    if (!(std::ofstream("/proc/self/setgroups") << "deny" << std::flush) ||
        !(std::ofstream("/proc/self/uid_map") << user << std::flush) ||
        !(std::ofstream("/proc/self/gid_map") << group << std::flush)) {
      return false;
    }
  }
  return mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

}  // namespace wtool::test
