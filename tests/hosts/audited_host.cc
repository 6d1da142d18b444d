// A host with an audit trail that calls as fast as it can, until it is killed. Each command appends its id to a file,
// and each call that returns is printed as "called ID". If a call returns an error, the host prints "refused RESULT"
// and ends.
//
// Usage: audited_host NAME THREADS CONFIGURATION RAN
//   NAME           what the ids begin with
//   THREADS        how many threads make calls
//   CONFIGURATION  of the tool, as JSON
//   RAN            the file that the ids are appended to; its name must need no quoting
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "support/plugin.h"

using namespace wtool::test;

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  Plugin plugin;
  const ToolUnderTest tool(plugin, Json::parse(argv[3]));
  std::vector<std::thread> threads;
  for (int thread = 0; thread < std::stoi(argv[2]); ++thread) {
    threads.emplace_back([&, thread] {
      for (int number = 0;; ++number) {
        const std::string id = std::string(argv[1]) + '-' + std::to_string(thread) + '-' + std::to_string(number);
        const Answer answer = tool.shell("echo " + id + " >> " + argv[4]);
        const std::string line = answer.is_error() ? "refused " + answer.raw + '\n' : "called " + id + '\n';
        // Prints the line immediately and in one piece. If nobody reads any longer, this host ends as well.
        if (::write(STDOUT_FILENO, line.data(), line.size()) < 0 || answer.is_error()) ::_exit(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}
