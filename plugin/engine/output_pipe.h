// One of a command's two output pipes, and what came through it.
//
// A pipe starts at the default size and grows to 256 KiB after the first read that finds it full. The default is enough
// for most commands, and a flood is several times faster through the larger one. Large pipes for all would use up what
// the kernel grants a user, after which every new pipe is tiny.
#pragma once

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

  // Reads at most one buffer; empty if nothing is there now, or ever again. Valid until the next read.
  std::string_view read_some();
  // Captures what was read.
  void keep(std::string_view bytes) { capture_.append(bytes); }

  const Capture& captured() const { return capture_; }
  std::uint64_t bytes() const { return capture_.total_bytes(); }
  // How much was written and not yet read.
  std::size_t waiting() const;

  // Closes the pipe, and returns what was captured. Empties the capture.
  StreamText take();

 private:
  void grow();

  Descriptor reader_;
  Descriptor writer_;
  std::size_t buffer_size_ = default_size;
  bool was_full_ = false;  // The last read filled its buffer.
  bool grown_ = false;
  bool more_than_little_ = false;
  std::unique_ptr<char[]> buffer_;
  // Most commands write little; for them the heap should not grow by two large buffers and shrink again.
  char little_[4096];
  Capture capture_;

  static constexpr std::size_t default_size = 64UL * 1024;
  static constexpr std::size_t large_size = 256UL * 1024;
};

}  // namespace wtool::engine
