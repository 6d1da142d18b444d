#include "policy/answers_file.h"

#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <thread>
#include <utility>

#include "base/files.h"
#include "system/real_folder.h"

namespace wtool::policy {

namespace {

constexpr std::size_t max_file_size = 16UL << 20;

std::string cannot(const AnswersFile& file, const std::string& what, const std::string& path) {
  return file.noun + " cannot be " + what + ": " + path + ": " + std::strerror(errno);
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// Opens the file's folder, so that the folder that is checked is also the one that is used. If no descriptor is
// returned, errno says why.
Descriptor open_folder(const AnswersFile& file) {
  const std::string folder = folder_of(file.path);
  if (file.links == Links::none) {
    RealFolder real = open_real_folder(folder);
    errno = real.error != 0 ? real.error : ENOENT;
    return real.is_there() ? std::move(real.place) : Descriptor();
  }
  const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC | (file.links == Links::followed ? 0 : O_NOFOLLOW);
  return Descriptor(::open(folder.empty() ? "/" : folder.c_str(), flags));
}

std::string name_of(const AnswersFile& file) { return file.path.substr(file.path.rfind('/') + 1); }

bool is_missing(int error) { return error == ENOENT; }

bool make_folder(const std::string& folder, mode_t mode) {
  if (folder.empty() || ::mkdir(folder.c_str(), mode) == 0 || errno == EEXIST) return true;
  return errno == ENOENT && make_folder(folder_of(folder), mode) &&
         (::mkdir(folder.c_str(), mode) == 0 || errno == EEXIST);
}

bool make_folder_of(const AnswersFile& file) {
  const std::string folder = folder_of(file.path);
  if (file.links != Links::none) return make_folder(folder, file.folder_mode);
  RealFolder real = open_real_folder(folder);
  const bool made = make_missing(real, file.folder_mode);
  errno = real.error;
  return made;
}

// The wait is limited, because a command that can read the file can take its lock and keep it in the background. False:
// errno says why.
bool wait_for_lock(int file, std::chrono::milliseconds longest) {
  using std::chrono::steady_clock;
  constexpr std::chrono::milliseconds pause{2};
  for (const auto limit = steady_clock::now() + longest; ::flock(file, LOCK_EX | LOCK_NB) != 0;) {
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    if (steady_clock::now() >= limit) {
      errno = ETIMEDOUT;
      return false;
    }
    std::this_thread::sleep_for(pause);
  }
  return true;
}

bool is_trusted(const AnswersFile& file, const struct stat& status) {
  return (status.st_mode & file.not_by) == 0 &&
         (status.st_uid == ::geteuid() || status.st_uid == 0 || status.st_uid == file.owner);
}

}  // namespace

bool read_answers(const AnswersFile& file, std::string& text, std::string& error) {
  const auto missing = [&] { return is_missing(errno) || (errno == ENOTDIR && file.links != Links::none_at_end); };
  const auto unreadable = [&] {
    const bool is_link = file.links != Links::followed && (errno == ELOOP || errno == ENOTDIR);
    error = cannot(file, "read", file.path);
    if (is_link) {
      error += file.links == Links::none_at_end ? " (neither it nor its folder may be a symbolic link)"
                                                : " (its path may not contain a symbolic link)";
    }
    return false;
  };
  const Descriptor folder = open_folder(file);
  if (!folder) return missing() || unreadable();
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (file.links == Links::followed ? 0 : O_NOFOLLOW);
  const Descriptor opened(::openat(folder.get(), name_of(file).c_str(), flags));
  if (!opened) return missing() || unreadable();
  struct stat status {};
  if (::fstat(opened.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    error = file.noun + " is not a regular file: " + file.path;
    return false;
  }
  if ((status.st_mode & file.not_by) != 0) {
    error = file.noun + " may be changed by other users, so its answers prove nothing: " + file.path +
            "; remove that permission (chmod " + ((file.not_by & S_IWGRP) != 0 ? "go-w)" : "o-w)");
    return false;
  }
  if (!is_trusted(file, status)) {
    error = file.noun + " belongs to another user, so its answers prove nothing: " + file.path +
            "; remove it, or change its owner (chown)";
    return false;
  }
  const int failed = read_all(opened.get(), max_file_size, text);
  if (failed == EFBIG) error = file.noun + " is larger than 16 MiB: " + file.path;
  if (failed == 0 || failed == EFBIG) return failed == 0;
  errno = failed;
  return unreadable();
}

Descriptor lock_answers(const AnswersFile& file, std::string& error) {
  if (!make_folder_of(file)) {
    error = cannot(file, "written", file.path);
    return {};
  }
  const std::string name = name_of(file) + ".lock";
  const Descriptor folder = open_folder(file);
  if (folder) {
    Descriptor lock(::openat(folder.get(), name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, file.mode));
    if (lock && wait_for_lock(lock.get(), file.lock_wait)) return lock;
  }
  error = cannot(file, "locked", file.path + ".lock");
  return {};
}

std::string replace_answers(const AnswersFile& file, const std::string& text) {
  const std::string name = name_of(file), fresh = name + ".new";
  const Descriptor folder = open_folder(file);
  if (!folder) return cannot(file, "written", file.path);
  ::unlinkat(folder.get(), fresh.c_str(), 0);  // Only a killed process can have left this file, since we have the lock.
  const Descriptor opened(
      ::openat(folder.get(), fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, file.mode));
  if (!opened) return cannot(file, "written", file.path + ".new");
  if (const int failed = write_all(opened.get(), text).error; failed != 0) {
    errno = failed;
    return cannot(file, "written", file.path + ".new");
  }
  if (::fsync(opened.get()) != 0 || ::renameat(folder.get(), fresh.c_str(), folder.get(), name.c_str()) != 0) {
    return cannot(file, "written", file.path);
  }
  return {};
}

}  // namespace wtool::policy
