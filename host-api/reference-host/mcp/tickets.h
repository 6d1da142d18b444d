// What lets a call come back with the answer to a question: a text that the client keeps between the two calls.
//
// - It is authenticated with a key that only this process has, so it cannot be made or changed by anybody else.
// - It is good for the same tool, the same arguments and the same question, for some minutes, and once.
// - Those that are still good are remembered, up to a number; beyond that, the oldest are good no longer.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace wtool::host::mcp {

using Digest = std::array<unsigned char, 32>;

Digest sha256(std::string_view text);
// RFC 2104.
Digest hmac_sha256(std::string_view key, std::string_view text);
std::string hex(const Digest& digest);

// Any thread.
class Tickets {
 public:
  static constexpr std::chrono::milliseconds usual_lifetime{600'000};
  static constexpr std::size_t most = 1000;

  // Throws std::system_error where the kernel gives no random bytes.
  explicit Tickets(std::chrono::milliseconds lifetime = usual_lifetime);

  // `arguments` is the JSON text of an object whose keys are sorted.
  std::string issue(std::string_view tool, std::string_view arguments, std::string_view fingerprint);

  // The question's fingerprint. Nothing: it is no good for this, and `why` says so in a sentence.
  std::optional<std::string> redeem(std::string_view ticket, std::string_view tool, std::string_view arguments,
                                    std::string& why);

 private:
  std::string seal(std::string_view content) const;

  const std::chrono::milliseconds lifetime_;
  const std::string key_;
  std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::chrono::steady_clock::time_point> good_;  // until when, by number
};

}  // namespace wtool::host::mcp
