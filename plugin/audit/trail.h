// The audit trail: one JSON object a line, chained by hashes, in a file that several processes may share.
// base/audit_trail.h describes the format, and docs/guide/audit.md says what a chain can prove.
//
// - Each event is one line, written by a single write under the file's lock. It is in the file when `write` has
//   returned.
// - Each line carries the hash of the line before it, even across rotations.
// - A torn last line, left by a kill or a full disk, gets its newline, and a `recovered` line reports it.
//
//   Trail trail({.file = "/var/log/wtool/audit.jsonl"});
//   const std::string problem = trail.write("start", {{"call", "7"}, {"tool", "shell_execute"}});
//   if (!problem.empty() && !trail.options().continue_when_unwritable) return refused(problem);
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace wtool::audit {

// The `audit` section of the configuration.
struct TrailOptions {
  std::string file;                       // file: absolute path; empty: no trail
  bool sync_data = false;                 // sync: none | data: each line is on the disk before `write` returns
  bool output = false;                    // output: none | captured: the end event contains the captured output
  bool continue_when_unwritable = false;  // when_unwritable: refuse | continue
  std::uint64_t max_bytes = 64ULL << 20;  // max_bytes: beyond this the file is rotated; 0: never
  std::uint32_t keep = 0;                 // keep: how many rotated files are kept; 0: all

  // How long to wait for the file's lock. A writer holds the lock for microseconds, unless the writer is stopped. After a
  // wait in vain, further writes wait for at most 100 ms, until one of them gets the lock.
  std::chrono::milliseconds lock_wait{5000};
};

// Several threads and processes may write at the same time. All state is in the file, except whether its lock could be
// had.
class Trail {
 public:
  explicit Trail(TrailOptions options);
  Trail(const Trail&) = delete;
  Trail& operator=(const Trail&) = delete;
  ~Trail();

  const TrailOptions& options() const { return options_; }

  // Appends one line: the time, `event` ("start", "end", "refusal", "approval", ...), and then `fields`, a JSON object.
  // Returns an empty text once the line is written. Otherwise, returns a sentence without its full stop: which file,
  // why the event could not be written, and what to do. A line has at most 64 KiB; longer texts in `fields` are cut,
  // and a note in each says so.
  std::string write(std::string_view event, const nlohmann::ordered_json& fields);

 private:
  TrailOptions options_;
  std::atomic<bool> lock_is_stuck_ = false;
};

}  // namespace wtool::audit
