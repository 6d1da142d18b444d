// One of a command's two output pipes, and what came through it.
//
// A pipe starts at the default size and grows to 256 KiB after the first read that finds it full. The default is enough
// for most commands, and a large output is several times faster through the larger pipe. Large pipes for all commands
// would use up the pipe memory that the kernel grants a user, and every new pipe would then be tiny.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/descriptor.h"
#include "engine/capture.h"
#include "engine/outcome.h"

namespace wtool::engine {

class OutputPipe {
 public:
  explicit OutputPipe(std::size_t capture_bytes) : capture_(capture_bytes) {}

  // Returns 0, or the errno of what failed.
  int open();

  int writer() const { return writer_.get(); }
  void close_writer() { writer_.reset(); }

  // -1 once the end of the stream has been read.
  int reader() const { return reader_.get(); }
  bool open_for_reading() const { return static_cast<bool>(reader_); }

  void close_reader() { reader_.reset(); }

  // Reads at most one buffer, in one or two parts; both are empty if nothing is there now, or the stream has ended. The
  // parts are valid until the next read.
  std::array<std::string_view, 2> read_some();
  // True if the last read found as much as a pipe of the default size holds, so more is likely to be there.
  bool flows() const { return last_read_ >= default_size; }
  // Captures what was read.
  void keep(std::string_view bytes) { capture_.append(bytes); }

  const Capture& captured() const { return capture_; }
  std::uint64_t bytes() const { return capture_.total_bytes(); }
  // How many bytes were written but not yet read.
  std::size_t waiting() const;

  // Closes the pipe, and returns what was captured. Empties the capture.
  StreamText take();

 private:
  void grow();

  Descriptor reader_;
  Descriptor writer_;
  std::size_t buffer_size_ = default_size;
  std::size_t last_read_ = 0;
  bool grown_ = false;
  bool more_than_little_ = false;
  std::unique_ptr<char[]> buffer_;
  // Used for the many commands that write little, so that the heap does not grow by two large buffers and shrink again.
  char little_[4096];
  Capture capture_;

  static constexpr std::size_t default_size = 64UL * 1024;
  static constexpr std::size_t large_size = 256UL * 1024;
};

}  // namespace wtool::engine
