// The screen of a terminal, as far as our programs use one: give it their output, and read what a person would see.
//
// It understands carriage return, newline, backspace, colours (which it drops), moving the cursor up, and erasing to
// the end of the line and of the screen. It keeps lines that scroll off the top. When its width changes, it wraps long
// lines again, as most terminals do.
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

  // All lines, including those that scrolled off, without blanks and empty lines at the end. A wrapped line counts as
  // several.
  std::vector<std::string> lines() const;
  // The same with a newline after each line, and wrapped lines joined.
  std::string text() const;
  // The line of the cursor, with its wrapped rows joined.
  std::string cursor_line() const;
  // The sequences that were not understood.
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
  std::string pending_;     // the beginning of a sequence or a character that is not complete yet
  std::string unknown_;
};

}  // namespace wtool::test
