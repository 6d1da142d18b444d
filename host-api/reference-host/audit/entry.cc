#include "audit/entry.h"

#include <sha2.h>

#include <algorithm>
#include <charconv>

namespace wtool::host::audit {

namespace {

constexpr std::string_view seq_key = R"(","seq":)";
constexpr std::string_view event_key = R"(,"event":")";
constexpr std::string_view prev_key = R"(,"prev":")";
constexpr std::string_view hash_key = R"(","hash":")";
constexpr std::string_view line_end = R"("})";
constexpr std::size_t time_size = 24;
constexpr std::size_t hash_size = 64;

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
  if (text.size() < hash_size) return false;
  hash = text.substr(text.size() - hash_size);
  text.remove_suffix(hash_size);
  return is_hash(hash);
}

}  // namespace

struct Digest::State {
  SHA2_CTX context;
};

Digest::Digest() : state_(new State) { ::SHA256Init(&state_->context); }

Digest::~Digest() { delete state_; }

void Digest::add(std::string_view bytes) {
  ::SHA256Update(&state_->context, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

std::string Digest::finish() {
  std::uint8_t bytes[SHA256_DIGEST_LENGTH];
  ::SHA256Final(bytes, &state_->context);
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned byte : bytes) {
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

bool is_hash(std::string_view text) {
  return text.size() == hash_size &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::optional<Entry> read_entry(std::string_view line) {
  if (line.size() >= longest_line) return std::nullopt;
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
  Digest digest;
  digest.add(hashed);
  entry.intact = digest.finish() == entry.hash;
  return entry;
}

std::optional<std::string_view> without_hash(std::string_view text) {
  const std::size_t at = text.rfind(hash_key);
  if (at == std::string_view::npos) return std::nullopt;
  return text.substr(0, at + 1);
}

std::string whole_line(std::string_view hashed) {
  Digest digest;
  digest.add(hashed);
  return std::string(hashed) + std::string(hash_key.substr(1)) + digest.finish() + std::string(line_end);
}

}  // namespace wtool::host::audit
