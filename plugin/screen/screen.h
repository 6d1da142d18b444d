// The screen of a terminal: takes what a program prints, and shows what a person would see. libvterm does the
// emulation.
//
// - It accepts any bytes (gate.h). What is kept is bounded by the size and by `max_scrollback`.
// - It also returns the bytes that a key sends, because the program chooses them (application cursor keys).
//
// Only one thread at a time may use an object. libvterm has no way to report a lack of memory: it ends the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "screen/gate.h"
#include "screen/keys.h"

struct VTerm;
struct VTermScreen;

namespace wtool::screen {

struct Size {
  int rows = 24;
  int columns = 80;
};

constexpr int least_rows = 2, max_rows = 200;
constexpr int least_columns = 2, max_columns = 500;

// How many bytes, whatever they are, a screen of this size processes in a small fraction of a second. Passing more in
// one call would keep other threads waiting.
std::size_t max_at_once(Size size);

// The limits of the scrollback: the last lines that have left the screen at its top.
constexpr std::size_t max_scrollback = 512UL * 1024;  // bytes
constexpr std::size_t max_scrollback_lines = 10'000;

// Neighbouring cells that look the same.
struct CellRun {
  int column = 0;  // of the first cell; counted from 0
  std::string text;
  std::string foreground, background;  // "#rrggbb", the number of one of 256 colours, or empty: the default
  bool bold = false, italic = false, underline = false, blink = false, reverse = false, strike = false;
};

struct Cursor {
  int row = 0, column = 0;  // counted from 0
  bool visible = true;
};

class Screen : private GateTarget {
 public:
  // The size must be within the bounds above.
  explicit Screen(Size size);
  ~Screen() override;
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // Takes what the program printed. Adds to `replies` what the terminal answers to the program's questions (where is
  // the cursor? what are you?).
  void take(std::string_view bytes, std::string& replies);

  void resize(Size size);
  Size size() const { return size_; }

  std::string bytes_of(const Key& key);
  // The bytes that typing the text would send: line ends become the key Enter.
  static std::string bytes_of(std::string_view text);

  // The lines of the screen. With `whole`, the spaces at their ends are kept. Otherwise these spaces, and empty lines
  // at the end, are removed.
  std::vector<std::string> lines(bool whole = false) const;
  // The runs of one line. Blank runs without colours and attributes are left out.
  std::vector<CellRun> runs(int row) const;
  Cursor cursor() const;
  // The text between the beginning of the cursor's line and the cursor.
  std::string before_cursor() const;
  const std::string& title() const { return title_; }
  // True while a program such as an editor shows the alternate screen, whose lines do not go to the scrollback.
  bool alternate() const { return alternate_; }

  const std::deque<std::string>& scrollback() const { return scrollback_; }
  // How many lines have left the screen so far; the last of them are in scrollback().
  std::uint64_t scrolled() const { return scrolled_; }

 private:
  struct Callbacks;
  struct Free {
    void operator()(VTerm* terminal) const;
  };

  void write(std::string_view bytes) override;
  void write_character(std::string_view character) override;
  void set_title(std::string_view title) override;
  bool has_width(std::string_view character);
  void push_line(std::string line);
  std::string line(int row, int columns) const;
  std::string take_replies();

  Size size_;
  std::unique_ptr<VTerm, Free> terminal_;
  std::unique_ptr<VTerm, Free> ruler_;  // a second screen, used to measure the width of characters
  VTermScreen* screen_ = nullptr;
  Gate gate_{*this};
  std::string replies_;
  int combining_ = 0;  // combining characters since the last character that has a width
  bool cursor_visible_ = true;
  bool alternate_ = false;
  std::string title_;
  std::deque<std::string> scrollback_;
  std::size_t scrollback_bytes_ = 0;
  std::uint64_t scrolled_ = 0;
};

}  // namespace wtool::screen
