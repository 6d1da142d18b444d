// Whole reads and writes on a descriptor: they continue after signals and short transfers, and wait where another
// process has made the descriptor non-blocking.
//
//   if (const Written written = write_all(file.get(), text); written.error != 0) return strerror(written.error);
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wtool {

struct Written {
  std::size_t bytes = 0;
  int error = 0;  // the errno for which `bytes` is not everything
};

Written write_all(int descriptor, std::string_view bytes) noexcept;

// Appends everything up to the end of the file to `bytes`. Returns 0 or an errno; EFBIG where there are more than
// `limit` bytes, some of which have then been appended.
int read_all(int descriptor, std::size_t limit, std::string& bytes);

}  // namespace wtool
