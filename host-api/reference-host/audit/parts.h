// The files of an audit trail: those that it was rotated to, oldest first, and FILE itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wtool::host::audit {

// An open file, closed at the end.
class Handle {
 public:
  explicit Handle(int number = -1) : number_(number) {}
  Handle(Handle&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Handle& operator=(Handle&& other) noexcept;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle();
  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

struct Part {
  std::string path;
  std::string name;        // the path's last component, as errors call it
  bool newest = false;     // FILE itself
  Handle file{};           // open when the part is the newest; the others are opened when their turn comes
  std::uint64_t size = 0;  // of an open one: how much of it belongs to this snapshot
};

// The parts as they were at one instant: lines that are written, and rotations that happen, while they are read do not
// count. Waits a few seconds for a line that is just being written. Nothing: `error` says why.
std::optional<std::vector<Part>> find_parts(const std::string& file, std::string& error);

// Opens a part, unless it is open. 0, or the errno, and then `error` says why.
int open_part(Part& part, std::string& error);

}  // namespace wtool::host::audit
