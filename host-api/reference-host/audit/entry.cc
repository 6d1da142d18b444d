#include "audit/entry.h"

#include <algorithm>
#include <charconv>

#include "base/sha256.h"

namespace wtool::host::audit {

namespace {

constexpr std::string_view seq_key = R"(","seq":)";
constexpr std::string_view event_key = R"(,"event":")";
constexpr std::string_view prev_key = R"(,"prev":")";
constexpr std::string_view hash_key = R"(","hash":")";
constexpr std::string_view line_end = R"("})";
constexpr std::size_t time_size = 24;

// Take a part from the front, or from the back, of what is left of a line.
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

std::optional<Entry> read_entry(std::string_view line) {
  if (line.size() >= max_line) return std::nullopt;
  const std::string_view whole = line;
  Entry entry;
  if (!take_end(line, line_end) || !take_end_hash(line, entry.hash) || !take_end(line, hash_key)) return std::nullopt;
  const std::string_view hashed = whole.substr(0, line.size() + 1);  // with the quote that ends `prev`
  if (!take_end_hash(line, entry.prev) || !take_end(line, prev_key)) return std::nullopt;
  if (!take(line, line_start) || line.size() < time_size) return std::nullopt;
  entry.time = line.substr(0, time_size);
  line.remove_prefix(time_size);
  if (!take(line, seq_key)) return std::nullopt;
  const auto [after, failed] = std::from_chars(line.data(), line.data() + line.size(), entry.seq);
  if (failed != std::errc() || entry.seq == 0) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(after - line.data()));
  if (!take(line, event_key)) return std::nullopt;
  entry.event = line.substr(0, line.find('"'));
  entry.intact = sha256(hashed) == entry.hash;
  return entry;
}

std::optional<std::string_view> without_hash(std::string_view text) {
  const std::size_t at = text.rfind(hash_key);
  if (at == std::string_view::npos) return std::nullopt;
  return text.substr(0, at + 1);
}

std::string whole_line(std::string_view hashed) {
  return std::string(hashed) + std::string(hash_key.substr(1)) + sha256(hashed) + std::string(line_end);
}

}  // namespace wtool::host::audit
