// The whole outputs of commands, kept while this server runs and there is room: job_poll and output_read show what the
// answer to a call had to leave out.
//
//   OutputStore store(256 << 20);
//   const std::shared_ptr<StoredOutput> output = store.open();
//   output->add(OutputStream::standard_output, bytes);  // as the command writes
//   output->end();                                      // when it has ended
//   const int number = store.number(output);            // from now on, the output is found by this number
//   store.find(number)->read(OutputStream::standard_output, 0, 1024);
//
// - Each stream is kept separately, byte for byte.
// - All outputs are in one file without a name: no command finds it by a path, and nothing has to be removed. If no
//   file system supports such a file, they are in memory.
// - All outputs together have a limit. To make room, the oldest output that is not in use is dropped. If there is still
//   no room, or the disk is full, an output keeps its beginning and its end: further bytes take the place of earlier ones
//   in the middle. So a stream has at most one gap, whose place is known exactly.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
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

// Numbers of blocks of the store's file.
using Blocks = std::deque<std::uint32_t>;

// The output of one command. Any thread may call any member. The store must outlive it.
class StoredOutput {
 public:
  struct Size {
    std::uint64_t written = 0;  // by the command
    // The bytes from gap_begin to gap_end are not kept. All others are.
    std::uint64_t gap_begin = 0, gap_end = 0;
    int error = 0;  // the errno with which the file could not be written; 0: there was no room, or all is kept

    std::uint64_t lost() const { return gap_end - gap_begin; }
    // How many of the bytes from `begin` to `end` are not kept.
    std::uint64_t lost(std::uint64_t begin, std::uint64_t end) const;
    // `offset`, or the end of the gap if the byte there is not kept.
    std::uint64_t after_gap(std::uint64_t offset) const {
      return offset >= gap_begin && offset < gap_end ? gap_end : offset;
    }
    // Why bytes were not kept, for people.
    std::string why_lost() const;
  };

  explicit StoredOutput(OutputStore& store) : store_(store) {}
  StoredOutput(const StoredOutput&) = delete;
  StoredOutput& operator=(const StoredOutput&) = delete;
  ~StoredOutput();

  void add(OutputStream stream, std::string_view bytes);
  // Nothing more will be added.
  void end() { has_ended_.store(true); }
  bool has_ended() const { return has_ended_.load(); }
  Size size(OutputStream stream) const;
  // At most `most` bytes from `offset` on; fewer if the stream or what is kept of it ends before. The bytes on the two
  // sides of a gap are never in one answer.
  std::string read(OutputStream stream, std::uint64_t offset, std::size_t most) const;
  // `offset`, or the beginning of the character that it would cut in two.
  std::uint64_t between_characters(OutputStream stream, std::uint64_t offset) const;

 private:
  struct Stream {
    Size size;
    Blocks head;  // from the beginning of the stream to the gap; the whole stream if it has no gap
    Blocks tail;  // from the gap to the end; its first block has the byte at gap_end

    // The block with the byte at `offset`, which is outside of the gap; nullptr: the byte has no block yet.
    const std::uint32_t* block_of(std::uint64_t offset) const;
    // How many blocks stay at its beginning when others are taken from its middle; and how many may be taken.
    std::size_t beginning() const { return std::max<std::size_t>(head.size() / 2, 1); }
    std::size_t spare() const {
      if (size.lost() > 0) return tail.size();
      return head.size() - std::min(head.size(), beginning());
    }
  };

  // The caller of these functions holds mutex_.
  bool make_room(Stream& stream);
  std::optional<std::uint32_t> take_from_middle(int error);
  void lose(Stream& stream, std::size_t bytes);
  std::string read(const Stream& stream, std::uint64_t offset, std::size_t most) const;

  OutputStore& store_;
  std::atomic<bool> has_ended_{false};
  mutable std::mutex mutex_;
  std::array<Stream, 2> streams_;
};

// Any thread may call any member.
class OutputStore {
 public:
  explicit OutputStore(std::uint64_t max_bytes);

  std::shared_ptr<StoredOutput> open() { return std::make_shared<StoredOutput>(*this); }

  // Gives the output a number, under which find() finds it until it is dropped to make room. An output that has a number
  // keeps it.
  int number(const std::shared_ptr<StoredOutput>& output);
  // The output with this number; nullptr: no output has this number, or it was dropped.
  std::shared_ptr<StoredOutput> find(int number) const;
  // True if an output has ever had this number.
  bool was_there(int number) const;
  std::uint64_t max_bytes() const { return max_bytes_; }

 private:
  friend class StoredOutput;

  // Nothing: there is no room, or `error` is the errno of what failed.
  std::optional<std::uint32_t> take_block(int& error);
  void give_back(const Blocks& blocks);
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
