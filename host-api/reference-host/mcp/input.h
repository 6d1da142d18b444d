// The lines that a client sends, one by one, from a descriptor that may return them in any pieces.
//
// - A line longer than the limit is read to its end and then reported, because the id of its request may come last.
// - next() stops waiting immediately when another descriptor becomes readable, or the client closes the output.
// - While the output is full, nothing is read, unless the client has closed the input.
// - Never keeps more than one line and one piece; the memory of a long line is freed.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "mcp/id_scanner.h"

namespace wtool::host::mcp {

// Only one thread may use an object of this class.
class Input {
 public:
  enum class Next {
    line,
    too_long,  // too_long_line() has scanned the line
    end,       // the input has ended, or the client has closed the output
    woken,     // `wake` is readable
    failed,    // the input cannot be read
  };

  // Borrows the descriptors. `wake`: when it becomes readable, all waiting ends. `output`: where the answers are
  // written; -1 if it should not be watched.
  Input(int descriptor, int wake, int output, std::size_t longest);

  // From now on, next() begins by waiting while `is_full` returns true. After that, it is asked again whenever `room` is
  // readable.
  void hold_while(std::function<bool()> is_full, int room);

  // For Next::line, `line` is the line without its newline; the last line needs no newline.
  Next next(std::string& line);

  const IdScanner& too_long_line() const { return too_long_; }

 private:
  Next wait() const;
  // Next::line: the output has room, or the client has closed the input.
  Next hold();
  bool take_line(std::string& line);

  const int descriptor_;
  const int wake_;
  const int output_;
  const std::size_t longest_;
  std::string buffer_;
  std::size_t begin_ = 0;     // of the next line
  std::size_t searched_ = 0;  // up to here, the buffer has no newline
  bool skipping_ = false;     // the rest of a line that is too long is being skipped
  IdScanner too_long_;
  bool ended_ = false;
  std::function<bool()> is_full_;
  int room_ = -1;
};

}  // namespace wtool::host::mcp
