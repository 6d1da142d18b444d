#include "way.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace wtool::bench {
namespace {

constexpr unsigned most_figures = 1'000'000;

// Moves one direction of the protocol to a descriptor that no command inherits: commands get /dev/null instead.
std::FILE* keep_apart(int stream, const char* mode) {
  const int fd = fcntl(stream, F_DUPFD_CLOEXEC, 10);
  std::FILE* const file = fd < 0 ? nullptr : fdopen(fd, mode);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (file == nullptr || nothing < 0 || dup2(nothing, stream) < 0) throw Failure("the protocol has no descriptors");
  close(nothing);
  return file;
}

void answer(std::FILE* replies, const char* word, std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::fprintf(replies, "%s %s\n", word, text.c_str());
  std::fflush(replies);
}

// 500 calls at the same time need more descriptors than the 1,024 that a process usually starts with.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 65536);
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Way timed(std::function<void()> body) {
  return {[body = std::move(body)](unsigned count) {
    Figures figures;
    figures.reserve(count);
    for (unsigned i = 0; i < count; ++i) {
      const auto began = Clock::now();
      body();
      figures.push_back(nanoseconds_since(began));
    }
    return figures;
  }};
}

void touch_memory(std::size_t megabytes) {
  const std::size_t size = megabytes * 1024 * 1024;
  if (size == 0) return;
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Failure("no memory for a host of " + std::to_string(megabytes) + " MB");
  std::memset(memory, 1, size);
}

WorkerArguments parse_arguments(int argc, char** argv) {
  WorkerArguments result;
  int at = 1;
  if (at < argc) result.way = argv[at++];
  for (; at < argc; ++at) {
    const std::string word = argv[at];
    if (word == "--host-mb" && at + 1 < argc) {
      result.host_megabytes = std::strtoul(argv[++at], nullptr, 10);
    } else if (word == "--config" && at + 1 < argc) {
      result.configuration = argv[++at];
    } else {
      if (word == "--") ++at;
      break;
    }
  }
  result.rest.assign(argv + at, argv + argc);
  return result;
}

int serve(const WorkerArguments& arguments, const std::function<Way()>& make) try {
  std::FILE* const requests = keep_apart(STDIN_FILENO, "r");
  std::FILE* const replies = keep_apart(STDOUT_FILENO, "w");
  Way way;
  try {
    raise_descriptor_limit();
    touch_memory(arguments.host_megabytes);
    way = make();
  } catch (const std::exception& error) {
    answer(replies, "cannot", error.what());
    return 1;
  }
  answer(replies, "ready", way.note);
  char line[64];
  while (std::fgets(line, sizeof line, requests) != nullptr) {
    unsigned count = 0;
    if (std::sscanf(line, "run %u", &count) != 1 || count > most_figures) {
      answer(replies, "failed", "the request is not understood");
      continue;
    }
    try {
      std::string text;
      for (const std::int64_t figure : way.run(count)) text += std::to_string(figure) + " ";
      answer(replies, "took", text);
    } catch (const std::exception& error) {
      answer(replies, "failed", error.what());
    }
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

}  // namespace wtool::bench
