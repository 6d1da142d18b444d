#include "reporting/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "reporting/display.h"
#include "reporting/record.h"
#include "reporting/step_label.h"

namespace wtool::host::workflow {
namespace {

constexpr auto refresh = std::chrono::milliseconds(100);
constexpr std::size_t longest_line = 1024;  // bytes of output kept for a live line
constexpr std::size_t most_live_lines = 8;
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

struct Size {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

Size size_of(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

// States that only pass are not worth a line.
bool is_shown(const Step& step) { return step.of().action.has_value(); }

bool is_log(const Step& step) { return std::holds_alternative<LogAction>(step.of().action->kind); }

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
    write_out(descriptor_, erasure());
  }
  over_.notify_all();
  if (ticker_.joinable()) ticker_.join();
}

void Progress::tick() {
  std::unique_lock lock(mutex_);
  while (!over_.wait_for(lock, refresh, [this] { return ended_; })) {
    if (running_.empty()) continue;
    // Over what is there, in one piece, so that nothing flickers.
    write_out(descriptor_, live_lines());
  }
}

std::string Progress::coloured(const char* code, const std::string& text) const {
  return style_.colour ? "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" : text;
}

// Takes the live lines off the screen.
std::string Progress::erasure() {
  if (drawn_ == 0) return {};
  std::string text = "\r";
  if (drawn_ > 1) text += "\x1b[" + std::to_string(drawn_ - 1) + "A";
  drawn_ = 0;
  return text + "\x1b[J";
}

std::string Progress::live_line(const Running& running, std::size_t columns) const {
  const std::string time = duration_text(std::chrono::steady_clock::now() - running.began);
  const std::string shown = cut_to_width("  > " + running.label + "  " + time, columns);
  const std::size_t used = display_width(shown);
  const std::string output =
      cleaned_for_terminal(running.partial_line.empty() ? running.last_line : running.partial_line, false);
  if (output.empty() || used + 4 >= columns) return shown;
  return shown + "  " + coloured(grey, cut_to_width(output, columns - used - 2));
}

std::string Progress::live_lines() {
  if (!style_.live || ended_) return {};
  const Size size = size_of(descriptor_);
  const std::size_t columns = size.columns - 1;
  const std::size_t room = std::clamp<std::size_t>(size.rows - 1, 1, most_live_lines);
  const std::size_t shown = running_.size() <= room ? running_.size() : room - 1;
  std::string text = "\r";
  if (drawn_ > 1) text += "\x1b[" + std::to_string(drawn_ - 1) + "A";
  std::size_t count = 0;
  const auto add = [&](const std::string& line) { text += (count++ > 0 ? "\n" : "") + line + "\x1b[K"; };
  for (auto running = running_.begin(); count < shown; ++running) add(live_line(running->second, columns));
  if (shown < running_.size()) {
    const std::size_t more = running_.size() - shown;
    add(cut_to_width("  " + (shown > 0 ? "and " + std::to_string(more) + " more" : std::to_string(more) + " steps run"),
                     columns));
  }
  if (count < drawn_) text += "\x1b[J";
  drawn_ = count;
  return text;
}

void Progress::print_line(const std::string& line) {
  std::string text = erasure() + line + "\n";
  if (running_.size() > 1) text += live_lines();
  write_out(descriptor_, text);
}

void Progress::print_lines(const std::string& mark, const std::string& text, const char* colour) {
  const std::string clean = cleaned_for_terminal(text, true);
  std::size_t begin = 0;
  while (begin <= clean.size()) {
    const std::size_t end = std::min(clean.find('\n', begin), clean.size());
    const std::string line = mark + clean.substr(begin, end - begin);
    print_line("    " + (colour != nullptr ? coloured(colour, line) : line));
    begin = end + 1;
  }
}

void Progress::state_entered(const Step& step) {
  if (!is_shown(step) || step.replayed) return;
  const std::lock_guard lock(mutex_);
  Running& running = running_[step.number];
  running.label = step_label(step);
  running.began = step.began;
  // What takes no time is told by its end.
  const bool takes_time = !is_log(step) && !std::holds_alternative<SetAction>(step.of().action->kind) &&
                          !std::holds_alternative<AbortAction>(step.of().action->kind);
  if (!style_.live && takes_time) print_line("  > " + running.label);
}

void Progress::output(const Step& step, bool, std::string_view bytes) {
  if (!style_.live || gives_secrets(step)) return;
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(step.number);
  if (found == running_.end()) return;
  Running& running = found->second;
  // Only the end can be the last line; a carriage return begins it anew, as on a terminal.
  if (bytes.size() > 2 * longest_line) {
    bytes.remove_prefix(bytes.size() - 2 * longest_line);
    running.partial_line.clear();
  }
  for (const char c : bytes) {
    if (c == '\n' || c == '\r') {
      if (!running.partial_line.empty()) running.last_line = std::move(running.partial_line);
      running.partial_line.clear();
    } else if (running.partial_line.size() < longest_line) {
      running.partial_line += c;
    }
  }
}

void Progress::logged(const Step& step, LogAction::Level level, std::string_view text) {
  const char* mark = level == LogAction::Level::warning ? "warning: "
                     : level == LogAction::Level::error ? "error: "
                                                        : "";
  const char* colour = level == LogAction::Level::warning ? yellow : level == LogAction::Level::error ? red : nullptr;
  const std::lock_guard lock(mutex_);
  print_lines((step.branch.empty() ? "" : step_label(step) + ": ") + mark, std::string(text), colour);
}

void Progress::retrying(const Step& step, const Outcome& outcome, std::chrono::milliseconds wait) {
  std::string why = outcome.message;
  if (why.empty() || gives_secrets(step)) why = "exit code " + std::to_string(outcome.exit_code);
  const std::lock_guard lock(mutex_);
  print_line("  " + coloured(yellow, "again") + " " + step_label(step) + "  in " + duration_text(wait) + ", as try " +
             std::to_string(step.tries) + " failed: " + cut_to_width(cleaned_for_terminal(why, false), 200));
}

void Progress::noticed(std::string_view text) {
  const std::lock_guard lock(mutex_);
  print_lines("notice: ", std::string(text), yellow);
}

void Progress::state_ended(const Step& step, const StepEnd& end) {
  const std::lock_guard lock(mutex_);
  running_.erase(step.number);
  const bool succeeded = step.status == Step::Status::succeeded;
  if (!is_shown(step) || (is_log(step) && succeeded)) {
    if (running_.empty()) write_out(descriptor_, erasure());
    return;
  }
  const std::string label = step_label(step);
  const std::string time = "  " + coloured(grey, duration_text(step.took));
  const std::string kept = step.replayed ? coloured(grey, "kept") + " " : "";
  if (succeeded) return print_line("  " + (step.replayed ? kept : coloured(green, "ok") + " ") + label + time);
  const std::string word = step.status == Step::Status::aborted ? "aborted" : "failed";
  const std::string message = end.secret ? "what it gave is secret" : end.outcome.message;
  const std::string why = cut_to_width(cleaned_for_terminal(message, false), 200);
  print_line("  " + kept + coloured(red, word) + " " + label + time + (why.empty() ? "" : "  " + why));
}

void Progress::run_ended(const RunReport&) {
  const std::lock_guard lock(mutex_);
  running_.clear();
  write_out(descriptor_, erasure());
}

}  // namespace wtool::host::workflow
