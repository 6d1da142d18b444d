// Temporary files and folders that do not outlive their process for long, even if it is killed.
//
// All of them are in a folder of the process, $TMPDIR/wtool-UID/process-HOST-XXXXXX, which the process keeps locked. A
// process that is killed cannot remove its folder, but the kernel opens the lock. The next process of the user that
// makes something temporary there removes the folders that are no longer locked.
//
// Commands in a sandbox usually may write below $TMPDIR. What they may read but must not change is in a second folder
// of the process, $XDG_STATE_HOME/wtool/temporary/process-HOST-XXXXXX (TemporaryPlace::guarded).
//
//   std::string error;
//   const TemporaryPath file = TemporaryPath::file("prompt", text, error);
//   if (!file) return "the prompt cannot be written: " + error;
//   use(file.path());  // /tmp/wtool-1000/process-5e884898-8sKq2L/prompt-xT0aZd, removed with `file`
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace wtool {

enum class TemporaryPlace {
  shared,   // below $TMPDIR: for large things, and for what commands write to
  guarded,  // in the user's folder for state; as `shared` if that folder cannot be used, such as without a home folder
};

// Owns a path, which is removed with the object, and with everything below it except mounts. Only this user can use it.
// The functions may be called on any thread.
class TemporaryPath {
 public:
  // Makes a file with this content. `kind` is a word for the name, of letters and hyphens. The result is false if the
  // file cannot be made, and `error` says why, with the path.
  static TemporaryPath file(std::string_view kind, std::string_view content, std::string& error,
                            TemporaryPlace place = TemporaryPlace::shared);
  // The same for an empty folder.
  static TemporaryPath folder(std::string_view kind, std::string& error, TemporaryPlace place = TemporaryPlace::shared);
  // A path that file() or folder() might make, for texts about what a program would do.
  static std::string example(std::string_view kind, TemporaryPlace place = TemporaryPlace::shared);

  TemporaryPath() = default;  // owns nothing
  TemporaryPath(TemporaryPath&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryPath& operator=(TemporaryPath&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~TemporaryPath();

  explicit operator bool() const { return !path_.empty(); }
  const std::string& path() const { return path_; }  // absolute; empty: it owns nothing

 private:
  explicit TemporaryPath(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

// The folder of this process in TemporaryPlace::guarded, without links. It is made unless it exists. Empty: it cannot
// be made.
std::string guarded_folder();
// Whether the path is such a folder, of any process of this user.
bool is_guarded_folder(const std::string& path);

// The folder for temporary things of this user, $TMPDIR/wtool-UID, with "/tmp" in place of an unset TMPDIR.
std::string temporary_folder_of_user();
// Makes such a folder, unless it exists, and closes it to other users. Returns why it cannot be used; empty: it can.
std::string make_temporary_folder(const std::string& path);

}  // namespace wtool
