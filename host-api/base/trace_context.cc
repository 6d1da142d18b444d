#include "base/trace_context.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/hex.h"

namespace wtool {

namespace {

// 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
constexpr std::size_t version_size = 2, trace_at = 3, trace_size = 32, parent_at = 36, parent_size = 16, flags_at = 53,
                      whole_size = 55;

// Capitals are not allowed.
bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_number(std::string_view text) { return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos; }

std::string random_parent() {
  std::array<unsigned char, parent_size / 2> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), GRND_NONBLOCK) != static_cast<ssize_t>(bytes.size())) {
    // The id only has to differ from the trace's other ids.
    auto now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(now), now >>= 8U;
  }
  bytes.back() |= 1U;  // An id must not be 0.
  return to_hex(bytes);
}

}  // namespace

bool is_traceparent(std::string_view text) {
  if (text.size() < whole_size || text[version_size] != '-' || text[parent_at - 1] != '-' ||
      text[flags_at - 1] != '-') {
    return false;
  }
  const std::string_view version = text.substr(0, version_size);
  if (!is_hex(version) || version == "ff") return false;
  if (text.size() > whole_size && (version == "00" || text[whole_size] != '-')) return false;
  return is_number(text.substr(trace_at, trace_size)) && is_number(text.substr(parent_at, parent_size)) &&
         is_hex(text.substr(flags_at, 2));
}

std::string child_of_trace(std::string_view traceparent) {
  if (!is_traceparent(traceparent)) return {};
  std::string child = "00-";
  child.append(traceparent.substr(trace_at, trace_size)).append("-").append(random_parent()).append("-");
  return child.append(traceparent.substr(flags_at, 2));
}

std::string trace_of_process() {
  const char* const given = std::getenv("TRACEPARENT");
  return given != nullptr && is_traceparent(given) ? given : std::string();
}

}  // namespace wtool
