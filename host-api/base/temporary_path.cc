#include "base/temporary_path.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <system_error>
#include <vector>

#include "base/descriptor.h"
#include "base/environment.h"
#include "base/files.h"
#include "base/listing.h"
#include "base/open_resolving.h"
#include "base/paths.h"
#include "base/sha256.h"
#include "base/utf8.h"

namespace wtool {
namespace {

namespace fs = std::filesystem;

constexpr int open_folder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
// How often a folder is made again because another process removed it before it was locked.
constexpr int max_attempts = 10;
// How many files and folders of ended processes are removed at once. More would delay what this process does.
constexpr int max_removed = 20'000;
constexpr mode_t own_mode = 0700;

constexpr std::string_view process_name = "process-";
constexpr std::string_view guarded_place = "/wtool/temporary";

// What the names of the folders of processes begin with. On a network file system, a lock may hold on one machine only,
// so each machine removes only its own folders.
std::string prefix() { return std::string(process_name) + sha256(host_name()).substr(0, 8) + "-"; }

bool is_same(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// True if `path` still leads to the open folder.
bool is_at(int folder, const std::string& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(folder, &open) == 0 && ::lstat(path.c_str(), &named) == 0 && is_same(open, named);
}

// Opens a folder that is neither a link nor a mount, after it was opened to this user, if necessary.
Descriptor open_below(int above, const char* name) {
  constexpr std::uint64_t how = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH | RESOLVE_NO_XDEV;
  const Descriptor place(open_resolving(above, name, O_PATH | O_DIRECTORY | O_NOFOLLOW, how));
  struct stat status {};
  if (!place || ::fstat(place.get(), &status) != 0) return {};
  if ((status.st_mode & own_mode) != own_mode) {
    ::chmod(("/proc/self/fd/" + std::to_string(place.get())).c_str(), own_mode);
  }
  return Descriptor(open_resolving(above, name, open_folder, how));
}

// Removes folders with what is in them. Nothing that is mounted there is removed, and no link is followed.
class Removal {
 public:
  explicit Removal(int most) : left_(most) {}

  // Removes `name` in the folder `above`, or a part of it if too much was removed before.
  void remove(int above, const std::string& name) {
    // A folder may change while it is read, so that one round does not see everything.
    constexpr int rounds = 3;
    for (int round = 0; round < rounds && left_ > 0 && !removed(above, name.c_str()); ++round) {
      const Descriptor top = open_below(above, name.c_str());
      if (!top) return;
      // A folder with something in it is moved to the top, so that few descriptors are open, however deep the tree is.
      std::vector<std::string> folders;
      clear(top.get(), top.get(), folders);
      while (!folders.empty() && left_ > 0) {
        const std::string one = std::move(folders.back());
        folders.pop_back();
        if (const Descriptor folder = open_below(top.get(), one.c_str())) clear(folder.get(), top.get(), folders);
        removed(top.get(), one.c_str());
      }
    }
    removed(above, name.c_str());
  }

 private:
  bool removed(int above, const char* name) {
    const bool is_gone = ::unlinkat(above, name, 0) == 0 || ::unlinkat(above, name, AT_REMOVEDIR) == 0;
    if (is_gone) --left_;
    return is_gone;
  }

  void clear(int folder, int top, std::vector<std::string>& folders) {
    const Listing listing = list_folder(Descriptor(::fcntl(folder, F_DUPFD_CLOEXEC, 0)));
    if (!listing) return;
    while (const dirent* const entry = ::readdir(listing.get())) {
      const std::string name = entry->d_name;
      if (left_ <= 0) return;
      if (name == "." || name == ".." || removed(folder, name.c_str())) continue;
      if (folder == top) {
        folders.push_back(name);
        continue;
      }
      // Only a folder that this user may write to can be moved.
      if (!open_below(folder, name.c_str())) continue;
      std::string moved = "moved-" + std::to_string(++moved_);
      if (::renameat2(folder, name.c_str(), top, moved.c_str(), RENAME_NOREPLACE) == 0) {
        folders.push_back(std::move(moved));
      }
    }
  }

  int left_;
  unsigned moved_ = 0;
};

// Removes the folders of processes that have ended. `begin`: of their names.
void sweep(const std::string& above, const std::string& begin) {
  constexpr std::size_t random = 6;
  const Descriptor place(::open(above.c_str(), open_folder));
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator entry(above, failed), end; !failed && entry != end; entry.increment(failed)) {
    std::string name = entry->path().filename().string();
    if (name.starts_with(begin) && name.size() == begin.size() + random) names.push_back(std::move(name));
  }
  Removal removal(max_removed);
  for (const std::string& name : names) {
    struct stat status {};
    if (::fstatat(place.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || status.st_uid != ::geteuid())
      continue;
    const Descriptor folder = open_below(place.get(), name.c_str());
    if (folder && ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0 && is_at(folder.get(), path_below(above, name))) {
      removal.remove(place.get(), name);
    }
  }
}

// Instead of an errno: this user cannot have guarded folders.
constexpr int no_place = -1;

// The same for errors that do not pass. A full disk does, and a command can fill it: if temporary files then went to the
// other place, commands could choose where they are.
int lasting_error(int error) {
  constexpr int lasting[] = {EACCES, EPERM, EROFS, ENOTDIR, ELOOP, ENAMETOOLONG, EEXIST, EOPNOTSUPP, ENOSYS};
  return std::find(std::begin(lasting), std::end(lasting), error) != std::end(lasting) ? no_place : error;
}

// Makes the folder with the guarded folders of this user's processes. Returns an errno or no_place; 0: `place` is its
// path without links.
int make_guarded_place(std::string& place) {
  const std::string state = state_folder();
  const std::string home = environment_folder("HOME");
  struct stat status {};
  // HOME may be that of another user, as with sudo, or a folder that does not exist.
  if (!home.empty() && is_within(state, home) && (::stat(home.c_str(), &status) != 0 || status.st_uid != ::geteuid())) {
    return no_place;
  }
  if (state.empty()) return no_place;
  place = state + std::string(guarded_place);
  std::error_code failed = make_folders(place);
  if (failed) return lasting_error(failed.value());
  if (!make_temporary_folder(place).empty()) return no_place;
  const fs::path real = fs::canonical(place, failed);
  // Calls name the path in JSON.
  if (failed || !is_utf8(real.native())) return no_place;
  place = real.string();
  return 0;
}

// The folder of this process in one place.
class OwnFolder {
 public:
  explicit OwnFolder(TemporaryPlace place) : place_(place) {}
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder() {
    if (process_ == ::getpid()) ::rmdir(path_.c_str());
  }

  // Makes the folder, unless it exists. Returns an errno, and the path in `path` even after an error; 0: it exists.
  int make(std::string& path) {
    const std::lock_guard guard(mutex_);
    // A child process that was forked has the lock of its parent, and shares it.
    if (process_ == ::getpid() && is_at(lock_.get(), path_)) {
      path = path_;
      return 0;
    }
    const bool is_guarded = place_ == TemporaryPlace::guarded;
    std::string above = is_guarded ? std::string() : temporary_folder_of_user();
    std::string begin = prefix();
    if (const int failed = is_guarded ? make_guarded_place(above) : 0; failed != 0) {
      path = above;
      return failed;
    }
    // Another user may have made a folder of this name.
    if (!is_guarded && !make_temporary_folder(above).empty()) {
      above = fs::path(above).parent_path().string();
      begin = "wtool-" + begin;
    }
    sweep(above, begin);
    int failed = ENOENT;
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
      path = path_below(above, begin).append("XXXXXX");
      if (::mkdtemp(path.data()) == nullptr) return is_guarded ? lasting_error(errno) : errno;
      ::chmod(path.c_str(), own_mode);  // The umask may have closed it to this user.
      Descriptor folder(::open(path.c_str(), open_folder));
      failed = folder ? ENOENT : errno;
      // Some file systems have no locks. Nobody can lock the folder there to remove it, either.
      const bool is_taken = folder && ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
      if (folder && !is_taken && is_at(folder.get(), path)) {
        path_ = path;
        lock_ = std::move(folder);
        process_ = ::getpid();
        return 0;
      }
      ::rmdir(path.c_str());
    }
    return failed;
  }

 private:
  const TemporaryPlace place_;
  std::mutex mutex_;
  std::string path_;
  Descriptor lock_;
  pid_t process_ = -1;
};

OwnFolder& own_folder(TemporaryPlace place) {
  static OwnFolder shared(TemporaryPlace::shared);
  static OwnFolder guarded(TemporaryPlace::guarded);
  return place == TemporaryPlace::guarded ? guarded : shared;
}

// Calls make(path) with the pattern of a path, in the folder of this process, and returns what it has made of it.
template <typename Make>
std::string make_in_own_folder(TemporaryPlace place, std::string_view kind, std::string& error, Make make) {
  std::string path;
  int failed = own_folder(place).make(path);
  if (failed == no_place) return make_in_own_folder(TemporaryPlace::shared, kind, error, make);
  if (failed == 0) {
    path += "/" + std::string(kind) + "-XXXXXX";
    failed = make(path);
  }
  if (failed == 0) return path;
  error = path + " cannot be created: " + std::strerror(failed);
  return {};
}

}  // namespace

std::string temporary_folder_of_user() {
  return environment_folder("TMPDIR", "/tmp") + "/wtool-" + std::to_string(::geteuid());
}

std::string make_temporary_folder(const std::string& path) {
  struct stat status {};
  if (::mkdir(path.c_str(), own_mode) != 0 && errno != EEXIST) {
    return "the folder " + path + " cannot be created: " + std::strerror(errno);
  }
  const Descriptor folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder || ::fstat(folder.get(), &status) != 0 || status.st_uid != ::geteuid()) {
    return path + " is not a folder of yours; remove it, or, if it is another user's, set TMPDIR to another folder";
  }
  constexpr mode_t permissions = 0777;
  const std::string opened = "/proc/self/fd/" + std::to_string(folder.get());
  if ((status.st_mode & permissions) != own_mode && ::chmod(opened.c_str(), own_mode) != 0) {
    return "the folder " + path + " cannot be closed to other users: " + std::strerror(errno);
  }
  return {};
}

std::string guarded_folder() {
  std::string path;
  return own_folder(TemporaryPlace::guarded).make(path) == 0 ? path : std::string();
}

bool is_guarded_folder(const std::string& path) {
  const fs::path folder(path);
  struct stat status {};
  struct stat above {};
  std::error_code failed;
  constexpr mode_t permissions = 0777;
  return folder.filename().native().starts_with(process_name) &&
         folder.parent_path().native().ends_with(guarded_place) && ::lstat(path.c_str(), &status) == 0 &&
         ::lstat(folder.parent_path().c_str(), &above) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid() && (status.st_mode & permissions) == own_mode && status.st_dev == above.st_dev &&
         fs::canonical(folder, failed) == folder;
}

TemporaryPath TemporaryPath::file(std::string_view kind, std::string_view content, std::string& error,
                                  TemporaryPlace place) {
  return TemporaryPath(make_in_own_folder(place, kind, error, [&](std::string& path) {
    const Descriptor file(::mkostemp(path.data(), O_CLOEXEC));
    const int failed = file ? write_all(file.get(), content).error : errno;
    if (file && failed != 0) ::unlink(path.c_str());
    return failed;
  }));
}

TemporaryPath TemporaryPath::folder(std::string_view kind, std::string& error, TemporaryPlace place) {
  return TemporaryPath(make_in_own_folder(
      place, kind, error, [](std::string& path) { return ::mkdtemp(path.data()) != nullptr ? 0 : errno; }));
}

std::string TemporaryPath::example(std::string_view kind, TemporaryPlace place) {
  const std::string state = place == TemporaryPlace::guarded ? state_folder() : std::string();
  const std::string above = state.empty() ? temporary_folder_of_user() : state + std::string(guarded_place);
  return above + "/" + prefix() + "XXXXXX/" + std::string(kind) + "-XXXXXX";
}

TemporaryPath::~TemporaryPath() {
  if (path_.empty()) return;
  const std::size_t cut = path_.rfind('/');
  const Descriptor above(::open(path_.substr(0, cut).c_str(), open_folder));
  if (above) Removal(INT_MAX).remove(above.get(), path_.substr(cut + 1));
}

}  // namespace wtool
