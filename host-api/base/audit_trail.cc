#include "base/audit_trail.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "base/json.h"
#include "base/sha256.h"
#include "base/text.h"
#include "base/time_text.h"
#include "base/utf8.h"

namespace wtool::audit {

namespace {

using nlohmann::ordered_json;

constexpr std::string_view seq_key = R"(","seq":)";
constexpr std::string_view event_key = R"(,"event":)";
constexpr std::string_view prev_key = R"(,"prev":")";
constexpr std::string_view hash_key = R"(,"hash":")";
constexpr std::string_view line_end = R"("})";
constexpr std::size_t time_size = 24;
// Room for everything in a line except its fields and the event's name, even with the longest `seq`.
constexpr std::size_t frame_size = 320;
// Numbers are padded to this many digits, so that the file names of any trail of realistic length sort by number.
constexpr std::size_t fewest_digits = 12;

// The first `most` bytes, or slightly fewer so that no character is cut in two, with a note.
std::string cut_text(const std::string& text, std::size_t most) {
  std::size_t end = most;
  while (end + 3 > most && end > 0 && continues_character(text[end])) --end;
  return cut_with_note(text, end);
}

void cut_texts(ordered_json& value, std::size_t most) {
  if (value.is_string()) {
    if (auto& text = value.get_ref<std::string&>(); text.size() > most) text = cut_text(text, most);
  } else if (value.is_structured()) {
    for (auto& member : value) cut_texts(member, most);
  }
}

// The members of `fields` as they appear between the braces of a line, each with a comma before it.
std::string members(const ordered_json& fields, std::size_t most) {
  if (!fields.is_object()) return {};
  ordered_json own = fields;
  for (const char* name : {"time", "seq", "event", "prev", "hash"}) own.erase(name);
  if (own.empty()) return {};
  std::string text = dumped(own);
  for (std::size_t longest = most / 2; text.size() > most && longest >= 128; longest /= 2) {
    ordered_json cut = own;
    cut_texts(cut, longest);
    text = dumped(cut);
  }
  if (text.size() > most)
    text = dumped(ordered_json{{"fields_left_out", "they have " + std::to_string(text.size()) + " bytes"}});
  text.front() = ',';
  text.pop_back();
  return text;
}

// take() removes `part` from the front of `text`, and take_end() from the back. False: `part` is not there.
bool take(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}
bool take_end(std::string_view& text, std::string_view part) {
  if (!text.ends_with(part)) return false;
  text.remove_suffix(part.size());
  return true;
}
bool take_end_hash(std::string_view& text, std::string_view& hash) {
  if (text.size() < sha256_size) return false;
  hash = text.substr(text.size() - sha256_size);
  text.remove_suffix(sha256_size);
  return is_sha256(hash);
}

}  // namespace

TrailLine make_line(std::chrono::system_clock::time_point time, std::string_view event, const ordered_json& fields,
                    const Link& previous) {
  TrailLine line;
  line.link.seq = previous.seq + 1;
  line.text.append(line_start).append(iso_time(time));
  line.text.append(seq_key).append(std::to_string(line.link.seq));
  line.text.append(event_key).append(dumped(ordered_json(event)));
  line.text.append(members(fields, max_line - frame_size - event.size()));
  line.text.append(prev_key).append(previous.hash).append("\"");
  line.link.hash = sha256(line.text);
  line.text.append(hash_key).append(line.link.hash).append(line_end).append("\n");
  return line;
}

std::string cut_with_note(std::string_view text, std::size_t end) {
  return std::string(text.substr(0, end)) + "... [cut: " + std::to_string(text.size()) + " bytes, sha256 " +
         sha256(text) + "]";
}

std::optional<TrailEntry> read_entry(std::string_view line) {
  if (line.size() >= max_line) return std::nullopt;
  TrailEntry entry;
  if (!take_end(line, line_end) || !take_end_hash(line, entry.hash) || !take_end(line, hash_key)) return std::nullopt;
  if (!take_end(line, "\"") || !take_end_hash(line, entry.prev) || !take_end(line, prev_key)) return std::nullopt;
  if (!take(line, line_start) || line.size() < time_size) return std::nullopt;
  entry.time = line.substr(0, time_size);
  line.remove_prefix(time_size);
  if (!take(line, seq_key)) return std::nullopt;
  const auto [after, failed] = std::from_chars(line.data(), line.data() + line.size(), entry.seq);
  if (failed != std::errc() || entry.seq == 0) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(after - line.data()));
  if (!take(line, event_key) || !take(line, "\"")) return std::nullopt;
  entry.event = line.substr(0, line.find('"'));
  return entry;
}

std::optional<Link> read_link(std::string_view line) {
  const auto entry = read_entry(line);
  if (!entry) return std::nullopt;
  return Link{entry->seq, std::string(entry->hash)};
}

bool is_intact(std::string_view line) {
  const std::size_t hashed = line.size() - hash_key.size() - sha256_size - line_end.size();
  return sha256(line.substr(0, hashed)) == line.substr(hashed + hash_key.size(), sha256_size);
}

std::optional<std::string_view> without_hash(std::string_view text) {
  // The quote before the key is the one that ends the value of `prev`.
  const std::size_t at = text.rfind('"' + std::string(hash_key));
  if (at == std::string_view::npos) return std::nullopt;
  return text.substr(0, at + 1);
}

std::string whole_line(std::string_view hashed) {
  return std::string(hashed) + std::string(hash_key) + sha256(hashed) + std::string(line_end);
}

std::string rotated_name(const std::string& name, std::uint64_t last_seq) {
  const std::string number = std::to_string(last_seq);
  return name + '.' + std::string(fewest_digits - std::min(fewest_digits, number.size()), '0') + number;
}

bool rename_aside(int folder, const std::string& from, const std::string& to) {
  if (::renameat2(folder, from.c_str(), folder, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // The file system does not support RENAME_NOREPLACE. The trail's lock keeps other processes from rotating the file
  // meanwhile.
  if (::faccessat(folder, to.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return false;
  }
  return errno == ENOENT && ::renameat(folder, from.c_str(), folder, to.c_str()) == 0;
}

bool is_rotated_name(std::string_view other, std::string_view name) {
  if (!take(other, name) || !take(other, ".")) return false;
  return other.size() >= fewest_digits && std::all_of(other.begin(), other.end(), is_digit);
}

bool is_older_name(std::string_view one, std::string_view other) {
  // Of two names, the longer one has the greater number.
  return one.size() != other.size() ? one.size() < other.size() : one < other;
}

// ---- The end of a file.

namespace {

// How many bytes of the file's end are read, tried in order: enough for most lines, for any line, and for the gap that
// a power failure may leave.
constexpr std::uint64_t reaches[] = {4096, max_line, 16ULL << 20};

// Finds the last whole line of `block`. With `begins_line`, the block begins with a line; otherwise it may begin inside
// one. False: no whole line of the block can be read.
bool find_last_line(std::string_view block, bool begins_line, Tail& tail) {
  std::size_t end = block.rfind('\n');
  while (end != std::string_view::npos) {
    const std::size_t before = end == 0 ? std::string_view::npos : block.rfind('\n', end - 1);
    if (before == std::string_view::npos && !begins_line) return false;
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    tail.last = read_link(block.substr(begin, end - begin));
    tail.torn_at = end + 1;
    if (tail.last) return true;
    end = before;
  }
  return false;
}

}  // namespace

bool read_bytes(int file, std::uint64_t from, std::uint64_t to, std::string& bytes) {
  bytes.resize(static_cast<std::size_t>(to - from));
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t now = ::pread(file, bytes.data() + have, bytes.size() - have, static_cast<off_t>(from + have));
    if (now > 0) {
      have += static_cast<std::size_t>(now);
    } else if (now == 0) {
      errno = EIO;  // The file was made shorter by somebody who does not hold the lock.
      return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool read_tail(int file, std::uint64_t size, Tail& tail, std::string& problem) {
  tail = {};
  std::string block;
  for (const std::uint64_t reach : reaches) {
    const std::uint64_t from = size - std::min(size, reach);
    if (!read_bytes(file, from, size, block)) {
      problem = std::string("its end cannot be read: ") + std::strerror(errno);
      return false;
    }
    if (find_last_line(block, from == 0, tail)) {
      tail.torn_at += from;
      return true;
    }
    if (from == 0) {
      tail = {};
      const std::size_t common = std::min(block.size(), line_start.size());
      if (block.compare(0, common, line_start, 0, common) == 0) return true;
      break;
    }
  }
  problem = "it is not an audit trail: its end has no valid line; move it away, or name another file as audit.file";
  return false;
}

std::optional<Link> last_link(int file, std::uint64_t size) {
  Tail tail;
  std::string problem;
  return read_tail(file, size, tail, problem) && tail.torn_at == size ? tail.last : std::nullopt;
}

TrailLine rotated_line(const std::string& previous_file, const Link& last) {
  return make_line(std::chrono::system_clock::now(), "rotated", {{"previous_file", previous_file}}, last);
}

}  // namespace wtool::audit
