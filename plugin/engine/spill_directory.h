// The folder of the spill files. It names new files, grants room for their bytes, and removes the oldest files to make
// room.
//
// Contract:
// - Spill files are the regular files of the folder whose names match the pattern of new_name(). Everything else in it,
//   symbolic links included, is neither counted nor touched.
// - All spill files together have at most `max_bytes`. Each is charged at least 4 KiB, so that their number is bounded.
// - The oldest files are removed first; their names begin with the time. A file stays while a running call, of any
//   process, writes it and holds a lock (flock) on it. An empty file takes no room, and stays because its writer may be
//   about to lock it.
// - The folder is read when the room that was found last is used up, not at each write. A process does not know the
//   grants of other processes, so together they may exceed `max_bytes`. Each process adds at most the room that it
//   found when it last read the folder: a 64th of `max_bytes` or 16 MiB, whichever is less; or one write, if that is
//   larger.
//
// Any thread may call any member.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "system/real_folder.h"

namespace wtool::engine {

class SpillDirectory {
 public:
  // The path is absolute; the folder need not exist yet.
  SpillDirectory(std::string path, std::uint64_t max_bytes) : path_(std::move(path)), max_bytes_(max_bytes) {}

  const std::string& path() const { return path_; }
  std::uint64_t max_bytes() const { return max_bytes_; }

  // A name for the file of a call that begins now, such as 20261121T131500.123Z-build-1f0c93aa.out. `call` may be any
  // text; its beginning is used, with `_` for each character that is not safe in a name. A file of that name may
  // already exist.
  static std::string new_name(std::string_view call);

  // Grants up to `wanted` bytes; fewer, or 0, when no room can be made for more. `folder` is this folder as the caller
  // has opened it. *error is the errno if the folder could not be read, otherwise 0. Each grant must be settled with
  // settle().
  std::uint64_t reserve(std::uint64_t wanted, const RealFolder& folder, int* error);

  // Call it when the bytes of a grant are in a file, or never will be.
  void settle(std::uint64_t granted);

  // How many bytes of room are charged for a file of this size.
  static std::uint64_t charge(std::uint64_t bytes);

 private:
  int find_room(std::uint64_t wanted, const RealFolder& folder);

  const std::string path_;
  const std::uint64_t max_bytes_;
  std::mutex mutex_;
  std::uint64_t room_ = 0;       // found when the folder was last read, and not granted yet
  std::uint64_t in_flight_ = 0;  // granted, but not settled
};

// True for names of the form that new_name() makes.
bool is_spill_name(std::string_view name);

}  // namespace wtool::engine
