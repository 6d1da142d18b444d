#include "engine/sandbox/file_identity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/timespec.h"

namespace wtool::engine {

std::optional<FileEntry> entry_at(int folder, const char* name) {
  struct statx status {};
  const unsigned wanted = STATX_TYPE | STATX_INO | STATX_BTIME | STATX_CTIME;
  if (::statx(folder, name, AT_SYMLINK_NOFOLLOW, wanted, &status) != 0) return std::nullopt;
  const bool knows_birth = (status.stx_mask & STATX_BTIME) != 0;
  const auto& time = knows_birth ? status.stx_btime : status.stx_ctime;
  return FileEntry{
      S_ISDIR(status.stx_mode),
      knows_birth,
      {makedev(status.stx_dev_major, status.stx_dev_minor), status.stx_ino, to_ns({time.tv_sec, time.tv_nsec})}};
}

}  // namespace wtool::engine
