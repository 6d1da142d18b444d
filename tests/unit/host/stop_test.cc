// The request to stop, and the signals that make one.
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "base/pidfd.h"
#include "base/stop.h"
#include "base/wake_up.h"
#include "cli/interrupts.h"
#include "support/answered_calls.h"
#include "support/shell_tool.h"

namespace wtool::host {

BOOST_AUTO_TEST_SUITE(host_stop_test)

BOOST_AUTO_TEST_SUITE(stop)

BOOST_AUTO_TEST_CASE(the_first_reason_is_kept_and_now_strengthens_it) {
  Stop stop;
  std::vector<StopRequest> heard;
  const auto listening = stop.subscribe([&](const StopRequest& request) { heard.push_back(request); });
  BOOST_TEST(!stop.requested());
  stop.request(StopHow::graceful, "first");
  stop.request(StopHow::graceful, "second");
  stop.request(StopHow::now, "third");
  stop.request(StopHow::now, "fourth");
  stop.request(StopHow::graceful, "fifth");
  BOOST_TEST_REQUIRE(heard.size() == 2u);
  BOOST_TEST((heard[0].how == StopHow::graceful));
  BOOST_TEST((heard[1].how == StopHow::now));
  BOOST_TEST(heard[0].reason == "first");
  BOOST_TEST(heard[1].reason == "first");
  BOOST_TEST(stop.requested()->reason == "first");
}

BOOST_AUTO_TEST_CASE(a_late_listener_is_called_at_once) {
  Stop stop;
  stop.request(StopHow::now, "why");
  std::string heard;
  const auto listening = stop.subscribe([&](const StopRequest& request) { heard = request.reason; });
  BOOST_TEST(heard == "why");
}

BOOST_AUTO_TEST_CASE(an_unsubscribed_listener_hears_nothing_more_and_a_move_keeps_the_subscription) {
  Stop stop;
  int first = 0;
  int second = 0;
  auto kept = stop.subscribe([&](const StopRequest&) { ++first; });
  {
    const auto gone = stop.subscribe([&](const StopRequest&) { ++second; });
  }
  const auto moved = std::move(kept);
  stop.request(StopHow::graceful, "x");
  BOOST_TEST(first == 1);
  BOOST_TEST(second == 0);
}

BOOST_AUTO_TEST_SUITE_END()

// Collects the requests of a Stop, and waits for them.
struct Heard {
  explicit Heard(Stop& stop)
      : listening(stop.subscribe([this](const StopRequest& request) {
          const std::lock_guard lock(mutex);
          requests.push_back(request);
          changed.notify_all();
        })) {}
  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return requests.size() >= count; });
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<StopRequest> requests;
  Stop::Subscription listening;
};

BOOST_AUTO_TEST_SUITE(interrupts)

BOOST_AUTO_TEST_CASE(the_first_signal_asks_gracefully_and_the_second_says_now) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ::signal(signal, SIG_DFL);
    Stop stop;
    Heard heard(stop);
    const Interrupts interrupts(stop);
    BOOST_TEST(interrupts.signal() == 0);
    ::raise(signal);
    heard.wait_for(1);
    BOOST_TEST((heard.requests[0].how == StopHow::graceful));
    BOOST_TEST(interrupts.exit_status() == 128 + signal);
    ::raise(SIGTERM);
    heard.wait_for(2);
    BOOST_TEST((heard.requests[1].how == StopHow::now));
    BOOST_TEST(interrupts.signal() == signal);
  }
}

BOOST_AUTO_TEST_CASE(marked_signals_ask_for_each_kind_of_stop_once) {
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);
  const auto marked = [](int signal, int mark) {
    sigval value{};
    value.sival_int = mark;
    BOOST_REQUIRE(::sigqueue(::getpid(), signal, value) == 0);
  };
  Stop stop;
  Heard heard(stop);
  {
    const Interrupts interrupts(stop);
    for (int i = 0; i < 3; ++i) {
      marked(SIGTERM, mark_of_stop);
      heard.wait_for(1);
    }
    // Ctrl-C still requests an immediate stop.
    ::raise(SIGINT);
    heard.wait_for(2);
    for (int i = 0; i < 3; ++i) marked(SIGINT, mark_of_stop_now);
    BOOST_TEST(interrupts.signal() == SIGTERM);
  }
  BOOST_TEST(heard.requests.size() == 2U);
  BOOST_TEST((heard.requests[0].how == StopHow::graceful));
  BOOST_TEST((heard.requests[1].how == StopHow::now));
}

BOOST_AUTO_TEST_CASE(a_marked_signal_stops_at_once) {
  ::signal(SIGINT, SIG_DFL);
  Stop stop;
  Heard heard(stop);
  const Interrupts interrupts(stop);
  sigval value{};
  value.sival_int = mark_of_stop_now;
  BOOST_REQUIRE(::sigqueue(::getpid(), SIGINT, value) == 0);
  heard.wait_for(2);
  BOOST_TEST((heard.requests[0].how == StopHow::graceful));
  BOOST_TEST((heard.requests[1].how == StopHow::now));
  BOOST_TEST(interrupts.exit_status() == 143);
}

BOOST_AUTO_TEST_CASE(a_signal_that_came_just_before_the_end_is_still_handed_on) {
  ::signal(SIGINT, SIG_DFL);
  Stop stop;
  {
    const Interrupts interrupts(stop);
    ::raise(SIGINT);
  }
  BOOST_TEST(stop.requested().has_value());
}

BOOST_AUTO_TEST_CASE(dispositions_are_as_before_afterwards_and_ignored_signals_stay_ignored) {
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGHUP, SIG_IGN);
  Stop stop;
  {
    const Interrupts interrupts(stop);
    ::raise(SIGHUP);
    struct sigaction now {};
    ::sigaction(SIGHUP, nullptr, &now);
    BOOST_TEST((now.sa_handler == SIG_IGN));
    ::sigaction(SIGINT, nullptr, &now);
    BOOST_TEST((now.sa_handler != SIG_DFL));
  }
  BOOST_TEST(!stop.requested());
  struct sigaction after {};
  ::sigaction(SIGINT, nullptr, &after);
  BOOST_TEST((after.sa_handler == SIG_DFL));
  ::signal(SIGHUP, SIG_DFL);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(interrupted_writes)

// Does the work in a process whose first write(2) fails with EINTR, and checks that the process ends.
void check_ends(const std::function<void()>& work) {
  if (wtool::test::under_sanitizer) return;  // The sanitizer's runtime makes system calls of its own.
  const wtool::test::ListenerHandover handover;
  const pid_t child = ::fork();
  if (child == 0) {
    if (handover.install()) work();
    ::_exit(0);
  }
  const Descriptor process = open_process(child);
  const auto listener = handover.take(process);
  int writes = 0;
  const auto decide = [&](const seccomp_notif& call) { return call.data.nr == SYS_write && ++writes == 1 ? EINTR : 0; };
  const auto is_over = [&] { return has_ended(process); };
  if (!handover.kernel_has_none()) {
    BOOST_TEST((listener != nullptr && listener->answer_until(is_over, std::chrono::seconds(60), decide)));
    BOOST_TEST(writes > 1);
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

BOOST_AUTO_TEST_CASE(the_end_of_listening_is_reported_again) {
  check_ends([] {
    Stop stop;
    const Interrupts interrupts(stop);
  });
}

BOOST_AUTO_TEST_CASE(a_signal_is_reported_again) {
  check_ends([] {
    ::signal(SIGINT, SIG_DFL);
    Stop stop;
    Heard heard(stop);
    const Interrupts interrupts(stop);
    ::raise(SIGINT);
    heard.wait_for(1);
  });
}

BOOST_AUTO_TEST_CASE(a_thread_that_waits_is_woken) {
  check_ends([] {
    const WakeUp wake;
    std::thread waiter([&] {
      pollfd watched{wake.descriptor(), POLLIN, 0};
      while (::poll(&watched, 1, -1) != 1) {
      }
    });
    wake.signal();
    waiter.join();
  });
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host
