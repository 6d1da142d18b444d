// Asks a person on the terminal whether a command may run.
//
// - Only a process in the foreground of a terminal asks; for all others nobody is there, and the answer is unavailable.
// - Two questions at once are asked one after the other.
// - What was typed before a question stood there answers nothing. An answer is a line: nothing counts before Enter.
// - Empty, the end of the input and what is not understood five times are no.
// - A question that is withdrawn, before it is asked or meanwhile, ends as unavailable at once.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "approval/approver.h"

namespace wtool::host {

// All members: any thread.
class TerminalApproval final : public Approver {
 public:
  // Opens the terminal for one question; what it gives is closed afterwards, and best does not block. -1: there is none
  // to ask on.
  using Open = std::function<int()>;

  // Without an argument: /dev/tty. Without descriptors left it throws std::system_error.
  explicit TerminalApproval(Open open = open_terminal);
  TerminalApproval(const TerminalApproval&) = delete;
  TerminalApproval& operator=(const TerminalApproval&) = delete;
  ~TerminalApproval() override;

  Approval ask(const Question& question) override;
  void withdraw(std::uint64_t id) override;

  // The controlling terminal of this process, where it is in the foreground of it.
  static int open_terminal();

 private:
  class Turn;
  enum class Event { done, end, withdrawn };

  bool is_withdrawn(std::uint64_t id);  // with mutex_ held
  Approval ask_on(int terminal, const Question& question);
  Event wait_for(int terminal, short what, std::uint64_t id);
  Event show(int terminal, std::string_view text, std::uint64_t id);
  Event read_line(int terminal, std::uint64_t id, std::string& line);

  Open open_;
  int wake_ = -1;  // an eventfd: there is something new in withdrawn_
  std::mutex mutex_;
  std::condition_variable changed_;
  bool asking_ = false;
  std::deque<std::uint64_t> withdrawn_;  // the latest of them, whether asked or not
};

}  // namespace wtool::host
