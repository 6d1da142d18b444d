// Writes an audit trail as the plugin would, in a separate process that a test may kill, stop, or give a fault. Each
// thread writes events with a call of its own, NAME-THREAD-NUMBER, and prints "wrote NAME-THREAD-NUMBER" when one is
// written, or "failed NAME-THREAD-NUMBER: WHY".
//
// Usage: audit_writer KEY=VALUE...
//   file, max_bytes, keep, sync=data, lock_wait (ms)   the trail's options
//   name, threads, count, pad                          how the calls are named, how many threads write, how many events
//                                                      each of them writes, and how many bytes longer each event is
//   file_limit=BYTES                                   RLIMIT_FSIZE; SIGXFSZ keeps its default action, which is deadly
//   full=FOLDER, copy_to=OTHER                         a file system of 64 KiB at FOLDER, which must exist; in the end,
//                                                      the trail, which is in it, is copied to OTHER
//   hold=1                                             locks the file, prints "holding", and waits
// Exits with 77 where the system does not let it mount.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "audit/trail.h"
#include "support/mounts.h"

namespace {

std::map<std::string, std::string> given;

std::uint64_t number(const std::string& key, std::uint64_t otherwise) {
  const auto found = given.find(key);
  return found == given.end() ? otherwise : std::stoull(found->second);
}

// Writes the line immediately and in one piece, so that a test that kills this process knows what was written before.
void say(std::string line) {
  line += '\n';
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) ::_exit(3);
}

void write_events(wtool::audit::Trail& trail, const std::string& name) {
  const std::string pad(number("pad", 0), 'x');
  for (std::uint64_t i = 0; i < number("count", 1); ++i) {
    const std::string call = name + '-' + std::to_string(i);
    const std::string problem = trail.write("start", {{"call", call}, {"command", "true " + pad}});
    say(problem.empty() ? "wrote " + call : "failed " + call + ": " + problem);
  }
}

// Copies the trail from the file system at `folder`, which only this process sees, to a folder that others see.
void copy_out(const std::string& file, const std::string& folder, const std::string& to) {
  std::filesystem::copy(file, to + file.substr(folder.size()));
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto equals = word.find('=');
    if (equals == std::string::npos) return 2;
    given[word.substr(0, equals)] = word.substr(equals + 1);
  }
  if (given.contains("full") &&
      (!wtool::test::leave_mounts() || ::mount("tmpfs", given["full"].c_str(), "tmpfs", 0, "size=64k") != 0)) {
    return 77;
  }
  if (given.contains("file_limit")) {
    const rlimit limit{number("file_limit", 0), RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  wtool::audit::TrailOptions options;
  options.file = given["file"];
  options.max_bytes = number("max_bytes", 0);
  options.keep = static_cast<std::uint32_t>(number("keep", 0));
  options.sync_data = given["sync"] == "data";
  options.lock_wait = std::chrono::milliseconds(number("lock_wait", 30'000));
  if (given.contains("hold")) {
    const int file = ::open(options.file.c_str(), O_RDONLY);
    if (file < 0 || ::flock(file, LOCK_EX) != 0) return 3;
    say("holding");
    ::pause();
  }
  wtool::audit::Trail trail(options);
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < number("threads", 1); ++i) {
    threads.emplace_back([&trail, i] { write_events(trail, given["name"] + '-' + std::to_string(i)); });
  }
  for (std::thread& thread : threads) thread.join();
  if (given.contains("copy_to")) copy_out(given["file"], given["full"], given["copy_to"]);
  say("done");
  return 0;
}
