#include "runner/actions.h"

#include <charconv>
#include <cmath>
#include <functional>

#include "base/json.h"
#include "base/json_reader.h"
#include "base/secrets/secrets.h"
#include "loader/tool_caller.h"
#include "runner/budget.h"
#include "runner/prompts.h"
#include "runner/services.h"
#include "runner/step_outputs.h"
#include "runner/steps.h"
#include "runner/typed_answer.h"
#include "runner/up_to_date.h"
#include "runner/waiting.h"
#include "workflow/model/model.h"
#include "workflow/model/parameters.h"
#include "workflow/quoting/command_template.h"

namespace wtool::host::runner {
namespace {

using expressions::ExpressionError;
using expressions::Value;
using nlohmann::json;
using workflow::max_wait;
using workflow::shell_tool;
using workflow::TemplateText;

constexpr std::size_t max_environment_value = 100 * 1024;  // bytes; the kernel limits each variable
// By convention, an agent's answer aborts the run if it begins with this mark.
constexpr std::string_view abort_mark = "ABORT ERROR:";

class ActionRunner {
 public:
  ActionRunner(const Step& step, const ActionContext& context)
      : step_(step), context_(context), invocation_(context.invocation), options_(step.of().action->options) {}

  ActionResult run() {
    std::visit([this](const auto& action) { perform(action); }, step_.of().action->kind);
    // A prompt does both itself: it checks its answer, asks again after a wrong one, and keeps the result of a right
    // one.
    if (std::holds_alternative<workflow::PromptAction>(step_.of().action->kind)) return std::move(result_);
    if (options_.output && !result_.outcome.is_error && result_.mistake.empty()) {
      if (const std::string wrong = take_answer(); !wrong.empty()) no_answer("the output " + wrong);
    }
    keep();
    return std::move(result_);
  }

 private:
  void mistake(std::size_t offset, const std::string& message) { mistaken(with_place(invocation_, offset, message)); }

  void mistaken(std::string message) {
    result_.mistake = std::move(message);
    fails(result_.mistake);
  }

  void fails(std::string message, std::int64_t exit_code = 1) {
    result_.outcome.is_error = true;
    result_.outcome.exit_code = exit_code;
    result_.outcome.message = std::move(message);
  }

  // Reads the output as the option `output` demands. Returns what is wrong with the output; empty: it is valid.
  std::string take_answer() {
    auto answer = typed_answer(result_.outcome, *options_.output);
    if (auto* wrong = std::get_if<std::string>(&answer)) return std::move(*wrong);
    result_.outcome.answer = std::get<Value>(std::move(answer));
    return "";
  }

  void no_answer(std::string message) {
    result_.outcome.error = invalid_output_error;
    fails(std::move(message));
  }

  std::optional<std::string> render(const TemplateText& text) {
    std::string why;
    auto rendered = rendered_text(text, invocation_, context_.variables, why);
    if (!rendered) mistaken(std::move(why));
    return rendered;
  }

  std::variant<Value, ExpressionError> as_text(const TemplateText& text) const {
    auto rendered = expressions::render_text(text.parsed, context_.variables);
    if (auto* error = std::get_if<ExpressionError>(&rendered)) return std::move(*error);
    return Value(std::get<std::string>(std::move(rendered)));
  }

  // Evaluates the option `timeout`; false after a mistake.
  bool take_timeout(std::optional<std::chrono::milliseconds>& timeout) {
    if (!options_.timeout) return true;
    const auto text = render(*options_.timeout);
    if (!text) return false;
    std::string why;
    timeout = workflow::timeout_value(*text, why);
    if (!timeout) mistake(options_.timeout->written.locate(0), why);
    return timeout.has_value();
  }

  // --- actions ---

  void perform(const workflow::ShellAction& action) {
    auto command = render_command(action.command, context_.variables);
    if (const auto* error = std::get_if<ExpressionError>(&command)) {
      return mistake(action.command.written.locate(error->offset), error->message);
    }
    result_.command = first_line_of(action, invocation_.workflow) + std::get<std::string>(command);
    json arguments = {{"command", result_.command}};
    std::optional<std::chrono::milliseconds> timeout;
    if (!take_timeout(timeout)) return;
    if (timeout) arguments["timeout"] = workflow::as_seconds(*timeout);
    if (action.working_directory) {
      const auto directory = render(*action.working_directory);
      if (!directory) return;
      arguments["working_directory"] = *directory;
    }
    for (const auto& [name, text] : action.environment) {
      const auto value = render(text);
      if (!value) return;
      if (value->size() > max_environment_value) {
        return mistake(text.written.locate(0), "the environment variable " + name + " is " +
                                                   std::to_string(value->size()) + " bytes long; at most " +
                                                   std::to_string(max_environment_value) + " can be passed");
      }
      // People keep secrets in environment files, where only a variable's name shows that its value is secret.
      if (text.from_file && secrets::is_secret_name(name)) invocation_.run.hide(*value);
      arguments["environment"][name] = *value;
    }
    call(std::string(shell_tool), arguments, shell_of(action, invocation_.workflow));
  }

  void perform(const workflow::ToolAction& action) {
    std::string why;
    std::optional<json> arguments = rendered_arguments(*action.arguments, context_.variables, why);
    if (!arguments) return mistake(action.arguments_offset, why);
    result_.command = shown_call(action.tool, *arguments);
    call(action.tool, *arguments);
  }

  void perform(const workflow::PromptAction& action) {
    const auto prompt = render(action.prompt);
    if (!prompt) return;
    const RunServices& services = invocation_.run.request().services;
    if (!services.prompt) return mistake(step_.of().action->offset, "prompts cannot be executed here");
    // Only this prompt can use the arguments as variables.
    Variables values = context_.variables;
    std::string why;
    const auto arguments = rendered_arguments(action.arguments, invocation_, context_.variables, why);
    if (!arguments) return mistaken(std::move(why));
    for (const auto& [name, value] : *arguments) values.set_local(name, value);
    PromptAddition addition;
    if (options_.output) addition = {form_of_answer(*options_.output, "", ""), options_.output.get()};
    const std::int64_t most = options_.output ? options_.ask_again.value_or(workflow::usual_ask_again) : 0;
    std::vector<std::pair<std::string, Value>> assigned;  // by the agent, in all its answers
    for (std::int64_t asked = 0;; ++asked) {
      if (!ask(action, *prompt, values, addition)) return;
      assigned.insert(assigned.end(), result_.assigned.begin(), result_.assigned.end());
      result_.assigned = assigned;
      // If the agent ends the workflow, nobody needs its answer.
      if (!options_.output || result_.ends_workflow) return keep();
      const std::string wrong = take_answer();
      if (wrong.empty()) return keep();
      if (asked == most) {
        result_.assigned.clear();
        return no_answer("the answer " + wrong + (most > 0 ? " (asked " + std::to_string(most + 1) + " times)" : ""));
      }
      invocation_.run.observer().noticed("the agent of '" + step_.of().id + "' is asked again (" +
                                         std::to_string(asked + 1) + " of " + std::to_string(most) + "): the answer " +
                                         (options_.secret ? "does not match `output`" : wrong));
      addition.text = form_of_answer(*options_.output, wrong, result_.outcome.standard_output);
    }
  }

  // Keeps the result for a later run. Call it when the whole result is known and has been checked against `output`.
  void keep() {
    if (kept_ && !result_.up_to_date) kept_->keep(result_);
  }

  // Gives the prompt to the command once. False: the step is over.
  bool ask(const workflow::PromptAction& action, const std::string& prompt, const Variables& values,
           const PromptAddition& addition) {
    const PreparedPrompt prepared = invocation_.run.request().services.prompt(
        prompt, action.is_inline, invocation_.source.name(), values, addition);
    if (!prepared.error.empty()) {
      mistake(action.prompt.written.locate(0), prepared.error);
      return false;
    }
    std::optional<std::chrono::milliseconds> timeout;
    if (prepared.timeout) timeout = std::chrono::seconds(*prepared.timeout);
    if (!take_timeout(timeout)) return false;
    RunObserver& observer = invocation_.run.observer();
    bool begun = false;
    // Called only if the step is not up to date. The call is recorded before it begins, so that it counts even if this
    // process is killed.
    const auto begin = [&] {
      if (std::string why = begin_call(invocation_); !why.empty()) {
        result_ = exhausted_result(std::move(why));
      } else {
        observer.used(step_, {.calls = 1});
        begun = true;
      }
      return begun;
    };
    const auto left = time_left(invocation_);
    const bool by_budget = left && (!timeout || *left < *timeout);
    if (by_budget) timeout = left;
    result_ = {};
    result_.command = prepared.command;
    json call_arguments = {{"command", prepared.command}};
    if (timeout) call_arguments["timeout"] = workflow::as_seconds(*timeout);
    if (!prepared.environment.empty()) call_arguments["environment"] = prepared.environment;
    const auto began = std::chrono::steady_clock::now();
    call(std::string(shell_tool), call_arguments, "", &prepared, begin);
    if (result_.up_to_date) {
      PromptValues values_then;
      values_then.assigned = std::move(result_.assigned);
      values_then.ends_workflow = result_.ends_workflow;
      take_values(std::move(values_then));
      return !result_.outcome.is_error;
    }
    if (!begun) return false;
    Usage usage;
    usage.time = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
    PromptUsage reported;
    if (!prepared.usage_file.empty()) reported = read_prompt_usage(prepared.usage_file);
    usage.tokens = reported.tokens.value_or(0);
    usage.cost = reported.cost.value_or(0);
    count_usage(invocation_, usage);
    observer.used(step_, usage);
    if (result_.outcome.is_error) {
      if (by_budget && !result_.outcome.aborted && result_.outcome.exit_code == 124) {
        result_.fatal = true;
        result_.outcome.error = exhausted_error;
        fails("the budget's time for prompts ran out while the command was running", 124);
      }
      return false;
    }
    if (const std::string why = unreported(reported); !why.empty()) {
      fails(why);
      return false;
    }
    if (result_.outcome.standard_output.starts_with(abort_mark)) {
      result_.abort = true;
      result_.outcome.aborted = true;
      const std::string reason = result_.outcome.standard_output.substr(abort_mark.size());
      fails(reason.substr(std::min(reason.find_first_not_of(' '), reason.size())), 130);
      return false;
    }
    if (!prepared.values_file.empty()) take_values(read_prompt_values(prepared.values_file));
    return !result_.outcome.is_error;
  }

  // Returns an error if the report lacks an amount that a budget limits: without that amount, the budget would never
  // run out. Empty: the command has reported every amount that the budgets need.
  std::string unreported(const PromptUsage& reported) const {
    if (!reported.error.empty()) return reported.error;
    const bool tokens = !reported.tokens && needs_tokens(invocation_);
    if (!tokens && !(!reported.cost && needs_cost(invocation_))) return "";
    return std::string("the workflow has a budget of ") + (tokens ? "tokens" : "cost") +
           ", but prompts.command has not reported any; let it write a line such as {\"tokens\": 1200, " +
           "\"cost\": 0.03} to the file $WTOOL_USAGE, or use a budget of calls or time";
  }

  void take_values(PromptValues values) {
    if (!values.error.empty()) return fails(values.error);
    const bool sets = !values.assigned.empty() || values.ends_workflow;
    if (sets && options_.matrix) {
      return fails("the agent set values or ended the workflow, but no combination of a matrix may do either");
    }
    if (values.ends_workflow && context_.in_fork) {
      return fails("the agent ended the workflow, but no branch of a fork may do that; let the agent set a variable " +
                   std::string("that an exit after the join tests"));
    }
    for (auto& [name, value] : values.assigned) {
      if (const std::string why = problem_of_value(name, value); !why.empty()) return fails(why);
    }
    result_.assigned = std::move(values.assigned);
    result_.ends_workflow = values.ends_workflow;
  }

  // Whether the name is that of an outcome: of a state, or of an action with result="name".
  bool is_outcome(const std::string& name) const {
    const auto& states = invocation_.workflow.states;
    return std::any_of(states.begin(), states.end(), [&](const workflow::State& state) {
      return state.id == name || (state.action && state.action->options.result.name == name);
    });
  }

  // Checks a value that an agent sets, and converts it to the type of the parameter with this name, if there is one.
  // Returns what is wrong; empty: nothing.
  std::string problem_of_value(const std::string& name, Value& value) {
    // Conditions read these names: with them, an agent could replace the verdict of a review, or a person's answer.
    if (is_outcome(name)) {
      return "the agent set '" + name + "', which is the outcome of a step; let it set a variable of another name";
    }
    for (const workflow::Parameter& parameter : invocation_.workflow.parameters) {
      if (parameter.name != name) continue;
      if (parameter.secret) invocation_.run.hide(expressions::to_text(value));
      std::string why;
      // A parameter without a type has the type text, and accepts any value.
      if (parameter.type != workflow::Parameter::Type::text) {
        auto made = workflow::argument_value(parameter, parse_json_or_throw(expressions::to_json(value)), why);
        if (made) value = std::move(*made);
      }
      if (why.empty()) why = workflow::limit_problem(parameter, value);
      return why.empty() ? "" : "the agent set the parameter '" + name + "' to a wrong value: " + why;
    }
    return "";
  }

  void perform(const workflow::WorkflowAction& action) {
    const auto name = render(action.workflow);
    if (!name) return;
    std::string why;
    const auto arguments = rendered_arguments(action.arguments, invocation_, context_.variables, why);
    if (!arguments) return mistaken(std::move(why));
    std::optional<std::chrono::milliseconds> timeout;
    if (!take_timeout(timeout)) return;
    ChildStop timed(context_.stop);
    std::optional<Deadline> deadline;
    if (timeout) deadline.emplace(std::chrono::steady_clock::now() + *timeout, timed.stop(), "timeout");
    SubworkflowResult end = run_subworkflow(step_, invocation_, *name, *arguments, timed.stop());
    if (!end.mistake.empty()) return mistake(action.workflow.written.locate(0), end.mistake);
    result_.outcome = std::move(end.outcome);
    result_.abort = end.abort;
    result_.fatal = end.fatal;
    result_.refused = end.refused;
    const bool timed_out = deadline && deadline->passed() && !context_.stop.requested();
    if (!timed_out || !result_.outcome.aborted || result_.abort) return;
    result_.outcome.aborted = false;
    result_.outcome.error = "timed_out";
    fails("Workflow timed out after " + workflow::as_seconds(*timeout).dump() + " seconds", 124);
  }

  void perform(const workflow::LogAction& action) {
    const auto text = render(action.message);
    if (!text) return;
    result_.outcome.standard_output = *text;
    invocation_.run.observer().logged(step_, action.level, *text);
  }

  void perform(const workflow::SetAction& action) {
    for (const workflow::Assignment& assignment : action.assignments) {
      if (const auto* value = std::get_if<Value>(&assignment.value)) {
        result_.assigned.emplace_back(assignment.name, *value);
      } else {
        const auto& text = std::get<TemplateText>(assignment.value);
        auto made = text.is_value ? rendered_value(text.parsed, context_.variables) : as_text(text);
        if (const auto* error = std::get_if<ExpressionError>(&made)) {
          return mistake(text.written.locate(error->offset), error->message);
        }
        result_.assigned.emplace_back(assignment.name, std::get<Value>(std::move(made)));
      }
      result_.outcome.standard_output = expressions::to_text(result_.assigned.back().second);
    }
  }

  void perform(const workflow::WaitAction& action) {
    const auto text = render(action.amount);
    if (!text) return;
    double amount = 0;
    const char* end = text->data() + text->size();
    const auto parsed = std::from_chars(text->data(), end, amount, std::chars_format::fixed);
    const double wait_ms = amount * static_cast<double>(action.unit.count());
    if (text->empty() || parsed.ec != std::errc() || parsed.ptr != end || !(amount >= 0) ||
        wait_ms > static_cast<double>(max_wait) * 1000) {
      return mistake(action.amount.written.locate(0), "a wait must be a number, and at most " +
                                                          std::to_string(max_wait / 3600) + " hours, but is " +
                                                          expressions::quoted_for_message(*text));
    }
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(std::llround(wait_ms));
    if (!wait_until(until, context_.stop)) stopped();
  }

  void perform(const workflow::ConfirmAction& action) {
    std::string question = "Continue after '" + step_.of().id + "'?";
    if (action.question) {
      const auto text = render(*action.question);
      if (!text) return;
      question = *text;
    }
    const RunServices& services = invocation_.run.request().services;
    const std::optional<bool> answer = services.confirm ? services.confirm(question, context_.stop) : std::nullopt;
    if (context_.stop.requested()) return stopped();
    if (!answer) {
      fails(
          "nobody could be asked to confirm: this run is not in the foreground of a terminal, and no client shows "
          "forms; `wtool run --yes` confirms in advance");
    } else if (!*answer) {
      fails("not confirmed");
    }
  }

  void perform(const workflow::ApproveAction& action) {
    const auto question = render(action.question);
    if (!question) return;
    if (question->empty()) return mistake(action.question.written.locate(0), "the question is empty");
    ApprovalRequest request{.branch = step_.branch,
                            .sequence = step_.sequence,
                            .state = step_.of().id,
                            .question = *question,
                            .by = {},
                            .timeout = {}};
    if (action.by) {
      const auto by = render(*action.by);
      if (!by) return;
      // An empty name would count as if `by` were missing.
      if (by->empty()) {
        return mistake(action.by->written.locate(0), "`by` is empty; name the user or the group who may answer");
      }
      request.by = *by;
    }
    if (!take_timeout(request.timeout)) return;
    const Approve& approve = invocation_.run.request().services.approve;
    ApprovalAnswer answer;
    answer.why = "approvals cannot be given here";
    if (approve) answer = approve(request, context_.stop);
    if (answer.kind == ApprovalAnswer::Kind::stopped) return stopped();
    result_.outcome = to_outcome(request, answer);
    result_.refused = is_refusal(result_.outcome);
  }

  void perform(const workflow::AbortAction& action) {
    const auto text = render(action.message);
    if (!text) return;
    result_.abort = true;
    result_.outcome.aborted = true;
    fails(*text, 130);
  }

  void perform(const workflow::ServiceAction& action) {
    result_ = invocation_.run.services().start(step_, context_, action);
  }

  // --- what all actions share ---

  void stopped() {
    const auto stop = context_.stop.requested();
    result_.outcome.aborted = true;
    fails(stop ? stop->reason : "stopped", 130);
  }

  // Calls the tool. The caller keeps the result, with keep(). Unless the step is up to date, `begin` is called first;
  // if it returns false, the tool is not called.
  void call(const std::string& tool, const json& arguments, const std::string& shell = "",
            const PreparedPrompt* prompt = nullptr, const std::function<bool()>& begin = {}) {
    Run& run = invocation_.run;
    const SemaphoreHold slot(run.semaphore(), context_.stop);
    if (!slot.held()) return stopped();
    // A value that looks secret is hidden from observers like any other secret, even if it is written in the command.
    for (const std::string& value : secrets::Masker().found_in(result_.command)) run.hide(value);
    workflow::Placement placed = workflow::place_of(invocation_.workflow, step_.state, invocation_.place);
    CallPlace place{.shell = shell,
                    .on = std::move(placed.on),
                    .slot = std::move(placed.slot),
                    .limits = workflow::limits_text(placed.limits),
                    .traceparent = run.request().settings.traceparent,
                    .span = {"step", {{"run", run.request().run}, {"state", step_.of().id}}}};
    // Only the first question makes the cache key: a repeated question contains the wrong answer, so its key would
    // differ.
    if (!kept_) {
      kept_.emplace(step_, context_, place, tool, arguments, prompt);
      if (!kept_->mistake().empty()) return mistake(options_.cache.offset, kept_->mistake());
      if (kept_->take(result_)) return;
    }
    if (const std::string why = kept_->confine(context_, place, tool, arguments); !why.empty()) {
      return mistake(options_.cache.offset, why);
    }
    if (begin && !begin()) return;
    CallRecorder recorder(invocation_, step_);
    const ToolOutcome outcome = run.request().tools.call_at(
        place, tool, arguments, context_.stop,
        [&](OutputStream stream, std::string_view bytes) {
          recorder.add(stream == OutputStream::standard_error, bytes);
          run.observer().output(step_, stream == OutputStream::standard_error, bytes);
        },
        [&](const CallState& state) { run.observer().call_state(step_, state); });
    result_.outcome = to_outcome(outcome);
    recorder.finish(result_.outcome);
    result_.refused = is_refusal(result_.outcome);
    // The command has run, even if its end is missing in the audit trail, so the result of the step stays as it is.
    const Value* unrecorded = expressions::field_of(&result_.outcome.metadata, "audit_error");
    if (const std::string* why = unrecorded == nullptr || result_.refused ? nullptr : unrecorded->as_text()) {
      run.observer().noticed("the end of the step '" + step_.of().id + "' is not in the audit trail: " + *why);
    }
    // Until a person repairs the configuration, every later call would fail in the same way.
    result_.fatal = result_.outcome.error == "configuration_invalid";
  }

  const Step& step_;
  const ActionContext& context_;
  const WorkflowInvocation& invocation_;
  const workflow::ActionOptions& options_;
  std::optional<KeptCall> kept_;  // of the first call
  ActionResult result_;
};

}  // namespace

ActionResult exhausted_result(std::string why) {
  ActionResult result;
  result.fatal = true;
  result.outcome.is_error = true;
  result.outcome.exit_code = 1;
  result.outcome.error = exhausted_error;
  result.outcome.message = std::move(why);
  return result;
}

ActionResult run_action(const Step& step, const ActionContext& context) { return ActionRunner(step, context).run(); }

std::optional<std::string> rendered_text(const TemplateText& text, const WorkflowInvocation& invocation,
                                         const expressions::Scope& values, std::string& mistake) {
  auto rendered = expressions::render_text(text.parsed, values);
  if (const auto* error = std::get_if<ExpressionError>(&rendered)) {
    mistake = with_place(invocation, text.written.locate(error->offset), error->message);
    return std::nullopt;
  }
  return std::get<std::string>(std::move(rendered));
}

std::string with_place(const WorkflowInvocation& invocation, std::size_t offset, const std::string& message) {
  const workflow::Position position = invocation.source.position(offset);
  return invocation.source.name() + ":" + std::to_string(position.line) + ":" + std::to_string(position.column) + ": " +
         message;
}

}  // namespace wtool::host::runner
