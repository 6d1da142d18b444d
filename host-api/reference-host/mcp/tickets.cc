#include "mcp/tickets.h"

#include <errno.h>
#include <sha2.h>
#include <sys/random.h>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace wtool::host::mcp {

namespace {

constexpr std::size_t block_size = 64;  // of SHA-256
constexpr std::size_t hex_size = 2 * sizeof(Digest);

std::string random_key() {
  std::string key(block_size, '\0');
  if (::getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size())) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  return key;
}

std::string_view view_of(const Digest& digest) { return {reinterpret_cast<const char*>(digest.data()), digest.size()}; }

// In a time that does not tell where they differ.
bool same(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i) difference |= static_cast<unsigned char>(one[i] ^ other[i]);
  return difference == 0;
}

// All that a ticket is good for but the time. Digests have a fixed length, so that no two subjects read the same.
std::string subject(std::string_view tool, std::string_view arguments) {
  return hex(sha256(hex(sha256(tool)) + hex(sha256(arguments))));
}

}  // namespace

Digest sha256(std::string_view text) {
  Digest digest{};
  SHA2_CTX context;
  ::SHA256Init(&context);
  ::SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  ::SHA256Final(digest.data(), &context);
  return digest;
}

Digest hmac_sha256(std::string_view key, std::string_view text) {
  std::string inner(key);
  if (inner.size() > block_size) inner = view_of(sha256(key));
  inner.resize(block_size, '\0');
  std::string outer = inner;
  for (char& c : inner) c = static_cast<char>(c ^ 0x36);
  for (char& c : outer) c = static_cast<char>(c ^ 0x5c);
  inner.append(text);
  outer.append(view_of(sha256(inner)));
  return sha256(outer);
}

std::string hex(const Digest& digest) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : digest) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

Tickets::Tickets(std::chrono::milliseconds lifetime) : lifetime_(lifetime), key_(random_key()) {}

// NUMBER.SUBJECT.FINGERPRINT.SEAL
std::string Tickets::seal(std::string_view content) const { return hex(hmac_sha256(key_, content)); }

std::string Tickets::issue(std::string_view tool, std::string_view arguments, std::string_view fingerprint) {
  const auto now = std::chrono::steady_clock::now();
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(good_, [&](const auto& entry) { return entry.second <= now; });
    if (good_.size() >= most) good_.erase(good_.begin());
    number = ++last_;
    good_.emplace(number, now + lifetime_);
  }
  std::string content = std::to_string(number) + '.' + subject(tool, arguments) + '.';
  content += fingerprint;
  return content + '.' + seal(content);
}

std::optional<std::string> Tickets::redeem(std::string_view ticket, std::string_view tool, std::string_view arguments,
                                           std::string& why) {
  const std::size_t end = ticket.rfind('.');
  if (end == std::string_view::npos || !same(ticket.substr(end + 1), seal(ticket.substr(0, end)))) {
    why = "the requestState is not one that this server has given";
    return std::nullopt;
  }
  // From here on it is our own, so its parts are where we have put them.
  std::uint64_t number = 0;
  const char* after = std::from_chars(ticket.data(), ticket.data() + end, number).ptr;
  std::string_view content(after + 1, static_cast<std::size_t>(ticket.data() + end - after) - 1);
  if (content.substr(0, hex_size) != subject(tool, arguments)) {
    why = "the requestState belongs to a call of another tool or with other arguments";
    return std::nullopt;
  }
  const std::lock_guard lock(mutex_);
  const auto good = good_.find(number);
  const bool is_good = good != good_.end() && good->second > std::chrono::steady_clock::now();
  if (good != good_.end()) good_.erase(good);
  if (!is_good) {
    why = "the requestState has expired or was used before; make the call anew";
    return std::nullopt;
  }
  return std::string(content.substr(hex_size + 1));
}

}  // namespace wtool::host::mcp
