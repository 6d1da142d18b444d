#include "planning/action_words.h"

#include <charconv>

namespace wtool::host::workflow {
namespace {

using expressions::Value;

// In quotes, on however many lines it has.
std::string said(const TemplateText& text, const KnownValues& values) { return '"' + filled(text, values).text + '"'; }

std::string value_words(const std::variant<Value, TemplateText>& value, const KnownValues& values) {
  if (const auto* literal = std::get_if<Value>(&value)) return expressions::to_json(*literal);
  return said(std::get<TemplateText>(value), values);
}

std::string argument_words(const std::vector<Argument>& arguments, const KnownValues& values) {
  std::string out;
  for (const Argument& argument : arguments) {
    out += (out.empty() ? " with " : " ") + argument.name + "=" + value_words(argument.value, values);
    if (argument.guard) out += " (or without it)";
  }
  return out;
}

class Words {
 public:
  explicit Words(const KnownValues& values) : values_(values) {}

  std::string operator()(const ShellAction&) const { return "runs a command"; }
  std::string operator()(const ToolAction& action) const { return "calls the tool " + action.tool; }
  std::string operator()(const PromptAction& action) const {
    return (action.is_inline ? "gives the prompt " : "gives the prompt file ") + said(action.prompt, values_) +
           " to the command of prompts" + argument_words(action.arguments, values_);
  }
  std::string operator()(const WorkflowAction& action) const {
    return "runs the workflow " + said(action.workflow, values_) + argument_words(action.arguments, values_);
  }
  std::string operator()(const LogAction& action) const {
    static constexpr const char* levels[] = {"logs ", "logs the warning ", "logs the error "};
    return levels[static_cast<int>(action.level)] + said(action.message, values_);
  }
  std::string operator()(const SetAction& action) const {
    std::string out = "sets";
    for (const Assignment& assignment : action.assignments) {
      out += " " + assignment.name + "=" +
             (action.secret ? std::string(Secrets::mask) : value_words(assignment.value, values_));
    }
    return out;
  }
  std::string operator()(const WaitAction& action) const {
    const std::string amount = filled(action.amount, values_).text;
    double number = 0;
    const auto parsed = std::from_chars(amount.data(), amount.data() + amount.size(), number);
    if (parsed.ec == std::errc() && parsed.ptr == amount.data() + amount.size() && number >= 0 && number < 1e9) {
      return "waits " + duration_words(std::chrono::milliseconds(
                            static_cast<std::int64_t>(number * static_cast<double>(action.unit.count()))));
    }
    return "waits " + amount + " times " + duration_words(action.unit);
  }
  std::string operator()(const ConfirmAction& action) const {
    return "asks a person to confirm" + (action.question ? ": " + said(*action.question, values_) : "");
  }
  std::string operator()(const AbortAction& action) const { return "aborts the run: " + said(action.message, values_); }

 private:
  const KnownValues& values_;
};

}  // namespace

std::string action_words(const Action& action, const KnownValues& values) {
  return std::visit(Words(values), action.kind);
}

std::string duration_words(std::chrono::milliseconds duration) {
  const std::int64_t count = duration.count();
  if (count > 0 && count % 60'000 == 0) return std::to_string(count / 60'000) + " min";
  if (count % 1000 == 0) return std::to_string(count / 1000) + " s";
  return std::to_string(count) + " ms";
}

}  // namespace wtool::host::workflow
