// A workflow file as text. All code that reads a workflow states places as byte offsets into the file. Lines and
// columns are computed only for what is shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wtool::host::workflow {

inline constexpr std::size_t max_file_size = 10 * 1024 * 1024;  // bytes

// Both count from 1. Columns count characters; a tab counts as one.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
};

// The text of a file with its name. Immutable. Lines end with \n, \r\n or \r.
class Source {
 public:
  Source() = default;
  // `text` must be valid UTF-8.
  Source(std::string name, std::string text);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  // The offset at which the text begins: after the byte order mark, if there is one.
  std::size_t content_begin() const { return content_begin_; }

  std::size_t line_count() const { return line_starts_.size(); }
  // The line with this index, counted from 0, without its line ending.
  std::string_view line(std::size_t index) const;
  std::size_t line_start(std::size_t index) const { return line_starts_[index]; }
  // The index of the line that contains the offset.
  std::size_t line_at(std::size_t offset) const;

  // The line and column of the offset. Takes time linear in the length of the line.
  Position position(std::size_t offset) const;

 private:
  std::string name_;
  std::string text_;
  std::size_t content_begin_ = 0;
  std::vector<std::size_t> line_starts_;
};

// Reads a file. On success, `error` is empty. On failure, `error` names the problem: a missing file, a directory, no
// permission, more than `max_file_size`, NUL bytes, or invalid UTF-8 (with the line and column).
Source load_source(const std::string& path, std::string& error);
// The same for a file that the command line names: `-` is standard input, which is read only once. Only for the main
// thread. A journal may name `-`, too, but the standard input of that run is gone: use load_source() there.
inline constexpr std::string_view standard_input = "-";
Source load_given_source(const std::string& path, std::string& error);
// The same for the text of a file that has been read.
Source source_of(const std::string& path, std::string text, std::string& error);

// A text that was taken from a source piece by piece (lines of a block, a string with escapes), with the place in the
// source of each of its bytes.
class MappedText {
 public:
  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  // The first piece may be empty; it then only marks the place where the text would have been.
  void append(std::string_view piece, std::size_t source_offset);
  // Removes the last `count` bytes.
  void remove_suffix(std::size_t count) { text_.resize(text_.size() - count); }
  // The offset in the source of the byte at `offset`; at the end, the offset after the last byte.
  std::size_t locate(std::size_t offset) const;
  // The bytes [begin, end).
  MappedText part(std::size_t begin, std::size_t end) const;

 private:
  struct Stretch {
    std::size_t begin;   // in text_
    std::size_t source;  // where that byte is in the source
  };
  std::string text_;
  std::vector<Stretch> runs_;
};

// The text without spaces and tabs at either end.
std::string_view trim(std::string_view text);

}  // namespace wtool::host::workflow
