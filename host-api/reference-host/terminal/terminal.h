// The one owner of standard error and of the person's terminal. Everything shown while commands run passes through it,
// from any thread: lines that stay, the live region below them, and questions (terminal/asking.h).
//
// - A line that comes while the live region is drawn is put above it, whole; the region is drawn again below.
// - While a question is shown, the region is hidden, and lines wait until the question is answered, so that the
//   question and what is typed stay readable. If too many lines come, only the first lines are kept, and the others are
//   counted.
// - Only one question is shown at a time; further questions wait for their turn.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::host {

// A line of the live region.
struct LiveLine {
  std::string text;       // safe for a terminal, without a newline; may have colours
  std::size_t width = 0;  // in columns; less than the terminal has
};

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

// Any thread may call any member.
class Terminal {
 public:
  // Opens the terminal for one question, and returns its descriptor, which should be non-blocking. The caller closes
  // it. -1: nobody can be asked.
  using Open = std::function<int()>;

  // `output` is borrowed. Questions are asked on the descriptor that `open` returns.
  explicit Terminal(int output, Open open = open_controlling);
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // The terminal of this process: standard error, and questions on the controlling terminal.
  static Terminal& of_process();

  // The controlling terminal, if this process is in its foreground; else -1.
  static int open_controlling();

  // The size of the output, or a usual size if the output is not a terminal.
  TerminalSize size() const;

  // Writes lines that stay on the screen. Each must be whole, with its newline. Errors are ignored, because there is no
  // other way to report them.
  void write(std::string_view lines);
  // Writes lines like write(), and replaces the live region by `live` at the same time, so that nothing flickers. Only
  // for a terminal that can move its cursor.
  void show(std::string_view lines, std::vector<LiveLine> live);
  // Writes the output of a command as it comes, byte for byte. Call this only while there is no live region. If the
  // output leaves the cursor in the middle of a line, this program's next text starts on a new line. Returns 0 if all
  // was written, and the errno of the failed write if not.
  int pass(std::string_view bytes);
  // Ends an unfinished line, so that what another program writes next begins on a new line.
  void end_line();

 private:
  friend class Asking;
  friend class QuestionEnd;

  // The caller of these functions holds mutex_.
  std::string erasure();
  std::string drawing(const std::vector<LiveLine>& lines);
  void hold(std::string_view lines);
  int put(std::string_view text) const;
  std::string line_end();

  // Hides the live region, and holds lines back.
  void pause();
  // Writes the held lines, and draws the region.
  void resume();

  const int output_;
  const Open open_;
  const bool is_terminal_;
  const bool reflows_;  // when the terminal becomes narrower, it wraps its lines, as most do, and does not cut them

  std::mutex mutex_;
  std::vector<LiveLine> live_;
  std::vector<std::size_t> drawn_;  // widths of the lines on the screen; the cursor is after the last one
  std::size_t drawn_columns_ = 0;   // the terminal's columns when these lines were drawn
  bool in_line_ = false;            // the cursor is after output that has no newline yet
  bool paused_ = false;
  std::string held_;
  std::size_t left_out_ = 0;  // how many lines came when held_ was full

  std::mutex turn_mutex_;
  std::condition_variable turn_changed_;
  bool asking_ = false;
  std::size_t waiting_ = 0;  // questions that wait for their turn
};

}  // namespace wtool::host
