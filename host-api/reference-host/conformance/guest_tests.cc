// Tests that a plugin changes no state of its host, and leaves nothing behind in it.
#include <dirent.h>
#include <dlfcn.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <clocale>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "conformance/tests.h"

namespace wtool::host::conformance {

namespace {

using Time = std::chrono::steady_clock;

std::string target(const std::string& link) {
  char buffer[4096];
  const ssize_t n = ::readlink(link.c_str(), buffer, sizeof buffer);
  return n < 0 ? std::string{} : std::string(buffer, static_cast<std::size_t>(n));
}

std::set<std::string> names_in(const char* folder) {
  std::set<std::string> names;
  DIR* list = ::opendir(folder);
  if (list == nullptr) return names;
  const std::string own = std::to_string(::dirfd(list));
  while (const dirent* entry = ::readdir(list)) {
    if (entry->d_name[0] != '.' && entry->d_name != own) names.insert(entry->d_name);
  }
  ::closedir(list);
  return names;
}

std::set<std::string> descriptors() {
  std::set<std::string> all;
  for (const std::string& number : names_in("/proc/self/fd")) {
    all.insert(number + " (" + target("/proc/self/fd/" + number) + ')');
  }
  return all;
}

std::size_t threads() { return names_in("/proc/self/task").size(); }

// A thread may still be listed for a moment after it was joined.
template <typename Condition>
bool settles(std::chrono::milliseconds patience, Condition condition) {
  const auto end = Time::now() + patience;
  while (!condition()) {
    if (Time::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// State of the host that a plugin must not change. The key is the rule that protects it and a description, such as
// {"guest-signals", "the disposition of signal 10"}.
using State = std::map<std::pair<std::string, std::string>, std::string>;

std::string signals_of(const sigset_t& set) {
  std::string all;
  for (int signal = 1; signal < NSIG; ++signal) {
    if (::sigismember(&set, signal) == 1) all += (all.empty() ? "" : " ") + std::to_string(signal);
  }
  return all.empty() ? "no signal" : all;
}

State state_of_host() {
  State state;
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0) continue;
    const auto* handler = reinterpret_cast<const void*>(action.sa_handler);
    state[{"guest-signals", "the disposition of signal " + std::to_string(signal)}] =
        handler == nullptr             ? "the default"
        : action.sa_handler == SIG_IGN ? "ignored"
                                       : "a handler with flags " + std::to_string(action.sa_flags);
  }
  sigset_t mask;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  state[{"guest-mask", "the signal mask"}] = signals_of(mask);
  state[{"guest-directory", "the working directory"}] = target("/proc/self/cwd");
  state[{"guest-directory", "the root directory"}] = target("/proc/self/root");
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string line = *variable;
    state[{"guest-environment", "the variable " + line.substr(0, line.find('='))}] = in_quotes(line);
  }
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Umask:")) state[{"guest-umask", "the file mode mask"}] = line.substr(7);
    if (line.starts_with("NoNewPrivs:") || line.starts_with("Seccomp:")) {
      const std::size_t colon = line.find(':');
      state[{"guest-limits", line.substr(0, colon)}] = line.substr(colon + 2);
    }
  }
  state[{"guest-locale", "the locale"}] = std::setlocale(LC_ALL, nullptr);
  for (int which = 0; which < RLIMIT_NLIMITS; ++which) {
    rlimit limit{};
    ::getrlimit(static_cast<__rlimit_resource_t>(which), &limit);
    state[{"guest-limits", "limit number " + std::to_string(which)}] =
        std::to_string(limit.rlim_cur) + " of " + std::to_string(limit.rlim_max);
  }
  state[{"guest-limits", "the priority"}] = std::to_string(::getpriority(PRIO_PROCESS, 0));
  int subreaper = 0;
  ::prctl(PR_GET_CHILD_SUBREAPER, &subreaper);
  state[{"guest-limits", "being a subreaper"}] = std::to_string(subreaper);
  return state;
}

void compare(Trial& trial, const State& before, const State& after, const std::string& when) {
  const std::string missing = "not there";
  const auto value = [&](const State& state, const State::key_type& key) {
    const auto found = state.find(key);
    return found == state.end() ? missing : found->second;
  };
  State all = before;
  all.insert(after.begin(), after.end());
  for (const auto& [key, ignored] : all) {
    const std::string was = value(before, key);
    const std::string is = value(after, key);
    if (was != is) {
      std::string text = key.second;
      text.append(" was ").append(was).append(", and ").append(when).append(" it is ").append(is);
      trial.report.finding(key.first, text);
    }
  }
}

// Reports descriptors, threads and children that are new since `known` and `known_threads`.
void look_for_left(Trial& trial, const std::set<std::string>& known, std::size_t known_threads,
                   const std::string& when) {
  const auto more = [&] {
    std::string names;
    for (const std::string& name : descriptors()) {
      if (known.count(name) == 0) names += (names.empty() ? "" : ", ") + name;
    }
    return names;
  };
  trial.report.step("left-descriptors", "looking for descriptors");
  if (!more().empty()) {
    trial.report.finding("left-descriptors", when + " there are new descriptors: " + more());
  }
  if (!settles(trial.patience, [&] { return threads() <= known_threads; })) {
    trial.report.finding("left-threads", when + " there are " + std::to_string(threads()) +
                                             " threads; the number before was " + std::to_string(known_threads));
  }
  if (!settles(trial.patience, [] { return !has_children(); })) {
    trial.report.finding("left-children", when + " the host has a child that it did not start");
  }
}

// How much memory is in use, by malloc and in total, in bytes.
struct Memory {
  std::size_t allocated = 0;
  std::size_t data = 0;
};

Memory memory_in_use() {
  Memory memory;
  memory.allocated = ::mallinfo2().uordblks + ::mallinfo2().hblkhd;
  std::ifstream file("/proc/self/statm");
  std::size_t ignored = 0;
  std::size_t pages = 0;
  file >> ignored >> ignored >> ignored >> ignored >> ignored >> pages;
  memory.data = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return memory;
}

}  // namespace

void test_guest(Trial& trial) {
  const State before = state_of_host();
  const std::set<std::string> known = descriptors();
  const std::size_t known_threads = threads();
  Started plugin(trial);
  if (!plugin.good()) return;
  MadeTool tool(trial, plugin, trial.tool.id);
  if (!tool.good()) return;
  compare(trial, before, state_of_host(), "after tool_new");
  call(trial, *tool, {.arguments = trial.tool.arguments});
  call(trial, *tool, {.arguments = "nonsense"});
  compare(trial, before, state_of_host(), "after two calls");
  tool.end();
  plugin.end();
  trial.report.step("deinit", "after deinit");
  compare(trial, before, state_of_host(), "after deinit");
  look_for_left(trial, known, known_threads, "after deinit");
}

void test_repeated_calls(Trial& trial) {
  constexpr int calls = 5;
  Started plugin(trial);
  if (!plugin.good()) return;
  MadeTool tool(trial, plugin, trial.tool.id);
  if (!tool.good()) return;
  const std::size_t known_threads = threads();
  // The first call may start a helper process that lives until deinit, so descriptors are counted only after two calls.
  call(trial, *tool, {.arguments = trial.tool.arguments});
  call(trial, *tool, {.arguments = trial.tool.arguments});
  const std::set<std::string> known = descriptors();
  for (int i = 0; i < calls; ++i) call(trial, *tool, {.arguments = trial.tool.arguments});
  look_for_left(trial, known, known_threads, "after " + std::to_string(calls + 2) + " calls");
  tool.end();
  plugin.end();
}

// A leak grows with each call, and so in every round, while caches, pools and doubling buffers stop growing. So only
// growth in each of the measured rounds counts as a leak. The smallest block of malloc takes 32 bytes on 64-bit
// machines, so growth by less than half of that per call is tolerated. Memory that is mapped without malloc comes in
// pages, so growth by less than one page per call is tolerated.
//
// A tool that is neither read-only nor idempotent may legitimately keep more after each call, until deinit. Therefore a
// round consists of whole lives of the plugin, from init to deinit: nothing needs what remains after a life.
void test_memory(Trial& trial) {
  constexpr int calls_a_life = 8;
  constexpr int lives_a_round = 4;
  constexpr int rounds = 4;
  constexpr std::size_t tolerated = 16;  // bytes per call
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const PluginLibrary library(trial);
  const wtool_host host = plain_host();
  const auto live = [&](int calls) {
    if (library.entry()->init(&host, nullptr) != WTOOL_OK) return;
    const wtool_tool* tool = nullptr;
    if (library.entry()->tool_new(view(trial.tool.id), view(trial.configuration), &tool, nullptr) == WTOOL_OK) {
      for (int i = 0; i < calls; ++i) {
        call(trial, *tool, {.arguments = trial.tool.arguments, .quiet = true, .sink = false});
      }
      tool->destroy(tool);
    }
    library.entry()->deinit();
  };
  trial.report.step("left-memory", "in many calls");
  const auto time_of = [&](int calls) {
    const auto began = Time::now();
    live(calls);
    return Time::now() - began;
  };
  const auto with_one = time_of(1);
  const auto with_some = time_of(calls_a_life / 2);
  const auto a_call = std::max(with_some - with_one, Time::duration::zero()) / (calls_a_life / 2 - 1);
  if ((with_one + a_call * calls_a_life) * rounds * lives_a_round > trial.patience * 2) {
    trial.report.skip("calls are too slow for memory to be measured over many of them; --timeout gives more time");
    return;
  }
  std::size_t least_allocated = SIZE_MAX;
  std::size_t least_data = SIZE_MAX;
  // The first round fills caches and pools, so it is not counted.
  for (int round = 0; round < rounds; ++round) {
    const Memory before = memory_in_use();
    for (int i = 0; i < lives_a_round; ++i) live(calls_a_life);
    const Memory after = memory_in_use();
    if (round == 0) continue;
    const auto growth = [](std::size_t a, std::size_t b) { return b > a ? b - a : 0; };
    least_allocated = std::min(least_allocated, growth(before.allocated, after.allocated));
    least_data = std::min(least_data, growth(before.data, after.data));
  }
  constexpr std::size_t calls = calls_a_life * lives_a_round;
  if (least_allocated >= calls * tolerated || least_data >= calls * page) {
    trial.report.finding("left-memory", "in each of " + std::to_string(rounds - 1) + " rounds of " +
                                            std::to_string(calls) + " calls, memory grew by " +
                                            std::to_string(std::max(least_allocated, least_data)) + " bytes or more");
  }
}

void test_exit(Trial& trial) {
  Started plugin(trial);
  if (!plugin.good()) return;
  for (const std::string& id : trial.ids) {
    MadeTool tool(trial, plugin, id);
    tool.end();
  }
  plugin.end();
  trial.report.step("guest-exit", "in exit() of the host after deinit");
  trial.report.end();
  std::exit(0);
}

void test_exit_early(Trial& trial) {
  Started plugin(trial);
  if (!plugin.good()) return;
  std::vector<MadeTool> tools;
  for (const std::string& id : trial.ids) tools.emplace_back(trial, plugin, id);
  trial.report.step("guest-exit", "in exit() of a forked child of the host, without deinit");
  const pid_t child = ::fork();
  if (child == 0) std::exit(0);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0) {
    trial.report.finding("guest-exit", "exit(0) of a forked child of the host, without deinit, gave the wait status " +
                                           std::to_string(status));
  }
  trial.report.step("guest-exit", "in exit() of the host without deinit");
  trial.report.end();
  std::exit(0);
}

void test_unload(Trial& trial) {
  Started plugin(trial);
  if (!plugin.good()) return;
  plugin.end();
  trial.report.step("guest-exit", "in dlclose after deinit");
  ::dlclose(plugin.handle());
  trial.report.step("guest-exit", "in exit() of the host after dlclose");
  trial.report.end();
  std::exit(0);
}

}  // namespace wtool::host::conformance
