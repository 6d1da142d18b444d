// Reads a part of a trail line by line, in memory that does not grow with the file or with its lines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "audit/entry.h"
#include "audit/parts.h"
#include "base/sha256.h"

namespace wtool::host::audit {

struct RawLine {
  std::uint64_t number = 0;  // from 1
  std::uint64_t at = 0;      // the byte that it begins at
  std::uint64_t size = 0;    // without its newline
  std::string_view text{};   // without its newline; of one that is too long, the beginning. Until the next call
  bool closed = false;       // it has a newline; all have but the last
};

class LineReader {
 public:
  // The part must be open, and outlive this object.
  explicit LineReader(const Part& part) : part_(part) {}

  // False at the end; and when it could not be read further, then error() is not empty.
  bool next(RawLine& line);
  const std::string& error() const { return error_; }

 private:
  bool fill();

  const Part& part_;
  std::string buffer_;  // what was read and not yet given away, from `used_` on
  std::size_t used_ = 0;
  std::uint64_t read_to_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t at_ = 0;
  std::string error_;
};

// Adds the bytes [from, to) of a part to a digest. False: they could not be read.
bool read_range(const Part& part, std::uint64_t from, std::uint64_t to, Sha256& digest);

}  // namespace wtool::host::audit
