// The format of an audit trail: its lines, the hashes that chain them, and the names of its rotated files. The plugin
// and the host write and read trails with these functions. docs/guide/audit.md has the fields of each event.
//
//   {"time":"2026-01-02T03:04:05.678Z","seq":7,"event":"start",FIELDS,"prev":"HEX","hash":"HEX"}
//
// - `hash` is the SHA-256 of the line's bytes before `,"hash":`, so a verifier need not serialize JSON.
// - `seq`, `prev` and `hash` are at fixed offsets from the beginning or the end of a line, so a writer can append
//   without parsing JSON.
// - A line has at most `max_line` bytes. If a line would be longer, texts in its fields are cut, and a note in each cut
//   text gives the text's original size and hash.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace wtool::audit {

inline constexpr std::size_t max_line = 64UL * 1024;  // with its newline
inline constexpr std::string_view line_start = R"({"time":")";
inline constexpr std::string_view no_hash = "0000000000000000000000000000000000000000000000000000000000000000";

// What the next line is chained to. The default values begin a chain.
struct Link {
  std::uint64_t seq = 0;
  std::string hash = std::string(no_hash);
};

// ---- Writing a line.

struct TrailLine {
  std::string text;  // with its newline
  Link link;
};

// `fields` is a JSON object, or null for none. Members with the names of the line's own fields (time, seq, event, prev,
// hash) are left out. Text that is not UTF-8 is repaired.
TrailLine make_line(std::chrono::system_clock::time_point time, std::string_view event,
                    const nlohmann::ordered_json& fields, const Link& previous);

// The first `end` bytes, followed by a note that gives the whole text's size and hash.
std::string cut_with_note(std::string_view text, std::size_t end);

// ---- Reading a line. Lines are passed without their newline.

// The fields of a line, as views into that line.
struct TrailEntry {
  std::string_view time;
  std::uint64_t seq = 0;
  std::string_view event;
  std::string_view prev;
  std::string_view hash;
};

// Nothing: `line` does not look like a whole line. The hash is not verified.
std::optional<TrailEntry> read_entry(std::string_view line);

// The link to which the line after `line` is chained. Nothing: `line` does not look like a whole line.
std::optional<Link> read_link(std::string_view line);

// True if the hash in a line that read_entry() accepts matches the line's content.
bool is_intact(std::string_view line);

// The bytes of a line that its hash covers. Nothing: `text` ends before its hash.
std::optional<std::string_view> without_hash(std::string_view text);
// The line that consists of the bytes `hashed` and their hash.
std::string whole_line(std::string_view hashed);

// ---- The names of rotated files. FILE becomes FILE.000000001234, where the number is the `seq` of its last line. So a
// rotation is one rename, a rotated file keeps its name for good, and the order of the numbers is the order of the
// chain.

// The name that the file `name` gets when it is rotated.
std::string rotated_name(const std::string& name, std::uint64_t last_seq);

// Renames a file of the open folder, but never replaces an existing file. False, with errno, on failure.
bool rename_aside(int folder, const std::string& from, const std::string& to);

// True if `other` is a rotated file of the trail `name`. `FILE.1` and `FILE.bak` are not.
bool is_rotated_name(std::string_view other, std::string_view name);

// True if `one` is older than `other`. Both are names of rotated files of the same trail.
bool is_older_name(std::string_view one, std::string_view other);

// ---- The end of a file, to which the next line is chained.

// The last whole line of a file, and whether a torn line follows it.
struct Tail {
  std::optional<Link> last;   // of the last whole line; nothing: the file has no whole line
  std::uint64_t torn_at = 0;  // where the last whole line ends; if the file is longer, a torn line follows
};

// Reads as little as needed of the end of a file of `size` bytes. False: `problem` says why the file could not be read,
// or why it is not a trail.
bool read_tail(int file, std::uint64_t size, Tail& tail, std::string& problem);

// The link of the last line. Nothing: the file cannot be read, or does not end with a whole line.
std::optional<Link> last_link(int file, std::uint64_t size);

// The first line of the file that continues `previous_file`, whose last line has the link `last`.
TrailLine rotated_line(const std::string& previous_file, const Link& last);

// The bytes [from, to) of a file. False, with errno: they could not be read.
bool read_bytes(int file, std::uint64_t from, std::uint64_t to, std::string& bytes);

}  // namespace wtool::audit
