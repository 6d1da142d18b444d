// A small host that is killed in the middle of a call. It says on standard output which processes serve it, then what
// the command writes, line by line as it comes.
//
// Usage: dying_host ARGUMENTS [fork | leave | CONFIGURATION]
//   ARGUMENTS      of the call that will be running
//   fork           forks a child first, which lives on with copies of all descriptors, until it is ended or 30 s have
//                  passed
//   leave          while the call runs, changes its warden and makes another call, so that the warden notices the
//                  change and leaves; then says "leaving"
//   CONFIGURATION  of the tool, as JSON
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "support/plugin.h"
#include "support/processes.h"

using namespace wtool::test;

namespace {

int show(const Event& event) {
  if (event.kind == WTOOL_EVENT_STDOUT) {
    std::fwrite(event.payload.data(), 1, event.payload.size(), stdout);
    std::fflush(stdout);
  }
  return 0;
}

// A changed warden makes no more custodians, and its only custodian is busy with the call.
void leave(const ToolUnderTest& tool, const char* arguments, pid_t warden) {
  RunningCall call(tool, Json::parse(arguments), {.on_event = show});
  if (!call.wait_for_output("ready")) return;
  setpriority(PRIO_PROCESS, static_cast<id_t>(warden), 19);
  if (warden_above(static_cast<pid_t>(std::stol(tool.shell("echo $PPID").out()))) != warden) {
    std::printf("leaving\n");
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  Plugin plugin;
  const ToolUnderTest tool(plugin, argc > 2 && argv[2][0] == '{' ? Json::parse(argv[2]) : Json::object());
  const auto custodian = static_cast<pid_t>(std::stol(tool.shell("echo $PPID").out()));
  const pid_t warden = warden_above(custodian);
  std::printf("warden %d\n", static_cast<int>(warden));
  if (argc > 2 && std::strcmp(argv[2], "fork") == 0) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(30);
      pause();
      _exit(0);
    }
    std::printf("child %d\n", static_cast<int>(child));
  }
  std::fflush(stdout);
  if (argc > 2 && std::strcmp(argv[2], "leave") == 0) {
    leave(tool, argv[1], warden);
    return 0;
  }
  const Answer answer = tool.run_text(argv[1], {.on_event = show});
  std::printf("over %s\n", answer.raw.c_str());
  return 0;
}
