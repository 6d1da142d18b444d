#include "terminal/output_lines.h"

#include <utility>

#include "terminal/text.h"

namespace wtool::host {
namespace {

constexpr std::size_t max_kept_line = 64UL * 1024;   // bytes
constexpr std::size_t max_kept = 4UL * 1024 * 1024;  // bytes, of one step

OutputLine line_of(bool is_error_stream, std::string& begun) {
  OutputLine line{is_error_stream, cleaned_for_terminal(begun, false)};
  begun.clear();
  return line;
}

}  // namespace

std::vector<OutputLine> StepOutput::add(bool is_error_stream, std::string_view bytes) {
  Stream& stream = streams_[is_error_stream ? 1 : 0];
  std::vector<OutputLine> lines;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    if (end > 0) {
      // Before a newline, a carriage return takes nothing back.
      if (std::exchange(stream.returned, false)) stream.begun.clear();
      const std::size_t taken = std::min(end, max_kept_line - stream.begun.size());
      stream.begun += bytes.substr(0, taken);
      bytes.remove_prefix(taken);
      if (stream.begun.size() == max_kept_line) lines.push_back(line_of(is_error_stream, stream.begun));
      continue;
    }
    if (bytes.front() == '\n') lines.push_back(line_of(is_error_stream, stream.begun));
    stream.returned = bytes.front() == '\r';
    bytes.remove_prefix(1);
  }
  return lines;
}

std::vector<OutputLine> StepOutput::finish() {
  std::vector<OutputLine> lines;
  for (const bool is_error_stream : {false, true}) {
    Stream& stream = streams_[is_error_stream ? 1 : 0];
    if (!stream.begun.empty()) lines.push_back(line_of(is_error_stream, stream.begun));
    stream.returned = false;
  }
  return lines;
}

void KeptLines::add(std::vector<OutputLine> lines) {
  for (OutputLine& line : lines) {
    bytes_ += line.text.size() + sizeof line;
    lines_.push_back(std::move(line));
  }
  while (bytes_ > max_kept) {
    bytes_ -= lines_.front().text.size() + sizeof lines_.front();
    lines_.pop_front();
    ++left_out_;
  }
}

}  // namespace wtool::host
