#include "approval/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "base/descriptor.h"
#include "base/files.h"

namespace wtool::host {

namespace {

constexpr int max_looks = 10'000;
constexpr std::size_t max_stat = 4096;

struct Status {
  std::string name;
  pid_t parent = 0;
};

// The folder of a process stays that of this very process, whoever gets its number afterwards.
Descriptor open_process(pid_t process) {
  return Descriptor(
      ::open(("/proc/" + std::to_string(process)).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// Nothing: it has ended, or cannot be read.
std::optional<Status> read_status(const Descriptor& folder) {
  const Descriptor file(::openat(folder.get(), "stat", O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  std::string text;
  if (!file || read_all(file.get(), max_stat, text) != 0) return std::nullopt;
  // PID (NAME) STATE PARENT ...; the name may hold brackets.
  const std::size_t begin = text.find('(');
  const std::size_t end = text.rfind(')');
  if (begin == std::string::npos || end == std::string::npos || end + 4 >= text.size()) return std::nullopt;
  return Status{text.substr(begin + 1, end - begin - 1), static_cast<pid_t>(std::atol(text.c_str() + end + 4))};
}

bool is_keeper(std::string_view name) { return name == "shell-warden" || name == "custodian"; }

// /proc is there, and shows the processes that this one numbers.
bool has_own_proc() {
  std::array<char, 32> number{};
  const ssize_t size = ::readlink("/proc/self", number.data(), number.size());
  return size > 0 && std::string_view(number.data(), static_cast<std::size_t>(size)) == std::to_string(::getpid());
}

}  // namespace

std::string peer_problem(pid_t process) {
  const std::string unseen = "it cannot be told who asks: /proc does not show ";
  if (process <= 0) return "it cannot be told who asks: the process is of another pid namespace";
  if (!has_own_proc()) return unseen + "the processes of this pid namespace";
  pid_t number = process;
  Descriptor folder = open_process(number);
  for (int looks = 0; looks < max_looks; ++looks) {
    const auto status = folder ? read_status(folder) : std::nullopt;
    if (!status) return unseen + "process " + std::to_string(number);
    if (is_keeper(status->name)) {
      return "process " + std::to_string(process) + " was started by a command of a call (it is below the " +
             status->name + " of process number " + std::to_string(number) + "), and no such process may answer";
    }
    if (status->parent == 0) return {};
    Descriptor above = open_process(status->parent);
    // A parent that ended meanwhile has handed its children on; then the number may be a stranger's.
    const auto again = read_status(folder);
    if (!again) return unseen + "process " + std::to_string(number);
    if (again->parent != status->parent) continue;
    number = status->parent;
    folder = std::move(above);
  }
  return "it cannot be told who asks: process " + std::to_string(process) + " has too many ancestors";
}

}  // namespace wtool::host
