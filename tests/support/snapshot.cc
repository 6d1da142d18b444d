#include "support/snapshot.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "support/processes.h"

namespace wtool::test {
namespace {

std::vector<std::string> names_in(const char* directory) {
  std::vector<std::string> names;
  DIR* dir = opendir(directory);
  if (dir == nullptr) return names;
  const std::string own = std::to_string(dirfd(dir));
  while (const dirent* entry = readdir(dir)) {
    const std::string name = entry->d_name;
    if (name[0] != '.' && name != own) names.push_back(name);
  }
  closedir(dir);
  return names;
}

// The numbers of the signals in the set. A sigset_t can only be read signal by signal.
std::string hex(const sigset_t& set) {
  std::string text;
  for (int signal = 1; signal < NSIG; ++signal) {
    if (sigismember(&set, signal) == 1) text += std::to_string(signal) + " ";
  }
  return text;
}

std::string target(const std::string& link) {
  char buffer[4096];
  const ssize_t n = readlink(link.c_str(), buffer, sizeof buffer);
  return n < 0 ? "?" : std::string(buffer, static_cast<std::size_t>(n));
}

}  // namespace

std::map<std::string, std::string> snapshot() {
  std::map<std::string, std::string> all;
  for (const std::string& fd : names_in("/proc/self/fd")) {
    const int number = std::stoi(fd);
    all["descriptor " + fd] = target("/proc/self/fd/" + fd) + " flags " + std::to_string(fcntl(number, F_GETFD)) + " " +
                              std::to_string(fcntl(number, F_GETFL));
  }
  std::string threads;
  for (const std::string& task : names_in("/proc/self/task")) threads += task + " ";
  all["threads"] = threads;
  std::string children;
  for (const pid_t child : children_of(getpid())) children += std::to_string(child) + " ";
  all["children"] = children;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0) continue;
    std::ostringstream text;
    text << reinterpret_cast<const void*>(action.sa_handler) << " flags " << action.sa_flags << " mask "
         << hex(action.sa_mask);
    all["signal " + std::to_string(signal)] = text.str();
  }
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    for (const char* key : {"SigBlk", "SigIgn", "SigCgt", "SigPnd", "ShdPnd", "Umask", "NoNewPrivs", "Seccomp", "Uid",
                            "Gid", "Groups", "CapEff", "CapInh", "CapAmb", "CapBnd", "Cpus_allowed"}) {
      if (line.rfind(std::string(key) + ":", 0) == 0) all[key] = line.substr(std::strlen(key) + 1);
    }
  }
  all["directory"] = target("/proc/self/cwd");
  all["root"] = target("/proc/self/root");
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string line = *entry;
    all["environment " + line.substr(0, line.find('='))] = line;
  }
  for (int which = 0; which < RLIMIT_NLIMITS; ++which) {
    rlimit limit{};
    getrlimit(static_cast<__rlimit_resource_t>(which), &limit);
    all["limit " + std::to_string(which)] = std::to_string(limit.rlim_cur) + " " + std::to_string(limit.rlim_max);
  }
  all["session"] = std::to_string(getsid(0)) + " group " + std::to_string(getpgid(0));
  all["locale"] = std::setlocale(LC_ALL, nullptr);
  all["priority"] = std::to_string(getpriority(PRIO_PROCESS, 0));
  int subreaper = 0;
  int death_signal = 0;
  prctl(PR_GET_CHILD_SUBREAPER, &subreaper);
  prctl(PR_GET_PDEATHSIG, &death_signal);
  char name[17] = {};
  prctl(PR_GET_NAME, name);
  all["prctl"] = "subreaper " + std::to_string(subreaper) + " death signal " + std::to_string(death_signal) +
                 " dumpable " + std::to_string(prctl(PR_GET_DUMPABLE)) + " name " + name;
  return all;
}

std::string difference(const std::map<std::string, std::string>& before,
                       const std::map<std::string, std::string>& after) {
  std::map<std::string, std::string> names = before;
  names.insert(after.begin(), after.end());
  std::string text;
  for (const auto& [name, unused] : names) {
    const auto was = before.find(name);
    const auto is = after.find(name);
    const std::string old_value = was == before.end() ? "(none)" : was->second;
    const std::string new_value = is == after.end() ? "(none)" : is->second;
    if (old_value != new_value)
      text.append(name).append(": ").append(old_value).append(" -> ").append(new_value) += "\n";
  }
  return text;
}

}  // namespace wtool::test
