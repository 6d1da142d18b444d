// The versions of the formats that outlive a process; `wtool --version --json` prints them. A version is raised when an
// older program would misread what a newer one writes, or a newer one no longer reads what an older one wrote.
// tests/data/formats/VERSION has a file of each format, which every later program must read.
#pragma once

#include <cstdint>

namespace wtool::formats {

inline constexpr int journal = 1;        // .wtool/runs/RUN.jsonl: `v` of its records
inline constexpr int audit = 1;          // audit.file
inline constexpr int configuration = 1;  // wtool.yaml
inline constexpr int workflow = 1;       // WORKFLOW.md
inline constexpr int server_lock = 1;    // .wtool/mcp-servers.json
// The protocol between a plugin and its warden. Both come from one build, and other versions are refused.
inline constexpr std::uint32_t warden_protocol = 12;

}  // namespace wtool::formats
