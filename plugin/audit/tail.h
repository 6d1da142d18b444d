// The end of an audit trail's file: the last whole line, on which the next one is chained, and a torn rest after it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "audit/chain.h"

namespace wtool::audit {

struct Tail {
  std::optional<Link> last;   // of the last whole line; nothing in an empty file
  std::uint64_t torn_at = 0;  // the end of that line: where the file is longer, the rest is torn
};

// Reads as little as needed of the end of a file of `size` bytes. False: `problem` says why the file could not be read,
// or why it is not a trail.
bool read_tail(int file, std::uint64_t size, Tail& tail, std::string& problem);

// The bytes [from, to) of a file. False, with errno: they could not be read.
bool read_bytes(int file, std::uint64_t from, std::uint64_t to, std::string& bytes);

}  // namespace wtool::audit
