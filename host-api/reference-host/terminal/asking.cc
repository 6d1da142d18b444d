#include "terminal/asking.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <utility>

#include "base/text.h"

namespace wtool::host {

namespace {

// The most bytes of one answer; a terminal's own limit is 4095.
constexpr std::size_t max_line = 4096;
constexpr int max_attempts = 5;
// The time between two checks whether this process is in the background: no event reports that.
constexpr int look_ms = 200;

thread_local std::string state_of_thread;

// How often this process was continued while a question was shown.
std::atomic<unsigned> times_continued{0};
static_assert(std::atomic<unsigned>::is_always_lock_free, "a signal handler counts");

void count_continue(int) { times_continued.fetch_add(1); }

// Turns off the terminal's echo while this object exists.
class WithoutEcho {
 public:
  WithoutEcho(int terminal, bool wanted) : terminal_(terminal) {
    if (!wanted || ::tcgetattr(terminal, &before_) != 0) return;
    termios silent = before_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHOE | ECHOK);
    silent.c_lflag |= ECHONL;
    changed_ = ::tcsetattr(terminal, TCSANOW, &silent) == 0;
  }
  WithoutEcho(const WithoutEcho&) = delete;
  WithoutEcho& operator=(const WithoutEcho&) = delete;
  ~WithoutEcho() {
    if (changed_) ::tcsetattr(terminal_, TCSANOW, &before_);
  }

 private:
  int terminal_;
  termios before_{};
  bool changed_ = false;
};

}  // namespace

std::string more_questions_wait(std::size_t count) {
  return counted(static_cast<std::int64_t>(count), "more question") + (count == 1 ? " waits" : " wait");
}

void set_asking_state(std::string state) { state_of_thread = std::move(state); }
const std::string& asking_state() { return state_of_thread; }

void QuestionEnd::request() {
  {
    const std::lock_guard lock(terminal_.turn_mutex_);
    requested_.store(true);
  }
  terminal_.turn_changed_.notify_all();
  wake_.signal();
}

Asking::Asking(Terminal& terminal, QuestionEnd& end) : terminal_(terminal), end_(end) {
  // In the background, reading from the terminal or writing to it could suspend the whole program. While these signals
  // are blocked, a read fails instead, and a write succeeds.
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGTTIN);
  ::sigaddset(&set, SIGTTOU);
  ::pthread_sigmask(SIG_BLOCK, &set, &signals_before_);
  {
    std::unique_lock lock(terminal_.turn_mutex_);
    ++terminal_.waiting_;
    terminal_.turn_changed_.wait(lock, [&] { return !terminal_.asking_ || end_.requested(); });
    --terminal_.waiting_;
    if (end_.requested()) return;
    terminal_.asking_ = has_turn_ = true;
  }
  if (end_.wake_) descriptor_ = terminal_.open_();
  if (descriptor_ < 0) return;
  terminal_.pause();
  struct sigaction action {};
  action.sa_handler = count_continue;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGCONT, &action, &continue_before_);
  continued_ = times_continued.load();
}

Asking::~Asking() {
  if (descriptor_ >= 0) {
    ::sigaction(SIGCONT, &continue_before_, nullptr);
    terminal_.resume();
    ::close(descriptor_);
  }
  if (has_turn_) {
    {
      const std::lock_guard lock(terminal_.turn_mutex_);
      terminal_.asking_ = false;
    }
    terminal_.turn_changed_.notify_all();
  }
  ::pthread_sigmask(SIG_SETMASK, &signals_before_, nullptr);
}

std::size_t Asking::columns() const {
  winsize size{};
  return ::ioctl(descriptor_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : TerminalSize{}.columns;
}

bool Asking::in_foreground() const {
  // If this fails, the terminal is not the controlling one, or was closed; the next read shows whether it was closed.
  const pid_t group = ::tcgetpgrp(descriptor_);
  return group < 0 || group == ::getpgrp();
}

std::size_t Asking::waiting() const {
  const std::lock_guard lock(terminal_.turn_mutex_);
  return terminal_.waiting_;
}

// A line that says how many other questions wait. Empty: no more than the person knows of.
std::string Asking::told_waiting() {
  const std::size_t known = std::exchange(told_, waiting());
  if (told_ <= known) return {};
  return "(" + more_questions_wait(told_) + " for an answer after this one)\n";
}

// Drops what was typed until now.
void Asking::forget_input() {
  was_away_ = false;
  continued_ = times_continued.load();
  ::tcflush(descriptor_, TCIFLUSH);
}

// Waits until the terminal can be read or written. `was_away` is only returned before a read.
Asking::Ready Asking::wait_for(short what) {
  while (true) {
    if (end_.requested()) return Ready::ended;
    // Text typed while this process is in the background is meant for another process. This process may notice while it
    // writes that it was away: the next read then says so.
    const bool away = !in_foreground();
    was_away_ = was_away_ || away || times_continued.load() != continued_;
    if (what == POLLIN && !away) {
      if (was_away_) return Ready::was_away;
      // An answer that is there already is read first.
      const std::size_t now = waiting();
      pollfd answer{.fd = descriptor_, .events = POLLIN, .revents = 0};
      if (now > told_ && ::poll(&answer, 1, 0) == 0) return Ready::more_wait;
      told_ = std::min(now, told_);
    }
    std::array<pollfd, 2> watched{pollfd{.fd = end_.wake_.descriptor(), .events = POLLIN, .revents = 0},
                                  pollfd{.fd = descriptor_, .events = what, .revents = 0}};
    if (::poll(watched.data(), away ? 1 : 2, look_ms) < 0 && errno != EINTR) {
      return Ready::closed;
    }
    if (watched[0].revents != 0) continue;
    if (!away && watched[1].revents != 0 && in_foreground()) return Ready::yes;
  }
}

Asking::Event Asking::show(std::string_view text) {
  while (!text.empty()) {
    const Ready ready = wait_for(POLLOUT);
    if (ready == Ready::closed || ready == Ready::ended) return ready == Ready::ended ? Event::ended : Event::closed;
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0 || (errno != EINTR && errno != EAGAIN)) {
      return Event::closed;
    }
  }
  return Event::done;
}

Asking::Event Asking::read_line(std::string_view prompt, std::string& line, bool hidden) {
  while (true) {
    const WithoutEcho silent(descriptor_, hidden);
    // Text typed before anybody could read the question answers something else.
    forget_input();
    line.clear();
    if (const Event event = show(told_waiting().append(prompt)); event != Event::done) return event;
    Ready ready = Ready::yes;
    while (line.size() < max_line) {
      ready = wait_for(POLLIN);
      if (ready == Ready::more_wait) {
        // An answer may have been typed already. It is not dropped, or the person would wait for nothing, and it cannot be
        // shown behind the prompt again.
        const std::string typed = "(anything typed already still counts)\n";
        if (const Event event = show('\n' + told_waiting() + typed + std::string(prompt)); event != Event::done)
          return event;
        continue;
      }
      if (ready != Ready::yes) break;
      char byte = 0;
      // One byte at a time: what follows the line is for the next reader.
      const ssize_t got = ::read(descriptor_, &byte, 1);
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got <= 0) return Event::closed;
      if (byte == '\n' || byte == '\r') return Event::done;
      line += byte;
    }
    if (ready == Ready::ended) return Event::ended;
    if (ready != Ready::was_away) return Event::closed;
    // Another process may have written to the terminal meanwhile, so the prompt is repeated on a new line.
    if (const Event event = show("\n"); event != Event::done) return event;
  }
}

Asking::Event Asking::ask(const WantedAnswer& wanted) {
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    std::string line;
    Event event = read_line(wanted.prompt, line, wanted.hidden);
    if (event == Event::done) {
      const std::string problem = wanted.problem(line);
      if (problem.empty()) return Event::done;
      event = show(problem);
    }
    if (event == Event::done) continue;
    leave(event == Event::ended ? wanted.when_ended : "\n");
    return event;
  }
  return Event::closed;
}

void Asking::leave(std::string_view why) const {
  if (::write(descriptor_, why.data(), why.size()) < 0) {
  }
}

}  // namespace wtool::host
