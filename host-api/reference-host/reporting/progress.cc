#include "reporting/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "reporting/display.h"

namespace wtool::host::workflow {
namespace {

constexpr auto refresh = std::chrono::milliseconds(100);
constexpr std::size_t longest_line = 1024;  // bytes of output kept for the live line
constexpr const char* green = "32";
constexpr const char* red = "31";
constexpr const char* yellow = "33";
constexpr const char* grey = "2";

// Progress is worth no failure: what cannot be written is lost.
void write_out(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::size_t columns_of(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

ProgressStyle ProgressStyle::of(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || *term == '\0' || std::string_view(term) == "dumb";
  const bool terminal = ::isatty(descriptor) == 1 && !dumb;
  return {terminal, terminal && (no_color == nullptr || *no_color == '\0')};
}

Progress::Progress(int descriptor, ProgressStyle style) : descriptor_(descriptor), style_(style) {
  if (style_.live) ticker_ = std::thread([this] { tick(); });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    erase();
  }
  over_.notify_all();
  if (ticker_.joinable()) ticker_.join();
}

void Progress::tick() {
  std::unique_lock lock(mutex_);
  while (!over_.wait_for(lock, refresh, [this] { return ended_; })) {
    if (running_) draw();
  }
}

std::string Progress::coloured(const char* code, const std::string& text) const {
  return style_.colour ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
}

void Progress::erase() {
  if (!drawn_) return;
  write_out(descriptor_, "\r\x1b[K");
  drawn_ = false;
}

void Progress::draw() {
  if (!style_.live || ended_) return;
  const std::string head = "  > " + state_ + "  " + duration_text(std::chrono::steady_clock::now() - began_);
  const std::string& newest = partial_line_.empty() ? last_line_ : partial_line_;
  const std::string output = cleaned_for_terminal(newest, false);
  const std::size_t columns = columns_of(descriptor_) - 1;
  const std::string shown = cut_to_width(head, columns);
  const std::size_t used = display_width(shown);
  std::string line = "\r\x1b[K" + shown;
  if (!output.empty() && used + 4 < columns) line += "  " + coloured(grey, cut_to_width(output, columns - used - 2));
  write_out(descriptor_, line);
  drawn_ = true;
}

void Progress::print_line(const std::string& line) {
  write_out(descriptor_, (drawn_ ? "\r\x1b[K" : "") + line + "\n");
  drawn_ = false;
}

void Progress::state_entered(const Step& step) {
  const State& state = step.of();
  const std::lock_guard lock(mutex_);
  state_ = cleaned_for_terminal(state.id, false);
  began_ = step.began;
  last_line_.clear();
  partial_line_.clear();
  running_ = state.action.has_value();
  if (!running_) return;
  const bool may_take_time =
      std::holds_alternative<ShellAction>(state.action->kind) || std::holds_alternative<ToolAction>(state.action->kind);
  if (style_.live) return;
  if (may_take_time) print_line("  > " + state_);
}

void Progress::output(const Step&, bool, std::string_view bytes) {
  if (!style_.live) return;
  const std::lock_guard lock(mutex_);
  // Only the end can be the last line; a carriage return begins it anew, as on a terminal.
  if (bytes.size() > 2 * longest_line) {
    bytes.remove_prefix(bytes.size() - 2 * longest_line);
    partial_line_.clear();
  }
  for (const char c : bytes) {
    if (c == '\n' || c == '\r') {
      if (!partial_line_.empty()) last_line_ = std::move(partial_line_);
      partial_line_.clear();
    } else if (partial_line_.size() < longest_line) {
      partial_line_ += c;
    }
  }
}

void Progress::logged(const Step&, LogAction::Level level, std::string_view text) {
  const std::lock_guard lock(mutex_);
  const std::string clean = cleaned_for_terminal(text, true);
  const char* mark = level == LogAction::Level::warning ? "warning: "
                     : level == LogAction::Level::error ? "error: "
                                                        : "";
  const char* colour = level == LogAction::Level::warning ? yellow : level == LogAction::Level::error ? red : nullptr;
  std::size_t begin = 0;
  while (begin <= clean.size()) {
    const std::size_t end = std::min(clean.find('\n', begin), clean.size());
    const std::string line = mark + clean.substr(begin, end - begin);
    print_line("    " + (colour != nullptr ? coloured(colour, line) : line));
    begin = end + 1;
  }
}

void Progress::state_ended(const Step& step, const StepEnd& end) {
  const State& state = step.of();
  const Outcome& outcome = end.outcome;
  const std::lock_guard lock(mutex_);
  running_ = false;
  if (!state.action ||
      (std::holds_alternative<LogAction>(state.action->kind) && step.status == Step::Status::succeeded)) {
    return erase();
  }
  const std::string time = "  " + coloured(grey, duration_text(step.took));
  if (step.status == Step::Status::succeeded) {
    print_line("  " + coloured(green, "ok") + " " + state_ + time);
    return;
  }
  const std::string word = step.status == Step::Status::aborted ? "aborted" : "failed";
  const std::string why = cut_to_width(cleaned_for_terminal(outcome.message, false), 200);
  print_line("  " + coloured(red, word) + " " + state_ + time + (why.empty() ? "" : "  " + why));
}

void Progress::run_ended(const RunReport&) {
  const std::lock_guard lock(mutex_);
  running_ = false;
  erase();
}

}  // namespace wtool::host::workflow
