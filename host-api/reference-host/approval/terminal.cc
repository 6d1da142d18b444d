#include "approval/terminal.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "approval/once.h"
#include "base/text.h"

namespace wtool::host {

namespace {

// A question may be withdrawn before it gets to ask(). This many withdrawals are remembered, so that ask() can refuse
// such a question immediately. There is a limit, because most of these questions never get to ask().
constexpr std::size_t max_withdrawn = 1024;

constexpr std::string_view prompt = "Allow this? yes / no / always / never [no]: ";
constexpr std::string_view prompt_for_once = "Allow this? yes / no [no]: ";

// Parses a line as an answer. False: it is not one.
bool parse_answer(std::string_view line, Approval& answer) {
  const std::string word = lowered(trimmed(line));
  // An answer that is remembered needs a whole word, so that one wrong key does not give it.
  constexpr std::array<std::pair<std::string_view, Approval>, 7> words{{{"", Approval::no},
                                                                        {"n", Approval::no},
                                                                        {"no", Approval::no},
                                                                        {"y", Approval::yes},
                                                                        {"yes", Approval::yes},
                                                                        {"always", Approval::always},
                                                                        {"never", Approval::never}}};
  const auto found = std::find_if(words.begin(), words.end(), [&](const auto& known) { return known.first == word; });
  if (found == words.end()) return false;
  answer = found->second;
  return true;
}

}  // namespace

// While this object exists, the question can be withdrawn.
class TerminalApproval::Standing {
 public:
  Standing(TerminalApproval& owner, std::uint64_t id, QuestionEnd& end) : owner_(owner), id_(id) {
    bool before = false;
    {
      const std::lock_guard lock(owner_.mutex_);
      before = std::erase(owner_.withdrawn_, id_) > 0;
      owner_.standing_[id_] = &end;
    }
    if (before) end.request();
  }
  Standing(const Standing&) = delete;
  Standing& operator=(const Standing&) = delete;
  ~Standing() {
    const std::lock_guard lock(owner_.mutex_);
    owner_.standing_.erase(id_);
  }

 private:
  TerminalApproval& owner_;
  std::uint64_t id_;
};

void TerminalApproval::withdraw(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  if (const auto found = standing_.find(id); found != standing_.end()) return found->second->request();
  if (std::find(withdrawn_.begin(), withdrawn_.end(), id) != withdrawn_.end()) return;
  if (withdrawn_.size() == max_withdrawn) withdrawn_.pop_front();
  withdrawn_.push_back(id);
}

Approval TerminalApproval::ask(const Question& question) {
  QuestionEnd end(terminal_);
  const Standing standing(*this, question.id, end);
  Asking asking(terminal_, end);
  return asking.can_ask() ? ask_on(asking, question) : Approval::unavailable;
}

Approval TerminalApproval::ask_on(Asking& asking, const Question& question) const {
  using Event = Asking::Event;
  // The newline comes first, since the cursor may be in the middle of a line.
  const std::string text = "\n" + question_text(question, asking.columns(), asking_state());
  Approval answer = Approval::no;
  const bool is_once = takes_only_yes_or_no(question);
  const auto problem = [&](const std::string& line) -> std::string {
    const bool is_known = parse_answer(line, answer);
    if (is_once) {
      if (is_known && (answer == Approval::yes || answer == Approval::no)) return "";
      answer = Approval::no;
      return "Please answer yes or no.\n";
    }
    if (is_known) return "";
    return "Please answer yes (this once), no (not this once), always or never (the same from now on).\n";
  };
  Event event = asking.show(text);
  if (event == Event::done) {
    event = asking.ask({.prompt = is_once ? prompt_for_once : prompt, .problem = problem});
  } else {
    asking.leave(event == Event::ended ? question_withdrawn : "\n");
  }
  return event == Event::done ? answer : Approval::unavailable;
}

}  // namespace wtool::host
