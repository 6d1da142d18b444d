#include "base/temporary_path.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <system_error>

#include "base/descriptor.h"
#include "base/environment.h"
#include "base/files.h"

namespace wtool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "process-";
constexpr int open_folder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
// How often a folder is made again because another process removed it before it was locked.
constexpr int max_attempts = 10;

bool is_same(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// True if `path` still leads to the open folder.
bool is_at(int folder, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(folder, &open) == 0 && ::lstat(path.c_str(), &named) == 0 && is_same(open, named);
}

void remove_all(const std::string& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

// Removes the folders of processes that have ended.
void sweep(const std::string& above) {
  std::error_code failed;
  for (fs::directory_iterator entry(above, failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::string path = entry->path().string();
    if (!entry->path().filename().string().starts_with(prefix)) continue;
    const Descriptor folder(::open(path.c_str(), open_folder));
    struct stat status {};
    if (!folder || ::fstat(folder.get(), &status) != 0 || status.st_uid != ::geteuid()) continue;
    if (::flock(folder.get(), LOCK_EX | LOCK_NB) == 0 && is_at(folder.get(), path)) remove_all(path);
  }
}

// The folder of this process.
class OwnFolder {
 public:
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
    // Another user may have made a folder of this name. Then there is no place to look for what was left.
    std::string above = temporary_folder_of_user();
    const bool has_own = make_temporary_folder_of_user(above).empty();
    if (has_own) {
      sweep(above);
    } else {
      above = fs::path(above).parent_path().string();
    }
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
      path = above + (has_own ? "/" : "/wtool-") + std::string(prefix) + "XXXXXX";
      if (::mkdtemp(path.data()) == nullptr) return errno;
      Descriptor folder(::open(path.c_str(), open_folder));
      // Some file systems have no locks. Nobody can lock the folder there to remove it, either.
      if (folder && ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) continue;
      if (!folder || !is_at(folder.get(), path)) continue;
      path_ = path;
      lock_ = std::move(folder);
      process_ = ::getpid();
      return 0;
    }
    return ENOENT;
  }

 private:
  std::mutex mutex_;
  std::string path_;
  Descriptor lock_;
  pid_t process_ = -1;
};

OwnFolder& own_folder() {
  static OwnFolder folder;
  return folder;
}

// Calls make(path) with the pattern of a path, in the folder of this process, and returns what it has made of it.
template <typename Make>
std::string make_in_own_folder(std::string_view kind, std::string& error, Make make) {
  std::string path;
  int failed = own_folder().make(path);
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

std::string make_temporary_folder_of_user(const std::string& path) {
  struct stat status {};
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return "the folder " + path + " cannot be created: " + std::strerror(errno);
  }
  if (::lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid() ||
      (status.st_mode & 077U) != 0) {
    return path + " is not a folder of yours that nobody else can use; remove it, or, if it is another user's, set " +
           "TMPDIR to a folder outside of your home folder";
  }
  return {};
}

TemporaryPath TemporaryPath::file(std::string_view kind, std::string_view content, std::string& error) {
  return TemporaryPath(make_in_own_folder(kind, error, [&](std::string& path) {
    const Descriptor file(::mkostemp(path.data(), O_CLOEXEC));
    const int failed = file ? write_all(file.get(), content).error : errno;
    if (file && failed != 0) ::unlink(path.c_str());
    return failed;
  }));
}

TemporaryPath TemporaryPath::folder(std::string_view kind, std::string& error) {
  return TemporaryPath(
      make_in_own_folder(kind, error, [](std::string& path) { return ::mkdtemp(path.data()) != nullptr ? 0 : errno; }));
}

std::string TemporaryPath::example(std::string_view kind) {
  return temporary_folder_of_user() + "/" + std::string(prefix) + "XXXXXX/" + std::string(kind) + "-XXXXXX";
}

TemporaryPath::~TemporaryPath() {
  if (!path_.empty()) remove_all(path_);
}

}  // namespace wtool
