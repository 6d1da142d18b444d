// The files of an audit trail: those that it was rotated to, oldest first, and FILE itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"

namespace wtool::host::audit {

struct Part {
  std::string path;
  std::string name;        // the path's last component, as errors call it
  bool newest = false;     // FILE itself
  Descriptor file{};       // open when the part is the newest; the others are opened when their turn comes
  std::uint64_t size = 0;  // of an open one: how much of it belongs to this snapshot
};

// The parts as they were at one instant: lines written and rotations made during the reading do not count. Waits a few
// seconds for a line that is just being written. Nothing: `error` says why.
std::optional<std::vector<Part>> find_parts(const std::string& file, std::string& error);

// Opens a part, unless it is open. 0, or the errno, and then `error` says why.
int open_part(Part& part, std::string& error);

}  // namespace wtool::host::audit
