#include "audit/chain.h"

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <ctime>

#include "base/json.h"
#include "base/sha256.h"
#include "base/time_text.h"
#include "base/utf8.h"

namespace wtool::audit {

namespace {

using nlohmann::ordered_json;

constexpr std::string_view seq_key = R"(","seq":)";
constexpr std::string_view event_key = R"(,"event":)";
constexpr std::string_view prev_key = R"(,"prev":")";
constexpr std::string_view hash_key = R"(,"hash":")";
constexpr std::size_t time_size = 24;
// Enough for everything in a line except its fields and the event's name, with the longest `seq`.
constexpr std::size_t frame_size = 320;

// The first `most` bytes, or slightly fewer so that no character is cut in two, with a note of the size and hash of the
// whole.
std::string cut_text(const std::string& text, std::size_t most) {
  std::size_t end = most;
  while (end + 3 > most && end > 0 && continues_character(text[end])) --end;
  return text.substr(0, end) + "... [cut: " + std::to_string(text.size()) + " bytes, sha256 " + sha256(text) + "]";
}

void cut_texts(ordered_json& value, std::size_t most) {
  if (value.is_string()) {
    if (auto& text = value.get_ref<std::string&>(); text.size() > most) text = cut_text(text, most);
  } else if (value.is_structured()) {
    for (auto& member : value) cut_texts(member, most);
  }
}

// The members as they are written between the braces, each with a comma before it.
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

// Removes `part` from the front of the text. False if the text begins with something else.
bool take(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

}  // namespace

bool is_intact(std::string_view line) {
  const std::size_t hashed = line.size() - hash_key.size() - sha256_size - 2;
  return sha256(line.substr(0, hashed)) == line.substr(hashed + hash_key.size(), sha256_size);
}

TrailLine make_line(std::int64_t unix_ms, std::string_view event, const ordered_json& fields, const Link& previous) {
  TrailLine line;
  line.link.seq = previous.seq + 1;
  line.text.append(line_start)
      .append(iso_time(std::chrono::system_clock::time_point(std::chrono::milliseconds(unix_ms))));
  line.text.append(seq_key).append(std::to_string(line.link.seq));
  line.text.append(event_key).append(dumped(ordered_json(event)));
  line.text.append(members(fields, max_line - frame_size - event.size()));
  line.text.append(prev_key).append(previous.hash).append("\"");
  line.link.hash = sha256(line.text);
  line.text.append(hash_key).append(line.link.hash).append("\"}\n");
  return line;
}

std::optional<Link> read_link(std::string_view line) {
  const std::size_t end_size = prev_key.size() + sha256_size + 1 + hash_key.size() + sha256_size + 2;
  if (line.size() < end_size || line.size() >= max_line) return std::nullopt;
  std::string_view end = line.substr(line.size() - end_size);
  line.remove_suffix(end_size);
  Link link;
  if (!take(line, line_start) || line.size() < time_size) return std::nullopt;
  line.remove_prefix(time_size);
  if (!take(line, seq_key)) return std::nullopt;
  const auto [after, failed] = std::from_chars(line.data(), line.data() + line.size(), link.seq);
  if (failed != std::errc() || link.seq == 0) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(after - line.data()));
  if (!line.starts_with(event_key) || !take(end, prev_key) || !is_sha256(end.substr(0, sha256_size)))
    return std::nullopt;
  end.remove_prefix(sha256_size);
  if (!take(end, "\"") || !take(end, hash_key) || !is_sha256(end.substr(0, sha256_size))) return std::nullopt;
  link.hash = end.substr(0, sha256_size);
  if (end.substr(sha256_size) != "\"}") return std::nullopt;
  return link;
}

// ---- The end of a file.

namespace {

// Tried in order: enough for most lines, for any line, and for the gap that a power failure may leave.
constexpr std::uint64_t reaches[] = {4096, max_line, 16ULL << 20};

// The last whole line of `block`, whose first byte begins a line if `begins_line`.
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

}  // namespace wtool::audit
