// The whole outputs of commands, kept while this server runs and there is room: job_poll and output_read show what the
// answer to a call had to leave out.
//
//   OutputStore store(256 << 20);
//   const std::shared_ptr<StoredOutput> output = store.open();
//   output->add(OutputStream::standard_output, bytes);  // as the command writes
//   const int number = store.number(output);            // from now on, the output is found by this number
//   store.find(number)->read(OutputStream::standard_output, 0, 1024);
//
// - Each stream is kept separately, byte for byte, from its beginning.
// - All outputs are in one file without a name: no command finds it by a path, and nothing has to be removed. If no
//   file system supports such a file, they are in memory.
// - All outputs together have a limit. To make room, the oldest output that is not in use is dropped. If there is still
//   no room, or the file cannot be written (a full disk), a stream keeps its beginning, and any further bytes are only
//   counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "loader/tool_caller.h"

namespace wtool::host::mcp {

class OutputStore;

// The output of one command. Any thread may call any member. The store must outlive it.
class StoredOutput {
 public:
  struct Size {
    std::uint64_t written = 0;  // by the command
    std::uint64_t kept = 0;     // how many of these bytes are kept, from the beginning
    int error = 0;  // the errno with which the file could not be written; 0: there was no room, or all is kept

    std::uint64_t lost() const { return written - kept; }
    // Why bytes were not kept, for people.
    std::string why_lost() const;
  };

  explicit StoredOutput(OutputStore& store) : store_(store) {}
  StoredOutput(const StoredOutput&) = delete;
  StoredOutput& operator=(const StoredOutput&) = delete;
  ~StoredOutput();

  void add(OutputStream stream, std::string_view bytes);
  Size size(OutputStream stream) const;
  // At most `most` bytes from `offset` on; fewer if fewer are kept.
  std::string read(OutputStream stream, std::uint64_t offset, std::size_t most) const;
  // `offset`, or the beginning of the character that it would cut in two.
  std::uint64_t between_characters(OutputStream stream, std::uint64_t offset) const;

 private:
  struct Stream {
    Size size;
    std::vector<std::uint32_t> blocks;
  };

  OutputStore& store_;
  mutable std::mutex mutex_;
  std::array<Stream, 2> streams_;
};

// Any thread may call any member.
class OutputStore {
 public:
  explicit OutputStore(std::uint64_t max_bytes);

  std::shared_ptr<StoredOutput> open() { return std::make_shared<StoredOutput>(*this); }

  // Gives the output a number, under which find() finds it until it is dropped to make room.
  int number(const std::shared_ptr<StoredOutput>& output);
  // The output with this number; nullptr: no output has this number, or it was dropped.
  std::shared_ptr<StoredOutput> find(int number) const;
  // True if an output has ever had this number.
  bool was_there(int number) const;
  std::uint64_t max_bytes() const { return max_bytes_; }

 private:
  friend class StoredOutput;

  std::optional<std::uint32_t> take_block();
  void give_back(const std::vector<std::uint32_t>& blocks);
  std::shared_ptr<StoredOutput> take_oldest();

  const std::uint64_t max_bytes_;
  const Descriptor file_;
  mutable std::mutex mutex_;
  std::vector<std::uint32_t> free_;  // blocks of the file that are not in use
  std::uint32_t blocks_ = 0;         // how many blocks the file has
  int last_number_ = 0;
  std::map<int, std::shared_ptr<StoredOutput>> outputs_;  // declared last: a destroyed output gives its blocks back
};

}  // namespace wtool::host::mcp
