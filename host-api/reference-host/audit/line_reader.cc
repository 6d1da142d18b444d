#include "audit/line_reader.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "audit/entry.h"
#include "base/sha256.h"
#include "tracing/escape.h"

namespace wtool::host::audit {

namespace {

constexpr std::size_t piece_size = 64UL * 1024;

// Up to `most` bytes from there; 0 at the end, or when it fails, which errno says.
std::size_t read_piece(int file, char* to, std::size_t most, std::uint64_t at) {
  for (;;) {
    errno = 0;
    const ssize_t got = ::pread(file, to, most, static_cast<off_t>(at));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return 0;
  }
}

}  // namespace

// Appends one more piece to the buffer. False at the end.
bool LineReader::fill() {
  buffer_.erase(0, used_);
  used_ = 0;
  const std::size_t most = static_cast<std::size_t>(std::min<std::uint64_t>(piece_size, part_.size - read_to_));
  if (most == 0) return false;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + most);
  const std::size_t got = read_piece(part_.file.get(), buffer_.data() + before, most, read_to_);
  buffer_.resize(before + got);
  read_to_ += got;
  if (got == 0) {
    error_ = "cannot read " + escaped(part_.path) + ": " + (errno != 0 ? ::strerror(errno) : "it has become shorter");
  }
  return got > 0;
}

bool LineReader::next(RawLine& line) {
  line = {.number = ++number_, .at = at_};
  std::size_t searched = 0;
  std::size_t newline;
  std::uint64_t skipped = 0;  // of a line that is too long: what is no longer in the buffer
  while ((newline = buffer_.find('\n', used_ + searched)) == std::string::npos) {
    searched = buffer_.size() - used_;
    // Keeps the beginning of the line, up to the longest valid one, and only counts the rest.
    if (searched > max_line) {
      buffer_.resize(used_ + max_line);
      skipped += searched - max_line;
      searched = max_line;
    }
    if (!fill()) break;
  }
  if (!error_.empty()) return false;
  line.closed = newline != std::string::npos;
  const std::size_t have = (line.closed ? newline : buffer_.size()) - used_;
  line.text = std::string_view(buffer_).substr(used_, have);
  line.size = have + skipped;
  used_ += have + (line.closed ? 1 : 0);
  at_ += line.size + (line.closed ? 1 : 0);
  return line.closed || line.size > 0;
}

bool read_range(const Part& part, std::uint64_t from, std::uint64_t to, Sha256& digest) {
  std::string piece(piece_size, '\0');
  while (from < to) {
    const std::size_t most = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), to - from));
    const std::size_t got = read_piece(part.file.get(), piece.data(), most, from);
    if (got == 0) return false;
    digest.add(std::string_view(piece).substr(0, got));
    from += got;
  }
  return true;
}

}  // namespace wtool::host::audit
