// The format of an audit trail: its lines, and the hashes that chain them. Pure functions. docs/guide/audit.md has the
// fields of each event.
//
//   {"time":"2026-01-02T03:04:05.678Z","seq":7,"event":"start",FIELDS,"prev":"HEX","hash":"HEX"}
//
// - `hash` is the SHA-256 of the line's bytes before `,"hash":`, so that a verifier need not write JSON again.
// - The fields that chain the lines are at fixed places from both ends, so that a writer need not parse JSON to append.
// - A line has at most `max_line` bytes. Longer texts in its fields are cut, and the cut says what was there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace wtool::audit {

inline constexpr std::size_t max_line = 64UL * 1024;  // with its newline
inline constexpr std::string_view line_start = R"({"time":")";

// What the next line is chained to. The default values begin a chain.
struct Link {
  std::uint64_t seq = 0;
  std::string hash = std::string(64, '0');
};

struct TrailLine {
  std::string text;  // with its newline
  Link link;
};

// `fields` is a JSON object, or null for none. Members with a name of the line's own fields (time, seq, event, prev,
// hash) are left out. Text that is not UTF-8 is repaired.
TrailLine make_line(std::int64_t unix_ms, std::string_view event, const nlohmann::ordered_json& fields,
                    const Link& previous);

// The link to which the line after `line` is chained. `line` has no newline. Nothing if it is not a whole line. The
// hash is not verified.
std::optional<Link> read_link(std::string_view line);

// Whether the hash in a line that read_link() accepts matches the line's content.
bool is_intact(std::string_view line);

// The end of an audit trail's file: the last whole line, to which the next one is chained, and a torn rest after it.
struct Tail {
  std::optional<Link> last;   // of the last whole line; nothing in an empty file
  std::uint64_t torn_at = 0;  // where that line ends: if the file is longer, the rest is torn
};

// Reads as little as needed of the end of a file of `size` bytes. False: `problem` says why the file could not be read,
// or why it is not a trail.
bool read_tail(int file, std::uint64_t size, Tail& tail, std::string& problem);

// The bytes [from, to) of a file. False, with errno: they could not be read.
bool read_bytes(int file, std::uint64_t from, std::uint64_t to, std::string& bytes);

}  // namespace wtool::audit
