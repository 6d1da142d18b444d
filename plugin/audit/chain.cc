#include "audit/chain.h"

#include <sha2.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <nlohmann/json.hpp>

namespace wtool::audit {

namespace {

using nlohmann::ordered_json;

constexpr std::string_view seq_key = R"(","seq":)";
constexpr std::string_view event_key = R"(,"event":)";
constexpr std::string_view prev_key = R"(,"prev":")";
constexpr std::string_view hash_key = R"(,"hash":")";
constexpr std::size_t time_size = 24;
constexpr std::size_t hash_size = 64;
// Of `"seq":18446744073709551615` and all else that is not fields.
constexpr std::size_t frame_size = 320;

std::string iso_time(std::int64_t unix_ms) {
  const std::time_t seconds = unix_ms / 1000;
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  char text[80];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", utc.tm_year + 1900, utc.tm_mon + 1,
                utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, static_cast<int>(unix_ms % 1000));
  return text;
}

std::string dumped(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

// Its first `most` bytes, or a few less so that no character is cut in two, and what the whole of it was.
std::string cut_text(const std::string& text, std::size_t most) {
  std::size_t end = most;
  while (end + 3 > most && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "... [cut: " + std::to_string(text.size()) + " bytes, sha256 " + sha256(text) + "]";
}

void cut_texts(ordered_json& value, std::size_t most) {
  if (value.is_string()) {
    if (auto& text = value.get_ref<std::string&>(); text.size() > most) text = cut_text(text, most);
  } else if (value.is_structured()) {
    for (auto& member : value) cut_texts(member, most);
  }
}

// The members as they stand between the braces, each with a comma before it.
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
  if (text.size() > most) text = dumped({{"fields_left_out", "they have " + std::to_string(text.size()) + " bytes"}});
  text.front() = ',';
  text.pop_back();
  return text;
}

bool is_hash(std::string_view text) {
  return text.size() == hash_size &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// Takes `part` from the front, or says that something else stands there.
bool take(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

}  // namespace

std::string sha256(std::string_view bytes) {
  SHA2_CTX context;
  ::SHA256Init(&context);
  ::SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  std::uint8_t digest[SHA256_DIGEST_LENGTH];
  ::SHA256Final(digest, &context);
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  text.reserve(hash_size);
  for (const unsigned byte : digest) {
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

bool is_intact(std::string_view line) {
  const std::size_t hashed = line.size() - hash_key.size() - hash_size - 2;
  return sha256(line.substr(0, hashed)) == line.substr(hashed + hash_key.size(), hash_size);
}

Line make_line(std::int64_t unix_ms, std::string_view event, const ordered_json& fields, const Link& previous) {
  Line line;
  line.link.seq = previous.seq + 1;
  line.text.append(line_start).append(iso_time(unix_ms));
  line.text.append(seq_key).append(std::to_string(line.link.seq));
  line.text.append(event_key).append(dumped(event));
  line.text.append(members(fields, longest_line - frame_size - event.size()));
  line.text.append(prev_key).append(previous.hash).append("\"");
  line.link.hash = sha256(line.text);
  line.text.append(hash_key).append(line.link.hash).append("\"}\n");
  return line;
}

std::optional<Link> read_link(std::string_view line) {
  const std::size_t end_size = prev_key.size() + hash_size + 1 + hash_key.size() + hash_size + 2;
  if (line.size() < end_size || line.size() >= longest_line) return std::nullopt;
  std::string_view end = line.substr(line.size() - end_size);
  line.remove_suffix(end_size);
  Link link;
  if (!take(line, line_start) || line.size() < time_size) return std::nullopt;
  line.remove_prefix(time_size);
  if (!take(line, seq_key)) return std::nullopt;
  const auto [after, failed] = std::from_chars(line.data(), line.data() + line.size(), link.seq);
  if (failed != std::errc() || link.seq == 0) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(after - line.data()));
  if (!line.starts_with(event_key) || !take(end, prev_key) || !is_hash(end.substr(0, hash_size))) return std::nullopt;
  end.remove_prefix(hash_size);
  if (!take(end, "\"") || !take(end, hash_key) || !is_hash(end.substr(0, hash_size))) return std::nullopt;
  link.hash = end.substr(0, hash_size);
  if (end.substr(hash_size) != "\"}") return std::nullopt;
  return link;
}

}  // namespace wtool::audit
