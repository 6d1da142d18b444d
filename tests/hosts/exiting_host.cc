// A small host that calls exit(), or whose forked child ends. It says on standard output what it sees, line by line.
//
// Usage: exiting_host call ARGUMENTS
//          calls exit(7) while a call with these arguments runs and has written "ready"
//        exiting_host exit | deinit
//          keeps a process and a program in a terminal, and forks a child that calls exit(), or that ends its copy of the
//          plugin and then opens one of its own; then says what is left of the two
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "support/plugin.h"

using namespace wtool::test;

// For the leak checker: what other threads hold seems lost in exit(), and all the more in a forked child, which has no
// other threads.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() { return 1; }

namespace {

void say(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

int exit_during_call(const char* arguments) {
  Plugin plugin;
  const ToolUnderTest tool(plugin);
  RunningCall call(tool, Json::parse(arguments));
  if (!call.wait_for_output("ready")) return 2;
  std::exit(7);
}

int fork_child(bool deinit) {
  std::optional<Plugin> plugin(std::in_place);
  std::optional<ToolUnderTest> shell(std::in_place, *plugin, Json{{"background", "keep"}});
  std::optional<ToolUnderTest> start(std::in_place, *plugin, Json::object(), "pty_start");
  std::optional<ToolUnderTest> read(std::in_place, *plugin, Json::object(), "pty_read");
  const std::string kept = shell->shell("sleep 61 > /dev/null 2>&1 & echo $!").out();
  const std::string pty = start->run({{"command", "cat"}}).metadata().at("pty");
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);  // a child that waits for threads of its parent never ends
    if (!deinit) std::exit(0);
    shell.reset();
    start.reset();
    read.reset();
    plugin.reset();
    Plugin own;
    say("child says " + ToolUnderTest(own).shell("echo own").out());
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  say("child ended with " + std::to_string(status));
  say(shell->shell("kill -0 " + kept).exit_code() == 0 ? "the process lives" : "the process is dead");
  say("the terminal is " + read->run({{"pty", pty}}).metadata().at("state").get<std::string>());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "call" && argc == 3) return exit_during_call(argv[2]);
  if (what == "exit" || what == "deinit") return fork_child(what == "deinit");
  return 2;
}
