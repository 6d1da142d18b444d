// An entry of the store of results: what is kept of a step, and the text of the file in which it is kept.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::host::cache {

struct CachedOutput {
  std::string path;      // relative to the directory of the step
  std::string hash;      // of its content; empty: it is a symbolic link
  std::string link;      // the target of the link
  std::string behind{};  // the hash of the file that the link leads to; empty: no file, or an output itself
  unsigned mode = 0;     // of the file, as for chmod
  std::uint64_t bytes = 0;
  // The step has made it where no file was, or in place of one that it had made in this way itself. Otherwise its content
  // may depend on what something else had left there, as that of a file does to which the step appends.
  bool own = false;
};

struct CacheEntry {
  std::string key{};
  std::string step{};     // the name of the state
  std::string maker{};    // the step, as the store knows it (latest/STEP)
  std::string file{};     // of the workflow
  std::string run{};      // the run that made it; may be empty
  std::int64_t made = 0;  // seconds since 1970
  std::int64_t used = 0;  // seconds since 1970: its last use before it was read, which is the time of its file
  std::map<std::string, std::string> parts{};  // the names of the key's parts, each with a hash; find() leaves it empty
  std::vector<CachedOutput> outputs{};
  std::string result{};  // JSON text that only the caller interprets
};

// The text of the entry's file, without the time of its last use.
std::string entry_text(const CacheEntry& entry);

// Parses the text of an entry. Nothing: the text is damaged, or another version of this program has written it. Without
// `with_parts`, the names of the key's parts are not read.
std::optional<CacheEntry> entry_of(std::string_view text, bool with_parts);

}  // namespace wtool::host::cache
