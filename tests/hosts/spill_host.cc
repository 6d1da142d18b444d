// A small host in which writing output files fails, in a way that needs a separate process. It makes one call with
// output.spill always, then one more that writes a few bytes, and prints one JSON object with
// - "result": the result of the first call;
// - "is_prefix": whether the output file has the first bytes of what the command wrote;
// - "spilled": the size of that file in bytes;
// - "files": how many output files exist after both calls;
// - "next": the result of the second call;
// - "signals": how often the handler of SIGXFSZ ran;
// - "pending": whether SIGXFSZ waits, blocked, for the host.
//
// Usage: spill_host FAULT FOLDER COMMAND
//   full                               a file system of 1 MiB at FOLDER, which must exist
//   read-only                          the same, without permission to write
//   size-limit-default, -ignored, -handled, -blocked
//                                      a limit of 300,000 bytes for the host's files, and how the host handles SIGXFSZ
// Exits with 77 where the system does not let it mount.
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include "support/mounts.h"
#include "support/plugin.h"
#include "support/text.h"

using namespace wtool::test;
namespace fs = std::filesystem;

namespace {

constexpr int no_namespaces = 77;
constexpr rlim_t size_limit = 300'000;

std::atomic<int> signals{0};
void count_signal(int) { ++signals; }

bool prepare(const std::string& fault, const std::string& folder) {
  if (fault != "full" && fault != "read-only") return true;
  return leave_mounts() && mount("tmpfs", folder.c_str(), "tmpfs", fault == "full" ? 0 : MS_RDONLY, "size=1m") == 0;
}

// Called after the warden has been started, so that only the host has the limit.
void limit_file_size(const std::string& fault) {
  struct sigaction action {};
  action.sa_handler = fault == "size-limit-ignored" ? SIG_IGN : fault == "size-limit-handled" ? count_signal : SIG_DFL;
  sigaction(SIGXFSZ, &action, nullptr);
  if (fault == "size-limit-blocked") {
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGXFSZ);
    sigprocmask(SIG_BLOCK, &blocked, nullptr);
  }
  const rlimit limit{size_limit, RLIM_INFINITY};
  setrlimit(RLIMIT_FSIZE, &limit);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string fault = argv[1];
  const std::string folder = argv[2];
  if (!prepare(fault, folder)) return no_namespaces;
  Plugin plugin;
  const ToolUnderTest tool(plugin, Json{{"output", {{"spill", "always"}, {"directory", folder}}}});
  tool.shell("true");
  if (fault.starts_with("size-limit")) limit_file_size(fault);

  std::string wrote;
  const Answer answer = tool.shell(argv[3], {.on_event = [&](const Event& event) {
                                     if (event.kind != WTOOL_EVENT_STATE) wrote += event.payload;
                                     return 0;
                                   }});
  const std::string spilled = content_of(answer.metadata().value("output_file", ""));
  const Json next = tool.shell("echo next").result;
  const auto files = std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  sigset_t pending;
  sigpending(&pending);
  const Json report{{"result", answer.result},
                    {"is_prefix", wrote.compare(0, spilled.size(), spilled) == 0},
                    {"spilled", spilled.size()},
                    {"files", files},
                    {"next", next},
                    {"signals", signals.load()},
                    {"pending", sigismember(&pending, SIGXFSZ) == 1}};
  std::puts(report.dump().c_str());
  return 0;
}
