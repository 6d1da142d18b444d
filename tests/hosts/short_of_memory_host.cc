// Hosts whose thread is refused memory once in a call: in the first host at its first allocation, in the second at its
// second, and so on until a call needs no more. When a call returns, nothing of its command may be left.
//
// Each host is a separate process. The JSON library allocates in destructors, where the error ends the process: nothing
// may be left then, either.
//
// Writes one line for each host that left something, or whose call had a wrong result. At the end, writes how many
// hosts there were, and how many of them the error has ended. Exits with 0 if all is well.
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "support/plugin.h"
#include "support/processes.h"

extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* __libc_calloc(std::size_t count, std::size_t size);
extern "C" void* __libc_realloc(void* old, std::size_t size);

namespace {

// How many allocations of this thread still succeed; below 0: all.
thread_local long left = -1;
thread_local bool refused = false;

bool refuse() {
  if (left < 0) return false;
  if (left > 0) {
    --left;
    return false;
  }
  left = -1;  // Only once, so that the code that handles the error has memory again.
  refused = true;
  errno = ENOMEM;
  return true;
}

}  // namespace

extern "C" void* malloc(std::size_t size) { return refuse() ? nullptr : __libc_malloc(size); }
extern "C" void* calloc(std::size_t count, std::size_t size) { return refuse() ? nullptr : __libc_calloc(count, size); }
extern "C" void* realloc(void* old, std::size_t size) { return refuse() ? nullptr : __libc_realloc(old, size); }

using namespace wtool::test;

namespace {

enum Result : int { good = 0, no_such_point = 10, wrong = 11 };

int call_without_memory(const char* command, const Mark& mark, long point) {
  Plugin plugin;
  const ToolUnderTest tool(plugin);
  tool.shell("true");
  const std::string arguments = Json{{"command", command}, {"environment", {{"WTOOL_TEST_MARK", mark.text()}}}}.dump();
  wtool_request request{};
  request.struct_size = sizeof request;
  request.arguments = {arguments.data(), arguments.size()};
  wtool_blob result{}, error{};
  result.struct_size = error.struct_size = sizeof(wtool_blob);
  wtool_call* call = nullptr;
  left = point;
  wtool_status status = tool.get().call_new(&tool.get(), &request, &call, &error);
  if (status == WTOOL_OK) status = tool.get().call_run(call, &result, &error);
  left = -1;
  const bool nothing_left = mark.bearers().empty();
  if (!nothing_left) std::printf("allocation %ld: %s\n", point, mark.description().c_str());
  if (result.release != nullptr) result.release(&result);
  if (error.release != nullptr) error.release(&error);
  if (call != nullptr) tool.get().call_free(call);
  if (status != WTOOL_OK && status != WTOOL_E_RESOURCE) std::printf("allocation %ld: status %d\n", point, status);
  if (!nothing_left || (status != WTOOL_OK && status != WTOOL_E_RESOURCE)) return wrong;
  return refused ? good : no_such_point;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;  // The argument is the command; the host adds the mark for its processes.
  int failures = 0, ended = 0;
  long point = 0;
  for (bool more = true; more; ++point) {
    const Mark mark;
    const pid_t host = fork();
    if (host == 0) {
      int result = wrong;
      try {
        result = call_without_memory(words[1], mark, point);
      } catch (const std::exception& problem) {
        std::printf("allocation %ld: %s\n", point, problem.what());
      }
      std::fflush(stdout);
      _exit(result);
    }
    int status = 0;
    if (host < 0 || waitpid(host, &status, 0) != host) return 2;
    if (WIFSIGNALED(status)) {
      ++ended;
      if (!wait_until([&] { return mark.bearers().empty(); }, std::chrono::seconds(10))) {
        std::printf("allocation %ld ended its host: %s\n", point, mark.description().c_str());
        ++failures;
      }
    } else if (WEXITSTATUS(status) != good && WEXITSTATUS(status) != no_such_point) {
      ++failures;
    }
    more = WIFSIGNALED(status) || WEXITSTATUS(status) != no_such_point;
  }
  std::printf("%ld hosts, %d of them ended\n", point, ended);
  return failures == 0 && point > 100 ? 0 : 1;
}
