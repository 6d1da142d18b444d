#include "workflow/action_checks.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "workflow/command_template.h"
#include "workflow/durations.h"
#include "workflow/name_uses.h"
#include "workflow/suggestion.h"
#include "workflow/template_text.h"
#include "workflow/variables.h"

namespace wtool::host::workflow {
namespace {

using expressions::quoted_for_message;

bool is_plain_name(const std::string& text) {
  return !text.empty() && expressions::is_name_start(text[0]) &&
         std::all_of(text.begin(), text.end(), expressions::is_name_character);
}

bool is_environment_name(const std::string& text) {
  return is_plain_name(text) &&
         std::all_of(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0x80) == 0; });
}

class ActionChecker {
 public:
  ActionChecker(const Workflow& workflow, const Surroundings& surroundings, Findings& findings)
      : workflow_(workflow), around_(surroundings), findings_(findings) {}

  void run() {
    target(workflow_.on_failure, "on failure");
    target(workflow_.finally, "finally");
    for (const State& state : workflow_.states) {
      if (!state.action) continue;
      options(*state.action);
      std::visit([&](const auto& kind) { check(kind, *state.action); }, state.action->kind);
    }
    if (around_.library != nullptr) {
      for (const Library::Problem& problem : around_.library->find_loops(workflow_, around_.file)) {
        findings_.add(problem.offset, problem.message);
      }
    }
  }

 private:
  void missing(std::size_t offset, std::string message) {
    if (around_.must_exist) {
      findings_.add(offset, std::move(message));
    } else {
      findings_.warn(offset, std::move(message));
    }
  }

  void target(const NamedPlace& named, const char* what) {
    if (named.name.empty()) return;
    const State* state = workflow_.find(named.name);
    if (state != nullptr && !state->hidden) return;
    std::vector<std::string> known;
    if (findings_.size() < most_findings_shown) {
      for (const State& one : workflow_.states) {
        if (!one.hidden) known.push_back(one.id);
      }
    }
    findings_.add(named.offset, std::string("`") + what + "` leads to " + quoted_for_message(named.name) +
                                    ", which is no state of the diagram" + did_you_mean(named.name, known));
  }

  void options(const Action& action) {
    const Options& options = action.options;
    target(options.on_failure, "on failure");
    result(options.result);
    const bool is_shell = std::holds_alternative<ShellAction>(action.kind);
    seconds(options.timeout, is_shell ? longest_timeout : longest_wait);
    seconds(options.total_timeout, longest_wait);
    if (options.backoff && options.retry == 0) {
      findings_.warn(action.offset, "backoff has no effect without retry=N");
    }
  }

  void seconds(const std::optional<TemplateText>& text, std::int64_t longest) {
    std::string why;
    if (!text || !is_literal(*text) || timeout_value(text->written.text(), why, longest)) return;
    findings_.add(text->written.locate(0), why);
  }

  void result(const NamedPlace& result) {
    if (result.offset == 0) return;
    if (!is_plain_name(result.name)) {
      findings_.add(result.offset,
                    "a result's name is made of letters, digits and underscores, and starts with no digit; " +
                        quoted_for_message(result.name) + " is not");
    } else if (result.name != "result") {
      check_own_name(result.name, result.offset, findings_);
    }
  }

  void check(const ShellAction& shell, const Action& action) {
    if (around_.tools != nullptr && !around_.tools->has_tool(shell_tool)) {
      findings_.add(action.offset, "Shell needs the tool shell_execute, and the plugin has none");
    }
    if (!shell.command.parsed.texts.empty()) check_places(shell.command, findings_);
    for (const auto& [name, text] : shell.environment) {
      if (is_environment_name(name)) continue;
      findings_.add(text.written.locate(0), quoted_for_message(name) + " is no name of an environment variable");
    }
    if (around_.verdict && is_literal(shell.command)) verdict(shell);
  }

  void verdict(const ShellAction& shell) {
    // As it is run: `$${` has become `${`.
    const auto verdict =
        around_.verdict(shell.command.parsed.texts.empty() ? std::string() : shell.command.parsed.texts[0]);
    if (!verdict || verdict->kind == CommandVerdict::Kind::allow) return;
    findings_.warn(shell.command.written.locate(0),
                   (verdict->kind == CommandVerdict::Kind::deny ? "policy would refuse this command: "
                                                                : "a person would be asked before this command: ") +
                       verdict->reason);
  }

  void check(const ToolAction& tool, const Action&) {
    if (around_.tools == nullptr || tool.tool.empty() || around_.tools->has_tool(tool.tool)) return;
    findings_.add(tool.tool_offset,
                  "there is no tool " + quoted_for_message(tool.tool) + "; `wtool tools` lists those that there are");
  }

  void check(const PromptAction& prompt, const Action& action) {
    if (around_.prompt_command_problem) {
      if (std::string why = around_.prompt_command_problem(); !why.empty()) missing(action.offset, std::move(why));
    }
    if (!around_.prompt_problem || prompt.is_inline || !is_literal(prompt.prompt)) return;
    std::string why = around_.prompt_problem(prompt.prompt.written.text(), around_.file);
    if (!why.empty()) missing(prompt.prompt.written.locate(0), std::move(why));
  }

  void check(const WorkflowAction& action, const Action&) {
    if (around_.library == nullptr || !is_literal(action.workflow)) return;
    const std::size_t at = action.workflow.written.locate(0);
    std::string why;
    const Library::Entry* entry = around_.library->find(action.workflow.written.text(), around_.file, why);
    if (entry == nullptr) return missing(at, std::move(why));
    if (!entry->findings.empty()) {
      missing(at, "the workflow '" + action.workflow.written.text() + "' has errors; `wtool lint " +
                      entry->source.name() + "` shows them");
    }
    arguments(action, entry->workflow, at);
  }

  void arguments(const WorkflowAction& action, const Workflow& called, std::size_t at) {
    std::vector<std::string> known;
    std::unordered_set<std::string> given;
    for (const Parameter& parameter : called.parameters) known.push_back(parameter.name);
    const std::vector<std::string> read = names_read(called);
    for (const Argument& argument : action.arguments) {
      given.insert(argument.name);
      if (std::find(known.begin(), known.end(), argument.name) != known.end()) continue;
      if (std::binary_search(read.begin(), read.end(), argument.name)) continue;
      findings_.warn(argument.offset, "the workflow '" + action.workflow.written.text() + "' has no parameter '" +
                                          argument.name + "'" + did_you_mean(argument.name, known));
    }
    for (const Parameter& parameter : called.parameters) {
      if (!parameter.required || parameter.fallback || given.contains(parameter.name)) continue;
      missing(at, "the workflow '" + action.workflow.written.text() + "' needs the parameter '" + parameter.name +
                      "'; give it as " + parameter.name + "=\"value\"");
    }
  }

  void check(const SetAction& set, const Action&) {
    for (const Assignment& assignment : set.assignments) check_own_name(assignment.name, assignment.offset, findings_);
  }

  void check(const LogAction&, const Action&) {}
  void check(const WaitAction&, const Action&) {}
  void check(const ConfirmAction&, const Action&) {}
  void check(const AbortAction&, const Action&) {}

  const Workflow& workflow_;
  const Surroundings& around_;
  Findings& findings_;
};

}  // namespace

void check_own_name(const std::string& name, std::size_t offset, Findings& findings) {
  if (is_settable_run_name(name)) {
    findings.warn(offset, "'" + name +
                              "' is otherwise set by the run itself after each action; from here on it is this "
                              "value and stays so");
  } else if (is_run_name(name)) {
    findings.add(offset, "'" + name + "' is set by the run itself; choose another name");
  }
}

void check_actions(const Workflow& workflow, const Surroundings& surroundings, Findings& findings) {
  ActionChecker(workflow, surroundings, findings).run();
}

}  // namespace wtool::host::workflow
