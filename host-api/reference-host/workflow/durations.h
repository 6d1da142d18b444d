// Times as workflow files write them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wtool::host::workflow {

inline constexpr std::int64_t shortest_timeout = 1;    // seconds
inline constexpr std::int64_t longest_timeout = 1800;  // seconds; shell_execute's own bounds
inline constexpr std::int64_t longest_wait = 86'400;   // seconds; of Wait, total_timeout and a backoff

// A timeout in seconds, of one command unless `longest` says otherwise; `why` says why the text is none.
std::optional<std::int64_t> timeout_value(const std::string& text, std::string& why,
                                          std::int64_t longest = longest_timeout);

// `500ms`, `2s`, `1.5m`, `1h`, or a number of seconds, from 0 to longest_wait; nothing: the text is none.
std::optional<std::chrono::milliseconds> duration_value(std::string_view text);

}  // namespace wtool::host::workflow
