#include "base/time_text.h"

#include <cstdio>
#include <ctime>

namespace wtool {

using std::chrono::system_clock;

std::string utc_text(system_clock::time_point time, const char* format) {
  // Not to_time_t, which may round: the milliseconds beside this text are those after the second that has begun.
  const std::time_t seconds = system_clock::to_time_t(std::chrono::floor<std::chrono::seconds>(time));
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, format, &parts)};
}

std::string iso_time(system_clock::time_point time) {
  using namespace std::chrono;
  const auto part = duration_cast<milliseconds>(time - floor<seconds>(time)).count();
  char fraction[16];
  std::snprintf(fraction, sizeof fraction, ".%03dZ", static_cast<int>(part));
  return utc_text(time, "%Y-%m-%dT%H:%M:%S") + fraction;
}

}  // namespace wtool
