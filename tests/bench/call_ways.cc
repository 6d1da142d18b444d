#include "call_ways.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>
#include <wtool/cpp/host.hpp>

#include "bare_ways.h"
#include "support/processes.h"

namespace wtool::bench {
namespace {

using test::Json;

std::string arguments_for(const std::string& line) { return Json{{"command", line}}.dump(); }

void call_once(const Host& host, const std::string& arguments) {
  Call call(host.tool.get(), make_request(arguments));
  if (call.run() != WTOOL_OK || call.result().find("\"is_error\":false") == std::string_view::npos) {
    throw Failure("the call failed: " + std::string(call.result().substr(0, 300)));
  }
}

// A thread that cancels the call as soon as its command has said "ready". The thread that runs the call notifies it
// when the call is over.
class Canceller {
 public:
  explicit Canceller(bool now) : how_(now ? WTOOL_CANCEL_NOW : WTOOL_CANCEL_GRACEFUL) {}

  void start(Call& call) {
    thread_ = std::thread([this, &call] {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ready_ || over_; });
      if (!ready_) return;
      lock.unlock();
      cancelled_ = Clock::now();
      call.cancel(how_, "the benchmark has seen enough");
    });
  }

  static std::int32_t hear(void* self, const wtool_event* event) noexcept {
    auto* const canceller = static_cast<Canceller*>(self);
    if (event->kind == WTOOL_EVENT_STDOUT) canceller->set(canceller->ready_);
    return 0;
  }

  // When the call was cancelled. To be called once, after the call.
  Clock::time_point finish() {
    set(over_);
    thread_.join();
    if (!ready_) throw Failure("the command ended before it was ready");
    return cancelled_;
  }

 private:
  void set(bool& flag) {
    const std::lock_guard lock(mutex_);
    flag = true;
    changed_.notify_one();
  }

  const std::uint32_t how_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ready_ = false;
  bool over_ = false;
  Clock::time_point cancelled_{};
  std::thread thread_;
};

struct Stopped {
  std::int64_t took = 0;
  std::size_t left = 0;
};

Stopped stop_once(const Host& host, const std::string& line, bool now) {
  const test::Mark mark;
  const std::string arguments = Json{{"command", line}, {"environment", {{"WTOOL_TEST_MARK", mark.text()}}}}.dump();
  Canceller canceller(now);
  wtool_request request = make_request(arguments);
  request.sink_ctx = &canceller;
  request.on_event = Canceller::hear;
  Call call(host.tool.get(), request);
  if (call.status() != WTOOL_OK) throw Failure(std::string(call.error()));
  canceller.start(call);
  const wtool_status status = call.run();
  auto ended = Clock::now();
  const auto cancelled = canceller.finish();
  if (status != WTOOL_E_CANCELLED) {
    throw Failure("the call was not cancelled: " + std::string(call.result().substr(0, 300)));
  }
  Stopped stopped;
  stopped.left = mark.bearers().size();
  if (stopped.left > 0) {
    test::wait_until([&] { return mark.bearers().empty(); }, std::chrono::seconds(10));
    ended = Clock::now();
  }
  stopped.took = std::chrono::duration_cast<std::chrono::nanoseconds>(ended - cancelled).count();
  return stopped;
}

// The warden: the grandparent of a command. The command itself looks it up, because the custodian may be gone when the
// call is over.
pid_t warden_of(const Host& host) {
  const test::Answer answer = host.tool.shell("cut -d ' ' -f 4 /proc/$PPID/stat");
  const auto warden = static_cast<pid_t>(std::atol(answer.out().c_str()));
  if (warden <= 0 || test::name_of(warden) != "shell-warden") throw Failure("the warden cannot be found");
  return warden;
}

void reset_peak() {
  const int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  const bool done = fd >= 0 && write(fd, "5", 1) == 1;
  if (fd >= 0) close(fd);
  if (!done) throw Failure("the peak of memory cannot be reset (/proc/self/clear_refs)");
}

// The processor time of a process, with that of the children that it has waited for.
std::int64_t processor_time_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(std::min(text.rfind(')') + 1, text.size())));
  std::string field;
  std::int64_t ticks = 0;
  // The fields after the name are numbered from 3; utime, stime, cutime and cstime are 14 to 17.
  for (int number = 3; number <= 17 && fields >> field; ++number) {
    if (number >= 14) ticks += std::atoll(field.c_str());
  }
  return ticks * (1'000'000'000 / sysconf(_SC_CLK_TCK));
}

std::int64_t entries(const char* directory) {
  return std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator());
}

}  // namespace

Way call(const HostPointer& host, const std::string& line) {
  const std::string arguments = arguments_for(line);
  const test::Answer first = host->tool.run_text(arguments);
  if (first.is_error()) throw Failure(first.raw.substr(0, 300));
  Way way = timed([host, arguments] { call_once(*host, arguments); });
  if (host->configured.contains("sandbox") && !first.metadata().contains("sandbox")) way.note = "not enforced";
  return way;
}

Way calls_at_once(const HostPointer& host, unsigned threads, const std::string& line) {
  return {[host, threads, arguments = arguments_for(line)](unsigned count) {
    Figures figures;
    for (unsigned i = 0; i < count; ++i) figures.push_back(at_once(threads, [&] { call_once(*host, arguments); }));
    return figures;
  }};
}

Way stop(const HostPointer& host, const std::string& line, bool now) {
  return {[host, line, now](unsigned count) {
    Figures figures;
    for (unsigned i = 0; i < count; ++i) figures.push_back(stop_once(*host, line, now).took);
    return figures;
  }};
}

Way survivors(const HostPointer& host, std::vector<std::string> lines) {
  if (lines.empty()) throw Failure("no command was named");
  return {[host, lines = std::move(lines)](unsigned count) {
    Figures figures(count);
    std::atomic<unsigned> next{0};
    at_once(4, [&] {
      for (unsigned i; (i = next++) < count;) {
        figures[i] = static_cast<std::int64_t>(stop_once(*host, lines[i % lines.size()], true).left);
      }
    });
    return figures;
  }};
}

Way memory_growth(const HostPointer& host, const std::string& line) {
  call_once(*host, arguments_for("true"));  // The cost of the very first call is not measured.
  return {[host, arguments = arguments_for(line)](unsigned count) {
    Figures figures;
    for (unsigned i = 0; i < count; ++i) {
      reset_peak();
      const long before = test::status_kib(getpid(), "VmHWM");
      call_once(*host, arguments);
      figures.push_back(test::status_kib(getpid(), "VmHWM") - before);
    }
    return figures;
  }};
}

Way processor_time(const HostPointer& host, Way way) {
  const pid_t warden = host == nullptr ? 0 : warden_of(*host);
  const auto used = [warden] {
    std::int64_t all = processor_time_of(getpid());
    if (warden == 0) return all;
    all += processor_time_of(warden);
    for (const pid_t custodian : test::children_of(warden)) all += processor_time_of(custodian);
    return all;
  };
  return {[host, way = std::move(way), used](unsigned count) {
    constexpr unsigned runs = 500;
    Figures figures;
    for (unsigned i = 0; i < count; ++i) {
      const std::int64_t before = used();
      way.run(runs);
      figures.push_back((used() - before) / runs);
    }
    return figures;
  }};
}

Way endurance(const HostPointer& host, const std::string& line) {
  const pid_t warden = warden_of(*host);
  return {[host, warden, arguments = arguments_for(line)](unsigned count) {
    for (unsigned i = 0; i < count; ++i) call_once(*host, arguments);
    return Figures{entries("/proc/self/fd"),
                   entries("/proc/self/task"),
                   static_cast<std::int64_t>(test::children_of(getpid()).size()),
                   test::status_kib(getpid(), "VmRSS"),
                   static_cast<std::int64_t>(test::children_of(warden).size()),
                   test::status_kib(warden, "VmRSS")};
  }};
}

}  // namespace wtool::bench
