// Keeps on disk what steps have made: their results and the contents of their outputs.
//
//   $XDG_CACHE_HOME/wtool/steps/
//     entries/KEY    a result, and which outputs belong to it; the file also has hashes of its own text
//     blobs/HASH     the content of an output
//     latest/STEP    a link to the newest entry of a step, with which a later step is compared; it leads nowhere, but
//                    ends with the same key, if the step has begun again since
//     files/HASH     the record of FileHashes for one directory
//     new/           what is being written
//     claims/        which outputs the steps write that run now (shared_claim.h)
//     lock           shared by processes that write, exclusive to a process that trims or clears the store; a process
//                    that is stopped may hold it forever, so nobody waits for it longer than usual_lock_wait
//
// - A file is written under another name and renamed, so that a kill at any moment leaves a whole entry or no entry.
// - An entry that is read, and a content that is restored, are checked against their hashes. A damaged one is removed,
//   and the step runs. That may happen after a loss of power: contents are not synchronised to the disk, which would
//   take milliseconds for each output.
// - Contents are copied into the store and out of it, never hard-linked: a command that writes to an output would
//   otherwise change the store. If the file system supports it, a copy shares blocks with the original.
// - A folder that belongs to another user, or that others may write to, is not used.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "cache/entry.h"

namespace wtool::host::cache {

inline constexpr std::uint64_t usual_max_bytes = 5ULL << 30;
inline constexpr std::chrono::milliseconds usual_lock_wait{5000};

struct ListedEntry {
  CacheEntry entry;
  std::uint64_t bytes = 0;  // of its outputs and itself; entries may share outputs
};

// Any thread may call any member.
class Store {
 public:
  // $XDG_CACHE_HOME/wtool/steps, else ~/.cache/wtool/steps; empty: neither is an absolute path.
  static std::string usual_folder();

  // The folder is created only when something is kept.
  Store(std::string folder, std::uint64_t max_bytes, std::chrono::milliseconds lock_wait = usual_lock_wait)
      : folder_(std::move(folder)), max_bytes_(max_bytes), lock_wait_(lock_wait) {}

  const std::string& folder() const { return folder_; }
  // Why the folder cannot be used; empty: it can, or is not there yet.
  std::string problem() const;

  // The folder for claims, which is made if it does not exist. Empty: `problem` says why it cannot be made.
  std::string claims_folder(std::string& problem) const;

  // The entry with this key. Nothing: the store has no such entry, or the entry is damaged.
  std::optional<CacheEntry> find(std::string_view key) const;
  // The newest entry of the step.
  std::optional<CacheEntry> latest(std::string_view step) const;
  // The key of the step's newest entry; empty: none is known.
  std::string latest_key(std::string_view step) const;
  // Whether the entry with this key is the newest of the step, and the step has not begun again since.
  bool is_newest(std::string_view step, std::string_view key) const;
  // Notes that the step begins: until it has a newer entry, it has no newest one for is_newest(). latest() still has it.
  void begin(std::string_view step) const;
  bool has_content(std::string_view hash) const;
  // Notes that the entry was used: it becomes the newest of its step, and trim() removes entries in the order of their
  // last uses. That time is exact to a minute: if the last use was less than a minute ago, it is not written again,
  // because writing it takes as long as reading the entry.
  void used(const CacheEntry& entry, std::string_view step) const;

  // An entry that is being written. find() does not return it before finish().
  class Keeping {
   public:
    // `problem`: why nothing can be kept.
    Keeping(Store& store, std::string& problem);
    // Copies the file into the store. `look` gets its bytes, and returns a reason if they must not be kept. Returns the
    // hash; empty: `problem` says why.
    using Look = std::function<std::string(std::string_view bytes, bool last)>;
    std::string add(const std::string& file, const Look& look, std::string& problem);
    bool finish(const CacheEntry& entry, std::string_view step, std::string& problem);

   private:
    Store& store_;
    Descriptor lock_;
    std::uint64_t bytes_ = 0;
  };

  // Writes the output below `directory`, in place of what is there. Links are not followed. False: `problem` says why.
  bool restore(const std::string& directory, const CachedOutput& output, std::string& problem) const;

  // Removes from a folder below `directory` what killed processes have left there while they restored outputs.
  static void remove_unfinished(const std::string& directory, const std::string& folder);

  // All entries, the most recently used first.
  std::vector<ListedEntry> list() const;
  // Removes the entry with the contents of its outputs, even if other entries share them.
  void remove_with_contents(const CacheEntry& entry) const;
  // Passes the content of an output to `look` piece by piece, and finally an empty piece with `last` set. If `look`
  // returns a reason, stops and returns that reason; otherwise returns an empty text.
  std::string look_at(const CachedOutput& output, const Keeping::Look& look) const;
  // Removes everything, and returns how many bytes it has removed.
  std::uint64_t clear(std::string& problem) const;
  // If the store is too large, removes contents without an entry, and then the least recently used entries, until the
  // store is small enough. Does nothing while another process keeps an entry.
  void trim() const;

 private:
  std::string path(std::string_view kind, std::string_view name) const;
  // Takes the lock for `how` (LOCK_SH or LOCK_EX). Empty: `problem` says why it cannot be taken.
  Descriptor lock(int how, std::chrono::milliseconds wait, std::string& problem) const;
  bool write(const std::string& to, std::string_view text, std::string& problem) const;
  // The target of the link latest/STEP. Its last part is a key. Empty: there is no such link.
  std::string latest_link(std::string_view step) const;
  void set_latest(std::string_view step, std::string_view key) const;
  bool link_latest(std::string_view step, const std::string& target) const;
  bool make_folders(std::string& problem) const;
  std::optional<CacheEntry> read(std::string_view key, bool with_parts) const;
  void remove(std::string_view key) const;

  const std::string folder_;
  const std::uint64_t max_bytes_;
  const std::chrono::milliseconds lock_wait_;
  mutable std::atomic<bool> waited_in_vain_ = false;
};

}  // namespace wtool::host::cache
