// Reads an audit trail: its files, one after the other, line by line, in memory that does not grow with the files or
// with their lines. base/audit_trail.h states the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/sha256.h"

namespace wtool::host::audit {

// A file of an audit trail: a rotated one, or FILE itself.
struct Part {
  std::string path;
  std::string name;        // the path's last component, for errors
  bool newest = false;     // FILE itself
  Descriptor file{};       // open when the part is the newest; the others are opened when their turn comes
  std::uint64_t size = 0;  // for an open part: how many of its bytes belong to this snapshot
};

// The parts, oldest first, as they were at one instant: what is written or rotated after that is ignored. Waits a few
// seconds for a line that is just being written. Nothing: `error` says why.
std::optional<std::vector<Part>> find_parts(const std::string& file, std::string& error);

// Finds only the rotated files. The caller holds FILE's lock.
std::optional<std::vector<Part>> find_rotated_parts(const std::string& file, std::string& error);

// Opens a part, unless it is open. Returns 0, or the errno of the failure; `error` then says why.
int open_part(Part& part, std::string& error);

// ---- Reading a part.

struct RawLine {
  std::uint64_t number = 0;  // from 1
  std::uint64_t at = 0;      // the byte that it begins at
  std::uint64_t size = 0;    // without its newline
  std::string_view text{};   // without its newline; cut if the line is too long. Valid until the next call
  bool closed = false;       // it has a newline; only the last line may lack it
};

class LineReader {
 public:
  // The part must be open, and outlive this object.
  explicit LineReader(const Part& part) : part_(part) {}

  // Reads the next line. False: the part has ended, or it could not be read, and error() says why.
  bool next(RawLine& line);
  const std::string& error() const { return error_; }

 private:
  bool fill();

  const Part& part_;
  std::string buffer_;  // from `used_` on, bytes that were read and are not yet returned
  std::size_t used_ = 0;
  std::uint64_t read_to_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t at_ = 0;
  std::string error_;
};

// Adds the bytes [from, to) of a part to a digest. False: they could not be read.
bool read_range(const Part& part, std::uint64_t from, std::uint64_t to, Sha256& digest);

}  // namespace wtool::host::audit
