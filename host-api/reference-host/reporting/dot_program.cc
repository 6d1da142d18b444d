// Runs the program `dot` without a shell: the graph lies in a file of memory that is its standard input, so that
// nothing can wait for something that waits for it.
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "reporting/graph.h"

extern char** environ;

namespace wtool::host::workflow {
namespace {

class Handle {
 public:
  explicit Handle(int descriptor = -1) : descriptor_(descriptor) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close(); }
  int get() const { return descriptor_; }
  void take(int descriptor) { descriptor_ = descriptor; }
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

 private:
  int descriptor_;
};

// A file that holds the text, and is read from its beginning.
bool fill(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return ::lseek(file, 0, SEEK_SET) == 0;
}

std::string read_all(int file) {
  std::string all;
  std::array<char, 65536> piece{};
  for (;;) {
    const ssize_t count = ::read(file, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return all;
    all.append(piece.data(), static_cast<std::size_t>(count));
  }
}

// 0, or the error by which it did not start.
int start(pid_t& pid, const std::string& format, int in, int out) {
  std::string option = "-T" + format;
  std::string name = "dot";
  std::array<char*, 3> words = {name.data(), option.data(), nullptr};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  const int failed = ::posix_spawnp(&pid, "dot", &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return failed;
}

}  // namespace

std::string drawn_by_dot(const std::string& graph, const std::string& format, std::string& error) {
  const Handle input(::memfd_create("graph", MFD_CLOEXEC));
  std::array<int, 2> ends{-1, -1};
  if (input.get() < 0 || !fill(input.get(), graph) || ::pipe2(ends.data(), O_CLOEXEC) != 0) {
    error = std::string("cannot pass the graph on to the program dot: ") + ::strerror(errno);
    return {};
  }
  const Handle from(ends[0]);
  Handle to(ends[1]);
  pid_t pid = -1;
  const int failed = start(pid, format, input.get(), to.get());
  to.close();
  if (failed != 0) {
    error = failed == ENOENT ? "the format " + format +
                                   " is drawn by the program dot, which is not there; install Graphviz (Debian: apt "
                                   "install graphviz), or use --format mermaid or dot"
                             : std::string("the program dot cannot be started: ") + ::strerror(failed);
    return {};
  }
  std::string drawn = read_all(from.get());
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !drawn.empty()) return drawn;
  error = "the program dot could not draw the graph" +
          (WIFEXITED(status) ? ": exit status " + std::to_string(WEXITSTATUS(status)) : std::string(": it was killed"));
  return {};
}

}  // namespace wtool::host::workflow
