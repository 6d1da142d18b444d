#include "workflow/check/action_checks.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "workflow/check/name_uses.h"
#include "workflow/check/tool_argument_checks.h"
#include "workflow/model/durations.h"
#include "workflow/model/run_names.h"
#include "workflow/model/shell_choice.h"
#include "workflow/model/suggestion.h"
#include "workflow/model/template_text.h"
#include "workflow/quoting/command_template.h"

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
  ActionChecker(const Workflow& workflow, const std::vector<std::string>& given, const Surroundings& surroundings,
                Findings& findings)
      : workflow_(workflow), given_(given), around_(surroundings), findings_(findings) {}

  void run() {
    target(workflow_.on_failure, "on failure");
    target(workflow_.finally, "finally");
    shell_is_usable(workflow_.shell);
    for (const State& state : workflow_.states) {
      if (!state.action) continue;
      options(*state.action);
      std::visit([&](const auto& kind) { check(kind, *state.action); }, state.action->kind);
    }
    if (around_.unreadable_commands) check_shell_syntax(workflow_, around_.unreadable_commands, findings_);
    if (around_.library != nullptr && around_.find_loops) {
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
    timeout(options.timeout);
    timeout(options.total_timeout);
    if (options.backoff && options.retry == 0) {
      findings_.warn(action.offset, "backoff has no effect without retry=N");
    }
  }

  void timeout(const std::optional<TemplateText>& text) {
    std::string why;
    if (!text || !is_literal(*text) || timeout_value(text->written.text(), why)) return;
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
    shell_is_usable(shell.shell);
    for (const auto& [name, text] : shell.environment) {
      if (is_environment_name(name)) continue;
      findings_.add(text.written.locate(0), quoted_for_message(name) + " is no name of an environment variable");
    }
    if (around_.verdict && is_literal(shell.command)) verdict(shell);
  }

  void shell_is_usable(const NamedPlace& shell) {
    if (!around_.shell_problem || shell.name.empty()) return;
    if (std::string why = around_.shell_problem(shell.name); !why.empty()) findings_.add(shell.offset, std::move(why));
  }

  void verdict(const ShellAction& shell) {
    // As it is run: `$${` has become `${`.
    const auto text_of = [](const auto& text) {
      return text.parsed.texts.empty() || !is_literal(text) ? std::string() : text.parsed.texts[0];
    };
    std::map<std::string, std::string> environment;
    for (const auto& [name, text] : shell.environment) environment[name] = text_of(text);
    const auto verdict = around_.verdict(first_line_of(shell, workflow_) + text_of(shell.command), environment);
    if (const char* const problem = problem_of(verdict.kind, shell)) {
      findings_.warn(shell.command.written.locate(0), problem + verdict.reason);
    }
  }

  // NULL: there is none. Only a permission is one: what nobody can tell is said, too.
  static const char* problem_of(CommandVerdict::Kind kind, const ShellAction& shell) {
    const char* const unknown = "it cannot be told whether policy allows this command: ";
    switch (kind) {
      case CommandVerdict::Kind::allow:
        return nullptr;
      case CommandVerdict::Kind::ask:
        return "a person would be asked before this command: ";
      case CommandVerdict::Kind::deny:
        return "policy would refuse this command: ";
      case CommandVerdict::Kind::no_directory:
        // The command runs in another directory than the one that was judged.
        return shell.working_directory ? nullptr : unknown;
      case CommandVerdict::Kind::unknown:
        break;
    }
    return unknown;
  }

  void check(const ToolAction& tool, const Action&) {
    if (around_.tools == nullptr || tool.tool.empty()) return;
    if (around_.tools->has_tool(tool.tool)) {
      const std::string schema = around_.tools->input_schema(tool.tool);
      if (!schema.empty()) check_tool_arguments(tool, schema, findings_);
      return;
    }
    std::string why = around_.tools->unknown_tool(tool.tool);
    if (why.empty()) why = "there is no tool " + quoted_for_message(tool.tool) + "; `wtool tools` lists what there is";
    findings_.add(tool.tool_offset, std::move(why));
  }

  void check(const PromptAction& prompt, const Action& action) {
    // Once a file: it is the same for all of them.
    if (around_.prompt_command_problem && !std::exchange(told_of_command_, true)) {
      if (std::string why = around_.prompt_command_problem(); !why.empty()) missing(action.offset, std::move(why));
    }
    if (!around_.prompt_problems || prompt.is_inline || !is_literal(prompt.prompt)) return;
    std::set<std::string, std::less<>> known = names_defined(workflow_, given_);
    for (const Argument& argument : prompt.arguments) known.insert(argument.name);
    if (action.options.matrix) known.insert("matrix");
    for (std::string& why : around_.prompt_problems(prompt.prompt.written.text(), around_.file, known)) {
      missing(prompt.prompt.written.locate(0), std::move(why));
    }
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
  const std::vector<std::string>& given_;
  const Surroundings& around_;
  Findings& findings_;
  bool told_of_command_ = false;
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

void check_actions(const Workflow& workflow, const std::vector<std::string>& given, const Surroundings& surroundings,
                   Findings& findings) {
  ActionChecker(workflow, given, surroundings, findings).run();
}

}  // namespace wtool::host::workflow
