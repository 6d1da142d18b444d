#include "approval/question_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/descriptor.h"
#include "base/environment.h"
#include "base/files.h"
#include "base/listing.h"

namespace wtool::host {

namespace {

constexpr std::string_view end_of_name = ".sock";
constexpr const char* below = "/wtool/approve";

bool is_own_folder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
}

// The process number in `PID.sock`, or in `.PID.sock`, which is the name of a socket that does not listen yet. 0: the
// name has neither form.
pid_t process_of(std::string_view name) {
  if (!name.empty() && name.front() == '.') name.remove_prefix(1);
  pid_t process = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), process);
  const bool is_whole = failure == std::errc() && std::string_view(end, name.data() + name.size()) == end_of_name;
  return is_whole && process > 0 ? process : 0;
}

// True if no process of this machine listens on the socket. The function tries to connect, and does not look for the
// process: several containers can share the folder, so the process that listens may not be visible here.
bool is_left_over(const Descriptor& folder, std::string_view name) {
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_un address = socket_address(folder, name);
  return socket && ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 &&
         errno == ECONNREFUSED;
}

}  // namespace

std::vector<std::string> question_folders() {
  std::vector<std::string> folders;
  const std::string runtime = environment_folder("XDG_RUNTIME_DIR", "/run/user/" + std::to_string(::geteuid()));
  if (is_own_folder(runtime)) folders.push_back(runtime + below);
  const std::string home = environment_folder("HOME");
  const std::string usual = home.empty() ? home : home + "/.local/state";
  const std::string state = state_folder();
  if (!state.empty()) folders.push_back(state + below);
  // Another process of this user may have been started without XDG_STATE_HOME.
  if (!usual.empty() && usual != state) folders.push_back(usual + below);
  return folders;
}

Descriptor open_question_folder(const std::string& path, bool make, std::string& why) {
  if (make) {
    (void)make_folders(std::filesystem::path(path).parent_path().string());  // mkdir() shows whether it failed
    if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
      why = path + " cannot be created: " + ::strerror(errno);
      return {};
    }
  }
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!folder || ::fstat(folder.get(), &status) != 0) {
    why = path + " cannot be opened: " + ::strerror(errno);
    return {};
  }
  if (status.st_uid != ::geteuid() || (status.st_mode & 077) != 0) {
    why = path + " must belong to you, and nobody else may have access to it (chmod 700)";
    return {};
  }
  return folder;
}

sockaddr_un socket_address(const Descriptor& folder, std::string_view name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%.*s", folder.get(),
                static_cast<int>(name.size()), name.data());
  return address;
}

std::vector<std::string> question_sockets(const Descriptor& folder) {
  std::vector<std::string> names;
  const Listing entries = list_folder(Descriptor(::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  if (entries == nullptr) return names;
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string name = entry->d_name;
    const pid_t process = process_of(name);
    if (process == 0) continue;
    if (::kill(process, 0) != 0 && errno == ESRCH) {
      if (is_left_over(folder, name)) ::unlinkat(folder.get(), name.c_str(), 0);
    } else if (name.front() != '.') {
      names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// ---- Who is at the other end of a socket.

namespace {

constexpr int max_looks = 10'000;
constexpr std::size_t max_stat = 4096;

struct Status {
  std::string name;
  pid_t parent = 0;
};

// Opens /proc/PID. The open folder stays with its process, even when another process gets the number.
Descriptor open_process_folder(pid_t process) {
  return Descriptor(
      ::open(("/proc/" + std::to_string(process)).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// Reads the status of the process from its folder. Nothing: the process has ended, or its status cannot be read.
std::optional<Status> read_status(const Descriptor& folder) {
  const Descriptor file(::openat(folder.get(), "stat", O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  std::string text;
  if (!file || read_all(file.get(), max_stat, text) != 0) return std::nullopt;
  // PID (NAME) STATE PARENT ...; the name may contain brackets.
  const std::size_t begin = text.find('(');
  const std::size_t end = text.rfind(')');
  if (begin == std::string::npos || end == std::string::npos || end + 4 >= text.size()) return std::nullopt;
  return Status{text.substr(begin + 1, end - begin - 1), static_cast<pid_t>(std::atol(text.c_str() + end + 4))};
}

bool is_keeper(std::string_view name) { return name == "shell-warden" || name == "custodian"; }

// True if /proc is mounted and shows this process's own pid namespace.
bool has_own_proc() {
  std::array<char, 32> number{};
  const ssize_t size = ::readlink("/proc/self", number.data(), number.size());
  return size > 0 && std::string_view(number.data(), static_cast<std::size_t>(size)) == std::to_string(::getpid());
}

}  // namespace

std::string peer_problem(pid_t process) {
  const std::string unseen = "there is no way to tell who answers: /proc does not show ";
  if (process <= 0) return "there is no way to tell who answers: the process is in another pid namespace";
  if (!has_own_proc()) return unseen + "the processes of this pid namespace";
  pid_t number = process;
  Descriptor folder = open_process_folder(number);
  for (int looks = 0; looks < max_looks; ++looks) {
    const auto status = folder ? read_status(folder) : std::nullopt;
    if (!status) return unseen + "process " + std::to_string(number);
    if (is_keeper(status->name)) {
      return "process " + std::to_string(process) + " was started by a command of a call (the " + status->name +
             " above it is process " + std::to_string(number) + "), and no process of a call may answer";
    }
    if (status->parent == 0) return {};
    Descriptor above = open_process_folder(status->parent);
    // If the parent has ended meanwhile, the process has a new parent, and the number of the old one may belong to
    // another process.
    const auto again = read_status(folder);
    if (!again) return unseen + "process " + std::to_string(number);
    if (again->parent != status->parent) continue;
    number = status->parent;
    folder = std::move(above);
  }
  return "there is no way to tell who answers: process " + std::to_string(process) + " has too many ancestors";
}

}  // namespace wtool::host
