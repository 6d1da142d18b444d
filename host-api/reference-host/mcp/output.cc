#include "mcp/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <system_error>
#include <utility>

namespace wtool::host::mcp {

namespace {

// While more bytes than this are waiting, notifications are dropped.
constexpr std::size_t much = 256 * 1024;
// While more bytes than this are waiting, the output is full. It is far more than the answers of a client that sends a
// few hundred requests before it reads.
constexpr std::size_t too_much = 8UL * 1024 * 1024;
// What a line costs besides its bytes.
constexpr std::size_t cost_of_line = 64;

bool is_socket(int descriptor) {
  struct stat info {};
  return ::fstat(descriptor, &info) == 0 && S_ISSOCK(info.st_mode);
}

// A second description of the same pipe, whose writes do not block. None if `descriptor` is not a pipe, or if the pipe
// may not be opened, for example because it belongs to another user.
Descriptor opened_again(int descriptor) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0 || !S_ISFIFO(info.st_mode)) return {};
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  return Descriptor(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
}

}  // namespace

Output::Output(int descriptor, std::function<void()> gone)
    : descriptor_(descriptor),
      is_socket_(is_socket(descriptor)),
      gone_(std::move(gone)),
      pipe_(opened_again(descriptor)) {
  if (!hurry_ || !room_) throw std::system_error(errno, std::generic_category(), "eventfd");
  thread_ = std::thread([this] { write_all(); });
}

Output::~Output() { finish(std::chrono::milliseconds(0)); }

void Output::send(std::string line) {
  const std::lock_guard lock(mutex_);
  if (!gone_already_) take(std::move(line));
}

// Lines that the client accepts immediately are written here: passing them to the thread would add a wake-up to every
// answer.
void Output::take(std::string line) {
  std::size_t written = 0;
  bool failed = false;
  while (lines_.empty() && !writing_ && !failed && written < line.size() && has_room()) {
    written += write_some(std::string_view(line).substr(written), failed);
  }
  if (written == line.size()) return;
  line.erase(0, written);
  bytes_ += line.size();
  lines_.push_back(std::move(line));
  full_ = full_ || cost() > too_much;
  changed_.notify_one();  // If the write failed, the thread will get the same error.
}

bool Output::send_notification(std::string line) {
  const std::lock_guard lock(mutex_);
  if (gone_already_ || bytes_ > much) return false;
  take(std::move(line));
  return true;
}

std::size_t Output::cost() const { return bytes_ + lines_.size() * cost_of_line; }

bool Output::is_full() {
  const std::lock_guard lock(mutex_);
  if (full_) room_.clear();
  return full_;
}

void Output::set_on_room(std::function<void()> on_room) {
  const std::lock_guard lock(room_mutex_);
  on_room_ = std::move(on_room);
}

void Output::tell_room() {
  const std::lock_guard lock(room_mutex_);
  if (on_room_) on_room_();
}

void Output::finish(std::chrono::milliseconds patience) {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
    changed_.notify_one();
  }
  patience_.store(static_cast<int>(std::min<std::int64_t>(patience.count(), INT_MAX)));
  hurry_.signal();
  thread_.join();
  const std::lock_guard lock(mutex_);  // A thread that logs may still write to the pipe.
  pipe_.reset();                       // The client must not wait for more.
}

void Output::write_all() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return !lines_.empty() || finishing_; });
    if (lines_.empty()) return;
    const std::string line = std::move(lines_.front());
    lines_.pop_front();
    writing_ = true;
    lock.unlock();
    const bool written = write_line(line);
    lock.lock();
    writing_ = false;
    bytes_ -= line.size();
    if (!written) {
      gone_already_ = true;
      lines_.clear();
      bytes_ = 0;
    }
    // Half of the room must be free, so that nobody is woken for each line.
    if (!written) {
      full_ = false;
      room_.signal();
      lock.unlock();
      // First of all, the server must know that nobody reads, so that it begins no call because there is room.
      gone_();
      tell_room();
      return;
    }
    if (full_ && cost() <= too_much / 2) {
      full_ = false;
      room_.signal();
      lock.unlock();
      tell_room();
      lock.lock();
    }
  }
}

bool Output::write_line(std::string_view line) {
  while (!line.empty()) {
    if (!wait_for_room()) return false;
    bool failed = false;
    line.remove_prefix(write_some(line, failed));
    if (failed) return false;
  }
  return true;
}

// Waits until the descriptor takes something. False: the client has gone, or the patience of finish() is over.
bool Output::wait_for_room() const {
  while (true) {
    const int patience = patience_.load();
    // hurry_ stays readable once it is set, so it is watched only until then.
    std::array<pollfd, 2> watched{{{descriptor_, POLLOUT, 0}, {patience < 0 ? hurry_.descriptor() : -1, POLLIN, 0}}};
    const int ready = ::poll(watched.data(), watched.size(), patience);
    if (ready == 0) return false;
    if (ready < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (ready > 0 && watched[0].revents != 0) return (watched[0].revents & POLLOUT) != 0;
  }
}

bool Output::has_room() const {
  pollfd watched{descriptor_, POLLOUT, 0};
  return ::poll(&watched, 1, 0) == 1 && (watched.revents & POLLOUT) != 0;
}

std::size_t Output::write_some(std::string_view bytes, bool& failed) {
  const ssize_t written = write_without_waiting(bytes);
  if (written >= 0) return static_cast<std::size_t>(written);
  failed = errno != EINTR && errno != EAGAIN;
  if (failed && errno != EPIPE && errno != ECONNRESET) failure_.store(errno);
  return 0;
}

// A pipe that is ready takes PIPE_BUF bytes without blocking, but may block for more.
ssize_t Output::write_without_waiting(std::string_view bytes) const {
  if (is_socket_) return ::send(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (pipe_) return ::write(pipe_.get(), bytes.data(), bytes.size());
  return ::write(descriptor_, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
}

}  // namespace wtool::host::mcp
