#include "approval/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <system_error>

namespace wtool::host {

namespace {

constexpr int most_attempts = 5;
// Of one answer; a terminal's own limit is 4095.
constexpr std::size_t longest_line = 4096;
// A question that was withdrawn is not remembered for ever, since it may never have been asked.
constexpr std::size_t most_withdrawn = 1024;
constexpr std::size_t usual_columns = 80;

constexpr std::string_view prompt = "Allow this? yes / no / always / never [no]: ";

std::size_t columns_of(int terminal) {
  winsize size{};
  return ::ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual_columns;
}

// The answer that a line is; false: it is none.
bool parse_answer(std::string_view line, Approval& answer) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = std::min(line.find_first_not_of(blanks), line.size());
  line = line.substr(first, line.find_last_not_of(blanks) + 1 - first);
  std::string word(line);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  constexpr std::array<std::pair<std::string_view, Approval>, 7> words{{{"", Approval::no},
                                                                        {"n", Approval::no},
                                                                        {"no", Approval::no},
                                                                        {"y", Approval::yes},
                                                                        {"yes", Approval::yes},
                                                                        // What is remembered is not a slip of a key.
                                                                        {"always", Approval::always},
                                                                        {"never", Approval::never}}};
  const auto found = std::find_if(words.begin(), words.end(), [&](const auto& known) { return known.first == word; });
  if (found == words.end()) return false;
  answer = found->second;
  return true;
}

// In the background, a read or a write of the terminal would stop the whole program; with these signals blocked it is
// an error of the call instead.
class WithoutTerminalSignals {
 public:
  WithoutTerminalSignals() {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGTTIN);
    ::sigaddset(&set, SIGTTOU);
    ::pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  WithoutTerminalSignals(const WithoutTerminalSignals&) = delete;
  WithoutTerminalSignals& operator=(const WithoutTerminalSignals&) = delete;
  ~WithoutTerminalSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

class Closing {
 public:
  explicit Closing(int descriptor) : descriptor_(descriptor) {}
  Closing(const Closing&) = delete;
  Closing& operator=(const Closing&) = delete;
  ~Closing() { ::close(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

// The right to ask: one question at a time.
class TerminalApproval::Turn {
 public:
  Turn(TerminalApproval& owner, std::uint64_t id) : owner_(owner), id_(id) {
    std::unique_lock lock(owner_.mutex_);
    owner_.changed_.wait(lock, [&] { return !owner_.asking_ || owner_.is_withdrawn(id_); });
    granted_ = !owner_.is_withdrawn(id_);
    if (granted_) owner_.asking_ = true;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    const std::lock_guard lock(owner_.mutex_);
    if (granted_) owner_.asking_ = false;
    std::erase(owner_.withdrawn_, id_);
    owner_.changed_.notify_all();
  }
  bool granted() const { return granted_; }

 private:
  TerminalApproval& owner_;
  std::uint64_t id_;
  bool granted_ = false;
};

TerminalApproval::TerminalApproval(Open open)
    : open_(std::move(open)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wake_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

TerminalApproval::~TerminalApproval() { ::close(wake_); }

int TerminalApproval::open_terminal() {
  const int terminal = ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (terminal < 0 || ::tcgetpgrp(terminal) == ::getpgrp()) return terminal;
  ::close(terminal);
  return -1;
}

bool TerminalApproval::is_withdrawn(std::uint64_t id) {
  return std::find(withdrawn_.begin(), withdrawn_.end(), id) != withdrawn_.end();
}

void TerminalApproval::withdraw(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  if (is_withdrawn(id)) return;
  if (withdrawn_.size() == most_withdrawn) withdrawn_.pop_front();
  withdrawn_.push_back(id);
  changed_.notify_all();
  const std::uint64_t one = 1;
  // It fails only when the counter is full, and then it wakes as well.
  if (::write(wake_, &one, sizeof one) < 0) {
  }
}

Approval TerminalApproval::ask(const Question& question) {
  const Turn turn(*this, question.id);
  if (!turn.granted()) return Approval::unavailable;
  const int terminal = open_();
  if (terminal < 0) return Approval::unavailable;
  const Closing closing(terminal);
  const WithoutTerminalSignals quiet;
  return ask_on(terminal, question);
}

Approval TerminalApproval::ask_on(int terminal, const Question& question) {
  const auto over = [&](Event event) {
    const std::string_view last = event == Event::end ? "\n" : "\n(the question is withdrawn)\n";
    // As far as the terminal takes it: nothing is waited for any more.
    if (::write(terminal, last.data(), last.size()) < 0) {
    }
    return event == Event::end ? Approval::no : Approval::unavailable;
  };
  // Behind whatever stands on the line already.
  const std::string text = "\n" + question_text(question, columns_of(terminal));
  if (const Event event = show(terminal, text, question.id); event != Event::done) return over(event);
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    // What was typed before anybody could read the question answers something else.
    ::tcflush(terminal, TCIFLUSH);
    std::string line;
    Event event = show(terminal, prompt, question.id);
    if (event == Event::done) event = read_line(terminal, question.id, line);
    if (event != Event::done) return over(event);
    Approval answer = Approval::no;
    if (parse_answer(line, answer)) return answer;
    event =
        show(terminal, "Please answer yes (this once), no (not this once), always or never (the same from now on).\n",
             question.id);
    if (event != Event::done) return over(event);
  }
  return Approval::no;
}

// Until the terminal can be read from or written to.
TerminalApproval::Event TerminalApproval::wait_for(int terminal, short what, std::uint64_t id) {
  while (true) {
    // Emptied before the look: what is withdrawn after it makes the poll return.
    std::uint64_t count = 0;
    if (::read(wake_, &count, sizeof count) < 0) {
    }
    {
      const std::lock_guard lock(mutex_);
      if (is_withdrawn(id)) return Event::withdrawn;
    }
    std::array<pollfd, 2> watched{pollfd{.fd = terminal, .events = what, .revents = 0},
                                  pollfd{.fd = wake_, .events = POLLIN, .revents = 0}};
    if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return Event::end;
    if (watched[0].revents != 0) return Event::done;
  }
}

TerminalApproval::Event TerminalApproval::show(int terminal, std::string_view text, std::uint64_t id) {
  while (!text.empty()) {
    const Event event = wait_for(terminal, POLLOUT, id);
    if (event != Event::done) return event;
    const ssize_t written = ::write(terminal, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0 || (errno != EINTR && errno != EAGAIN)) {
      return Event::end;
    }
  }
  return Event::done;
}

TerminalApproval::Event TerminalApproval::read_line(int terminal, std::uint64_t id, std::string& line) {
  while (line.size() < longest_line) {
    const Event event = wait_for(terminal, POLLIN, id);
    if (event != Event::done) return event;
    char byte = 0;
    // One byte at a time: what comes after the line is the next reader's.
    const ssize_t got = ::read(terminal, &byte, 1);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return Event::end;
    if (byte == '\n' || byte == '\r') return Event::done;
    line += byte;
  }
  return Event::end;
}

}  // namespace wtool::host
