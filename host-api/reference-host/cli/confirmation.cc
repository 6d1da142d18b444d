#include "cli/confirmation.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <string_view>

#include "approval/terminal.h"
#include "reporting/display.h"

namespace wtool::host {
namespace {

constexpr std::size_t longest_answer = 4096;

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

// False: the terminal does not take it.
bool show(int terminal, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(terminal, text.data(), text.size());
    if (count < 0 && errno == EAGAIN) {
      pollfd ready{terminal, POLLOUT, 0};
      if (::poll(&ready, 1, -1) < 0 && errno != EINTR) return false;
    } else if (count < 0 && errno != EINTR) {
      return false;
    }
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

enum class Reading { line, end, stopped };

Reading read_line(int terminal, int wake, std::string& line) {
  line.clear();
  for (;;) {
    pollfd ready[2] = {{terminal, POLLIN, 0}, {wake, POLLIN, 0}};
    if (::poll(ready, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return Reading::end;
    }
    if (ready[1].revents != 0) return Reading::stopped;
    char byte = 0;
    const ssize_t count = ::read(terminal, &byte, 1);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return Reading::end;
    if (byte == '\n') return Reading::line;
    if (line.size() < longest_answer) line += byte;
  }
}

}  // namespace

std::optional<bool> confirm_on_terminal(const std::string& question, Stop& stop) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const Descriptor terminal(TerminalApproval::open_terminal());
  const Descriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (terminal.get() < 0 || wake.get() < 0) return std::nullopt;
  const auto subscription = stop.subscribe([&wake](const StopRequest&) { ::eventfd_write(wake.get(), 1); });
  const std::string shown = "\n" + workflow::cleaned_for_terminal(question, true) + " [Y/n] ";
  while (show(terminal.get(), shown)) {
    std::string answer;
    const Reading reading = read_line(terminal.get(), wake.get(), answer);
    if (reading == Reading::stopped) return std::nullopt;
    if (reading == Reading::end) return false;
    std::erase_if(answer, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
    std::transform(answer.begin(), answer.end(), answer.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (answer.empty() || answer == "y" || answer == "yes") return true;
    if (answer == "n" || answer == "no") return false;
  }
  return std::nullopt;
}

}  // namespace wtool::host
