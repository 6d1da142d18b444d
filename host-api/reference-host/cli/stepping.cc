#include "cli/stepping.h"

#include "base/descriptor.h"
#include "report/text.h"
#include "terminal/asking.h"
#include "terminal/terminal.h"
#include "terminal/text.h"

namespace wtool::host {

namespace {

enum class StepAnswer { run, run_all, end };

// A stop, a closed terminal, and answers that are not understood end the run, so that no step runs unseen.
StepAnswer ask_about_step(const std::string& text, Stop& stop) {
  QuestionEnd end(Terminal::of_process());
  const auto subscription = stop.subscribe([&end](const StopRequest&) { end.request(); });
  Asking asking(Terminal::of_process(), end);
  if (!asking.can_ask() || stop.requested()) return StepAnswer::end;
  if (asking.show(text) != Asking::Event::done) return StepAnswer::end;
  StepAnswer answer = StepAnswer::end;
  const auto problem = [&answer](const std::string& line) -> std::string {
    if (line == "n" || line == "no" || line == "q") return "";
    const bool all = line == "a" || line == "all";
    if (!all && !line.empty() && line != "y" && line != "yes") return "Please answer with Enter, n or a.\n";
    answer = all ? StepAnswer::run_all : StepAnswer::run;
    return "";
  };
  asking.ask({.prompt = "Run it? [Enter: yes, n: end the run, a: yes to all] ", .problem = problem});
  return answer;
}

}  // namespace

bool Stepping::is_possible() {
  const Descriptor terminal(Terminal::open_controlling());
  return static_cast<bool>(terminal);
}

bool Stepping::may_begin(const runner::Step& step, const std::string& what, Stop& stop) {
  const std::lock_guard lock(mutex_);
  if (!asks_) return true;
  const std::string text = "\n" + report::step_label(step) + " " + cleaned_for_terminal(what, true) + "\n";
  const StepAnswer answer = ask_about_step(text, stop);
  asks_ = answer == StepAnswer::run;
  return answer != StepAnswer::end;
}

}  // namespace wtool::host
