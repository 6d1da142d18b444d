#include "base/time_text.h"

#include <ctime>

namespace wtool {

using std::chrono::system_clock;

namespace {

void set_digits(std::string& text, std::size_t at, std::size_t digits, unsigned number) {
  for (std::size_t i = at + digits; i-- > at; number /= 10) text[i] = static_cast<char>('0' + number % 10);
}

std::string text_of(system_clock::time_point time, const char* format,
                    std::tm* (*split)(const std::time_t*, std::tm*)) {
  // Rounds down, which to_time_t need not do: the text shows the second that has begun.
  const std::time_t seconds = system_clock::to_time_t(std::chrono::floor<std::chrono::seconds>(time));
  std::tm parts{};
  split(&seconds, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, format, &parts)};
}

}  // namespace

std::string utc_text(system_clock::time_point time, const char* format) { return text_of(time, format, ::gmtime_r); }

std::string local_text(system_clock::time_point time, const char* format) {
  return text_of(time, format, ::localtime_r);
}

std::string iso_time(system_clock::time_point time) {
  using namespace std::chrono;
  const auto whole = floor<milliseconds>(time);
  const auto day = floor<days>(whole);
  const year_month_day date(day);
  const auto ms = static_cast<unsigned>((whole - day).count());
  std::string text = "0000-00-00T00:00:00.000Z";
  set_digits(text, 0, 4, static_cast<unsigned>(static_cast<int>(date.year())));
  set_digits(text, 5, 2, static_cast<unsigned>(date.month()));
  set_digits(text, 8, 2, static_cast<unsigned>(date.day()));
  set_digits(text, 11, 2, ms / 3'600'000);
  set_digits(text, 14, 2, ms / 60'000 % 60);
  set_digits(text, 17, 2, ms / 1000 % 60);
  set_digits(text, 20, 3, ms % 1000);
  return text;
}

}  // namespace wtool
