// The worker for Boost.Process as Boost ships it, used as its documentation shows. way.h describes the worker's
// protocol. It is a separate program, so that no other worker depends on what Boost.Process needs.
//
// Usage: bench_boost v1|v2 [--host-mb N] [--] PROGRAM
#include <cstdio>

#include "peers/boost_ways.h"

int main(int argc, char** argv) {
  using namespace wtool::bench;
  const WorkerArguments arguments = parse_arguments(argc, argv);
  if ((arguments.way != "v1" && arguments.way != "v2") || arguments.rest.size() != 1) {
    std::fprintf(stderr, "usage: bench_boost v1|v2 [--host-mb N] [--] PROGRAM\n");
    return 2;
  }
  const std::string& program = arguments.rest.front();
  return serve(arguments, [&] { return arguments.way == "v1" ? boost_v1(program) : boost_v2(program); });
}
