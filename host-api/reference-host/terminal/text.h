// Texts as a person at a terminal sees them: durations, safe texts, widths, parts of long outputs, and the output of
// a step as lines.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::host {

// The duration in words: `0.031 s`, `2.03 s`, `12.4 s`, `3 min 05 s`, `1 h 02 min`.
std::string duration_text(std::chrono::steady_clock::duration duration);

// The text without escape sequences and control characters, so that it cannot control a terminal. If `keep_newlines`,
// newlines and tabs stay; else both become blanks. Bytes that are not UTF-8 become '?', and so do characters that change
// the writing direction or break lines.
std::string cleaned_for_terminal(std::string_view text, bool keep_newlines);

// The same for one line of what a command wrote: tabs stay, newlines become blanks.
std::string cleaned_line(std::string_view line);

// The width in columns of a terminal, according to base/character_width.h. `text` must be safe for a terminal.
std::size_t display_width(std::string_view text);

// The text cut to at most `columns`; a cut text ends with an ellipsis, which is `...` if the locale is not UTF-8.
std::string cut_to_width(std::string_view text, std::size_t columns);

// The text padded with blanks to `columns`.
std::string padded(std::string_view text, std::size_t columns);

inline constexpr std::size_t max_excerpt_lines = 20;

// Appends a title and, below it, lines of the text, each after a mark. If the text has more than `lines` lines, only
// the last (`tail`) or the first ones are shown, and the title says so. Appends nothing if the text is blank.
void append_excerpt(std::string& out, const std::string& title, std::string_view text, std::size_t lines, bool tail);

struct OutputLine {
  bool is_error_stream = false;
  std::string text;  // safe for a terminal
};

// Splits the two streams of a step into lines, which come in the order in which they are completed. A carriage return
// restarts a line, as on a terminal; a very long line is broken. Only one thread may use an object of this class.
class StepOutput {
 public:
  // Returns the lines that the stream has completed with `bytes`.
  std::vector<OutputLine> add(bool is_error_stream, std::string_view bytes);
  // Returns the last line of each stream, if it has no newline at the end.
  std::vector<OutputLine> finish();

 private:
  struct Stream {
    std::string begun;
    bool returned = false;  // the last byte was a carriage return
  };
  std::array<Stream, 2> streams_;
};

// Lines that are kept until a step has ended. If there are too many, only the last lines are kept.
class KeptLines {
 public:
  void add(std::vector<OutputLine> lines);
  bool empty() const { return lines_.empty(); }
  const std::deque<OutputLine>& lines() const { return lines_; }
  std::size_t left_out() const { return left_out_; }  // how many lines came before the first one that is still kept

 private:
  std::deque<OutputLine> lines_;
  std::size_t bytes_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace wtool::host
