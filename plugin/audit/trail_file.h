// The file of an audit trail while one line is written to it: opened, locked, repaired, rotated.
//
// - It is opened for each line anew and closed again: no descriptor stays in the host, no number that another process
//   could make stale is kept, and a file that was rotated meanwhile is noticed before anything is written to it.
// - The lock is flock's, which belongs to the open file. It holds threads of one process apart as well as processes,
//   because each opens the file by itself; and unlike a lock of fcntl's older kind it does not end when somebody in
//   this process closes another descriptor of the same file. It is waited for in short sleeps, as the only other way to
//   bound the wait is a signal, and signals are the host's. A process that dies gives it back.
// - The last component of the path must be a regular file, or nothing: no link is followed, nothing else is waited for.
//   Nor is a link followed in the folder's path, and all is done through the folder's descriptor: a command could have
//   put it there (system/real_folder.h). A folder that is missing is made for this user alone, one level.
// - What cannot be written whole is taken back.
//
// Members that give a text say why it did not work, and what to do; empty: it worked. Then no other member may follow.
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

  // Last. Gives the lock back; and where `sync_data` is set, the line is on the disk afterwards. The lock is not held
  // meanwhile, so that those who write at the same time share what the disk does.
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
