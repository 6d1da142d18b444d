// For files that the host itself writes: no component of a folder's path may be a symbolic link, and SIGXFSZ (a file
// that is too large) does not end the host.
//
// The host writes some files in folders in which commands may also write. A command could put a link there, and the
// host, which is not sandboxed, would then write to the link's target, or remove it. So the folder is opened one
// component at a time, and the files in it are reached only through the descriptor.
#pragma once

#include <sys/types.h>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/files.h"

namespace wtool {

// A folder whose path may not contain symbolic links.
struct RealFolder {
  Descriptor place;     // O_PATH: the folder, or the nearest existing folder above it; empty if `error` is set
  std::string above;    // the path of `place`, without a slash at its end
  std::string missing;  // the part of the path that does not exist, below `place`
  int error = 0;        // errno, or 0; if it is ELOOP, `link` is the path of a symbolic link
  std::string link;     // the path of the first symbolic link

  bool is_there() const { return place && missing.empty(); }
};

// `path` is absolute.
RealFolder open_real_folder(const std::string& path);

// Opens the folder to list its names or to sync it. Empty, with errno, on failure.
Descriptor open_for_reading(const RealFolder& folder);

// `path` with its symbolic links resolved, for a message.
std::string shown_real_path(const std::string& path);

// Makes the missing folders, one component after the other. False, with folder.error, on failure.
bool make_missing(RealFolder& folder, mode_t mode);

// The configuration key with which a person can choose another path for such a file, and what the key names.
struct PlaceOption {
  std::string_view kind;         // what the key names: "file" or "folder"
  std::string_view name;         // the key, such as "audit.file"
  std::string_view size_option;  // the key that limits the file's size; may be empty
};

// What a person can do about an error in writing such a file: the end of a sentence, without a full stop. A caller that
// has better advice for an error (say, its file is a link) gives its own advice instead.
std::string advice_for(int error, const PlaceOption& place);

// Blocks SIGXFSZ for the calling thread while it writes to a file. The kernel sends this signal to a thread that writes
// beyond the file size limit (RLIMIT_FSIZE), and the signal would end a host that does not expect it. The error EFBIG
// is enough. Only this thread's signal mask is changed, and it is restored afterwards.
class SizeSignalBlocked {
 public:
  SizeSignalBlocked() {
    ::sigemptyset(&signal_);
    ::sigaddset(&signal_, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    if (::sigismember(&before_, SIGXFSZ) == 1) {
      sigset_t pending;
      ::sigpending(&pending);
      was_pending_ = ::sigismember(&pending, SIGXFSZ) == 1;
    }
  }
  ~SizeSignalBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SizeSignalBlocked(const SizeSignalBlocked&) = delete;
  SizeSignalBlocked& operator=(const SizeSignalBlocked&) = delete;

  // After a write that failed with EFBIG: removes the signal that the write raised. A signal that was already pending
  // stays, for the code that blocked it.
  void take_away() const {
    const timespec at_once{};
    if (!was_pending_) ::sigtimedwait(&signal_, nullptr, &at_once);
  }

 private:
  sigset_t signal_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

// Like write_all, but exceeding the file size limit causes only an error (EFBIG), not a signal.
inline Written write_without_signal(int descriptor, std::string_view bytes) {
  const SizeSignalBlocked guard;
  const Written written = write_all(descriptor, bytes);
  if (written.error == EFBIG) guard.take_away();
  return written;
}

}  // namespace wtool
