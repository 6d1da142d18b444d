// Measures where the time of one call goes, stage by stage: the median of each stage in microseconds, and how many
// context switches, migrations between processors and system calls the stage makes, where the kernel lets this user
// count them.
//
// - The stages of the host are run by themselves, again and again. This keeps their caches warm: within a call, they
//   take somewhat longer.
// - The whole call runs `bench_command stamp`, which itself says when it began and ended: this separates the way to the
//   program from the way back. The call takes turns with the floor (vfork, pipes, exec, wait) of the same program.
//
// Usage: stages_bench [--quick]   (--quick: few rounds, to see that it works)
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "call/call.h"
#include "call/plan.h"
#include "engine/output_pipe.h"
#include "engine/start_request.h"
#include "engine/warden_client.h"
#include "stage_counts.h"
#include "tools/result.h"
#include "tools/tool.h"
#include "warden/spawn.h"
#include "warden/start_message.h"
#include "way.h"

using namespace wtool;         // NOLINT: a program of one file
using namespace wtool::bench;  // NOLINT

namespace {

const std::string stamp_line = std::string(BENCH_COMMAND) + " stamp";

double median(std::vector<double>& figures) {
  std::sort(figures.begin(), figures.end());
  return figures[figures.size() / 2];
}

double microseconds_since(Clock::time_point began) { return static_cast<double>(nanoseconds_since(began)) / 1000; }

void print(const char* stage, std::optional<double> us, const Counts& counts = {}) {
  std::printf("%-58s", stage);
  us ? std::printf(" %9.1f", *us) : std::printf(" %9s", "");
  for (const auto& count : counts.of) count ? std::printf(" %8.2f", *count) : std::printf(" %8s", "-");
  std::puts("");
}

struct Stage {
  const char* name;
  std::function<void()> body;
};

class Stages {
 public:
  explicit Stages(bool quick) : rounds_(quick ? 3 : 300) {}

  // Prints the medians over rounds of ten runs. Stages that are compared take turns.
  void alone(const std::vector<Stage>& stages) const {
    constexpr int times = 10;
    std::vector<std::vector<double>> took(stages.size());
    for (int round = 0; round <= rounds_; ++round) {
      for (std::size_t i = 0; i < stages.size(); ++i) {
        const auto began = Clock::now();
        for (int j = 0; j < times; ++j) stages[i].body();
        if (round > 0) took[i].push_back(microseconds_since(began) / times);  // the first only warms up
      }
    }
    for (std::size_t i = 0; i < stages.size(); ++i) {
      Counter counter(0);
      counter.start();
      for (int j = 0; j < times; ++j) stages[i].body();
      print(stages[i].name, median(took[i]), counter.stop(times));
    }
  }
  void alone(const char* name, std::function<void()> body) const { alone({{name, std::move(body)}}); }

  int rounds() const { return rounds_; }

 private:
  const int rounds_;
};

// When the program began and ended, and who started it.
struct Stamp {
  long long began = 0, ended = 0;
  int parent = 0;
};

Stamp parse_stamp(const std::string& text) {
  Stamp stamp;
  if (std::sscanf(text.c_str(), "%lld %lld %d", &stamp.began, &stamp.ended, &stamp.parent) != 3) {
    throw Failure("this is not a stamp: " + text);
  }
  return stamp;
}

long long monotonic_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

// The times until the program's main(), in it, and from its end until the caller has the result.
struct Parts {
  std::vector<double> before, within, after, all;

  void add(long long began, const Stamp& stamp, long long ended) {
    const auto us = [](long long ns) { return static_cast<double>(ns) / 1000; };
    before.push_back(us(stamp.began - began));
    within.push_back(us(stamp.ended - stamp.began));
    after.push_back(us(ended - stamp.ended));
    all.push_back(us(ended - began));
  }
};

pid_t start_stamp(int out, int err) {
  static char program[] = BENCH_COMMAND;
  static char word[] = "stamp";
  char* const argv[] = {program, word, nullptr};
  const pid_t child = ::vfork();
  if (child == 0) {
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    ::execv(program, argv);
    ::_exit(127);
  }
  if (child < 0) throw Failure("vfork failed");
  return child;
}

Stamp floor_once() {
  int out[2];
  int err[2];
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) throw Failure("pipe2 failed");
  const pid_t child = start_stamp(out[1], err[1]);
  std::string text;
  for (int* const ends : {out, err}) {
    ::close(ends[1]);
    char buffer[4096];
    for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(got));
    ::close(ends[0]);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || status != 0) throw Failure("the program failed");
  return parse_stamp(text);
}

// A tool and what it needs, as in the plugin.
class Host {
 public:
  explicit Host(const std::string& configuration) {
    std::string problem;
    configuration_ = parse_configuration(configuration, problem);
    if (!configuration_) throw Failure(problem);
  }

  const Configuration& configuration() const { return *configuration_; }

  CallResult execute(const CommandRequest& request) {
    engine::Cancellation cancellation;
    CallContext context = context_of(cancellation);
    return execute_call(request, context);
  }

  std::string call(const std::string& arguments) {
    engine::Cancellation cancellation;
    CallContext context = context_of(cancellation);
    return tool_.prepare(arguments, *configuration_)->run(context).envelope;
  }

  const tools::Tool& tool() const { return tool_; }

 private:
  CallContext context_of(engine::Cancellation& cancellation) {
    return {.runner = runner_,
            .sessions = sessions_,
            .configuration = *configuration_,
            .cancellation = cancellation,
            .tool = "shell_execute",
            .call_id = "bench",
            .kept_configuration = configuration_};
  }

  const tools::Tool tool_ = tools::shell_execute();
  engine::WardenClient client_{BENCH_WARDEN};
  std::shared_ptr<engine::CommandRunner> runner_ = std::make_shared<engine::LocalRunner>(client_);
  Sessions sessions_;
  std::shared_ptr<const Configuration> configuration_;
};

Stamp stamp_of(const std::string& envelope) {
  return parse_stamp(nlohmann::json::parse(envelope)["metadata"]["stdout"].get<std::string>());
}

void stages_of_host(const Stages& stages, Host& host) {
  const std::string arguments = nlohmann::json{{"command", stamp_line}}.dump();
  CommandRequest request;
  request.line = stamp_line;
  request.expands = true;
  const Configuration& configuration = host.configuration();
  stages.alone("parse the arguments", [&] { host.tool().prepare(arguments, configuration); });
  stages.alone("cancellation (an event descriptor)", [] { engine::Cancellation(); });
  stages.alone("plan: directory, environment, verdict, program", [&] { make_plan(request, configuration); });
  const std::string directory = "/";
  stages.alone("  of it: environment", [&] {
    policy::compose_environment(
        {::environ, configuration.environment, {}, directory, engine::default_search_path, std::nullopt});
  });
  const CommandPlan plan = make_plan(request, configuration);
  stages.alone("pipes: two made and closed", [] {
    for (int i = 0; i < 2; ++i) {
      engine::OutputPipe pipe(1024UL * 1024);
      if (pipe.open() != 0) throw Failure("a pipe cannot be made");
    }
  });
  stages.alone("start message: laid out", [&] { engine::StartRequest(plan.command, configuration.limits); });
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) throw Failure("socketpair failed");
  const Descriptor ours(pair[0]);
  const Descriptor theirs(pair[1]);
  const int descriptors[3] = {STDOUT_FILENO, STDERR_FILENO, plan.command.directory};
  warden::StartMessage message;
  std::vector<char> buffer(warden::max_message);
  stages.alone("start message: laid out, sent, received and read", [&] {
    engine::StartRequest start(plan.command, configuration.limits);
    start.send(ours.get(), descriptors);
    const warden::Received received = warden::receive_message(theirs.get(), buffer.data(), buffer.size());
    if (!message.receive(theirs.get(), buffer.data(), received)) throw Failure("the message is not understood");
  });
  warden::SpawnPlan spawned = message.plan();
  const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  spawned.standard_input = spawned.standard_output = spawned.standard_error = nothing.get();
  const auto with_setup = [&] {
    warden::SpawnFailure failure;
    const pid_t child = warden::spawn(spawned, failure);
    if (child < 0 || ::waitpid(child, nullptr, 0) != child) throw Failure("the program cannot be started");
  };
  const auto without = [&] {
    const pid_t child = start_stamp(nothing.get(), nothing.get());
    if (::waitpid(child, nullptr, 0) != child) throw Failure("the program cannot be started");
  };
  stages.alone(
      {{"vfork, setup in the child, exec, exit, reaped", with_setup}, {"  the same without the setup", without}});
  const CallResult result = host.execute(request);
  stages.alone("result to JSON", [&] { tools::answer(request, result); });
}

// A message from one process to another and back; half of the time is one wake-up.
void wake_ups(const Stages& stages) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) throw Failure("socketpair failed");
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(pair[0]);
    for (char byte; ::read(pair[1], &byte, 1) == 1;) (void)!::write(pair[1], &byte, 1);
    ::_exit(0);
  }
  ::close(pair[1]);
  const Descriptor ours(pair[0]);
  stages.alone("two wake-ups: a message to another process, and one back", [&] {
    char byte = 0;
    if (::write(ours.get(), &byte, 1) != 1 || ::read(ours.get(), &byte, 1) != 1) throw Failure("no answer");
  });
  ::shutdown(ours.get(), SHUT_RDWR);
  ::waitpid(child, nullptr, 0);
}

void print_parts(const char* name, Parts& parts) {
  std::printf("%s\n", name);
  print("  from the beginning to the program's main()", median(parts.before));
  print("  in the program", median(parts.within));
  print("  from its end to the result", median(parts.after));
}

void whole_calls(const Stages& stages, Host& host) {
  const std::string arguments = nlohmann::json{{"command", stamp_line}}.dump();
  const int custodian = stamp_of(host.call(arguments)).parent;
  Parts floor, call;
  for (int i = 0; i < stages.rounds(); ++i) {
    auto began = monotonic_ns();
    const Stamp bare = floor_once();
    floor.add(began, bare, monotonic_ns());
    began = monotonic_ns();
    const std::string envelope = host.call(arguments);
    const auto ended = monotonic_ns();
    call.add(began, stamp_of(envelope), ended);
  }
  print_parts("the floor, of the same program", floor);
  print_parts("a call", call);
  Counter own(0), others(custodian);
  own.start();
  for (int i = 0; i < stages.rounds(); ++i) floor_once();
  const Counts of_floor = own.stop(stages.rounds());
  own.start();
  others.start();
  for (int i = 0; i < stages.rounds(); ++i) host.call(arguments);
  const Counts of_host = own.stop(stages.rounds());
  const Counts of_others = others.stop(stages.rounds());
  print("the floor, with its program", median(floor.all), of_floor);
  print("a call: all", median(call.all), of_host + of_others);
  print("  of it: the host", {}, of_host);
  print("  of it: custodian and program", {}, of_others);
}

}  // namespace

int main(int argc, char** argv) try {
  const Stages stages(argc > 1 && std::strcmp(argv[1], "--quick") == 0);
  touch_memory(10);
  std::printf("%-58s %9s %8s %8s %8s\n", "stage", "us", "switches", "moves", "calls");
  Host host("{}");
  stages_of_host(stages, host);
  wake_ups(stages);
  whole_calls(stages, host);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "stages_bench: %s\n", error.what());
  return 1;
}
