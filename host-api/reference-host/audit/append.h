// Adds one of the host's own lines to the audit trail that a plugin writes: who has answered a question of a workflow,
// or which call was skipped because its step is up to date. docs/guide/audit.md has the format and the events.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace wtool::host::audit {

// A part of the `audit` section of the configuration.
struct AppendOptions {
  std::string file{};                     // an absolute path; empty: there is no trail
  bool sync_data = false;                 // the line is on the disk when append() returns
  bool continue_when_unwritable = false;  // a line that cannot be written is only reported
  std::uint64_t max_bytes = 64ULL << 20;  // a file that would become larger is rotated; 0: never
  std::uint32_t keep = 0;                 // how many rotated files are kept; 0: all
};

// Appends one line under the file's lock, chained to the one before; makes the file if it is missing. `fields` is a
// JSON object of a few values; texts in it are cut after 8 KiB, as docs/guide/audit.md says. Rotates the file
// first if it would become too large, as the plugin does. If the file has been renamed, and the line `rotated` is still
// missing, writes that line, too. Empty: the line is written. Otherwise, the reason why not: a sentence without its full stop, which names
// the file.
std::string append(const AppendOptions& options, std::string_view event, const nlohmann::ordered_json& fields);

// Opens and locks the trail as a call does, and writes nothing: removes the file and its folder again if it made them.
// Empty: a call could write to the trail. Otherwise, a sentence as above.
std::string try_to_open(const AppendOptions& options);

}  // namespace wtool::host::audit
