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

#include "base/descriptor.h"
#include "base/files.h"
#include "reporting/graph.h"

extern char** environ;

namespace wtool::host::workflow {
namespace {

// A file that holds the text, and is read from its beginning.
bool fill(int file, std::string_view text) {
  return write_all(file, text).error == 0 && ::lseek(file, 0, SEEK_SET) == 0;
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
  const Descriptor input(::memfd_create("graph", MFD_CLOEXEC));
  std::array<int, 2> ends{-1, -1};
  if (!input || !fill(input.get(), graph) || ::pipe2(ends.data(), O_CLOEXEC) != 0) {
    error = std::string("cannot pass the graph on to the program dot: ") + ::strerror(errno);
    return {};
  }
  const Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  pid_t pid = -1;
  const int failed = start(pid, format, input.get(), to.get());
  to.reset();
  if (failed != 0) {
    error = failed == ENOENT ? "the format " + format +
                                   " is drawn by the program dot, which is not there; install Graphviz (Debian: apt "
                                   "install graphviz), or use --format mermaid or dot"
                             : std::string("the program dot cannot be started: ") + ::strerror(failed);
    return {};
  }
  std::string drawn;
  // The picture of the largest workflow is far smaller.
  constexpr std::size_t max_bytes = 256UL * 1024 * 1024;
  if (const int broken = read_all(from.get(), max_bytes, drawn); broken != 0) drawn.clear();
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !drawn.empty()) return drawn;
  error = "the program dot could not draw the graph" +
          (WIFEXITED(status) ? ": exit status " + std::to_string(WEXITSTATUS(status)) : std::string(": it was killed"));
  return {};
}

}  // namespace wtool::host::workflow
