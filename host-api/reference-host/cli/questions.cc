#include "cli/questions.h"

#include <unistd.h>
#include <functional>
#include <optional>

#include "approval/question.h"
#include "base/stop.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/interrupts.h"
#include "expressions/value.h"
#include "terminal/asking.h"
#include "terminal/text.h"
#include "workflow/model/parameters.h"

namespace wtool::host {
namespace {

// The line in lower case, without blanks.
std::string word_of(std::string line) {
  std::erase_if(line, [](char c) { return c == ' ' || c == '\t'; });
  return lowered(line);
}

}  // namespace

std::optional<bool> confirm_on_terminal(const std::string& question, Stop& stop, Terminal& terminal) {
  QuestionEnd end(terminal);
  const auto subscription = stop.subscribe([&end](const StopRequest&) { end.request(); });
  Asking asking(terminal, end);
  // If a stop has just ended the question before this one, it is now this question's turn, but it must not be asked.
  if (!asking.can_ask() || stop.requested()) return std::nullopt;
  std::string shown = "\n" + workflow_question(asking_state(), question, asking.columns(), "[y/N] ");
  const std::string prompt = shown.substr(shown.rfind('\n') + 1);
  shown.resize(shown.size() - prompt.size());
  if (asking.show(shown) != Asking::Event::done) return std::nullopt;
  bool yes = false;
  const auto problem = [&yes](const std::string& line) -> std::string {
    const std::string word = word_of(line);
    yes = word == "y" || word == "yes";
    const bool no = word.empty() || word == "n" || word == "no";
    return yes || no ? "" : "Please answer y (yes) or n (no).\n";
  };
  const Asking::Event event = asking.ask({.prompt = prompt, .problem = problem});
  return event == Asking::Event::done ? std::optional(yes) : std::nullopt;
}

namespace {

std::string prompt_for(const workflow::Parameter& parameter) {
  std::string text = parameter.name;
  if (!parameter.description.empty()) text += " (" + parameter.description + ")";
  std::string choices;
  for (const expressions::Value& choice : parameter.choices) {
    choices += (choices.empty() ? "" : ", ") + expressions::to_text(choice);
  }
  if (!choices.empty()) text += " [" + choices + "]";
  return cleaned_for_terminal(text, false) + ": ";
}

// What is wrong with the answer; empty: nothing.
std::string problem_of(const workflow::Parameter& parameter, const std::string& answer) {
  if (answer.empty()) return "a value is required";
  if (!is_utf8(answer)) return "the value is not valid UTF-8";
  std::string why;
  const auto value = workflow::parameter_value(parameter.type, answer, why, parameter.secret);
  return value ? workflow::limit_problem(parameter, *value) : why;
}

// Asks for the value of the parameter. Nothing: there was no usable answer.
std::optional<std::string> ask(const workflow::Parameter& parameter, Asking& asking) {
  std::string answer;
  const auto problem = [&](const std::string& line) -> std::string {
    answer = line;
    const std::string why = problem_of(parameter, line);
    return why.empty() ? "" : cleaned_for_terminal(why, false) + "\n";
  };
  const Asking::Event event =
      asking.ask({.prompt = prompt_for(parameter), .problem = problem, .hidden = parameter.secret, .when_ended = "\n"});
  return event == Asking::Event::done ? std::optional(answer) : std::nullopt;
}

// The parameter to ask for next; nullptr: all were asked for.
using Next = std::function<const workflow::Parameter*()>;

// Implements ask_for_parameters() and ask_again().
bool ask_for_all(const Next& next, const std::string& introduction, std::vector<std::string>& given, int& exit_status) {
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1) return true;
  const workflow::Parameter* parameter = next();
  if (parameter == nullptr) return true;
  Stop stop;
  const Interrupts interrupts(stop);
  QuestionEnd end(Terminal::of_process());
  const auto subscription = stop.subscribe([&end](const StopRequest&) { end.request(); });
  Asking asking(Terminal::of_process(), end);
  if (!asking.can_ask() || asking.show(introduction) != Asking::Event::done) return true;
  for (; parameter != nullptr; parameter = next()) {
    const auto answer = ask(*parameter, asking);
    if (!answer) break;
    given.push_back(parameter->name + "=" + *answer);
  }
  if (interrupts.signal() == 0) return true;
  exit_status = interrupts.exit_status();
  return false;
}

}  // namespace

bool ask_for_parameters(const workflow::Workflow& workflow, std::vector<std::string>& given, int& exit_status) {
  // Whether a parameter is required may depend on earlier answers.
  const Next next = [&]() -> const workflow::Parameter* {
    const auto missing = workflow::missing_parameters(workflow, given);
    return missing.empty() ? nullptr : missing.front();
  };
  return ask_for_all(next, "", given, exit_status);
}

bool ask_again(const workflow::Workflow& workflow, const std::vector<std::string>& names,
               std::vector<std::string>& given, int& exit_status) {
  auto name = names.begin();
  workflow::Parameter asked;
  const Next next = [&]() -> const workflow::Parameter* {
    if (name == names.end()) return nullptr;
    const workflow::Parameter* const declared = workflow::find_parameter(workflow, *name);
    asked = declared == nullptr ? workflow::Parameter{} : *declared;
    asked.name = *name++;
    asked.secret = true;
    return &asked;
  };
  return ask_for_all(next, "These inputs contain secrets, which the journal does not keep. Please give them again.\n",
                     given, exit_status);
}

}  // namespace wtool::host
