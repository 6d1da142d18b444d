#include "runner/temporaries.h"

#include <fcntl.h>
#include <stdlib.h>  // mkdtemp
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <system_error>

#include "base/environment.h"

namespace wtool::host::runner {
namespace {

namespace fs = std::filesystem;

// The beginnings of the names. Versions that did not lock their files used a dash, so those files are left alone.
constexpr const char* step_folder = "wtool-step.";
constexpr const char* prompt_file = "wtool-prompt.";

std::string temporary_folder() { return environment_folder("TMPDIR", "/tmp"); }

bool lock(const Descriptor& file, int how) {
  while (::flock(file.get(), how) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

// Whether the path still leads to the open file.
bool is_at(const Descriptor& file, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(file.get(), &open) == 0 && ::lstat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

// Removes those files and folders of this user whose processes have ended.
void remove_left_temporaries() {
  std::error_code failed;
  for (fs::directory_iterator entry(temporary_folder(), failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(step_folder) && !name.starts_with(prompt_file)) continue;
    const std::string path = entry->path().string();
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (!file || ::fstat(file.get(), &status) != 0 || status.st_uid != ::geteuid()) continue;
    if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode)) continue;
    if (!lock(file, LOCK_EX | LOCK_NB) || !is_at(file, path)) continue;
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
}

// `make` makes the file or folder from the template of its name, and opens it; `remove` removes it.
template <class Make, class Remove>
Temporary made_with(const char* prefix, const Make& make, const Remove& remove) {
  static std::once_flag looked;
  std::call_once(looked, remove_left_temporaries);
  // Between its making and its lock, another run may take it for one that was left behind, and remove it.
  constexpr int most_tries = 10;
  Temporary made;
  int failed = 0;
  for (int i = 0; i < most_tries; ++i) {
    made.path = temporary_folder() + "/" + prefix + "XXXXXX";
    made.file = make(made.path);
    failed = made.file ? 0 : errno;
    if (failed != 0) break;
    if (!lock(made.file, LOCK_EX)) {
      failed = errno;
      remove(made.path);
      break;
    }
    if (is_at(made.file, made.path)) return made;
    failed = EAGAIN;
  }
  made.problem = made.path + " cannot be created: " + std::strerror(failed);
  made.path.clear();
  made.file = {};
  return made;
}

}  // namespace

Temporary make_temporary_file() {
  return made_with(
      prompt_file, [](std::string& path) { return Descriptor(::mkostemp(path.data(), O_CLOEXEC)); },
      [](const std::string& path) { ::unlink(path.c_str()); });
}

Temporary make_temporary_folder() {
  const auto make = [](std::string& path) {
    if (::mkdtemp(path.data()) == nullptr) return Descriptor();
    Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    const int failed = errno;
    if (!folder) ::rmdir(path.c_str());
    errno = failed;
    return folder;
  };
  return made_with(step_folder, make, [](const std::string& path) { ::rmdir(path.c_str()); });
}

}  // namespace wtool::host::runner
