#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/edit_distance.h"
#include "base/json.h"
#include "base/text.h"
#include "workflow/check/checker.h"
#include "workflow/check/checks.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/edges.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

namespace {

// Answers whether a state can have run before another one, on any path through the diagram.
class ValuePaths {
 public:
  // `workflow` must outlive this object.
  explicit ValuePaths(const Workflow& workflow);

  // False: no path leads from any state of `earlier` to `state`. `after_action`: the question is about the exits of
  // `state`, whose own action has already run, so `state` itself may be in `earlier`. In doubt, the result is true: if
  // the state cannot be reached at all, or if earlier calls have used up steps_left_.
  bool may_follow(const std::vector<std::size_t>& earlier, std::size_t state, bool after_action);

 private:
  const Workflow& workflow_;
  StateEdges sources_;             // for each state: the states that lead to it
  StateMarks from_anywhere_;       // true for the targets of the workflow's `on failure` and `finally`
  std::vector<std::size_t> seen_;  // for each state: the last search that visited it
  std::size_t question_ = 0;
  std::size_t steps_left_ = 5'000'000;
};

ValuePaths::ValuePaths(const Workflow& workflow)
    : workflow_(workflow),
      sources_(reversed(edges_of(workflow))),
      from_anywhere_(workflow.states.size()),
      seen_(workflow.states.size()) {
  for (const std::string& name : {workflow.on_failure.name, workflow.finally.name}) {
    const std::size_t state = workflow.index_of(name);
    if (state != no_state) from_anywhere_[state] = true;
  }
}

bool ValuePaths::may_follow(const std::vector<std::size_t>& earlier, std::size_t state, bool after_action) {
  if (workflow_.diagram_unread || state == no_state) return true;
  ++question_;
  bool is_reached = state == workflow_.start;
  std::vector<std::size_t> todo = {state};
  if (after_action) seen_[state] = question_;
  const auto is_earlier = [&](std::size_t one) {
    return std::find(earlier.begin(), earlier.end(), one) != earlier.end();
  };
  if (after_action && is_earlier(state)) return true;
  while (!todo.empty()) {
    const std::size_t at = todo.back();
    todo.pop_back();
    if (from_anywhere_[at]) return true;
    for (const std::size_t source : sources_[at]) {
      if (steps_left_ < earlier.size() + 1) return true;
      steps_left_ -= earlier.size() + 1;
      if (seen_[source] == question_) continue;
      seen_[source] = question_;
      if (is_earlier(source)) return true;
      is_reached = is_reached || source == workflow_.start;
      todo.push_back(source);
    }
  }
  return !is_reached;
}

using Names = std::set<std::string, std::less<>>;

class NameChecker {
 public:
  NameChecker(const Workflow& workflow, const std::vector<std::string>& given, const CheckContext& check_context,
              Diagnostics& diagnostics)
      : workflow_(workflow), diagnostics_(diagnostics), paths_(workflow) {
    for (const Parameter& parameter : workflow_.parameters) {
      variables_.insert(parameter.name);
      // Before a run, it is known which parameters are given.
      const bool has_value = parameter.required || parameter.fallback || check_context.must_exist;
      if (!has_value && std::find(given.begin(), given.end(), parameter.name) == given.end()) {
        perhaps_missing_.insert(parameter.name);
      }
      check_own_name(parameter.name, parameter.offset, diagnostics_);
    }
    variables_.insert(given.begin(), given.end());
    variables_.insert(workflow_.ambiguous_names.begin(), workflow_.ambiguous_names.end());
    // A name that has a value from the start needs no state that sets it.
    const Names from_start = variables_;
    const auto sets = [&](const std::string& name, std::size_t state) {
      if (!from_start.contains(name)) setters_[name].push_back(state);
    };
    for (std::size_t i = 0; i < workflow_.states.size(); ++i) {
      const State& state = workflow_.states[i];
      if (!state.hidden) outcomes_.insert(state.id);
      if (!state.hidden && state.id.find_first_of("-.") != std::string::npos) compound_.insert(state.id);
      // A state counts as a setter of its name even if it has no outcome: check_path() reports the places that read it.
      if (!state.hidden) sets(state.id, i);
      if (!state.action) continue;
      if (const auto* set = std::get_if<SetAction>(&state.action->kind)) {
        for (const Assignment& assignment : set->assignments) {
          variables_.insert(assignment.name);
          sets(assignment.name, i);
        }
      }
      const auto* service = std::get_if<ServiceAction>(&state.action->kind);
      if (service != nullptr && !service->free_port.name.empty()) {
        variables_.insert(service->free_port.name);
        sets(service->free_port.name, i);
      }
      const NamedPlace& result = state.action->options.result;
      // The outcome of a matrix is a list of outcomes, each of which has the fields.
      if (state.action->options.output && !state.action->options.matrix) {
        for (std::string& field : answer_fields(*state.action->options.output)) {
          for (const std::string& name : {state.id, result.name, std::string("result")}) answers_[name].insert(field);
          answers_["last_action_result"].insert(std::move(field));
        }
      }
      if (result.name.empty()) continue;
      outcomes_.insert(result.name);
      sets(result.name, i);
    }
    if (check_context.prompt_sets) add_names_set_by_agents(check_context);
    outcomes_.insert("result");
    outcomes_.insert("last_action_result");
    known_.assign(variables_.begin(), variables_.end());
    known_.insert(known_.end(), outcomes_.begin(), outcomes_.end());
    known_.insert(known_.end(), run_names().begin(), run_names().end());
  }

  void run() {
    const std::vector<NameRead> uses = name_uses(workflow_, &diagnostics_);
    for (const NameRead& use : uses) {
      if (use.may_be_missing) tested_.emplace(use.state, use.name);
    }
    check_given(uses);
    for (const NameRead& use : uses) check_late_secret(use);
    for (const NameRead& use : uses) {
      if (use.offset < said_up_to_ && use.offset + use.name.size() > said_from_) continue;
      if (!check_compound(use)) check(use);
    }
  }

 private:
  // Names that nothing else sets may be set by the agent of a prompt that mentions them.
  void add_names_set_by_agents(const CheckContext& check_context) {
    std::set<std::string> open;
    for (const NameRead& use : name_uses(workflow_, nullptr)) {
      if (!is_defined(use.name)) open.insert(use.name);
    }
    if (open.empty()) return;
    for (std::size_t i = 0; i < workflow_.states.size(); ++i) {
      const State& state = workflow_.states[i];
      const auto* prompt = state.action ? std::get_if<PromptAction>(&state.action->kind) : nullptr;
      if (prompt == nullptr || !(prompt->is_inline || is_literal(prompt->prompt))) continue;
      const Names mentioned =
          check_context.prompt_sets(prompt->prompt.written.text(), prompt->is_inline, check_context.file);
      for (const std::string& name : open) {
        if (!mentioned.contains(name)) continue;
        variables_.insert(name);
        setters_[name].push_back(i);
      }
    }
  }

  bool is_defined(const std::string& name) const {
    return variables_.contains(name) || outcomes_.contains(name) || is_run_name(name);
  }

  // Warns of the first place that needs the value of each parameter that may have none.
  void check_given(const std::vector<NameRead>& uses) {
    if (workflow_.names_unread) return;
    for (const NameRead& use : needed_values(workflow_, perhaps_missing_, uses)) {
      if (perhaps_missing_.erase(use.name) == 0) continue;
      diagnostics_.warn(use.offset,
                        "the parameter '" + use.name +
                            "' is optional and has no default, so a run without it fails here; give the parameter a "
                            "`default` or `required: true`" +
                            (use.in_action ? ", or write {{ " + use.name + " | default: \"\" }}" : ""));
    }
  }

  // Warns of a `Set secret` whose value is an output that was shown and recorded before.
  void check_late_secret(const NameRead& use) {
    if (!use.in_action || use.state == no_state) return;
    const auto* set = std::get_if<SetAction>(&workflow_.states[use.state].action->kind);
    if (set == nullptr || !set->secret) return;
    for (const State& state : workflow_.states) {
      if (!state.action || state.action->options.secret) continue;
      const bool prints = !std::holds_alternative<SetAction>(state.action->kind);
      if (prints && (state.id == use.name || state.action->options.result.name == use.name)) {
        diagnostics_.warn(use.offset, "the output of '" + state.id +
                                          "' has been shown and recorded before it becomes a secret here; give '" +
                                          state.id + "' the option `secret`");
      }
    }
  }

  // Reports the name of a state, such as build.test or run-tests, that is read as a field or a subtraction. True: a
  // diagnostic was made.
  bool check_compound(const NameRead& use) {
    if (use.longer.empty() || compound_.empty()) return false;
    std::string state = use.longer;
    while (!compound_.contains(state)) {
      const std::size_t cut = state.find_last_of("-.");
      if (cut == std::string::npos || cut < use.name.size()) return false;
      state.resize(cut);
    }
    if (state == use.name) return false;
    const auto& fields = outcome_fields();
    const auto answer = answers_.find(use.name);
    // If the part before the dash or dot is defined, this is a subtraction, or a field that may exist.
    if (is_defined(use.name) && (use.field.empty() || outcomes_.count(use.name) == 0 ||
                                 (answer != answers_.end() && answer->second.contains(use.field)) ||
                                 std::find(fields.begin(), fields.end(), use.field) != fields.end())) {
      return false;
    }
    std::string name = state;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
    const bool is_dash = use.in_action ? false : state.find('-') != std::string::npos;
    diagnostics_.add(use.offset,
                     "'" + state + "' is a state, but here " +
                         (is_dash || state.find('-') < state.find('.') ? "a dash subtracts" : "a dot takes a field") +
                         ", so its outcome needs another name; give its action result=\"" + name + "\" and write " +
                         name + use.longer.substr(state.size()),
                     name);
    said_from_ = use.offset;
    said_up_to_ = use.offset + use.longer.size();
    return true;
  }

  // Reports a value if no path leads from where it is set to where it is read.
  void check_path(const NameRead& use) {
    if (use.may_be_missing || workflow_.names_unread || use.state == no_state) return;
    const auto found = setters_.find(use.name);
    if (found == setters_.end() || tested_.contains({use.state, use.name})) return;
    if (workflow_.ambiguous_names.contains(use.name) || workflow_.ambiguous_states.contains(use.name)) return;
    const State& first = workflow_.states[found->second.front()];
    const bool is_state = first.id == use.name;
    // The run itself sets such a name before any state does.
    if (!is_state && is_run_name(use.name)) return;
    if (is_state && found->second.size() == 1 && !has_outcome(first)) {
      return tell(use, "the state '" + use.name + "' has no action, and so no outcome that could be read");
    }
    // The later pairs of a Set may read what its earlier pairs set. The commands of a service may read its port.
    const State& reader = workflow_.states[use.state];
    const bool sets_itself = use.in_action && reader.action &&
                             (std::holds_alternative<SetAction>(reader.action->kind) ||
                              std::holds_alternative<ServiceAction>(reader.action->kind));
    const auto& setters = found->second;
    if (sets_itself && !is_state && std::find(setters.begin(), setters.end(), use.state) != setters.end()) return;
    if (paths_.may_follow(setters, use.state, !use.in_action)) return;
    if (is_state && first.id == reader.id) {
      return tell(use, "the outcome of '" + use.name + "' does not exist before its own action has ended");
    }
    tell(use, (is_state ? "'" + use.name + "' never runs before '" + reader.id + "', so its outcome has no value here"
                        : "'" + use.name + "' has no value here: no path leads to '" + reader.id +
                              "' from a state that sets it, such as '" + first.id + "'"));
  }

  // Reports a mistake; only as a warning in a condition, where another operand may decide: `success || B.success`.
  void tell(const NameRead& use, std::string message) {
    if (use.in_action) {
      diagnostics_.add(use.offset, std::move(message));
    } else {
      diagnostics_.warn(use.offset, std::move(message));
    }
  }

  bool has_outcome(const State& state) const {
    return state.action || state.action_unread || state.kind == State::Kind::join ||
           workflow_.find(state.id + "/end") != nullptr;
  }

  void check(const NameRead& use) {
    if (is_defined(use.name) && use.name != "matrix") check_path(use);
    if (variables_.contains(use.name)) return;
    if (use.name == "matrix") return matrix(use);
    const bool is_own = is_run_name(use.name);
    if (outcomes_.contains(use.name)) {
      // A name that the run itself sets takes precedence over a state of the same name.
      if (!is_own || use.name == "result" || use.name == "last_action_result") return field(use);
    }
    if (!is_own) {
      if (!use.may_be_missing && !workflow_.names_unread) diagnostics_.add(use.offset, undefined(use));
    } else if (use.name == "budget") {
      static const std::vector<std::string> parts = {"calls", "tokens", "cost", "time", "used"};
      if (use.field.empty() || std::find(parts.begin(), parts.end(), use.field) != parts.end()) return;
      diagnostics_.add(use.offset,
                       "'budget' has no field '" + use.field + "'" + known_names(use.field, "fields", parts));
    } else if (!use.field.empty()) {
      diagnostics_.add(use.offset, "'" + use.name + "' has no fields; the outcome of the last action is 'result'");
    }
  }

  void matrix(const NameRead& use) {
    const State& state = workflow_.states[use.state];
    if (use.in_action && state.action->options.matrix) return combination(use, *state.action->options.matrix);
    if (!use.may_be_missing) {
      diagnostics_.add(use.offset,
                       "'matrix' has a value only in the action of a state that has the option matrix={...}");
    }
  }

  void combination(const NameRead& use, const nlohmann::json& matrix) {
    if (use.field.empty() || use.may_be_missing || !matrix.is_object() || matrix.contains(use.field)) return;
    std::vector<std::string> names;
    for (const auto& [name, ignored] : matrix.items()) names.push_back(name);
    diagnostics_.add(use.offset,
                     "the matrix of this state has no '" + use.field + "'" + known_names(use.field, "names", names));
  }

  void field(const NameRead& use) {
    if (use.field.empty()) return;
    const auto& fields = outcome_fields();
    if (std::find(fields.begin(), fields.end(), use.field) != fields.end()) return;
    // An option that was not understood may have given the outcome further fields.
    const State* state = workflow_.find(use.name);
    if ((state != nullptr && state->action_unread) || workflow_.ambiguous_states.contains(use.name)) return;
    std::vector<std::string> known = fields;
    if (const auto answer = answers_.find(use.name); answer != answers_.end()) {
      if (answer->second.contains(use.field)) return;
      known.insert(known.begin(), answer->second.begin(), answer->second.end());
      std::sort(known.begin(), known.end());
      known.erase(std::unique(known.begin(), known.end()), known.end());
    }
    diagnostics_.add(use.offset, "the outcome '" + use.name + "' has no field '" + use.field + "'" +
                                     known_names(use.field, "fields", known));
  }

  bool is_of_service_without_port(const NameRead& use) const {
    const auto& action = workflow_.states[use.state].action;
    const auto* service = action ? std::get_if<ServiceAction>(&action->kind) : nullptr;
    return service != nullptr && service->free_port.name.empty();
  }

  std::string undefined(const NameRead& use) const {
    // Other programs write the environment like this.
    if (use.name == "env" && !use.field.empty()) {
      const std::string variable = lowered(use.field);
      const std::string given = "`--var-env " + variable + "=" + use.field + "` gives its value to the workflow as ";
      if (!use.in_action) return "the variable 'env' is not defined; " + given + variable;
      return "the variable 'env' is not defined; a command reads a variable of the environment as $" + use.field +
             (use.in_command ? "" : ", and " + given + "${" + variable + "}");
    }
    std::string clause;
    if (const std::size_t dash = use.name.find('-'); dash != std::string::npos && use.in_command) {
      clause = "a default of the shell's own is written $${" + use.name + "}, or ${" + use.name.substr(0, dash) + ":-" +
               use.name.substr(dash + 1) + "}";
    } else if (use.in_command) {
      clause = "a variable of the shell is written $" + use.name + ", or $${" + use.name + "}";
      const std::string name = lowered(use.name);
      const bool is_port = name == "port" || name.ends_with("_port") || use.name.ends_with("Port");
      if (is_of_service_without_port(use) && is_port) {
        clause += "; the option free_port=" + use.name + " gives it the number of a free port";
      }
    } else if (use.whole_condition) {
      clause = "a condition is 'always', 'default', 'success', 'failure', or an expression such as 'exit_code == 0'";
    }
    std::string question = diagnostics_.size() <= max_diagnostics_shown ? did_you_mean(use.name, known_) : "";
    return "the variable '" + use.name + "' is not defined" + question_then(std::move(question), clause);
  }

  const Workflow& workflow_;
  Diagnostics& diagnostics_;
  Names variables_;
  Names perhaps_missing_;  // optional parameters without a default
  Names outcomes_;
  std::map<std::string, Names, std::less<>> answers_;  // by outcome: the fields that `output` adds
  std::vector<std::string> known_;
  Names compound_;                                                        // states with a dash or a dot in their names
  std::map<std::string, std::vector<std::size_t>, std::less<>> setters_;  // states that give a name its value
  // States, with the names that they test before they use them.
  std::set<std::pair<std::size_t, std::string>> tested_;
  ValuePaths paths_;
  std::size_t said_from_ = 0;  // where the name that check_compound() reported last begins and ends
  std::size_t said_up_to_ = 0;
};

}  // namespace

void check_names(const Workflow& workflow, const std::vector<std::string>& given, const CheckContext& check_context,
                 Diagnostics& diagnostics) {
  NameChecker(workflow, given, check_context, diagnostics).run();
}

}  // namespace wtool::host::workflow
