// What a step writes, as lines for a person.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::host {

struct OutputLine {
  bool is_error_stream = false;
  std::string text;  // safe for a terminal
};

// The two streams of a step, each as separate lines, in the order in which the lines were complete. A carriage return
// restarts a line, as on a terminal; a very long line is broken. One thread.
class StepOutput {
 public:
  // The lines that `bytes` complete.
  std::vector<OutputLine> add(bool is_error_stream, std::string_view bytes);
  // What has no newline at the end.
  std::vector<OutputLine> finish();

 private:
  struct Stream {
    std::string begun;
    bool returned = false;  // the last byte was a carriage return
  };
  std::array<Stream, 2> streams_;
};

// Lines that are kept until a step has ended: of very many the last ones.
class KeptLines {
 public:
  void add(std::vector<OutputLine> lines);
  bool empty() const { return lines_.empty(); }
  const std::deque<OutputLine>& lines() const { return lines_; }
  std::size_t left_out() const { return left_out_; }  // before the first of them

 private:
  std::deque<OutputLine> lines_;
  std::size_t bytes_ = 0;
  std::size_t left_out_ = 0;
};

}  // namespace wtool::host
