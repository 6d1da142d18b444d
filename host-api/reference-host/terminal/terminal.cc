#include "terminal/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/files.h"
#include "base/text.h"
#include "terminal/dropping_output.h"

namespace wtool::host {

namespace {

// Limits held_, because a question may stay unanswered for hours while other branches print.
constexpr std::size_t max_held = 256UL * 1024;  // bytes

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

// A terminal cannot be asked whether it reflows lines. Terminals that cut lines when they become narrower are
// recognised by their environment; a wrong guess leaves a stale line, or removes one line too many.
bool reflows_lines() {
  const char* term = std::getenv("TERM");
  return !is_set("XTERM_VERSION") && !is_set("STY") && (term == nullptr || std::string_view(term) != "linux");
}

std::string up(std::size_t rows) { return rows == 0 ? "" : "\x1b[" + std::to_string(rows) + "A"; }

}  // namespace

Terminal::Terminal(int output, Open open)
    : output_(output), open_(std::move(open)), is_terminal_(::isatty(output) == 1), reflows_(reflows_lines()) {}

Terminal& Terminal::of_process() {
  static Terminal terminal(STDERR_FILENO);
  return terminal;
}

int Terminal::open_controlling() {
  const int terminal = ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (terminal < 0 || ::tcgetpgrp(terminal) == ::getpgrp()) return terminal;
  ::close(terminal);
  return -1;
}

TerminalSize Terminal::size() const {
  winsize size{};
  if (!is_terminal_ || ::ioctl(output_, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

int Terminal::put(std::string_view text) const {
  DroppingOutput* const dropping = output_ == STDERR_FILENO ? standard_error_that_drops() : nullptr;
  if (dropping == nullptr) return write_all(output_, text).error;
  dropping->write(text);
  return 0;
}

// The control text that removes the live lines from the screen.
std::string Terminal::erasure() {
  if (drawn_.empty()) return {};
  const std::size_t columns = std::max<std::size_t>(size().columns, 1);
  std::size_t rows = drawn_.size();
  if (reflows_ && columns < drawn_columns_) {
    rows = 0;
    for (const std::size_t width : drawn_) rows += std::max<std::size_t>((width + columns - 1) / columns, 1);
  }
  drawn_.clear();
  return "\r" + up(rows - 1) + "\x1b[J";
}

std::string Terminal::line_end() { return std::exchange(in_line_, false) ? "\n" : ""; }

// The control text that draws the lines over those on the screen.
std::string Terminal::drawing(const std::vector<LiveLine>& lines) {
  const std::size_t columns = size().columns;
  std::string text;
  if (lines.empty() || (!drawn_.empty() && columns != drawn_columns_)) text = erasure();
  if (lines.empty()) return text;
  if (!drawn_.empty()) text = "\r" + up(drawn_.size() - 1);
  for (std::size_t i = 0; i < lines.size(); ++i) text += (i > 0 ? "\n" : "") + lines[i].text + "\x1b[K";
  if (lines.size() < drawn_.size()) text += "\x1b[J";
  drawn_.clear();
  for (const LiveLine& line : lines) drawn_.push_back(line.width);
  drawn_columns_ = columns;
  return text;
}

void Terminal::hold(std::string_view lines) {
  if (left_out_ == 0 && held_.size() + lines.size() <= max_held) {
    held_ += lines;
  } else {
    left_out_ += static_cast<std::size_t>(std::max<std::ptrdiff_t>(std::count(lines.begin(), lines.end(), '\n'), 1));
  }
}

void Terminal::write(std::string_view lines) {
  const std::lock_guard lock(mutex_);
  if (paused_) return hold(line_end() + std::string(lines));
  const std::string before = erasure() + line_end();
  put(before + std::string(lines) + drawing(live_));
}

void Terminal::show(std::string_view lines, std::vector<LiveLine> live) {
  const std::lock_guard lock(mutex_);
  live_ = std::move(live);
  if (lines.empty()) {
    if (!paused_) put(drawing(live_));
  } else if (paused_) {
    hold(line_end() + std::string(lines));
  } else {
    const std::string before = erasure() + line_end();
    put(before + std::string(lines) + drawing(live_));
  }
}

int Terminal::pass(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes.empty()) return 0;
  in_line_ = is_terminal_ && bytes.back() != '\n';
  if (!paused_) return put(bytes);
  hold(bytes);
  return 0;
}

void Terminal::end_line() {
  const std::lock_guard lock(mutex_);
  const std::string end = line_end();
  if (end.empty()) return;
  if (paused_) return hold(end);
  put(end);
}

void Terminal::pause() {
  const std::lock_guard lock(mutex_);
  if (!is_terminal_) return;
  put(erasure() + line_end());
  paused_ = true;
}

void Terminal::resume() {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(paused_, false)) return;
  std::string text = std::exchange(held_, {});
  if (const std::size_t count = std::exchange(left_out_, 0); count > 0) {
    // The last of the held lines may be incomplete.
    if (!text.empty() && text.back() != '\n') text += '\n';
    in_line_ = false;
    text += "  ... " + counted(count, "line") + " came while the question was shown, and were left out here\n";
  }
  put(text + drawing(live_));
}

}  // namespace wtool::host
