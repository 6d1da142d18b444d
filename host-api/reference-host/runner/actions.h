// Runs the action of one state, once, and fills in the templates of its arguments (json_arguments.cc).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/outcome.h"
#include "runner/run.h"
#include "runner/variables.h"
#include "workflow/model/model.h"

namespace wtool::host::runner {

struct ActionResult {
  Outcome outcome;
  std::string command;   // see StepEnd
  bool abort = false;    // the workflow wants the run to end; the reason is outcome.message
  std::string mistake;   // why the action could not be run at all (a variable had no value, ...), with FILE:LINE:COLUMN
  bool refused = false;  // by policy, or by a person who was asked
  bool fatal = false;    // a workflow or combination that the action ran has ended by a mistake or a refusal, the
                         // state's visits or a budget are used up, or the configuration is not valid
  std::vector<std::pair<std::string, expressions::Value>> assigned;  // by Set, or by the agent of a prompt
  bool up_to_date = false;                                           // nothing was run
  std::vector<MadeFile> made_files{};                                // as in Step
  bool ends_workflow = false;  // the agent of a prompt says that the workflow is over

  // True if no later try can change the result. Such a result ends the run, unless the state has an exit for it.
  bool is_fatal() const { return fatal || refused || !mistake.empty(); }

  // The action has failed.
  void fail(std::string message, std::int64_t exit_code = 1);
  // It could not be run at all, because of what `mistake` says.
  void fail_by_mistake(std::string message);
  // It was ended by `stop`.
  void end_by(Stop& stop);
};

struct ActionContext {
  const WorkflowInvocation& invocation;
  const Variables& variables;
  Stop& stop;
  bool in_fork = false;  // the action is in a branch of a fork, so it cannot end the workflow
};

// Runs the action, and blocks until it has ended. The caller applies the options around the action (`retry`,
// `total_timeout`, `lock`, `matrix`, `result`, ...).
ActionResult run_action(const Step& step, const ActionContext& context);

// The result of an action that is not run, because the state's visits or a budget are used up. It ends the run, unless
// the state has an exit for it.
ActionResult exhausted_result(std::string why);

// Describes what the action of a step does, with its current values and without secrets.
std::string step_text(const Step& step, const ActionContext& context);

// Renders a template. Nothing: `mistake` says what is wrong, with its place.
std::optional<std::string> rendered_text(const workflow::TemplateText& text, const WorkflowInvocation& invocation,
                                         const expressions::Scope& values, std::string& mistake);

// The message with its place: "FILE:LINE:COLUMN: MESSAGE".
std::string with_place(const WorkflowInvocation& invocation, std::size_t offset, const std::string& message);

// ---- The arguments of tools, prompts and workflows, with their templates filled in.
//
// A text that consists of a single placeholder becomes the placeholder's value, so that a number stays a number.

// Fills in the strings in the JSON, each of which is a template. The parser has limited the depth of the JSON. Nothing:
// `why` says what is wrong.
std::optional<nlohmann::json> rendered_arguments(const nlohmann::json& arguments, const expressions::Scope& values,
                                                 std::string& why);

// The call of a tool as it is shown and recorded: the tool's name and its arguments. The `stdin` of the shell tool may
// contain anything. So a text there is shown as its size and SHA-256, and any other value as its type and size. The
// exception is null, which means that the value is not known yet. If a text has one of the `secrets`, nothing of it
// is shown, because its size and SHA-256 would confirm a right guess.
std::string shown_call(const std::string& tool, nlohmann::json arguments, const Secrets* secrets = nullptr);

// Fills in the arguments, and leaves out each argument whose guard renders to an empty text. Nothing: `why` says what
// is wrong, with its place.
std::optional<std::map<std::string, expressions::Value>> rendered_arguments(
    const std::vector<workflow::Argument>& arguments, const WorkflowInvocation& invocation,
    const expressions::Scope& values, std::string& why);

// The value of the template: if it consists of a single placeholder, the placeholder's value; otherwise a text.
std::variant<expressions::Value, expressions::ExpressionError> rendered_value(const expressions::Template& text,
                                                                              const expressions::Scope& values);

}  // namespace wtool::host::runner
