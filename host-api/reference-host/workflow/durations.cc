#include "workflow/durations.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "expressions/value.h"

namespace wtool::host::workflow {

std::optional<std::int64_t> timeout_value(const std::string& text, std::string& why, std::int64_t longest) {
  std::int64_t seconds = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, seconds);
  if (parsed.ec == std::errc() && parsed.ptr == end && seconds >= shortest_timeout && seconds <= longest) {
    return seconds;
  }
  why = "a timeout is a whole number of seconds from " + std::to_string(shortest_timeout) + " to " +
        std::to_string(longest) + ", and not " + expressions::quoted_for_message(text);
  return std::nullopt;
}

std::optional<std::chrono::milliseconds> duration_value(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, double>, 4> units = {
      {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}}};
  double unit = 1000;
  for (const auto& [name, milliseconds] : units) {
    if (!text.ends_with(name)) continue;
    text.remove_suffix(name.size());
    unit = milliseconds;
    break;
  }
  double number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  if (!(number >= 0) || number * unit > static_cast<double>(longest_wait) * 1000) return std::nullopt;
  return std::chrono::milliseconds(std::llround(number * unit));
}

}  // namespace wtool::host::workflow
