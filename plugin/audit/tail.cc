#include "audit/tail.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace wtool::audit {

namespace {

// Tried in order: enough for most lines, for any line, and for the gap that a power failure may leave.
constexpr std::uint64_t reaches[] = {4096, max_line, 16ULL << 20};

// The last whole line of `block`, whose first byte begins a line if `begins_line`.
bool find_last_line(std::string_view block, bool begins_line, Tail& tail) {
  std::size_t end = block.rfind('\n');
  while (end != std::string_view::npos) {
    const std::size_t before = end == 0 ? std::string_view::npos : block.rfind('\n', end - 1);
    if (before == std::string_view::npos && !begins_line) return false;
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    tail.last = read_link(block.substr(begin, end - begin));
    tail.torn_at = end + 1;
    if (tail.last) return true;
    end = before;
  }
  return false;
}

}  // namespace

bool read_bytes(int file, std::uint64_t from, std::uint64_t to, std::string& bytes) {
  bytes.resize(static_cast<std::size_t>(to - from));
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t now = ::pread(file, bytes.data() + have, bytes.size() - have, static_cast<off_t>(from + have));
    if (now > 0) {
      have += static_cast<std::size_t>(now);
    } else if (now == 0) {
      errno = EIO;  // Somebody who does not hold the lock made it shorter.
      return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool read_tail(int file, std::uint64_t size, Tail& tail, std::string& problem) {
  tail = {};
  std::string block;
  for (const std::uint64_t reach : reaches) {
    const std::uint64_t from = size - std::min(size, reach);
    if (!read_bytes(file, from, size, block)) {
      problem = std::string("its end cannot be read: ") + std::strerror(errno);
      return false;
    }
    if (find_last_line(block, from == 0, tail)) {
      tail.torn_at += from;
      return true;
    }
    if (from == 0) {
      tail = {};
      const std::size_t common = std::min(block.size(), line_start.size());
      if (block.compare(0, common, line_start, 0, common) == 0) return true;
      break;
    }
  }
  problem = "it is not an audit trail: its end has no valid line; move it away, or name another file as audit.file";
  return false;
}

}  // namespace wtool::audit
