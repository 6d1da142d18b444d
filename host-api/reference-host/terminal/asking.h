// A question to a person on the terminal: its turn, its text, and the line that answers it.
//
// - Only a process in the foreground of a terminal asks. If it goes to the background meanwhile, the terminal does not
//   stop it: the question waits, and is shown again when the process is back. The same holds for a process that was
//   stopped (Ctrl-Z) and continued in the foreground (fg).
// - Text typed before the question was shown is dropped. An answer is a line, and is not read before Enter.
// - The person is told how many other questions wait for their turn, also when that number grows while a question is
//   shown. The prompt then comes again, and says that what was typed before still counts.
// - A question can be ended from elsewhere, while it waits for its turn and while it is shown.
#pragma once

#include <signal.h>

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/wake_up.h"
#include "terminal/terminal.h"

namespace wtool::host {

// The workflow state that this thread runs. It is shown with each question of this thread; empty: not known.
void set_asking_state(std::string state);
const std::string& asking_state();

// Ends a question from elsewhere. Any thread may call any member.
class QuestionEnd {
 public:
  // `terminal` must outlive this object.
  explicit QuestionEnd(Terminal& terminal) : terminal_(terminal) {}
  QuestionEnd(const QuestionEnd&) = delete;
  QuestionEnd& operator=(const QuestionEnd&) = delete;
  // Requests the end of the question, and does not wait until the question has ended.
  void request();
  bool requested() const { return requested_.load(); }

 private:
  friend class Asking;
  Terminal& terminal_;
  const WakeUp wake_;  // if no descriptor was left for it, no question can be asked
  std::atomic<bool> requested_{false};
};

// "2 more questions wait"
std::string more_questions_wait(std::size_t count);

// What is shown after a question that was ended from elsewhere.
inline constexpr std::string_view question_withdrawn = "\n(the question is withdrawn)\n";

struct WantedAnswer {
  std::string_view prompt;
  // Returns what to show about a line that is not an answer, with a newline; empty: the line is an answer, and was
  // taken.
  std::function<std::string(const std::string& line)> problem;
  bool hidden = false;                               // what is typed is not shown
  std::string_view when_ended = question_withdrawn;  // shown if the question is ended from elsewhere
};

// Only one thread may use an object of this class.
class Asking {
 public:
  enum class Event {
    done,
    // Nobody has answered: the terminal was closed, the input ended, or what came is not an answer. This is not a "no": only
    // the leader of the terminal's session gets a signal when the terminal is closed, all others read the end of the input.
    closed,
    ended,  // by the QuestionEnd
  };

  // Waits until no other question is shown, and opens the terminal. `terminal` and `end` must outlive this object.
  Asking(Terminal& terminal, QuestionEnd& end);
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;
  ~Asking();

  // True if a person can be asked now: the question was not ended before, and there is a terminal.
  bool can_ask() const { return descriptor_ >= 0; }
  std::size_t columns() const;

  // Call the following members only if a person can be asked.
  Event show(std::string_view text);
  // Shows the prompt and reads a line. `hidden`: what is typed is not shown.
  Event read_line(std::string_view prompt, std::string& line, bool hidden = false);
  // Reads lines until one is an answer. After five lines that are not answers, returns `closed`, so that input which is
  // not meant for the question cannot repeat it forever. If no answer comes, the question is over, and leave() need not
  // be called.
  Event ask(const WantedAnswer& wanted);
  // Ends the question without an answer, and shows why. Never waits: text that the terminal does not accept immediately
  // is lost.
  void leave(std::string_view why) const;

 private:
  enum class Ready { yes, closed, ended, was_away, more_wait };
  void forget_input();
  Ready wait_for(short what);
  std::size_t waiting() const;
  std::string told_waiting();
  bool in_foreground() const;

  Terminal& terminal_;
  QuestionEnd& end_;
  bool has_turn_ = false;
  std::size_t told_ = 0;  // how many other questions wait, as the person knows it
  int descriptor_ = -1;
  sigset_t signals_before_{};
  struct sigaction continue_before_ {};
  unsigned continued_ = 0;  // how often the process had been continued (SIGCONT) when that was last checked
  bool was_away_ = false;   // since the last prompt began, another process may have had the terminal
};

}  // namespace wtool::host
