#include "cli/interrupts.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <system_error>

namespace wtool::host {

namespace {

// The writing end of the pipe, for the handler; -1 when no Interrupts exists.
std::atomic<int> handler_pipe{-1};
static_assert(std::atomic<int>::is_always_lock_free, "the handler may use only lock-free objects");

// The bytes that the pipe carries besides the numbers of signals.
constexpr std::uint8_t end_of_listening = 0;
constexpr std::uint8_t told_to_stop = 0x80;
constexpr std::uint8_t told_to_stop_now = 0x81;

// Writes the byte; repeats the write if a signal interrupts it, because a thread waits for the byte. A signal handler
// may call this.
void put(int pipe, std::uint8_t byte) {
  while (::write(pipe, &byte, 1) < 0 && errno == EINTR) {
  }
}

void on_signal(int signal, siginfo_t* info, void*) {
  const int saved = errno;
  auto byte = static_cast<std::uint8_t>(signal);
  if (info->si_code == SI_QUEUE && info->si_value.sival_int == mark_of_stop) byte = told_to_stop;
  if (info->si_code == SI_QUEUE && info->si_value.sival_int == mark_of_stop_now) byte = told_to_stop_now;
  const int descriptor = handler_pipe.load();
  // The pipe never fills: it has room for thousands of signals, and the third one ends the program.
  if (descriptor >= 0) put(descriptor, byte);
  errno = saved;
}

std::string reason(int signal) {
  switch (signal) {
    case SIGINT:
      return "interrupted by Ctrl-C";
    case SIGTERM:
      return "the program was told to end (SIGTERM)";
    default:
      return "the terminal was closed (SIGHUP)";
  }
}

}  // namespace

Interrupts::Interrupts(Stop& stop, int* first) : stop_(stop), told_(first) {
  if (::pipe2(pipe_.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  thread_ = std::thread([this] { listen(); });
  handler_pipe.store(pipe_[1]);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], nullptr, &earlier_[i]);
    if (earlier_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signals[i], &action, nullptr);
  }
}

Interrupts::~Interrupts() {
  for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &earlier_[i], nullptr);
  handler_pipe.store(-1);
  put(pipe_[1], end_of_listening);
  thread_.join();
  if (told_ != nullptr) *told_ = first_.load();
  ::close(pipe_[0]);
  ::close(pipe_[1]);
}

void Interrupts::listen() {
  for (int count = 0;;) {
    std::uint8_t signal = 0;
    const ssize_t got = ::read(pipe_[0], &signal, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || signal == end_of_listening) return;
    const bool is_marked = signal == told_to_stop || signal == told_to_stop_now;
    const int wanted = !is_marked ? count + 1 : signal == told_to_stop ? 1 : 2;
    if (is_marked) signal = SIGTERM;  // `wtool stop --now` also sends SIGINT, which counts as SIGTERM.
    int none = 0;
    first_.compare_exchange_strong(none, signal);
    if (wanted >= 3) {
      ::signal(signal, SIG_DFL);
      ::kill(::getpid(), signal);
    }
    while (count < wanted) {
      ++count;
      if (count < 3)
        stop_.request(count == 1 ? StopHow::graceful : StopHow::now,
                      is_marked ? "stopped by `wtool stop`" : reason(signal));
    }
  }
}

}  // namespace wtool::host
