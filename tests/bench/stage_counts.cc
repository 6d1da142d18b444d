#include "stage_counts.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace wtool::bench {
namespace {

// The number of the tracepoint that every system call passes; 0: this user cannot see it.
std::uint64_t system_call_tracepoint() {
  for (const char* const folder : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
    std::ifstream file(std::string(folder) + "/events/raw_syscalls/sys_enter/id");
    std::uint64_t number = 0;
    if (file >> number) return number;
  }
  return 0;
}

Descriptor open_event(pid_t process, std::uint32_t type, std::uint64_t what) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = type;
  attributes.config = what;
  attributes.disabled = 1;
  attributes.inherit = 1;
  return Descriptor(
      static_cast<int>(::syscall(SYS_perf_event_open, &attributes, process, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

}  // namespace

Counter::Counter(pid_t process) {
  events_[0] = open_event(process, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
  events_[1] = open_event(process, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS);
  static const std::uint64_t calls = system_call_tracepoint();
  if (calls != 0) events_[2] = open_event(process, PERF_TYPE_TRACEPOINT, calls);
}

void Counter::start() {
  for (const Descriptor& event : events_) {
    if (!event) continue;
    ::ioctl(event.get(), PERF_EVENT_IOC_RESET, 0);
    ::ioctl(event.get(), PERF_EVENT_IOC_ENABLE, 0);
  }
}

Counts Counter::stop(double times) const {
  // From last to first: the last event counts system calls, and would count the calls that stop the other events.
  for (auto event = events_.rbegin(); event != events_.rend(); ++event) {
    if (*event) ::ioctl(event->get(), PERF_EVENT_IOC_DISABLE, 0);
  }
  Counts counts;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (!events_[i]) continue;
    std::uint64_t value = 0;
    if (::read(events_[i].get(), &value, sizeof value) == sizeof value) {
      counts.of[i] = static_cast<double>(value) / times;
    }
  }
  return counts;
}

Counts operator+(const Counts& a, const Counts& b) {
  Counts sum;
  for (std::size_t i = 0; i < sum.of.size(); ++i) {
    if (a.of[i] && b.of[i]) sum.of[i] = *a.of[i] + *b.of[i];
  }
  return sum;
}

}  // namespace wtool::bench
