#include "support/processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace wtool::test {
namespace {

// The contents of a file in /proc, which has no size of its own. Empty: it cannot be read, because the process is gone
// or not ours.
std::string contents(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  std::string text;
  char buffer[16384];
  for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
  close(fd);
  return text;
}

std::string proc(pid_t pid, const char* file) { return "/proc/" + std::to_string(pid) + "/" + file; }

template <typename Each>
void for_each_number(const std::string& directory, Each&& each) {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(directory.c_str()), closedir);
  if (!dir) return;
  while (const dirent* entry = readdir(dir.get())) {
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') each(static_cast<pid_t>(std::atoi(entry->d_name)));
  }
}

// The fields of /proc/PID/stat after the name, which may itself contain spaces and parentheses.
std::istringstream after_name(pid_t pid) {
  const std::string text = contents(proc(pid, "stat"));
  const auto end = text.rfind(')');
  return std::istringstream(end == std::string::npos ? "" : text.substr(end + 1));
}

// Whether the process has memory of its own to run in. Zombies and threads of the kernel have none.
bool has_memory(pid_t pid) {
  std::istringstream fields = after_name(pid);
  std::string skipped;
  for (int i = 3; i < 23; ++i) fields >> skipped;
  unsigned long size = 0;
  return fields >> size && size > 0;
}

// The environment and the command line of a process, as its program got them; empty: it has ended, or is not ours.
//
// In the middle of execve, a process has new memory, in which both are still empty, and a file of /proc that was opened
// before shows nothing of the old memory. So if there is no environment, this looks again: for long if there is no
// command line either, and otherwise a few times, because some programs have no environment. The kernel sets the command
// line first, and a busy machine may let the process wait between the two, so looks at a runnable process do not count.
std::string arguments_and_environment(pid_t pid) {
  std::string arguments;
  for (int looks = 0, with_arguments = 0; looks < 1000 && with_arguments < 5; ++looks) {
    arguments = contents(proc(pid, "cmdline"));
    const std::string environment = contents(proc(pid, "environ"));
    if (!environment.empty()) return environment + arguments;
    if (access(proc(pid, "environ").c_str(), R_OK) != 0 || !has_memory(pid)) break;
    if (!arguments.empty() && state_of(pid) != 'R') ++with_arguments;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return arguments;
}

}  // namespace

Mark::Mark() {
  static std::atomic<int> count{0};
  text_ = "mark" + std::to_string(getpid()) + "x" + std::to_string(++count) + "x";
}

std::vector<pid_t> Mark::bearers() const {
  std::vector<pid_t> found;
  for_each_number("/proc", [&](pid_t pid) {
    if (pid != getpid() && arguments_and_environment(pid).find(text_) != std::string::npos) found.push_back(pid);
  });
  return found;
}

std::string Mark::description() const {
  std::string text;
  for (const pid_t pid : bearers()) {
    text += (text.empty() ? "" : "; ") + std::to_string(pid) + " " + name_of(pid);
  }
  return text;
}

std::string name_of(pid_t pid) {
  std::string name = contents(proc(pid, "comm"));
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

char state_of(pid_t pid) {
  char state = 0;
  after_name(pid) >> state;
  return state;
}

pid_t parent_of(pid_t pid) {
  char state = 0;
  pid_t parent = 0;
  after_name(pid) >> state >> parent;
  return parent;
}

bool exists(pid_t pid) { return state_of(pid) != 0; }

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> found;
  const std::string tasks = proc(pid, "task");
  for_each_number(tasks, [&](pid_t task) {
    std::istringstream children(contents(tasks + "/" + std::to_string(task) + "/children"));
    for (pid_t child; children >> child;) found.push_back(child);
  });
  return found;
}

std::vector<pid_t> descendants_of(pid_t pid) {
  std::vector<pid_t> found = children_of(pid);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const pid_t child : children_of(found[i])) found.push_back(child);
  }
  return found;
}

pid_t warden_above(pid_t custodian) {
  const pid_t warden = parent_of(custodian);
  if (name_of(warden) != "shell-warden") {
    throw std::runtime_error("the parent of " + std::to_string(custodian) + " is not a shell-warden but '" +
                             name_of(warden) + "'");
  }
  return warden;
}

bool wait_until(const std::function<bool()>& predicate, std::chrono::milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!predicate()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

bool wait_for_end(pid_t pid, std::chrono::milliseconds limit) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) return errno == ESRCH;
  pollfd watched{fd, POLLIN, 0};
  const int ready = poll(&watched, 1, static_cast<int>(limit.count()));
  close(fd);
  return ready == 1;
}

long status_kib(pid_t pid, std::string_view key) {
  std::istringstream lines(contents(proc(pid, "status")));
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > key.size() && line.compare(0, key.size(), key) == 0 && line[key.size()] == ':') {
      return std::strtol(line.c_str() + key.size() + 1, nullptr, 10);
    }
  }
  throw std::runtime_error("/proc/PID/status has no " + std::string(key));
}

}  // namespace wtool::test
