// One line of an audit trail, as docs/guide/audit.md describes it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wtool::host::audit {

inline constexpr std::size_t max_line = 64UL * 1024;  // with its newline
inline constexpr std::string_view line_start = R"({"time":")";
inline constexpr std::string_view no_hash = "0000000000000000000000000000000000000000000000000000000000000000";

// Views of the line that it was read from.
struct Entry {
  std::string_view time;
  std::uint64_t seq = 0;
  std::string_view event;
  std::string_view prev;
  std::string_view hash;
  bool intact = false;  // the hash is that of the line's bytes
};

// Nothing where the line, given without its newline, has not the shape of a whole one.
std::optional<Entry> read_entry(std::string_view line);

// without_hash: the bytes of a line that its hash covers, if `text` has that many. whole_line: the line with these
// bytes, without its newline.
std::optional<std::string_view> without_hash(std::string_view text);
std::string whole_line(std::string_view hashed);

}  // namespace wtool::host::audit
