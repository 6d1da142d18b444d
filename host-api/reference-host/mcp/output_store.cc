#include "mcp/output_store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/environment.h"
#include "base/utf8.h"

namespace wtool::host::mcp {

namespace {

constexpr std::size_t block_size = 65536;
// How many outputs may have a number. The limit on bytes does not bound this count: an empty output takes no block.
constexpr std::size_t max_outputs = 1000;
// When this many blocks are unused, they are given back to the file system.
constexpr std::size_t many_blocks = 64;

int open_without_name() {
  for (const std::string& folder :
       {environment_folder("TMPDIR", "/var/tmp"), std::string("/var/tmp"), std::string("/tmp")}) {
    const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0) return file;
  }
  return ::memfd_create("outputs", MFD_CLOEXEC);
}

// A write beyond the process's limit for file sizes would end this process.
std::uint64_t within_file_limit(std::uint64_t bytes) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return bytes;
  return std::min<std::uint64_t>(bytes, limit.rlim_cur);
}

// Returns 0 or an errno.
int write_at(int file, std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return 0;
}

// Reserves a block on the disk, so that a full disk is noticed here, and not in the middle of the block. Returns 0 or an
// errno.
int reserve(int file, std::uint64_t place) {
  while (::fallocate(file, 0, static_cast<off_t>(place), block_size) != 0) {
    if (errno == EOPNOTSUPP) return 0;  // The file system cannot reserve anything.
    if (errno != EINTR) return errno;
  }
  return 0;
}

std::uint64_t place_of(std::uint32_t block) { return std::uint64_t{block} * block_size; }

}  // namespace

std::string StoredOutput::Size::why_lost() const {
  return error == 0 ? "mcp.stored_bytes" : std::string("writing failed: ") + ::strerror(error);
}

std::uint64_t StoredOutput::Size::lost(std::uint64_t begin, std::uint64_t end) const {
  const std::uint64_t first = std::max(begin, gap_begin);
  const std::uint64_t last = std::min(end, gap_end);
  return last > first ? last - first : 0;
}

const std::uint32_t* StoredOutput::Stream::block_of(std::uint64_t offset) const {
  const bool is_in_head = size.lost() == 0 || offset < size.gap_begin;
  const Blocks& blocks = is_in_head ? head : tail;
  const std::uint64_t index = offset / block_size - (is_in_head ? 0 : size.gap_end / block_size);
  return index < blocks.size() ? &blocks[index] : nullptr;
}

StoredOutput::~StoredOutput() {
  for (const Stream& stream : streams_) {
    store_.give_back(stream.head);
    store_.give_back(stream.tail);
  }
}

void StoredOutput::add(OutputStream which, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  Stream& stream = streams_[static_cast<std::size_t>(which)];
  while (!bytes.empty()) {
    const std::size_t at = stream.size.written % block_size;
    const std::string_view part = bytes.substr(0, block_size - at);
    if (make_room(stream)) {
      const std::uint64_t place = place_of(*stream.block_of(stream.size.written)) + at;
      if (const int error = write_at(store_.file_.get(), place, part); error == 0) {
        stream.size.written += part.size();
      } else {
        stream.size.error = error;
        lose(stream, part.size());
      }
    } else {
      lose(stream, part.size());
    }
    bytes.remove_prefix(part.size());
  }
}

// Makes sure that the next byte has a block. False: no block is free, and none can be taken from the middle.
bool StoredOutput::make_room(Stream& stream) {
  if (stream.block_of(stream.size.written) != nullptr) return true;
  int error = 0;
  std::optional<std::uint32_t> block = store_.take_block(error);
  if (!block) block = take_from_middle(error);
  if (!block) {
    stream.size.error = error;
    return false;
  }
  (stream.size.lost() == 0 ? stream.head : stream.tail).push_back(*block);
  return true;
}

// Takes a block from the middle of the stream that has more of them, so that much standard output does not push out the
// errors. Nothing: neither stream has one. `error`: why there is no other block.
std::optional<std::uint32_t> StoredOutput::take_from_middle(int error) {
  Stream& stream = streams_[0].spare() >= streams_[1].spare() ? streams_[0] : streams_[1];
  if (stream.spare() == 0) return std::nullopt;
  Size& size = stream.size;
  if (size.lost() == 0) {
    const auto middle = stream.head.begin() + static_cast<std::ptrdiff_t>(stream.beginning());
    stream.tail.assign(middle, stream.head.end());
    stream.head.erase(middle, stream.head.end());
    size.gap_begin = size.gap_end = stream.head.size() * block_size;
  }
  const std::uint32_t block = stream.tail.front();
  stream.tail.pop_front();
  size.gap_end = std::min((size.gap_end / block_size + 1) * block_size, size.written);
  size.error = error;
  // The rest of a character whose beginning is lost is of no use either.
  for (const char byte : read(stream, size.gap_end, 3)) {
    if (!continues_character(byte)) break;
    ++size.gap_end;
  }
  return block;
}

// Counts bytes that cannot be kept. What is between them and an earlier gap is dropped, because there is only one gap.
void StoredOutput::lose(Stream& stream, std::size_t bytes) {
  if (stream.size.lost() == 0) stream.size.gap_begin = stream.size.written;
  store_.give_back(std::exchange(stream.tail, {}));
  stream.size.written += bytes;
  stream.size.gap_end = stream.size.written;
}

StoredOutput::Size StoredOutput::size(OutputStream which) const {
  const std::lock_guard lock(mutex_);
  return streams_[static_cast<std::size_t>(which)].size;
}

std::string StoredOutput::read(OutputStream which, std::uint64_t offset, std::size_t most) const {
  const std::lock_guard lock(mutex_);
  return read(streams_[static_cast<std::size_t>(which)], offset, most);
}

std::string StoredOutput::read(const Stream& stream, std::uint64_t offset, std::size_t most) const {
  const Size& size = stream.size;
  if (size.lost(offset, offset + 1) > 0) return {};
  std::string bytes;
  const std::uint64_t last = size.lost() > 0 && offset < size.gap_begin ? size.gap_begin : size.written;
  const std::uint64_t end = std::min<std::uint64_t>(last, offset + most);
  while (offset < end) {
    const std::size_t at = offset % block_size;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(block_size - at, end - offset));
    const std::size_t had = bytes.size();
    bytes.resize(had + wanted);
    const auto place = place_of(*stream.block_of(offset)) + at;
    const ssize_t got = ::pread(store_.file_.get(), bytes.data() + had, wanted, static_cast<off_t>(place));
    bytes.resize(had + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got == 0 || (got < 0 && errno != EINTR)) break;
    if (got > 0) offset += static_cast<std::uint64_t>(got);
  }
  return bytes;
}

std::uint64_t StoredOutput::between_characters(OutputStream which, std::uint64_t offset) const {
  constexpr std::size_t longest = 4;
  const std::lock_guard lock(mutex_);
  const Stream& stream = streams_[static_cast<std::size_t>(which)];
  std::uint64_t begin = offset - std::min<std::uint64_t>(offset, longest - 1);
  if (stream.size.gap_end <= offset) begin = std::max(begin, stream.size.gap_end);
  return offset - unfinished_character(read(stream, begin, static_cast<std::size_t>(offset - begin)));
}

OutputStore::OutputStore(std::uint64_t max_bytes)
    : max_bytes_(within_file_limit(max_bytes)), file_(open_without_name()) {}

int OutputStore::number(const std::shared_ptr<StoredOutput>& output) {
  std::shared_ptr<StoredOutput> oldest;  // released after the mutex
  const std::lock_guard lock(mutex_);
  for (const auto& [number, kept] : outputs_) {
    if (kept == output) return number;
  }
  if (outputs_.size() >= max_outputs) oldest = take_oldest();
  outputs_.emplace(++last_number_, output);
  return last_number_;
}

std::shared_ptr<StoredOutput> OutputStore::find(int number) const {
  const std::lock_guard lock(mutex_);
  const auto found = outputs_.find(number);
  return found == outputs_.end() ? nullptr : found->second;
}

bool OutputStore::was_there(int number) const {
  const std::lock_guard lock(mutex_);
  return number > 0 && number <= last_number_;
}

// Takes the oldest output that has no other owner. It cannot get another owner meanwhile, because only find() shares
// outputs, and find() needs the mutex. With mutex_ held.
std::shared_ptr<StoredOutput> OutputStore::take_oldest() {
  const auto oldest =
      std::find_if(outputs_.begin(), outputs_.end(), [](const auto& one) { return one.second.use_count() == 1; });
  if (oldest == outputs_.end()) return nullptr;
  std::shared_ptr<StoredOutput> output = std::move(oldest->second);
  outputs_.erase(oldest);
  return output;
}

std::optional<std::uint32_t> OutputStore::take_block(int& error) {
  std::unique_lock lock(mutex_);
  while (free_.empty() && place_of(blocks_ + 1) > max_bytes_) {
    std::shared_ptr<StoredOutput> oldest = take_oldest();
    if (oldest == nullptr) return std::nullopt;
    lock.unlock();  // The output takes the mutex to give its blocks back.
    oldest.reset();
    lock.lock();
  }
  if (free_.empty()) {
    error = reserve(file_.get(), place_of(blocks_));
    return error == 0 ? std::optional(blocks_++) : std::nullopt;
  }
  const std::uint32_t block = free_.back();
  free_.pop_back();
  return block;
}

void OutputStore::give_back(const Blocks& blocks) {
  if (blocks.empty()) return;
  const std::lock_guard lock(mutex_);
  free_.insert(free_.end(), blocks.begin(), blocks.end());
  if (free_.size() < blocks_ || blocks_ < many_blocks || ::ftruncate(file_.get(), 0) != 0) return;
  free_.clear();
  blocks_ = 0;
}

}  // namespace wtool::host::mcp
