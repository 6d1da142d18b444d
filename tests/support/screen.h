// A terminal's screen, as far as our programs use one: feed it what they write, and see what a person would.
//
// It knows carriage return, newline, backspace, the colours (which it leaves out), the cursor going up, and erasing to
// the end of the line and of the screen. What leaves it at the top is remembered. When it becomes narrower or wider,
// broken lines are broken again, as most terminals do.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::test {

class Screen {
 public:
  Screen(std::size_t columns, std::size_t rows) : columns_(columns), height_(rows), rows_(1) {}

  void feed(std::string_view bytes);
  void resize(std::size_t columns, std::size_t rows);

  // All lines, also those that have left it, without blanks and empty lines at the end. A line that is broken is
  // several.
  std::vector<std::string> lines() const;
  // The same with a newline behind each, and broken lines put together.
  std::string text() const;
  // The line of the cursor, put together.
  std::string cursor_line() const;
  // What was not understood.
  const std::string& unknown() const { return unknown_; }

 private:
  struct Row {
    std::vector<std::string> cells;  // a character each
    bool goes_on = false;            // the next row belongs to the same line
  };

  std::size_t top() const { return rows_.size() > height_ ? rows_.size() - height_ : 0; }
  void put(const std::string& character);
  void escape(std::string_view sequence);
  void down();

  std::size_t columns_;
  std::size_t height_;
  std::vector<Row> rows_;
  std::size_t row_ = 0;
  std::size_t column_ = 0;  // columns_: the next character begins a row
  std::string pending_;     // of a sequence or a character that is not complete
  std::string unknown_;
};

}  // namespace wtool::test
