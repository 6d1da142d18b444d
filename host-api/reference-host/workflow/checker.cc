#include "workflow/checker.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_set>

#include "loader/nearest.h"
#include "workflow/command_template.h"
#include "workflow/durations.h"
#include "workflow/outcome.h"
#include "workflow/suggestion.h"
#include "workflow/variables.h"

namespace wtool::host::workflow {
namespace {

// A variable that something reads.
struct Use {
  std::string name;
  std::string field;
  std::size_t offset = 0;
  bool may_be_missing = false;  // it has a default
  bool in_command = false;
};

void collect(const expressions::Template& parsed, const MappedText& written, bool in_command, std::vector<Use>& uses) {
  for (expressions::NameUse& name : expressions::names_used(parsed)) {
    const bool as_in_shell = in_command && std::string_view(written.text()).substr(name.offset).starts_with("${");
    uses.push_back(
        {std::move(name.name), std::move(name.field), written.locate(name.offset), name.optional, as_in_shell});
  }
}

void collect(const TemplateText& text, std::vector<Use>& uses) { collect(text.parsed, text.written, false, uses); }

// The templates in the strings of a JSON value. Errors are reported where the JSON begins.
void collect_json(const nlohmann::json& value, std::size_t offset, std::vector<Use>& uses, Findings* findings) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    auto parsed = expressions::parse_template(text);
    if (const auto* errors = std::get_if<std::vector<expressions::ExpressionError>>(&parsed)) {
      if (findings == nullptr) return;
      for (const auto& error : *errors) {
        findings->add(offset, "in the text " + expressions::quoted_for_message(text) + ": " + error.message);
      }
      return;
    }
    const std::size_t first = uses.size();
    collect(std::get<expressions::Template>(parsed), MappedText(), false, uses);
    for (std::size_t i = first; i < uses.size(); ++i) uses[i].offset = offset;
    return;
  }
  if (!value.is_structured()) return;
  for (const auto& entry : value) collect_json(entry, offset, uses, findings);
}

std::vector<Use> all_uses(const Workflow& workflow, Findings* findings) {
  std::vector<Use> uses;
  for (const State& state : workflow.states) {
    for (const Transition& transition : state.exits) {
      for (const expressions::NameUse& name : transition.condition.names) {
        uses.push_back({name.name, name.field, transition.label_offset + name.offset, name.optional, false});
      }
    }
    if (!state.action) continue;
    if (state.action->options.timeout) collect(*state.action->options.timeout, uses);
    const ActionKind& kind = state.action->kind;
    if (const auto* shell = std::get_if<ShellAction>(&kind)) {
      collect(shell->command.parsed, shell->command.written, true, uses);
      if (shell->working_directory) collect(*shell->working_directory, uses);
      for (const auto& [name, text] : shell->environment) collect(text, uses);
    } else if (const auto* tool = std::get_if<ToolAction>(&kind)) {
      if (tool->arguments) collect_json(*tool->arguments, tool->arguments_offset, uses, findings);
    } else if (const auto* log = std::get_if<LogAction>(&kind)) {
      collect(log->message, uses);
    } else if (const auto* set = std::get_if<SetAction>(&kind)) {
      for (const Assignment& assignment : set->assignments) {
        if (const auto* text = std::get_if<TemplateText>(&assignment.value)) collect(*text, uses);
      }
    } else if (const auto* abort = std::get_if<AbortAction>(&kind)) {
      collect(abort->message, uses);
    }
  }
  return uses;
}

bool is_always_open(const Transition& transition) {
  return transition.kind == Transition::Kind::unconditional || transition.kind == Transition::Kind::fallback;
}

bool is_plain_name(const std::string& text) {
  return !text.empty() && expressions::is_name_start(text[0]) &&
         std::all_of(text.begin(), text.end(), expressions::is_name_character);
}

bool is_environment_name(const std::string& text) {
  return is_plain_name(text) &&
         std::all_of(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0x80) == 0; });
}

class Checker {
 public:
  Checker(const Workflow& workflow, const std::vector<std::string>& given, const ToolCaller* tools, Findings& findings)
      : workflow_(workflow), given_(given), tools_(tools), findings_(findings) {}

  void run() {
    if (workflow_.states.empty()) return;  // that was a finding of the parser's
    start_and_reach();
    for (const State& state : workflow_.states) {
      exits(state);
      if (state.action) action(*state.action);
    }
    names();
  }

 private:
  void start_and_reach() {
    if (workflow_.start == no_state) {
      findings_.add(workflow_.states[0].offset,
                    "the diagram has no start; add a line [*] --> " + workflow_.states[0].id);
      return;
    }
    std::vector<bool> reached(workflow_.states.size());
    std::vector<std::size_t> todo = {workflow_.start};
    reached[workflow_.start] = true;
    std::vector<std::vector<std::size_t>> sources(workflow_.states.size());
    for (std::size_t i = 0; i < workflow_.states.size(); ++i) {
      for (const Transition& exit : workflow_.states[i].exits) {
        if (exit.target != no_state) sources[exit.target].push_back(i);
      }
    }
    while (!todo.empty()) {
      const State& state = workflow_.states[todo.back()];
      todo.pop_back();
      for (const Transition& exit : state.exits) {
        if (exit.target == no_state || reached[exit.target]) continue;
        reached[exit.target] = true;
        todo.push_back(exit.target);
      }
    }
    const std::vector<bool> ends = leads_to_end(sources);
    bool said_endless = false;
    for (std::size_t i = 0; i < workflow_.states.size(); ++i) {
      const State& state = workflow_.states[i];
      if (!reached[i]) {
        findings_.add(state.offset, "the state '" + state.id + "' cannot be reached from the start" + hint(state.id));
      } else if (state.exits.empty() && !ends_run(state)) {
        findings_.add(state.offset, "the state '" + state.id + "' leads nowhere; add a line " + state.id + " --> [*]" +
                                        (state.action ? "" : hint(state.id)));
      } else if (!ends[i] && !said_endless) {
        findings_.add(state.offset,
                      "from the state '" + state.id + "' the end [*] cannot be reached: the run would never end");
        said_endless = true;
      }
    }
  }

  static bool ends_run(const State& state) {
    return state.action && std::holds_alternative<AbortAction>(state.action->kind);
  }

  // Which states can come to an end: [*], an Abort, or a dead end (which is reported as such).
  std::vector<bool> leads_to_end(const std::vector<std::vector<std::size_t>>& sources) const {
    std::vector<bool> ends(workflow_.states.size());
    std::vector<std::size_t> todo;
    for (std::size_t i = 0; i < workflow_.states.size(); ++i) {
      const State& state = workflow_.states[i];
      ends[i] = state.exits.empty() || ends_run(state) ||
                std::any_of(state.exits.begin(), state.exits.end(),
                            [](const Transition& exit) { return exit.target == no_state; });
      if (ends[i]) todo.push_back(i);
    }
    while (!todo.empty()) {
      const std::size_t state = todo.back();
      todo.pop_back();
      for (const std::size_t source : sources[state]) {
        if (ends[source]) continue;
        ends[source] = true;
        todo.push_back(source);
      }
    }
    return ends;
  }

  // A state that only arrows name may be a mistyped one. Costs time, so not for ever.
  std::string hint(const std::string& id) {
    if (findings_.size() > most_findings_shown) return "";
    if (ids_.empty()) {
      for (const State& state : workflow_.states) ids_.push_back(state.id);
    }
    return did_you_mean(id, ids_);
  }

  void exits(const State& state) {
    const Transition* open = nullptr;
    std::unordered_set<std::string> seen;
    for (const Transition& exit : state.exits) {
      if (is_always_open(exit)) {
        if (open != nullptr && state.kind != State::Kind::fork) {
          findings_.add(exit.offset, "a second exit of '" + state.id +
                                         "' that is always open; give all but one a condition, or declare `state " +
                                         state.id + " <<fork>>` to take all of them at the same time");
        }
        open = &exit;
        continue;
      }
      const std::string condition = exit.kind == Transition::Kind::success   ? "success"
                                    : exit.kind == Transition::Kind::failure ? "failure"
                                                                             : "= " + exit.label;
      if (!seen.insert(condition).second) {
        findings_.add(exit.label_offset,
                      "this exit of '" + state.id + "' is never taken: an earlier one has the same condition");
      }
    }
  }

  void action(const Action& action) {
    result(action.options.result);
    if (action.options.timeout && action.options.timeout->parsed.placeholders.empty() &&
        !action.options.timeout->parsed.has_tags()) {
      timeout(*action.options.timeout);
    }
    if (const auto* shell = std::get_if<ShellAction>(&action.kind)) {
      if (tools_ != nullptr && !tools_->has_tool(shell_tool)) {
        findings_.add(action.offset, "Shell needs the tool shell_execute, and the plugin has none");
      }
      check_places(shell->command, findings_);
      for (const auto& [name, text] : shell->environment) {
        if (!is_environment_name(name)) {
          findings_.add(text.written.locate(0),
                        expressions::quoted_for_message(name) + " is no name of an environment variable");
        }
      }
    } else if (const auto* tool = std::get_if<ToolAction>(&action.kind)) {
      if (tools_ != nullptr && !tool->tool.empty() && !tools_->has_tool(tool->tool)) {
        findings_.add(tool->tool_offset, "there is no tool " + expressions::quoted_for_message(tool->tool) +
                                             "; `wtool tools` lists those that there are");
      }
    } else if (const auto* set = std::get_if<SetAction>(&action.kind)) {
      for (const Assignment& assignment : set->assignments) {
        if (is_run_name(assignment.name)) reserved(assignment.name, assignment.offset);
      }
    }
  }

  void timeout(const TemplateText& text) {
    std::string why;
    if (!timeout_value(text.written.text(), why)) findings_.add(text.written.locate(0), why);
  }

  void result(const NamedPlace& result) {
    if (result.offset == 0) return;
    if (!is_plain_name(result.name)) {
      findings_.add(result.offset,
                    "a result's name is made of letters, digits and underscores, and starts with no digit; " +
                        expressions::quoted_for_message(result.name) + " is not");
    } else if (is_run_name(result.name) && result.name != "result") {
      reserved(result.name, result.offset);
    }
  }

  void reserved(const std::string& name, std::size_t offset) {
    findings_.add(offset, "'" + name + "' is set by the run itself after each action; choose another name");
  }

  void names() {
    std::set<std::string, std::less<>> variables;
    std::set<std::string, std::less<>> outcomes;
    for (const Parameter& parameter : workflow_.parameters) {
      variables.insert(parameter.name);
      if (is_run_name(parameter.name)) reserved(parameter.name, parameter.offset);
    }
    variables.insert(given_.begin(), given_.end());
    variables.insert(workflow_.doubtful_names.begin(), workflow_.doubtful_names.end());
    for (const State& state : workflow_.states) {
      outcomes.insert(state.id);
      if (!state.action) continue;
      if (const auto* set = std::get_if<SetAction>(&state.action->kind)) {
        for (const Assignment& assignment : set->assignments) variables.insert(assignment.name);
      }
      const NamedPlace& result = state.action->options.result;
      if (!result.name.empty()) outcomes.insert(result.name);
    }
    outcomes.insert("result");
    outcomes.insert("last_action_result");
    std::vector<std::string> known(variables.begin(), variables.end());
    known.insert(known.end(), outcomes.begin(), outcomes.end());
    known.insert(known.end(), run_names().begin(), run_names().end());

    for (const Use& use : all_uses(workflow_, &findings_)) {
      const bool is_variable = variables.contains(use.name);
      const bool is_outcome = outcomes.contains(use.name);
      if (!is_variable && !is_outcome && !is_run_name(use.name)) {
        if (!use.may_be_missing) findings_.add(use.offset, undefined(use, known));
      } else if (is_outcome && !is_variable && !use.field.empty()) {
        const auto& fields = outcome_fields();
        if (std::find(fields.begin(), fields.end(), use.field) == fields.end()) {
          findings_.add(use.offset, "the outcome '" + use.name + "' has no field '" + use.field + "'" +
                                        did_you_mean(use.field, fields) + "; there are " + joined(fields));
        }
      }
    }
  }

  std::string undefined(const Use& use, const std::vector<std::string>& known) const {
    std::string text = "the variable '" + use.name + "' is not defined";
    if (findings_.size() <= most_findings_shown) text += did_you_mean(use.name, known);
    if (use.in_command) {
      text += "; a variable of the shell is written $" + use.name + ", or $${" + use.name + "}";
    }
    return text;
  }

  const Workflow& workflow_;
  const std::vector<std::string>& given_;
  const ToolCaller* tools_;
  Findings& findings_;
  std::vector<std::string> ids_;
};

}  // namespace

void check_workflow(const Workflow& workflow, const std::vector<std::string>& given, const ToolCaller* tools,
                    Findings& findings) {
  Checker(workflow, given, tools, findings).run();
}

std::vector<std::string> names_read(const Workflow& workflow) {
  std::set<std::string> names;
  for (Use& use : all_uses(workflow, nullptr)) names.insert(std::move(use.name));
  return {names.begin(), names.end()};
}

}  // namespace wtool::host::workflow
