// The file of an audit trail while one line is written to it: opened, locked, repaired, rotated.
//
// - It is opened for each line and closed again. So no descriptor stays in the host, no cached number can become stale
//   because of another process, and a file that was rotated meanwhile is noticed before anything is written to it.
// - The lock is flock's, which belongs to the open file. It separates the threads of one process as well as processes,
//   because each opens the file by itself. Unlike fcntl's older locks, it is not lost when some other code in this
//   process closes a descriptor of the same file. Waiting is done in short sleeps: the only other way to bound the wait
//   is a signal, and signals belong to the host. The kernel releases the lock of a process that dies.
// - The last component of the path must be a regular file or missing. Symbolic links are not followed, in the folder's
//   path neither, and everything is done through the folder's descriptor, since a command could have put a link there
//   (system/real_folder.h). A missing folder is made for this user alone, one level deep.
// - A line that cannot be written whole is removed again.
//
// A member that returns a text returns an empty one on success; otherwise the text says what failed and what to do, and
// no other member may be called afterwards.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "audit/chain.h"
#include "audit/trail.h"
#include "base/descriptor.h"
#include "system/real_folder.h"

namespace wtool::audit {

class TrailFile {
 public:
  explicit TrailFile(const TrailOptions& options);
  TrailFile(const TrailFile&) = delete;
  TrailFile& operator=(const TrailFile&) = delete;
  ~TrailFile();

  // First. Afterwards the lock is held, and the file ends with a whole line or is empty and the first of its chain.
  std::string open();

  // One event, after a rotation where the file would become too large.
  std::string append(std::string_view event, const nlohmann::ordered_json& fields);

  // Call it last. Releases the lock; where `sync_data` is set, the line is then on the disk. The lock is released
  // before the sync, so that concurrent writers share one sync.
  std::string finish();

 private:
  enum class Lock { held, file_has_gone, failed };
  std::string open_folder();
  std::string open_once(Lock& lock);
  std::string lock_it(Lock& lock);
  void unlock();
  std::string begin();
  std::string repair(std::uint64_t torn_at);
  std::string rotate();
  std::string write(Line line, std::string_view before = {});

  const TrailOptions& options_;
  const std::string name_;  // in the folder
  const std::chrono::steady_clock::time_point lock_deadline_;
  RealFolder folder_;
  Descriptor descriptor_;
  std::uint64_t size_ = 0;
  Link last_;
  bool began_file_ = false;
};

}  // namespace wtool::audit
