#include "servers/input_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/calm_poll.h"

namespace wtool::host::servers {
namespace {

// The longest wait for room in a full pipe before the thread checks whether it must end.
constexpr int full_pipe_ms = 50;
// How many bytes may wait for a server that does not read, before the next line is refused.
constexpr std::size_t max_waiting = 16UL << 20;

}  // namespace

std::string InputPipe::example() { return TemporaryPath::example("server", TemporaryPlace::guarded) + "/in"; }

std::unique_ptr<InputPipe> InputPipe::make(std::string& error) {
  // A command that could write to the pipe could call any tool of the server. The second try, on another file system, is
  // for a home folder whose file system has no pipes. A full disk must not lead there, because a command can fill it.
  for (const TemporaryPlace place : {TemporaryPlace::guarded, TemporaryPlace::shared}) {
    TemporaryPath folder = TemporaryPath::folder("server", error, place);
    if (!folder) {
      error = "the folder for the server's pipe " + error;
      return nullptr;
    }
    const std::string path = folder.path() + "/in";
    // The pipe is opened for reading and writing, so that neither side waits for the other to open it, and writing
    // without a reader causes no SIGPIPE.
    Descriptor pipe;
    if (::mkfifo(path.c_str(), 0600) == 0) pipe = Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
    if (pipe) return std::unique_ptr<InputPipe>(new InputPipe(std::move(folder), std::move(pipe)));
    const int failed = errno;
    error = "the server's pipe " + path + " cannot be created: " + ::strerror(failed);
    if (failed != EPERM && failed != EOPNOTSUPP && failed != ENOSYS) return nullptr;
  }
  return nullptr;
}

InputPipe::InputPipe(TemporaryPath folder, Descriptor pipe)
    : folder_(std::move(folder)), path_(folder_.path() + "/in"), pipe_(std::move(pipe)), thread_([this] { work(); }) {}

InputPipe::~InputPipe() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool InputPipe::write(std::string_view line) {
  {
    const std::lock_guard lock(mutex_);
    if (finished_) return true;
    if (waiting_.size() > max_waiting) return false;
    waiting_ += line;
    waiting_ += '\n';
  }
  changed_.notify_all();
  return true;
}

void InputPipe::finish(std::chrono::milliseconds time, std::function<void()> late) {
  {
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    finished_ = true;
    until_ = std::chrono::steady_clock::now() + time;
    late_ = std::move(late);
  }
  changed_.notify_all();
}

void InputPipe::work() {
  std::unique_lock lock(mutex_);
  // A server that does not read must not delay the end of its input.
  const auto is_late = [this] { return finished_ && std::chrono::steady_clock::now() >= until_; };
  while (!ends_) {
    changed_.wait(lock, [this] { return ends_ || finished_ || !waiting_.empty(); });
    const std::string bytes = std::exchange(waiting_, {});
    for (std::size_t at = 0; at < bytes.size() && !ends_ && !is_late();) {
      lock.unlock();
      const ssize_t count = ::write(pipe_.get(), bytes.data() + at, bytes.size() - at);
      if (count > 0) at += static_cast<std::size_t>(count);
      // Any other error would occur again, so the rest is dropped.
      if (count < 0 && errno != EAGAIN && errno != EINTR) at = bytes.size();
      if (count < 0 && errno == EAGAIN) {
        pollfd writable{pipe_.get(), POLLOUT, 0};
        calm_poll(&writable, 1, full_pipe_ms);
      }
      lock.lock();
    }
    if (!finished_ || ends_ || (!waiting_.empty() && !is_late())) continue;
    pipe_.reset();
    if (changed_.wait_until(lock, until_, [this] { return ends_; })) return;
    const std::function<void()> late = std::exchange(late_, {});
    lock.unlock();
    if (late) late();
    lock.lock();
    changed_.wait(lock, [this] { return ends_; });
  }
}

}  // namespace wtool::host::servers
