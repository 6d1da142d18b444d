#include "bare_ways.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <latch>
#include <memory>
#include <mutex>
#include <thread>

namespace wtool::bench {
namespace {

constexpr int default_pipe = 64 * 1024;
constexpr int large_pipe = 256 * 1024;

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

void make_pipe(int (&ends)[2]) {
  if (pipe2(ends, O_CLOEXEC) != 0) throw Failure("pipe2 failed");
}

void reap(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) throw Failure("the program failed");
}

// This is a function of its own, because the child of vfork runs on its caller's stack.
pid_t start(char* const* argv, int out, int err) {
  const pid_t child = vfork();
  if (child == 0) {
    if (out >= 0) dup2(out, STDOUT_FILENO);
    if (err >= 0) dup2(err, STDERR_FILENO);
    execv(argv[0], argv);
    _exit(127);
  }
  if (child < 0) throw Failure("vfork failed");
  return child;
}

// The programs write little on the second stream while the first one is read, so no poll is needed.
void read_to_end(int fd) {
  char buffer[4096];
  while (read(fd, buffer, sizeof buffer) > 0) {
  }
  close(fd);
}

// A way that times `body` with a command line that lives as long as the way.
template <typename Body>
Way with_words(std::vector<std::string> argv, Body body) {
  if (argv.empty()) throw Failure("no program was named");
  auto words = std::make_shared<std::vector<std::string>>(std::move(argv));
  return timed([words, pointed = pointers(*words), body] { body(pointed.data()); });
}

}  // namespace

Way bare(std::vector<std::string> argv) {
  return with_words(std::move(argv), [](char* const* words) {
    int out[2];
    int err[2];
    make_pipe(out);
    make_pipe(err);
    const pid_t child = start(words, out[1], err[1]);
    close(out[1]);
    close(err[1]);
    read_to_end(out[0]);
    read_to_end(err[0]);
    reap(child);
  });
}

Way spawned(std::vector<std::string> argv) {
  return with_words(std::move(argv), [](char* const* words) {
    int out[2];
    int err[2];
    make_pipe(out);
    make_pipe(err);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
    pid_t child = -1;
    const int failed = posix_spawnp(&child, words[0], &actions, nullptr, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    close(err[1]);
    read_to_end(out[0]);
    read_to_end(err[0]);
    if (failed != 0) throw Failure(std::string(words[0]) + " cannot be started");
    reap(child);
  });
}

Way drained(std::vector<std::string> argv) {
  return with_words(std::move(argv), [](char* const* words) {
    int ends[2];
    make_pipe(ends);
    const pid_t child = start(words, ends[1], -1);
    close(ends[1]);
    const std::unique_ptr<char[]> buffer(new char[large_pipe]);
    int size = default_pipe;
    for (ssize_t got; (got = read(ends[0], buffer.get(), static_cast<std::size_t>(size))) > 0;) {
      const bool full = got == default_pipe && size == default_pipe;
      if (full && fcntl(ends[0], F_SETPIPE_SZ, large_pipe) > 0) size = large_pipe;
    }
    close(ends[0]);
    reap(child);
  });
}

Way killed(std::vector<std::string> argv) {
  if (argv.empty()) throw Failure("no program was named");
  const auto words = std::make_shared<std::vector<std::string>>(std::move(argv));
  return {[words](unsigned count) {
    const std::vector<char*> pointed = pointers(*words);
    Figures figures;
    for (unsigned i = 0; i < count; ++i) {
      int ends[2];
      make_pipe(ends);
      const pid_t leader = fork();
      if (leader == 0) {
        setsid();
        dup2(ends[1], STDOUT_FILENO);
        execv(pointed[0], pointed.data());
        _exit(127);
      }
      close(ends[1]);
      char ready;
      if (leader < 0 || read(ends[0], &ready, 1) != 1) throw Failure("the tree could not be made");
      const auto began = Clock::now();
      kill(-leader, SIGKILL);
      read_to_end(ends[0]);
      waitpid(leader, nullptr, 0);
      figures.push_back(nanoseconds_since(began));
    }
    return figures;
  }};
}

std::int64_t at_once(unsigned threads, const std::function<void()>& body) {
  std::latch ready(static_cast<std::ptrdiff_t>(threads) + 1);
  std::mutex mutex;
  std::exception_ptr failed;
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; ++i) {
    running.emplace_back([&] {
      ready.arrive_and_wait();
      try {
        body();
      } catch (...) {
        const std::lock_guard lock(mutex);
        failed = std::current_exception();
      }
    });
  }
  const auto began = Clock::now();
  ready.arrive_and_wait();
  for (std::thread& thread : running) thread.join();
  const std::int64_t took = nanoseconds_since(began);
  if (failed) std::rethrow_exception(failed);
  return took;
}

Way in_threads(Way way, unsigned threads, unsigned repeats) {
  return {[way = std::move(way), threads, repeats](unsigned count) {
    Figures figures;
    for (unsigned i = 0; i < count; ++i) figures.push_back(at_once(threads, [&] { way.run(repeats); }));
    return figures;
  }};
}

Way forked_in_threads(bool by_vfork, unsigned threads, std::vector<std::string> argv) {
  if (argv.empty()) throw Failure("no program was named");
  const auto words = std::make_shared<std::vector<std::string>>(std::move(argv));
  return {[by_vfork, threads, words](unsigned count) {
    const std::vector<char*> pointed = pointers(*words);
    Figures figures;
    for (unsigned i = 0; i < count; ++i) {
      figures.push_back(at_once(threads, [&] {
        const pid_t child = by_vfork ? start(pointed.data(), -1, -1) : fork();
        if (child == 0) {
          execv(pointed[0], pointed.data());
          _exit(127);
        }
        if (child < 0) throw Failure("fork failed");
        reap(child);
      }));
    }
    return figures;
  }};
}

}  // namespace wtool::bench
