// Decides whether the work of a step is up to date, that is, whether it was done before with the same inputs and its
// outputs exist or can be restored.
//
//   Look look = cache.look(work);
//   if (look.entry && cache.restore(work, look)) use(look.entry->result);
//   else { cache.begin(work, look); do it; cache.keep(work, look, result, ...); }
//
// The key is a hash of the parts that the caller passes (the call, the directory, the versions), of the patterns, and
// of each input file: its path, its content, whether it may be executed, and its target if it is a link. When in doubt,
// the work is done: if a pattern matches no file, if a file cannot be read, or if something other than the step has
// changed an output.
//
// A key is looked up among all entries, and not only compared with the newest one. So a step is also up to date if its
// inputs have returned to an earlier state. Without outputs, nothing can be put back, so only the newest entry counts.
//
// Several steps may write the same files, one after the other. An output is therefore put back only if it is the step's
// own (CachedOutput), and only where there is no file or the one that the newest result of the step left there.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/file_hashes.h"
#include "cache/file_identity.h"
#include "cache/patterns.h"
#include "cache/shared_claim.h"
#include "cache/store.h"

namespace wtool::host::cache {

struct Work {
  std::string step{};                          // its name, for people
  std::string file{};                          // of its workflow
  std::string combination{};                   // of a matrix; else empty
  std::string directory{};                     // absolute; relative patterns begin in it
  std::map<std::string, std::string> parts{};  // what else the work depends on, by readable names ("the command")
  std::vector<std::string> inputs{};           // patterns (patterns.h)
  std::vector<std::string> outputs{};
};

struct Look {
  std::string key{};                           // empty: the work cannot be kept, and `why` says why
  std::optional<CacheEntry> entry{};           // set: the work is up to date
  std::string why{};                           // why the work is not up to date; a sentence without its full stop
  bool is_doubt = false;                       // the workflow should be changed: as it is, the step is never up to date
  std::map<std::string, std::string> parts{};  // all that the key is made of, by readable names
  // With these members, keep() sees whether an input was another file while the work was done.
  std::map<std::string, std::pair<FileIdentity, FileIdentity>> inputs{};  // the name and the file of each
  std::map<std::string, FileIdentity> above{};  // the folders and links through which the inputs are found; by begin()
  std::vector<CachedOutput> missing{};          // the outputs that have to be restored
  bool has_begun = false;                       // begin() has found out the next member
  std::set<std::string> made_by_others{};       // its outputs that were there, and that it had not made itself
};

// Any thread may call any member.
class StepCache {
 public:
  struct Options {
    std::string folder = Store::usual_folder();
    std::uint64_t max_bytes = usual_max_bytes;
    std::string directory{};                     // of the run
    std::map<std::string, std::string> parts{};  // what the work of every step depends on
    bool force = false;                          // no work counts as up to date, but results are still kept
    bool looks_only = false;                     // writes nothing
  };
  explicit StepCache(Options options);
  // Writes the recorded hashes of files, and trims the store to its limit.
  ~StepCache();
  StepCache(const StepCache&) = delete;
  StepCache& operator=(const StepCache&) = delete;

  // Called before more than `long_bytes` of files are read or restored, which takes time. It may be called again.
  using TakesTime = std::function<void()>;
  static constexpr std::uint64_t long_bytes = 32UL << 20;

  Look look(const Work& work, const TakesTime& takes_time = nullptr);
  // Restores the missing outputs. False: `look.why` says why, and the work has to be done.
  bool restore(const Work& work, Look& look, const TakesTime& takes_time = nullptr);

  // Returns whether a text contains something that must not be kept, such as a secret. The text is passed in pieces;
  // `last` is set for the last piece. Each text needs a new function.
  using Refuses = std::function<bool(std::string_view piece, bool last)>;

  // Notes that the work will be done, and which outputs are there before. Call it when the outputs are claimed, also if
  // the result will not be kept. Without it, no output of the work is ever put back.
  void begin(const Work& work, Look& look);

  // Tells other runs that the work may write its outputs from now on. Without effect if nothing can be kept in the store.
  void claim(SharedClaim& claim, const SharedClaim::Contents& contents) const;

  // Keeps the result of work that was done after look() and has succeeded. Returns why it is not kept; empty: it is.
  // `claim`: that of the work, or one that was never taken. `kept_outputs`: gets the outputs of the work if it is kept.
  std::string keep(const Work& work, const Look& look, const std::string& result, const std::string& run,
                   const std::function<Refuses()>& refuses, const SharedClaim& claim = {},
                   std::vector<CachedOutput>* kept_outputs = nullptr);

  // The first files that match the patterns now, at most `most`. Those of work that is kept are known from keep(), which
  // saves reading them.
  std::vector<CachedOutput> outputs_of(const Outputs& outputs, std::size_t most);
  // `path` must be absolute.
  FileState state_of(const std::string& path) { return hashes_.look(path); }

  // Removes the entries that this object has kept and that are refused now, and the hashes of files whose names are
  // refused now. Returns the steps whose entries were removed.
  std::vector<std::string> recheck(const std::function<Refuses()>& refuses);

 private:
  std::string absolute(const Work& work, const std::string& path) const;
  void add_inputs(const Work& work, Look& look, const FileHashes::Reads& reads = nullptr);
  void check_outputs(const Work& work, Look& look, const FileHashes::Reads& reads);
  // Whether the file is as the newest result of the work has left it, and the work's own.
  bool is_own(const std::optional<CacheEntry>& newest, const std::string& path, const FileState& state) const;
  std::string why_not(const Work& work, const Look& look) const;
  std::map<std::string, FileIdentity> folders_above(const Work& work, const Look& look) const;
  // Why the inputs are no longer those of `look`; empty: they are.
  std::string changed_since(const Work& work, const Look& look);
  // Adds the files, which are outputs of the work, to `outputs`. Returns why one of them cannot be kept; empty: all can.
  // `checked_folders`: folders that are known to be below no link; more are added.
  std::string collect_outputs(const Work& work, const std::vector<std::string>& paths,
                              std::set<std::string>& checked_folders, std::vector<CachedOutput>& outputs);
  // Copies the contents of the entry's outputs into the store. Returns why one cannot be kept; empty: all are copied.
  std::string copy_outputs(const Work& work, const CacheEntry& entry, Store::Keeping& keeping,
                           const std::function<Refuses()>& refuses) const;

  const Options options_;
  std::map<std::string, std::string> common_parts_;  // the hashes of Options::parts
  Store store_;
  FileHashes hashes_;
  std::mutex mutex_;
  std::vector<CacheEntry> kept_;
};

}  // namespace wtool::host::cache
