// The hashes of files, without reading those that have not changed since they were last read.
//
// A file counts as unchanged while its device, inode, size and its times of modification and change are those that were
// recorded with its hash. A time that was still recent when the file was read could be that of a later write, too: such
// a file is read again. The records of each directory are kept in a file; if it is lost or damaged, all files are read.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>

namespace wtool::host::cache {

struct FileState {
  bool exists = false;
  bool executable = false;  // by anybody
  unsigned mode = 0;        // who may do what, as for chmod
  std::uint64_t bytes = 0;
  std::string hash;     // of a file's content
  std::string link;     // where a symbolic link leads to; the file there counts as well, if there is one
  std::string problem;  // why it has no hash: it cannot be read, is not a file, ...; words that follow its name
};

// Any thread.
class FileHashes {
 public:
  // `record`: the file with the records; empty: nothing is kept.
  explicit FileHashes(std::string record = {}) : record_(std::move(record)) {}
  FileHashes(const FileHashes&) = delete;
  FileHashes& operator=(const FileHashes&) = delete;

  // The path is absolute.
  FileState look(const std::string& path);

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
    std::int64_t read = 0;                   // when it was read, by the same clock
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
