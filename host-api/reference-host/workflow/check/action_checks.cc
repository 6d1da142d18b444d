#include "workflow/check/checks.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/edit_distance.h"
#include "expressions/lexer.h"
#include "workflow/actions/action_type.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {
namespace {

using expressions::quoted_for_message;

bool is_plain_name(const std::string& text) {
  return !text.empty() && expressions::is_name_start(text[0]) &&
         std::all_of(text.begin(), text.end(), expressions::is_name_character);
}

// Only a `!` in the workflow's own text excludes files, so this is known even if the text has placeholders.
bool excludes(const nlohmann::json& entry) { return entry.get_ref<const std::string&>().starts_with('!'); }

class ActionChecker {
 public:
  explicit ActionChecker(ActionCheck& check)
      : check_(check), workflow_(check.workflow), around_(check.around), diagnostics_(check.diagnostics) {}

  void run() {
    target(workflow_.on_failure, "on failure");
    target(workflow_.finally, "finally");
    check_.shell_is_usable(workflow_.shell);
    for (const State& state : workflow_.states) {
      if (!state.action) continue;
      options(*state.action);
      place(state);
      const ActionType& type = type_of(state.action->kind);
      if (type.check != nullptr) type.check(state.action->kind, *state.action, check_);
    }
    if (around_.unreadable_commands) check_shell_syntax(workflow_, around_.unreadable_commands, diagnostics_);
    if (around_.library != nullptr && around_.find_loops) {
      for (const Library::Problem& problem : around_.library->find_loops(workflow_, around_.file)) {
        diagnostics_.add(problem.offset, problem.message);
      }
    }
  }

 private:
  void target(const NamedPlace& named, const char* what) {
    if (named.name.empty()) return;
    const State* state = workflow_.find(named.name);
    if (state != nullptr && !state->hidden) return;
    std::vector<std::string> known;
    if (diagnostics_.size() < max_diagnostics_shown) {
      for (const State& one : workflow_.states) {
        if (!one.hidden) known.push_back(one.id);
      }
    }
    diagnostics_.add(named.offset, std::string("`") + what + "` leads to " + quoted_for_message(named.name) +
                                       ", but the diagram has no such state" +
                                       question_then(did_you_mean(named.name, known),
                                                     "correct the name, or add the state to the diagram"));
  }

  void options(const Action& action) {
    const ActionOptions& options = action.options;
    target(options.on_failure, "on failure");
    result(options.result);
    timeout(options.timeout);
    timeout(options.total_timeout);
    output(action);
    const auto* service = std::get_if<ServiceAction>(&action.kind);
    if (options.backoff && options.retry == 0 && (service == nullptr || service->restart == 0)) {
      diagnostics_.warn(action.offset, "backoff has no effect without retry=N");
    }
    if (options.cache.offset != 0) cache(action);
    if (options.keep) keep(action);
  }

  void keep(const Action& action) {
    const auto fail = [&](const std::string& message) { diagnostics_.add(action.options.keep_offset, message); };
    if (std::holds_alternative<ServiceAction>(action.kind)) {
      return fail("a service continues after its state has ended; use `keep` in a step that makes the files");
    }
    if (action.options.secret) return fail("the files of a secret step are never kept; leave out `secret` or `keep`");
    if (std::all_of(action.options.keep->begin(), action.options.keep->end(), excludes)) {
      return fail(
          "these patterns only exclude files, so nothing would be kept; add the files to keep, as in "
          "keep=[\"dist/**\", \"!dist/tmp/**\"]");
    }
    for (const auto& entry : *action.options.keep) {
      const auto& path = entry.get_ref<const std::string&>();
      const std::string inside = "/" + path + "/";
      if (!path.starts_with('/') && inside.find("/../") == std::string::npos) continue;
      fail("a file that is kept must be below the directory of its step, not " + quoted_for_message(path));
    }
  }

  void cache(const Action& action) {
    const CacheOptions& cache = action.options.cache;
    const auto fail = [&](const std::string& message) { diagnostics_.add(cache.offset, message); };
    if (!type_of(action.kind).is_one_call) {
      return fail(
          "only Shell, Call tool and prompts are skipped when they are up to date; inputs, outputs and cache have no "
          "meaning here");
    }
    if (cache.outputs && !cache.inputs && !cache.wanted) {
      return fail(
          "the outputs alone do not show when the step is up to date; add inputs=[...], or cache=true for a step that "
          "reads no file");
    }
    if (cache.inputs && std::all_of(cache.inputs->begin(), cache.inputs->end(), excludes)) {
      return fail(
          "these inputs only exclude files, so no change of a file would ever make the step run again; add the files "
          "that it reads, as in inputs=[\"src/**\", \"!src/generated/**\"]");
    }
    if (cache.strict && !std::holds_alternative<ShellAction>(action.kind)) {
      return fail("cache=strict limits the command of a Shell step to its inputs; write cache=true here");
    }
    if (action.options.secret && cache.is_on()) {
      fail(
          "a secret step is never up to date, because its outcome is never kept; leave out `secret`, or inputs and "
          "cache");
    }
    if (!cache.outputs) return;
    for (const auto& entry : *cache.outputs) {
      const auto& output = entry.get_ref<const std::string&>();
      const std::string inside = "/" + output + "/";
      if (output.starts_with('/') || output.starts_with('!') || inside.find("/../") != std::string::npos) {
        fail("an output must be a path below the directory of its step, not " + quoted_for_message(output));
      }
      const bool is_open = output.find("${") != std::string::npos || output.find("{{") != std::string::npos;
      const std::string first = output.substr(0, output.find('/'));
      if (cache.strict && !is_open && (first == output || first == "." || first.find_first_of("*?[") != first.npos)) {
        fail("with cache=strict, an output must be in a folder that the step may fill, such as build/app, not " +
             quoted_for_message(output));
      }
      if (cache.inputs && std::find(cache.inputs->begin(), cache.inputs->end(), entry) != cache.inputs->end()) {
        fail(quoted_for_message(output) + " is both an input and an output, so the step would never be up to date");
      }
    }
  }

  // Reports a place (`on`, `slot`) that cannot be used. The diagnostic is at the option that names the place. The
  // option belongs to the action, or to a composite state around it. Each place is reported once for each tool.
  void place(const State& state) {
    if (!around_.place_problem) return;
    limits(state);
    const NamedPlace *on = &state.action->options.place.on, *slot = &state.action->options.place.slot;
    for (const State* at = &state; (on->name.empty() || slot->name.empty()) && at->around != no_state;) {
      at = &workflow_.states[workflow_.states[at->around].other_half];
      const PlaceOptions& there = at->action ? at->action->options.place : at->place;
      if (on->name.empty()) on = &there.on;
      if (slot->name.empty()) slot = &there.slot;
    }
    const NamedPlace* const written = slot->name.empty() ? on : slot;
    if (written->name.empty()) return;
    const auto* tool = std::get_if<ToolAction>(&state.action->kind);
    const bool calls =
        type_of(state.action->kind).calls_something && !std::holds_alternative<WorkflowAction>(state.action->kind);
    if (!calls) return;
    const std::string name = tool != nullptr ? tool->tool : std::string(shell_tool);
    if (!told_of_place_.emplace(written->offset, name).second) return;
    if (std::string why = around_.place_problem({on->name, slot->name}, name); !why.empty()) {
      diagnostics_.add(written->offset, std::move(why));
    }
  }

  // Reports limits that cannot be enforced on the tool that the state calls. They are reported at the call, even if a
  // composite state sets them.
  void limits(const State& state) {
    const auto* call = std::get_if<ToolAction>(&state.action->kind);
    if (call == nullptr) return;
    const Placement place = place_of(workflow_, workflow_.index_of(state.id));
    if (place.limits == StepLimits()) return;
    const std::string without = around_.place_problem({place.on, place.slot}, call->tool);
    const std::string why = around_.place_problem(place, call->tool);
    if (!why.empty() && without.empty()) diagnostics_.add(call->tool_offset, why);
  }

  void timeout(const std::optional<TemplateText>& text) {
    std::string why;
    if (!text || !is_literal(*text) || timeout_value(text->written.text(), why)) return;
    diagnostics_.add(text->written.locate(0), why);
  }

  void output(const Action& action) {
    const ActionOptions& options = action.options;
    if (options.ask_again && !(options.output && std::holds_alternative<PromptAction>(action.kind))) {
      diagnostics_.add(action.offset,
                       "ask_again is for a prompt with output={...}, whose answer is checked; write retry=N to repeat "
                       "another action");
    }
    if (!options.output) return;
    const auto& fields = outcome_fields();
    for (const std::string& name : answer_fields(*options.output)) {
      if (std::find(fields.begin(), fields.end(), name) == fields.end()) continue;
      diagnostics_.warn(options.output_offset, "every outcome has a field '" + name +
                                                   "' of its own; read the field of the " + "answer as .json." + name +
                                                   ", or rename it");
    }
  }

  void result(const NamedPlace& result) {
    if (result.offset == 0) return;
    if (!is_plain_name(result.name)) {
      diagnostics_.add(result.offset,
                       "a result's name is made of letters, digits and underscores, and does not start with a digit; " +
                           quoted_for_message(result.name) + " is not such a name");
    } else if (result.name != "result") {
      check_own_name(result.name, result.offset, diagnostics_);
    }
  }

  ActionCheck& check_;
  const Workflow& workflow_;
  const CheckContext& around_;
  Diagnostics& diagnostics_;
  std::set<std::pair<std::size_t, std::string>> told_of_place_;  // the places that were reported, by offset and tool
};

}  // namespace

void ActionCheck::missing(std::size_t offset, std::string message) {
  if (around.must_exist) {
    diagnostics.add(offset, std::move(message));
  } else {
    diagnostics.warn(offset, std::move(message));
  }
}

void ActionCheck::shell_is_usable(const NamedPlace& shell) {
  if (!around.shell_problem || shell.name.empty()) return;
  if (std::string why = around.shell_problem(shell.name); !why.empty()) diagnostics.add(shell.offset, std::move(why));
}

void check_own_name(const std::string& name, std::size_t offset, Diagnostics& diagnostics) {
  if (is_settable_run_name(name)) {
    diagnostics.warn(offset, "'" + name +
                                 "' is normally set by the run itself after each action; from here on, it keeps the "
                                 "value that is set here");
  } else if (is_run_name(name)) {
    diagnostics.add(offset, "'" + name + "' is set by the run itself; choose another name");
  }
}

void check_actions(const Workflow& workflow, const std::vector<std::string>& given, const CheckContext& check_context,
                   Diagnostics& diagnostics) {
  ActionCheck check{workflow, given, check_context, diagnostics};
  ActionChecker(check).run();
}

}  // namespace wtool::host::workflow
