// The worker for the plugin and for its lower bounds. way.h describes its protocol; bench_worker --help lists its ways.
#include <cstdio>
#include <cstdlib>
#include <map>

#include "bare_ways.h"
#include "call_ways.h"
#include "session_ways.h"

namespace {

using namespace wtool::bench;
using Words = std::vector<std::string>;

constexpr char usage[] =
    "usage: bench_worker WAY [--host-mb N] [--config JSON] [--] ARGUMENT...\n"
    "  either:             processor bare|call PROGRAM|LINE; rate bare|call THREADS PROGRAM|LINE\n"
    "  without the plugin: bare|spawned|drained|killed PROGRAM ARGUMENT...; threads fork|vfork COUNT PROGRAM "
    "ARGUMENT...\n"
    "  with the plugin:    call|growth|endurance LINE; calls COUNT LINE; stop graceful|now LINE; survivors LINE...\n"
    "  with the terminal tools: session create OPEN; session execute OPEN PROGRAM; session close OPEN PROCESSES\n";

const std::string& word(const Words& words, std::size_t at) {
  if (at >= words.size()) throw Failure("an argument is missing; bench_worker --help names all");
  return words[at];
}

unsigned number(const Words& words, std::size_t at) {
  const unsigned long value = std::strtoul(word(words, at).c_str(), nullptr, 10);
  if (value < 1 || value > 10'000) throw Failure("'" + words[at] + "' is not a number from 1 to 10000");
  return static_cast<unsigned>(value);
}

// The words after the first `count` ones.
Words after(const Words& words, std::ptrdiff_t count) {
  word(words, static_cast<std::size_t>(count));
  return {words.begin() + count, words.end()};
}

Way session(const Words& words) {
  const unsigned open = number(words, 1);
  if (word(words, 0) == "create") return session_creation(open);
  if (word(words, 0) == "execute") return session_command(open, word(words, 2));
  return session_close(open, number(words, 2));
}

using MakeHost = std::function<HostPointer()>;

Way processor(const Words& words, const MakeHost& make_host) {
  if (word(words, 0) == "bare") return processor_time(nullptr, bare(after(words, 1)));
  const HostPointer host = make_host();
  return processor_time(host, call(host, word(words, 1)));
}

// Each thread makes 20 calls, one after the other.
Way rate(const Words& words, const MakeHost& make_host) {
  constexpr unsigned repeats = 20;
  const unsigned threads = number(words, 1);
  Way way = word(words, 0) == "bare" ? bare(after(words, 2)) : call(make_host(), word(words, 2));
  return in_threads(std::move(way), threads, repeats);
}

Way make(const WorkerArguments& arguments) {
  const Words& words = arguments.rest;
  const auto host = [&] { return std::make_shared<Host>(arguments.configuration); };
  const std::map<std::string, std::function<Way()>> ways{
      {"bare", [&] { return bare(words); }},
      {"spawned", [&] { return spawned(words); }},
      {"drained", [&] { return drained(words); }},
      {"killed", [&] { return killed(words); }},
      {"threads", [&] { return forked_in_threads(word(words, 0) == "vfork", number(words, 1), after(words, 2)); }},
      {"call", [&] { return call(host(), word(words, 0)); }},
      {"calls", [&] { return calls_at_once(host(), number(words, 0), word(words, 1)); }},
      {"processor", [&] { return processor(words, host); }},
      {"rate", [&] { return rate(words, host); }},
      {"stop", [&] { return stop(host(), word(words, 1), word(words, 0) == "now"); }},
      {"survivors", [&] { return survivors(host(), words); }},
      {"growth", [&] { return memory_growth(host(), word(words, 0)); }},
      {"session", [&] { return session(words); }},
      {"endurance", [&] { return endurance(host(), word(words, 0)); }},
  };
  const auto found = ways.find(arguments.way);
  if (found == ways.end()) throw Failure("there is no way '" + arguments.way + "'; bench_worker --help names all");
  return found->second();
}

}  // namespace

int main(int argc, char** argv) {
  const WorkerArguments arguments = parse_arguments(argc, argv);
  if (arguments.way.empty() || arguments.way == "--help") {
    std::fputs(usage, stderr);
    return 2;
  }
  return serve(arguments, [&] { return make(arguments); });
}
