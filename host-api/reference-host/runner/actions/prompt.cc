// The actions `Prompt "text"` and `Execute prompt "name" with name="value"`.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/json_reader.h"
#include "base/text.h"
#include "runner/actions/action_runner.h"
#include "runner/budget.h"
#include "runner/prompts.h"
#include "runner/typed_answer.h"
#include "workflow/check/failure_rule.h"
#include "workflow/model/parameters.h"

namespace wtool::host::runner {
namespace {

// By convention, an agent's answer aborts the run if it begins with this mark.
constexpr std::string_view abort_mark = "ABORT ERROR:";
constexpr std::size_t max_unread_told = 20;  // variables that an agent set and nothing reads, each with a notice

// Whether the name is that of an outcome: of a state, or of an action with result="name".
bool is_outcome(const ActionRunner& runner, const std::string& name) {
  const auto& states = runner.invocation.workflow.states;
  return std::any_of(states.begin(), states.end(), [&](const workflow::State& state) {
    return state.id == name || (state.action && state.action->options.result.name == name);
  });
}

// Checks a value that an agent sets, and converts it to the type of the parameter with this name, if there is one.
// Returns what is wrong; empty: nothing.
std::string problem_of_value(ActionRunner& runner, const std::string& name, expressions::Value& value) {
  // Conditions read these names: with them, an agent could replace the verdict of a review, or a person's answer.
  if (is_outcome(runner, name)) {
    return "the agent set '" + name + "', which is the outcome of a step; let it set a variable of another name";
  }
  for (const workflow::Parameter& parameter : runner.invocation.workflow.parameters) {
    if (parameter.name != name) continue;
    if (parameter.secret) runner.invocation.run.hide(expressions::to_text(value));
    std::string why;
    // A parameter without a type has the type text, and accepts any value.
    if (parameter.type != workflow::Parameter::Type::text) {
      auto made = workflow::argument_value(parameter, parse_json_or_throw(expressions::to_json(value)), why);
      if (made) value = std::move(*made);
    }
    if (why.empty()) why = workflow::limit_problem(parameter, value);
    return why.empty() ? ""
                       : std::string("the agent set the parameter '").append(name).append("' to a wrong value: ") + why;
  }
  return "";
}

// True if the state does something that an agent must not skip.
bool does_work(const workflow::State& state) {
  return state.action && !std::holds_alternative<workflow::LogAction>(state.action->kind);
}

std::vector<std::size_t> targets_of(const workflow::State& state) {
  std::vector<std::size_t> targets;
  for (const workflow::Transition& exit : state.exits) targets.push_back(exit.target);
  return targets;
}

// True if the diagram leads from the state to the end. With `directly`, it must do so after a success of the state, and
// no state that does work may come between them.
bool leads_to_end(const workflow::Workflow& workflow, std::size_t state, bool directly) {
  const workflow::AfterSuccess after_success(workflow);
  std::vector<bool> seen(workflow.states.size());
  std::vector<std::size_t> todo{state};
  while (!todo.empty()) {
    const std::size_t at = todo.back();
    todo.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    const workflow::State& from = workflow.states[at];
    for (const std::size_t target : directly ? after_success.targets(from, workflow.states[state]) : targets_of(from)) {
      if (target == workflow::no_state) return true;
      if (!directly || !does_work(workflow.states[target])) todo.push_back(target);
    }
  }
  return false;
}

// An agent may end the workflow only where the diagram shows that the workflow can end, or where only an agent can end
// it. Otherwise, it could skip the tests of its own work.
bool may_end_workflow(const Step& step) {
  return leads_to_end(*step.workflow, step.state, true) || !leads_to_end(*step.workflow, step.state, false);
}

void take_values(ActionRunner& runner, PromptValues values) {
  if (!values.error.empty()) return runner.fails(values.error);
  const bool sets = !values.assigned.empty() || values.ends_workflow;
  if (sets && runner.options.matrix) {
    return runner.fails("the agent set values or ended the workflow, but no combination of a matrix may do either");
  }
  if (values.ends_workflow && runner.context.in_fork) {
    return runner.fails(
        "the agent ended the workflow, but no branch of a fork may do that; let the agent set a variable " +
        std::string("that an exit after the join tests"));
  }
  if (values.ends_workflow && !may_end_workflow(runner.step)) {
    const std::string& id = runner.step.of().id;
    return runner.fails("the agent ended the workflow, but in the diagram, other steps come between '" + id +
                        "' and the end. If the agent may skip them, give '" + id +
                        "' an exit to [*] that a success takes");
  }
  for (auto& [name, value] : values.assigned) {
    if (const std::string why = problem_of_value(runner, name, value); !why.empty()) return runner.fails(why);
  }
  runner.result.assigned = std::move(values.assigned);
  runner.result.ends_workflow = values.ends_workflow;
}

bool mentions(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if (at > 0 && is_word_character(text[at - 1])) continue;
    if (end == text.size() || !is_word_character(text[end])) return true;
  }
  return false;
}

// Reports the variables that the agent has set, but that neither a workflow around the step nor the prompt mentions.
// Nothing reads them, so the agent probably meant another name.
void tell_of_unread_values(ActionRunner& runner, const std::string& prompt) {
  std::size_t unread = 0;
  for (const auto& [name, value] : runner.result.assigned) {
    bool is_known = mentions(prompt, name);
    for (const WorkflowInvocation* at = &runner.invocation; at != nullptr && !is_known; at = at->parent) {
      is_known = mentions(at->source.text(), name);
    }
    if (is_known || ++unread > max_unread_told) continue;
    runner.invocation.run.observer().noticed("the agent of '" + runner.step.of().id + "' set '" + name +
                                             "', but neither its prompt nor the workflow mentions that name, so "
                                             "nothing reads it");
  }
  if (unread > max_unread_told) {
    runner.invocation.run.observer().noticed("the agent of '" + runner.step.of().id + "' set " +
                                             std::to_string(unread - max_unread_told) +
                                             " more variables that nothing reads");
  }
}

// Returns an error if the report lacks an amount that a budget limits: without that amount, the budget would never
// run out. Empty: the command has reported every amount that the budgets need.
std::string unreported(ActionRunner& runner, const PromptUsage& reported) {
  if (!reported.error.empty()) return reported.error;
  const bool tokens = !reported.tokens && needs_tokens(runner.invocation);
  if (!tokens && !(!reported.cost && needs_cost(runner.invocation))) return "";
  return std::string("the workflow has a budget of ") + (tokens ? "tokens" : "cost") +
         ", but prompts.command has not reported any; let it write a line such as {\"tokens\": 1200, " +
         "\"cost\": 0.03} to the file $WTOOL_USAGE, or use a budget of calls or time";
}

// Counts what the command used, and takes what it has answered. `by_budget`: the budget's time was its timeout. False:
// the step has ended, and the prompt must not be repeated.
bool take_end(ActionRunner& runner, const PreparedPrompt& prepared, std::chrono::milliseconds took, bool by_budget) {
  Usage usage;
  usage.time = took;
  PromptUsage reported;
  if (!prepared.usage_file.empty()) reported = read_prompt_usage(prepared.usage_file);
  usage.tokens = reported.tokens.value_or(0);
  usage.cost = reported.cost.value_or(0);
  count_usage(runner.invocation, usage);
  runner.invocation.run.observer().used(runner.step, usage);
  if (runner.result.outcome.is_error) {
    if (by_budget && !runner.result.outcome.aborted && runner.result.outcome.exit_code == 124) {
      runner.result.fatal = true;
      runner.result.outcome.error = exhausted_error;
      runner.fails("the budget's time for prompts ran out while the command was running", 124);
    }
    return false;
  }
  if (const std::string why = unreported(runner, reported); !why.empty()) {
    runner.fails(why);
    return false;
  }
  if (runner.result.outcome.standard_output.starts_with(abort_mark)) {
    runner.result.abort = true;
    runner.result.outcome.aborted = true;
    const std::string& answer = runner.result.outcome.standard_output;
    runner.fails(std::string(trimmed(std::string_view(answer).substr(abort_mark.size()))), 130);
    return false;
  }
  if (!prepared.values_file.empty()) {
    take_values(runner, read_prompt_values(prepared.values_file));
    tell_of_unread_values(runner, prepared.text);
  }
  return !runner.result.outcome.is_error;
}

// Gives the prompt to the command once. False: the step has ended, and the prompt must not be repeated.
bool ask(ActionRunner& runner, const workflow::PromptAction& action, const std::string& prompt, const Variables& values,
         const PromptAddition& addition) {
  const PreparedPrompt prepared = runner.invocation.run.request().services.prompt(
      prompt, action.is_inline, runner.invocation.source.name(), values, addition);
  if (!prepared.error.empty()) {
    runner.mistake(action.prompt.written.locate(0), prepared.error);
    return false;
  }
  std::optional<std::chrono::milliseconds> timeout;
  if (prepared.timeout) timeout = std::chrono::seconds(*prepared.timeout);
  if (!runner.take_timeout(timeout)) return false;
  RunObserver& observer = runner.invocation.run.observer();
  bool begun = false;
  // Called only if the step is not up to date. The call is recorded before it begins, so that it counts even if this
  // process is killed.
  const auto begin = [&] {
    if (std::string why = begin_call(runner.invocation); !why.empty()) {
      runner.result = exhausted_result(std::move(why));
    } else {
      observer.used(runner.step, {.calls = 1});
      begun = true;
    }
    return begun;
  };
  const auto left = time_left(runner.invocation);
  const bool by_budget = left && (!timeout || *left < *timeout);
  if (by_budget) timeout = left;
  runner.result = {};
  runner.result.command = prepared.command;
  nlohmann::json call_arguments = {{"command", prepared.command}};
  if (timeout) call_arguments["timeout"] = workflow::as_seconds(*timeout);
  if (!prepared.environment.empty()) call_arguments["environment"] = prepared.environment;
  const auto began = std::chrono::steady_clock::now();
  runner.call(std::string(workflow::shell_tool), call_arguments, "", &prepared, begin);
  if (runner.result.up_to_date) {
    PromptValues values_then;
    values_then.assigned = std::move(runner.result.assigned);
    values_then.ends_workflow = runner.result.ends_workflow;
    take_values(runner, std::move(values_then));
    return !runner.result.outcome.is_error;
  }
  if (!begun) return false;
  const auto took = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
  return take_end(runner, prepared, took, by_budget);
}

}  // namespace

}  // namespace wtool::host::runner

namespace wtool::host::workflow {

void PromptAction::perform(const PromptAction& action, runner::ActionRunner& runner) {
  const auto prompt = runner.render(action.prompt);
  if (!prompt) return;
  const runner::RunServices& services = runner.invocation.run.request().services;
  if (!services.prompt) return runner.mistake(runner.step.of().action->offset, "prompts cannot be executed here");
  // The arguments are variables only for this prompt, so they are set in a copy.
  runner::Variables values = runner.context.variables;
  std::string why;
  const auto arguments = runner::rendered_arguments(action.arguments, runner.invocation, runner.context.variables, why);
  if (!arguments) return runner.mistaken(std::move(why));
  for (const auto& [name, value] : *arguments) values.set_local(name, value);
  runner::PromptAddition addition;
  if (runner.options.output)
    addition = {runner::form_of_answer(*runner.options.output, "", ""), runner.options.output.get()};
  const std::string placed = place_of(runner.invocation.workflow, runner.step.state, runner.invocation.place).on;
  const std::string& on = placed.empty() ? runner.invocation.run.request().settings.on : placed;
  addition.is_elsewhere = !on.empty() && on != "local";
  const std::int64_t most = runner.options.output ? runner.options.ask_again.value_or(usual_ask_again) : 0;
  std::vector<std::pair<std::string, expressions::Value>> assigned;  // by the agent, in all its answers
  bool ends_workflow = false;                                        // by one of its answers
  std::string wrong;                                                 // what is wrong with the last answer
  for (std::int64_t asked = 0;; ++asked) {
    if (!runner::ask(runner, action, *prompt, values, addition)) {
      if (asked > 0 && runner.result.outcome.error == runner::exhausted_error) {
        runner.result.outcome.message += "; the agent has given " + counted(asked, "wrong answer") +
                                         ", and the last one " + runner.wrong_answer(wrong);
      }
      return;
    }
    assigned.insert(assigned.end(), runner.result.assigned.begin(), runner.result.assigned.end());
    runner.result.assigned = assigned;
    runner.result.ends_workflow = ends_workflow = ends_workflow || runner.result.ends_workflow;
    // An agent that ends the workflow owes its answer, too: otherwise, it could pass a review without a verdict.
    if (!runner.options.output) return runner.keep();
    wrong = runner.take_answer();
    if (wrong.empty()) return runner.keep();
    if (asked == most) {
      runner.result.assigned.clear();
      runner.result.ends_workflow = false;
      return runner.no_answer("the answer " + runner.wrong_answer(wrong) +
                              (most > 0 ? " (asked " + std::to_string(most + 1) + " times)" : ""));
    }
    runner.invocation.run.observer().noticed("the agent of '" + runner.step.of().id + "' is asked again (" +
                                             std::to_string(asked + 1) + " of " + std::to_string(most) +
                                             "): the answer " + runner.wrong_answer(wrong));
    addition.text = runner::form_of_answer(*runner.options.output, wrong, runner.result.outcome.standard_output);
  }
}

}  // namespace wtool::host::workflow
