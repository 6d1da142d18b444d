#include "base/json.h"
#include "planning/plan.h"

#include "base/text.h"
#include "cache/step_cache.h"
#include "planning/known_values.h"
#include "runner/actions.h"
#include "runner/steps.h"
#include "runner/typed_answer.h"
#include "runner/up_to_date.h"
#include "workflow/actions/action_type.h"
#include "workflow/check/checker.h"
#include "workflow/check/failure_rule.h"
#include "workflow/model/model.h"
#include "workflow/model/parameters.h"
#include "workflow/quoting/command_template.h"

namespace wtool::host::planning {
namespace {

using expressions::Value;
using nlohmann::json;
using runner::Secrets;
using workflow::Action;
using workflow::ActionOptions;
using workflow::Argument;
using workflow::CommandVerdict;
using workflow::no_state;
using workflow::Placement;
using workflow::PromptAction;
using workflow::shell_tool;
using workflow::ShellAction;
using workflow::Source;
using workflow::State;
using workflow::TemplateText;
using workflow::ToolAction;
using workflow::Transition;
using workflow::Workflow;
using workflow::WorkflowAction;

constexpr const char* open_value = "a value is only known during the run";

PlannedCommand::Verdict verdict_of(CommandVerdict::Kind kind) {
  using Verdict = PlannedCommand::Verdict;
  switch (kind) {
    case CommandVerdict::Kind::allow:
      return Verdict::allow;
    case CommandVerdict::Kind::ask:
      return Verdict::ask;
    case CommandVerdict::Kind::deny:
      return Verdict::deny;
    case CommandVerdict::Kind::no_directory:
    case CommandVerdict::Kind::unknown:
      break;
  }
  return Verdict::unknown;
}

// "20 calls, 200000 tokens, cost 2.5, 30 min"; empty: no budget.
std::string budget_words(const workflow::PromptBudget& budget) {
  std::string words;
  const auto add = [&](const std::string& part) { words += (words.empty() ? "" : ", ") + part; };
  if (budget.calls) add(counted(*budget.calls, "call"));
  if (budget.tokens) add(std::to_string(*budget.tokens) + " tokens");
  if (budget.cost) add("cost " + expressions::to_text(Value(*budget.cost)));
  if (budget.time) add(workflow::duration_words(*budget.time));
  return words;
}

// The timeout in words; unchanged if it contains a value that is known only during the run.
std::string timeout_words(const std::string& text) {
  std::string ignored;
  const auto timeout = workflow::timeout_value(text, ignored);
  return timeout ? workflow::duration_words(*timeout) : text;
}

// Arguments of prompts and workflows: the known values, and the names of the others.
struct KnownArguments {
  std::map<std::string, Value> values;
  std::set<std::string> open;
};

KnownArguments known_arguments(const std::vector<Argument>& arguments, const KnownValues& values) {
  KnownArguments made;
  for (const Argument& argument : arguments) {
    if (argument.guard) {
      const Filled guard = filled(*argument.guard, values);
      if (guard.complete && guard.text.empty()) continue;
      if (!guard.complete) {
        made.open.insert(argument.name);
        continue;
      }
    }
    if (const auto* literal = std::get_if<Value>(&argument.value)) {
      made.values.insert_or_assign(argument.name, *literal);
      continue;
    }
    const auto& text = std::get<TemplateText>(argument.value).parsed;
    std::variant<Value, expressions::ExpressionError> value = expressions::ExpressionError{};
    if (values.knows_all(text)) value = runner::rendered_value(text, values);
    if (auto* known = std::get_if<Value>(&value)) {
      made.values.insert_or_assign(argument.name, std::move(*known));
    } else {
      made.open.insert(argument.name);
    }
  }
  return made;
}

// A scope that records whether it was asked for a value that is known only during the run.
class Watched final : public expressions::Scope {
 public:
  Watched(const KnownValues& values, const KnownArguments& arguments) : values_(values), arguments_(arguments) {}

  const Value* find(std::string_view name) const override {
    const std::string wanted(name);
    const auto argument = arguments_.values.find(wanted);
    if (argument != arguments_.values.end()) return &argument->second;
    if (arguments_.open.contains(wanted) || values_.is_open({wanted, "", 0, true})) {
      met_open_ = true;
      return nullptr;
    }
    return values_.find(name);
  }
  std::string why_not(std::string_view name) const override { return values_.why_not(name); }
  bool met_open() const { return met_open_; }

 private:
  const KnownValues& values_;
  const KnownArguments& arguments_;
  mutable bool met_open_ = false;
};

// An action in words, without its command if it calls a tool: `runs a command`, `logs "done"`, `waits 5 s`.
class Words final : public workflow::Describer {
 public:
  explicit Words(const KnownValues& values) : values_(values) { mask = Secrets::mask; }

  std::string of(const Action& action) const { return type_of(action.kind).describe(action.kind, *this); }

 private:
  // The whole text, however many lines it has.
  std::string text(const TemplateText& text) const override { return filled(text, values_).text; }

  const KnownValues& values_;
};

class Planner {
 public:
  explicit Planner(const PlanServices& services) : services_(services) {}

  // `around`: the place of the steps that name no place. Empty: the command line decides.
  Plan plan(const Workflow& workflow, const Source& source, const std::map<std::string, Value>& inputs,
            const std::set<std::string>& open, const Placement& around) {
    const KnownValues values(workflow, inputs, open, set_by_agents(workflow, source), secrets_);
    Plan made;
    made.name = !workflow.title.empty() ? workflow.title : workflow.name;
    made.file = source.name();
    for (const auto& [name, value] : inputs) made.inputs.emplace_back(name, shown(expressions::to_json(value)));
    for (const std::string& name : open) made.inputs.emplace_back(name, "<" + name + ">");
    made.on_failure = workflow.on_failure.name;
    made.finally = workflow.finally.name;
    made.budget = budget_words(workflow.budget);
    made.concurrency = workflow.concurrency.name;
    made.max_steps = workflow.max_steps;
    made.fail_fast = workflow.fail_fast.value_or(true);
    for (const WalkedState& walked : walk_states(workflow)) {
      made.states.push_back(planned(workflow, source, walked, values, around));
    }
    return made;
  }

 private:
  // The words of the workflow's prompts: an agent may set a variable that its prompt mentions.
  std::set<std::string> set_by_agents(const Workflow& workflow, const Source& source) const {
    std::set<std::string> names;
    for (const State& state : workflow.states) {
      const auto* prompt = state.action ? std::get_if<PromptAction>(&state.action->kind) : nullptr;
      if (prompt == nullptr || !services_.prompt_sets || !(prompt->is_inline || is_literal(prompt->prompt))) continue;
      const auto mentioned = services_.prompt_sets(prompt->prompt.written.text(), prompt->is_inline, source.name());
      names.insert(mentioned.begin(), mentioned.end());
    }
    return names;
  }

  // The text with its secrets masked.
  std::string shown(const std::string& text) const { return secrets_.masked(text); }

  PlannedState planned(const Workflow& workflow, const Source& source, const WalkedState& walked,
                       const KnownValues& values, const Placement& around) {
    const State& state = workflow.states[walked.state];
    PlannedState made;
    made.id = state.id;
    made.description = state.description;
    made.kind = state.kind;
    made.part = walked.part;
    made.branches = walked.branches;
    for (const Transition& exit : state.exits) {
      made.exits.push_back({condition(workflow, exit, state), target(workflow, exit)});
    }
    if (!state.action) return made;
    const Action& action = *state.action;
    made.action = shown(Words(values).of(action));
    options(action, values, made);
    const Placement place = workflow::place_of(workflow, walked.state, around);
    if (type_of(action.kind).calls_something) {
      // A service runs on this machine, whatever place surrounds it.
      const bool is_service = std::holds_alternative<workflow::ServiceAction>(action.kind);
      if (!place.on.empty() && !is_service) made.details.emplace_back("on", place.on);
      if (!place.slot.empty() && !is_service) made.details.emplace_back("slot", place.slot);
      for (auto& words : workflow::limit_words(place.limits)) made.details.push_back(std::move(words));
    }
    if (!action.options.matrix) {
      perform(action, workflow, source, values, "", place, made);
      return made;
    }
    bool complete = true;
    std::string problem;
    const json matrix = filled_json(*action.options.matrix, values, complete, problem);
    made.details.emplace_back("matrix", shown(dumped(matrix)));
    const auto lists = complete ? runner::combinations(*action.options.matrix, values)
                                : std::variant<std::vector<Value>, std::string>(problem);
    const auto* all = std::get_if<std::vector<Value>>(&lists);
    if (all == nullptr) {
      made.remark = "the combinations of the matrix are only known during the run";
      perform(action, workflow, source, values, "", place, made);
      return made;
    }
    for (const Value& combination : *all) {
      KnownValues inner = values;
      inner.set_local("matrix", combination);
      perform(action, workflow, source, inner, shown(expressions::to_json(combination)), place, made);
    }
    return made;
  }

  static std::string condition(const Workflow& workflow, const Transition& exit, const State& state) {
    switch (exit.kind) {
      case Transition::Kind::success:
        return "success";
      case Transition::Kind::failure:
        return "failure";
      case Transition::Kind::expression:
        return exit.label;
      case Transition::Kind::fallback:
      case Transition::Kind::unconditional:
        break;
    }
    const bool only = state.exits.size() == 1 || state.kind == State::Kind::fork;
    const bool is_handled = state.action && !state.action->options.on_failure.name.empty();
    if (is_handled) return only ? "success" : "otherwise, after a success";
    // A branch reaches its join whether it has failed or not.
    const bool to_join = exit.target != no_state && workflow.states[exit.target].kind == State::Kind::join;
    if (can_fail(state) && !to_join && !takes_failure(workflow, state, exit))
      return only ? "success" : "otherwise, after a success";
    // With `always`, the failure is over. With a plain arrow, the join fails, too.
    const std::string fails = can_fail(state) && to_join && !exit.always ? " (after a failure, the join fails)" : "";
    return (only ? "always" : "otherwise") + fails;
  }

  // The target of an exit, in words. An exit to the end of a composite state continues with the exits of that state.
  static std::string target(const Workflow& workflow, const Transition& exit) {
    if (exit.target == no_state) return "[*]";
    const State& state = workflow.states[exit.target];
    if (!state.hidden) return state.id;
    std::string all;
    for (const Transition& further : state.exits) {
      const State* next = further.target == no_state ? nullptr : &workflow.states[further.target];
      const std::string name = next == nullptr ? "[*]" : next->hidden ? "the end of the state around it" : next->id;
      all += (all.empty() ? "" : " or ") + name;
    }
    return all;
  }

  void options(const Action& action, const KnownValues& values, PlannedState& made) const {
    const ActionOptions& options = action.options;
    const auto add = [&](const char* name, const std::string& text) { made.details.emplace_back(name, shown(text)); };
    if (const auto* service = std::get_if<workflow::ServiceAction>(&action.kind)) {
      if (!service->free_port.name.empty()) add("free port", service->free_port.name);
      add("ready", !service->ready          ? "as soon as it runs"
                   : service->ready_timeout ? "within " + timeout_words(filled(*service->ready_timeout, values).text)
                                            : "within " + workflow::duration_words(workflow::usual_ready_timeout));
      add("ends by itself",
          service->restart == 0 ? "the run fails" : "started again, at most " + counted(service->restart, "time"));
    }
    const auto commands = shell_commands_of(action.kind);
    if (const ShellAction* shell = commands.empty() ? nullptr : commands.front()) {
      if (shell->working_directory) add("directory", filled(*shell->working_directory, values).text);
      for (const auto& [name, text] : shell->environment) {
        add("environment", name + "=" + (text.from_file ? "<from a file>" : filled(text, values).text));
      }
    }
    if (options.timeout) add("timeout", timeout_words(filled(*options.timeout, values).text));
    if (options.retry > 0) {
      std::string tries = "up to " + std::to_string(options.retry + 1);
      if (options.backoff) {
        tries += ", waiting " + workflow::duration_words(options.backoff->first) + " first and at most " +
                 workflow::duration_words(options.backoff->longest);
      }
      add("tries", tries);
    }
    if (options.total_timeout) add("total timeout", timeout_words(filled(*options.total_timeout, values).text));
    if (options.lock) add("lock", filled(*options.lock, values).text);
    if (!options.on_failure.name.empty()) add("on failure", options.on_failure.name);
    if (!options.result.name.empty()) add("result", options.result.name);
    if (options.max_visits) add("visits", "at most " + std::to_string(*options.max_visits));
    if (options.output) add("output", "is checked against " + dumped(*options.output));
    if (options.output && std::holds_alternative<PromptAction>(action.kind)) {
      const std::int64_t most = options.ask_again.value_or(workflow::usual_ask_again);
      add("asked again", "at most " + counted(most, "time") + " if the answer does not match");
    }
    if (options.secret) add("secret", "its outputs are not shown");
    const auto add_patterns = [&](const char* name, const std::shared_ptr<const json>& patterns) {
      if (patterns == nullptr) return;
      bool complete = true;
      std::string problem;
      add(name, dumped(filled_json(*patterns, values, complete, problem)));
    };
    add_patterns("inputs", options.cache.inputs);
    add_patterns("outputs", options.cache.outputs);
    add_patterns("keeps", options.keep);
    if (options.cache.wanted) add("cache", options.cache.strict ? "strict" : *options.cache.wanted ? "true" : "false");
  }

  // Plans what a state does for one combination, if it calls a tool or runs a workflow. Other actions are shown only in
  // words.
  void perform(const Action& action, const Workflow& workflow, const Source& source, const KnownValues& values,
               const std::string& combination, const Placement& place, PlannedState& made) {
    PlannedCommand command;
    command.combination = combination;
    CallPlace call_place{.on = place.on, .slot = place.slot, .limits = workflow::limits_text(place.limits)};
    if (std::holds_alternative<workflow::ServiceAction>(action.kind)) {
      for (const ShellAction* shell : shell_commands_of(action.kind)) {
        PlannedCommand one;
        judge_shell(*shell, workflow, {}, values, one);
        one.text = shown(one.text);
        one.reason = shown(one.reason);
        made.commands.push_back(std::move(one));
      }
      return;
    }
    if (const auto* shell = std::get_if<ShellAction>(&action.kind)) {
      call_place.shell = shell_of(*shell, workflow);
      const json arguments = judge_shell(*shell, workflow, action.options, values, command);
      look(action.options, source, values, call_place, std::string(shell_tool), arguments, made.id, command);
    } else if (const auto* tool = std::get_if<ToolAction>(&action.kind)) {
      const json arguments = judge_tool(*tool, values, command);
      look(action.options, source, values, call_place, tool->tool, arguments, made.id, command);
    } else if (const auto* prompt = std::get_if<PromptAction>(&action.kind)) {
      judge_prompt(*prompt, action.options, source, values, command);
      runner::PreparedPrompt prepared;
      const json arguments = call_of_prompt(*prompt, action.options, source, values, prepared);
      look(action.options, source, values, call_place, std::string(shell_tool), arguments, made.id, command, &prepared);
    } else {
      if (const auto* other = std::get_if<WorkflowAction>(&action.kind)) run(*other, source, values, place, made);
      return;
    }
    command.text = shown(command.text);
    command.reason = shown(command.reason);
    command.why_it_runs = shown(command.why_it_runs);
    made.commands.push_back(std::move(command));
  }

  // Fills in a part of a call. If a value in it is open or wrong, command.reason says so (see judge()).
  template <typename Text>
  static std::string part(const Text& text, const KnownValues& values, PlannedCommand& command) {
    Filled made = filled(text, values);
    if (!made.problem.empty()) command.reason = made.problem;
    if (!made.complete && command.reason.empty()) command.reason = open_value;
    return std::move(made.text);
  }

  static void take_timeout(const ActionOptions& options, const KnownValues& values, json& arguments) {
    if (!options.timeout) return;
    std::string why;
    const auto timeout = workflow::timeout_value(filled(*options.timeout, values).text, why);
    if (timeout) arguments["timeout"] = workflow::as_seconds(*timeout);
  }

  // Requests the policy's verdict on a command. Returns the arguments of the call. Null: a value in them is open or
  // wrong.
  json judge_shell(const ShellAction& shell, const Workflow& workflow, const ActionOptions& options,
                   const KnownValues& values, PlannedCommand& command) {
    // Whether the part that was just filled in has an open value. If it has one, clears the reason, so that the policy
    // still judges the rest.
    const auto take_open = [&command] {
      const bool is_open = command.reason == open_value;
      if (is_open) command.reason.clear();
      return is_open;
    };
    command.text = first_line_of(shell, workflow) + part(shell.command, values, command);
    const bool line_is_open = take_open();
    // No shell can read the line `$(`. If policy allows even this line, it allows the command whatever its values are.
    json arguments = {{"command", line_is_open ? "$(" : command.text}};
    take_timeout(options, values, arguments);
    if (shell.working_directory) arguments["working_directory"] = part(*shell.working_directory, values, command);
    const bool directory_is_open = take_open();
    if (directory_is_open) arguments.erase("working_directory");
    for (const auto& [name, text] : shell.environment) arguments["environment"][name] = part(text, values, command);
    const bool environment_is_open = take_open();
    const bool is_known = !line_is_open && !directory_is_open && !environment_is_open && command.reason.empty();
    json judged = is_known ? arguments : json();
    judge(std::string(shell_tool), arguments, command);
    const bool is_open =
        directory_is_open || environment_is_open || (line_is_open && command.verdict != PlannedCommand::Verdict::allow);
    if (is_open && !is_refused_for_variables(std::move(arguments), command)) {
      command.verdict = PlannedCommand::Verdict::unknown;
      command.reason = open_value;
    }
    return judged;
  }

  // Finds out whether a step that may be skipped is up to date.
  void look(const ActionOptions& options, const Source& source, const KnownValues& values, const CallPlace& place,
            const std::string& tool, const json& arguments, const std::string& step, PlannedCommand& command,
            const runner::PreparedPrompt* prompt = nullptr) const {
    if (!options.cache.is_on() || services_.cache == nullptr) return;
    command.up_to_date = false;
    std::string& why = command.why_it_runs;
    const auto patterns = [&](const std::shared_ptr<const json>& written, std::vector<std::string>& out) {
      bool complete = true;
      if (written != nullptr) filled_json(*written, values, complete, why);
      if (!complete && why.empty()) why = open_value;
      if (!why.empty()) return;
      if (auto made = runner::rendered_patterns(written.get(), values, why)) out = std::move(*made);
    };
    // With a verdict of allow, command.reason says why policy allows the command, and not why the step would run.
    const bool has_reason = !command.reason.empty() && command.verdict != PlannedCommand::Verdict::allow;
    if (arguments.is_null()) why = has_reason ? command.reason : open_value;
    const std::string written = dumped(arguments) + (prompt == nullptr ? "" : prompt->text);
    if (why.empty() && secrets_.masked(written) != written) why = "its call contains a secret";
    if (!why.empty()) return;
    const auto explained = runner::explanation_of(services_.explain, place, tool, arguments, why);
    if (!explained) return;
    auto work = runner::work_of(tool, arguments, place, *explained, prompt, why);
    if (!work) return;
    runner::add_options(options, services_.configuration ? services_.configuration() : runner::ConfigurationState(),
                        *work);
    work->step = step;
    work->file = source.name();
    const Value* const combination = options.matrix ? values.find("matrix") : nullptr;
    if (combination != nullptr) work->combination = expressions::to_json(*combination);
    patterns(options.cache.inputs, work->inputs);
    patterns(options.cache.outputs, work->outputs);
    if (why.empty() && runner::names_no_input(options, work->inputs)) why = runner::no_input;
    if (!why.empty()) return;
    const cache::Look look = services_.cache->look(*work);
    command.up_to_date = look.entry.has_value();
    why = look.why;
  }

  // True if the call is refused because of the names of its environment variables. It is then refused whatever their
  // values are.
  bool is_refused_for_variables(json arguments, const PlannedCommand& command) const {
    if (command.verdict != PlannedCommand::Verdict::deny || arguments.erase("environment") == 0) return false;
    const CommandVerdict without = services_.verdict(std::string(shell_tool), arguments);
    return without.kind != CommandVerdict::Kind::deny || without.reason != command.reason;
  }

  json judge_tool(const ToolAction& tool, const KnownValues& values, PlannedCommand& command) {
    bool complete = true;
    const json arguments = filled_json(*tool.arguments, values, complete, command.reason);
    // The policy does not read the text for standard input, so a verdict is possible even if that text is not known.
    if (!complete && tool.tool == shell_tool && tool.arguments->contains("stdin")) {
      json rest = *tool.arguments;
      rest.erase("stdin");
      complete = true;
      filled_json(rest, values, complete, command.reason);
      rest = arguments;
      rest["stdin"] = nullptr;
      command.text = runner::shown_call(tool.tool, rest);
    } else {
      command.text = runner::shown_call(tool.tool, arguments);
    }
    if (!complete && command.reason.empty()) command.reason = open_value;
    judge(tool.tool, arguments, command);
    return complete ? arguments : json();
  }

  void judge_prompt(const PromptAction& prompt, const ActionOptions& options, const Source& source,
                    const KnownValues& values, PlannedCommand& command) {
    const std::string prompt_text = part(prompt.prompt, values, command);
    command.text = "<prompts.command>";
    const bool text_is_open = prompt.is_inline && command.reason == open_value;
    if ((!command.reason.empty() && !text_is_open) || !services_.prompt) return;
    const KnownArguments arguments = known_arguments(prompt.arguments, values);
    const Watched watched(values, arguments);
    const runner::PreparedPrompt made =
        services_.prompt(prompt_text, prompt.is_inline, source.name(), watched, nullptr);
    // If a prompt is passed in a file, its text does not change the command. If not, the text is a part of the command.
    if (watched.met_open() || (text_is_open && made.keeps == nullptr)) {
      command.reason = open_value;
      return;
    }
    command.reason = made.error;
    if (!made.error.empty()) return;
    command.text = made.command;
    json call = {{"command", made.command}};
    if (made.timeout) call["timeout"] = *made.timeout;
    if (!made.environment.empty()) call["environment"] = made.environment;
    take_timeout(options, values, call);
    judge(std::string(shell_tool), call, command);
  }

  // The call of a prompt that may be up to date, with its text in `made`. Null: a value in it is open or wrong, or the
  // step is always run.
  json call_of_prompt(const PromptAction& prompt, const ActionOptions& options, const Source& source,
                      const KnownValues& values, runner::PreparedPrompt& made) const {
    if (!options.cache.is_on() || !services_.prompt) return nullptr;
    const Filled written = filled(prompt.prompt, values);
    if (!written.problem.empty() || !written.complete) return nullptr;
    const KnownArguments arguments = known_arguments(prompt.arguments, values);
    const Watched watched(values, arguments);
    runner::PromptAddition addition;
    if (options.output) addition = {runner::form_of_answer(*options.output, "", ""), options.output.get()};
    made = services_.prompt(written.text, prompt.is_inline, source.name(), watched, &addition);
    if (watched.met_open() || !made.error.empty()) return nullptr;
    json call = {{"command", made.command}};
    if (!made.environment.empty()) call["environment"] = made.environment;
    return call;
  }

  // A reason that is already set says why no verdict is possible.
  void judge(const std::string& tool, const json& arguments, PlannedCommand& command) const {
    if (!command.reason.empty()) return;
    CommandVerdict verdict = services_.verdict(tool, arguments);
    command.verdict = verdict_of(verdict.kind);
    command.reason = std::move(verdict.reason);
  }

  void run(const WorkflowAction& action, const Source& source, const KnownValues& values, const Placement& place,
           PlannedState& made) {
    const Filled name = filled(action.workflow, values);
    if (!name.complete || !services_.workflow) {
      made.remark = "the name of the workflow is known only during the run";
      return;
    }
    std::string error;
    const auto other = services_.workflow(name.text, source.name(), error);
    if (!other) {
      made.remark = shown(error);
      return;
    }
    const KnownArguments arguments = known_arguments(action.arguments, values);
    std::string key =
        other->source->name() + '\0' + place.on + '\0' + place.slot + '\0' + workflow::limits_text(place.limits);
    for (const auto& [argument, value] : arguments.values) {
      key += '\0' + argument + "=" + expressions::to_text(value);
    }
    for (const std::string& argument : arguments.open) key += '\0' + argument;
    if (planned_.contains(key)) {
      made.remark = "its plan is shown above";
      return;
    }
    if (planned_.size() >= max_plans) {
      made.remark = "its plan is not shown, because this plan already has too many workflows";
      return;
    }
    planned_.insert(std::move(key));
    std::vector<std::string> errors;
    auto inputs = workflow::resolve_arguments(*other->workflow, arguments.values, names_read(*other->workflow), errors);
    // The argument replaces the default of its parameter, although its value is not known yet.
    for (const std::string& argument : arguments.open) inputs.erase(argument);
    // An argument that seems to be missing may be one whose value is not known yet.
    if (!errors.empty() && arguments.open.empty()) made.remark = shown("it cannot be run like this: " + errors.front());
    made.runs = std::make_shared<const Plan>(plan(*other->workflow, *other->source, inputs, arguments.open, place));
  }

  const PlanServices& services_;
  Secrets secrets_;
  std::set<std::string> planned_;  // workflows that were planned, with their places and inputs
};

}  // namespace

Plan plan_workflow(const Workflow& workflow, const Source& source, std::map<std::string, Value> inputs,
                   const PlanServices& services) {
  return Planner(services).plan(workflow, source, inputs, {}, {});
}

}  // namespace wtool::host::planning
