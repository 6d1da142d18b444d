// Points in time as text: in UTC, except in local_text.
#pragma once

#include <chrono>
#include <string>

namespace wtool {

// As strftime(3) writes it: utc_text(now, "%Y%m%dT%H%M%SZ"). At most 63 bytes.
std::string utc_text(std::chrono::system_clock::time_point time, const char* format);

// The same in the time zone of the environment (TZ, /etc/localtime).
std::string local_text(std::chrono::system_clock::time_point time, const char* format);

// ISO 8601 with milliseconds: 2026-01-02T03:04:05.678Z
std::string iso_time(std::chrono::system_clock::time_point time);

}  // namespace wtool
