#include "support/screen.h"

#include <algorithm>

namespace wtool::test {

namespace {

std::string joined(const std::vector<std::string>& cells) {
  std::string text;
  for (const std::string& cell : cells) text += cell;
  return text;
}

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace

void Screen::down() {
  if (++row_ == rows_.size()) rows_.emplace_back();
}

void Screen::put(const std::string& character) {
  if (column_ == columns_) {
    rows_[row_].goes_on = true;
    down();
    column_ = 0;
  }
  std::vector<std::string>& cells = rows_[row_].cells;
  if (cells.size() <= column_) cells.resize(column_ + 1, " ");
  cells[column_++] = character;
}

void Screen::escape(std::string_view sequence) {
  const char kind = sequence.back();
  const std::string number(sequence.substr(2, sequence.size() - 3));
  if (kind == 'm') return;
  if (kind == 'A') {
    const std::size_t count = number.empty() ? 1 : std::stoul(number);
    row_ = std::max(top(), row_ - std::min(row_, count));
  } else if (kind == 'K' && number.empty()) {
    std::vector<std::string>& cells = rows_[row_].cells;
    if (column_ < cells.size()) cells.resize(column_);
    rows_[row_].goes_on = false;
  } else if (kind == 'J' && number.empty()) {
    std::vector<std::string>& cells = rows_[row_].cells;
    if (column_ < cells.size()) cells.resize(column_);
    rows_[row_].goes_on = false;
    // The rows below become empty but are not removed, because a terminal does not scroll back.
    for (std::size_t i = row_ + 1; i < rows_.size(); ++i) rows_[i] = {};
  } else {
    unknown_ += std::string(sequence) + ' ';
  }
}

void Screen::feed(std::string_view bytes) {
  pending_ += bytes;
  std::size_t at = 0;
  while (at < pending_.size()) {
    const auto byte = static_cast<unsigned char>(pending_[at]);
    if (byte == 0x1b) {
      if (at + 1 == pending_.size()) break;
      if (pending_[at + 1] != '[') {
        unknown_ += "ESC ";
        at += 2;
        continue;
      }
      std::size_t end = at + 2;
      while (end < pending_.size() && (pending_[end] < 0x40 || pending_[end] > 0x7e)) ++end;
      if (end == pending_.size()) break;
      escape(std::string_view(pending_).substr(at, end + 1 - at));
      at = end + 1;
    } else if (byte == '\r') {
      column_ = 0;
      ++at;
    } else if (byte == '\n') {
      down();
      ++at;
    } else if (byte == '\b') {
      column_ -= column_ > 0 ? 1 : 0;
      ++at;
    } else if (byte < 0x20 || byte == 0x7f) {
      ++at;
    } else {
      const std::size_t size = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
      if (at + size > pending_.size()) break;
      put(pending_.substr(at, size));
      at += size;
    }
  }
  pending_.erase(0, at);
}

void Screen::resize(std::size_t columns, std::size_t rows) {
  std::vector<Row> broken;
  std::size_t row = 0;
  std::size_t column = 0;
  for (std::size_t i = 0; i < rows_.size();) {
    std::vector<std::string> line;
    std::size_t cursor = std::string::npos;
    for (bool more = true; more && i < rows_.size(); ++i) {
      if (i == row_) cursor = line.size() + column_;
      line.insert(line.end(), rows_[i].cells.begin(), rows_[i].cells.end());
      more = rows_[i].goes_on;
      if (more) line.resize(((line.size() + columns_ - 1) / columns_) * columns_, " ");
    }
    if (cursor != std::string::npos) {
      row = broken.size() + cursor / columns;
      column = cursor % columns;
      if (cursor > 0 && column == 0 && cursor == line.size()) {
        --row;
        column = columns;
      }
    }
    do {
      Row& made = broken.emplace_back();
      const std::size_t size = std::min(columns, line.size());
      made.cells.assign(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(size));
      line.erase(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(size));
      made.goes_on = !line.empty();
    } while (!line.empty());
  }
  rows_ = std::move(broken);
  row_ = row;
  column_ = column;
  columns_ = columns;
  height_ = rows;
  while (rows_.size() <= row_) rows_.emplace_back();
}

std::vector<std::string> Screen::lines() const {
  std::vector<std::string> lines;
  for (const Row& row : rows_) lines.push_back(trimmed(joined(row.cells)));
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::string Screen::text() const {
  std::string text;
  for (const Row& row : rows_) text += row.goes_on ? joined(row.cells) : trimmed(joined(row.cells)) + "\n";
  return text.erase(text.find_last_not_of('\n') + 1) + "\n";
}

std::string Screen::cursor_line() const {
  std::size_t first = row_;
  while (first > 0 && rows_[first - 1].goes_on) --first;
  std::string line;
  for (; first < rows_.size(); ++first) {
    line += joined(rows_[first].cells);
    if (!rows_[first].goes_on) break;
  }
  return line;
}

}  // namespace wtool::test
