#include "cli/missing_parameters.h"

#include <unistd.h>

#include <optional>

#include "cli/interrupts.h"
#include "expressions/value.h"
#include "loader/stop.h"
#include "reporting/display.h"
#include "terminal/asking.h"
#include "workflow/parameter_limits.h"
#include "workflow/parameters.h"
#include "workflow/source.h"

namespace wtool::host {
namespace {

constexpr int most_attempts = 5;

std::string prompt_for(const workflow::Parameter& parameter) {
  std::string text = parameter.name;
  if (!parameter.description.empty()) text += " (" + parameter.description + ")";
  std::string choices;
  for (const expressions::Value& choice : parameter.choices) {
    choices += (choices.empty() ? "" : ", ") + expressions::to_text(choice);
  }
  if (!choices.empty()) text += " [" + choices + "]";
  return workflow::cleaned_for_terminal(text, false) + ": ";
}

// What is wrong with the answer; empty: nothing.
std::string problem_of(const workflow::Parameter& parameter, const std::string& answer) {
  if (answer.empty()) return "a value is required";
  if (workflow::find_invalid_utf8(answer) != std::string::npos) return "the value is not valid UTF-8";
  std::string why;
  const auto value = workflow::parameter_value(parameter.type, answer, why);
  return value ? workflow::limit_problem(parameter, *value) : why;
}

// Nothing: no usable answer.
std::optional<std::string> ask(const workflow::Parameter& parameter, Asking& asking) {
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    std::string line;
    if (asking.read_line(prompt_for(parameter), line, parameter.secret) != Asking::Event::done) {
      asking.leave("\n");
      return std::nullopt;
    }
    const std::string problem = problem_of(parameter, line);
    if (problem.empty()) return line;
    if (asking.show(workflow::cleaned_for_terminal(problem, false) + "\n") != Asking::Event::done) break;
  }
  return std::nullopt;
}

}  // namespace

bool ask_for_parameters(const workflow::Workflow& workflow, std::vector<std::string>& given, int& exit_status) {
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1) return true;
  auto missing = workflow::missing_parameters(workflow, given);
  if (missing.empty()) return true;
  Stop stop;
  const Interrupts interrupts(stop);
  QuestionEnd end(Terminal::of_process());
  const auto subscription = stop.subscribe([&end](const StopRequest&) { end.request(); });
  Asking asking(Terminal::of_process(), end);
  if (!asking.can_ask()) return true;
  // One at a time: whether another one is required may depend on the answer.
  for (; !missing.empty(); missing = workflow::missing_parameters(workflow, given)) {
    const auto answer = ask(*missing.front(), asking);
    if (!answer) break;
    given.push_back(missing.front()->name + "=" + *answer);
  }
  if (interrupts.signal() == 0) return true;
  exit_status = interrupts.exit_status();
  return false;
}

}  // namespace wtool::host
