// Finds the hashes of files, and reads only those files that have changed since they were last read.
//
// A file counts as unchanged while its device, inode, size, and times of modification and change are those that were
// recorded with its hash. But if such a time was recent when the file was read, a later write could have left the same
// time, so the file is read again. The records are kept in one file for each directory in which runs start; if that
// file is lost or damaged, all files are read.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

#include "cache/file_identity.h"

namespace wtool::host::cache {

struct FileState {
  bool exists = false;
  bool executable = false;  // its owner, its group or others may execute it
  unsigned mode = 0;        // the permission bits, as for chmod
  std::uint64_t bytes = 0;
  FileIdentity name{};  // of the file or link that has the name
  FileIdentity file{};  // of the file, which may be behind a link
  std::string hash;     // of a file's content
  std::string link;     // the target of a symbolic link; if the target is a file, all other fields describe that file
  std::string problem;  // why the file has no hash, to be put after its name in messages: `cannot be read: ...`
};

// Any thread may call any member.
class FileHashes {
 public:
  // `record`: the file with the records; empty: nothing is kept.
  explicit FileHashes(std::string record = {}) : record_(std::move(record)) {}
  FileHashes(const FileHashes&) = delete;
  FileHashes& operator=(const FileHashes&) = delete;

  // Called with the size of a file before its contents are read.
  using Reads = std::function<void(std::uint64_t bytes)>;
  // `path` must be absolute.
  FileState look(const std::string& path, const Reads& reads = nullptr);

  // Drops the records of the files that `which` selects.
  void forget(const std::function<bool(const std::string& path)>& which);

  // Writes new records to the file. A failure does no harm: files are then read again.
  void save();

  // How many files were read, for tests.
  std::uint64_t files_read() const { return files_read_; }

 private:
  struct Known {
    std::uint64_t device = 0, inode = 0, bytes = 0;
    std::int64_t modified = 0, changed = 0;  // nanoseconds
    std::int64_t read = 0;                   // nanoseconds; when the reading of the file began
    std::string hash;
  };
  void load();

  const std::string record_;
  std::mutex mutex_;  // guards all members below
  bool loaded_ = false;
  bool changed_ = false;
  std::uint64_t files_read_ = 0;
  std::unordered_map<std::string, Known> known_;
};

}  // namespace wtool::host::cache
