// Lines for a descriptor that somebody else reads, without ever waiting for that reader.
//
// - What the descriptor does not take at once is dropped, and a later line says how many lines were dropped.
// - A line whose beginning was written is completed before anything else is written.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace wtool::host {

// Any thread may call any member.
class DroppingOutput {
 public:
  // Borrows the descriptor.
  explicit DroppingOutput(int descriptor);

  // Each line must be whole, with its newline. Errors are ignored.
  void write(std::string_view lines);

 private:
  std::size_t put(std::string_view bytes) const;

  std::mutex mutex_;
  const int borrowed_;
  Descriptor own_;  // the same pipe or terminal, non-blocking
  bool is_socket_ = false;
  std::string rest_;  // of a line whose beginning was written
  std::size_t dropped_ = 0;
};

// From now on, this process writes lines to standard error in this way. The end of the process does not wait, either.
void never_wait_for_standard_error();
// nullptr: the process waits until standard error can be written.
DroppingOutput* standard_error_that_drops();

}  // namespace wtool::host
