// Asks a person on the terminal whether a command may run.
//
// - Only a process in the foreground of a terminal asks. In any other process, the answer is `unavailable`.
// - Questions of several threads are asked one after another (terminal/asking.h), each with the workflow state that
//   asks it.
// - An empty line counts as no. If nobody answers (the terminal is closed, the input ends, or five lines are not
//   understood), the answer is `unavailable`.
// - A question that is withdrawn, before or while it is asked, ends immediately with the answer `unavailable`.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>

#include "approval/question.h"
#include "terminal/asking.h"

namespace wtool::host {

// Any thread may call any member.
class TerminalApproval final : public Approver {
 public:
  // `terminal` must outlive this object.
  explicit TerminalApproval(Terminal& terminal = Terminal::of_process()) : terminal_(terminal) {}

  Approval ask(const Question& question) override;
  void withdraw(std::uint64_t id) override;

 private:
  class Standing;

  Approval ask_on(Asking& asking, const Question& question) const;

  Terminal& terminal_;
  std::mutex mutex_;
  std::map<std::uint64_t, QuestionEnd*> standing_;  // questions that are shown, or wait for their turn
  std::deque<std::uint64_t> withdrawn_;             // the latest questions that were withdrawn before they were asked
};

}  // namespace wtool::host
