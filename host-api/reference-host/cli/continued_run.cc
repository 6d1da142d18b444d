#include "cli/continued_run.h"

#include <filesystem>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "base/sha256.h"
#include "cache/step_cache.h"
#include "cli/journaled_run.h"
#include "workflow/check/checker.h"
#include "workflow/model/parameters.h"

namespace wtool::host {
namespace {

using Values = std::map<std::string, expressions::Value>;
// The names of the inputs that have another value now, by part of the earlier run.
using ChangedInputs = std::vector<std::set<std::string>>;

// The first of the changed inputs that the action of a state reads, by the names of the states.
std::map<std::string_view, std::string> changed_by_state(const workflow::Workflow& parsed,
                                                         const std::set<std::string>& changed) {
  std::map<std::string_view, std::string> found;
  if (changed.empty()) return found;
  for (const workflow::NameRead& use : workflow::name_uses(parsed, nullptr)) {
    if (use.in_action && use.state != workflow::no_state && changed.contains(use.name)) {
      found.try_emplace(parsed.states[use.state].id, use.name);
    }
  }
  // A prompt may read any variable.
  for (const workflow::State& state : parsed.states) {
    if (state.action && std::holds_alternative<workflow::PromptAction>(state.action->kind)) {
      found.try_emplace(state.id, *changed.begin());
    }
  }
  return found;
}

// Notes which steps ran with another value of an input that their action reads. Each part of the run had inputs of its
// own, and a step may have been kept in several later parts.
void note_changed_inputs(const workflow::Workflow& parsed, const journal::RunRecord& earlier,
                         const ChangedInputs& by_part, runner::PastRun& past) {
  std::vector<std::map<std::string_view, std::string>> changed;
  changed.reserve(by_part.size());
  for (const std::set<std::string>& part : by_part) changed.push_back(changed_by_state(parsed, part));
  runner::ByPlace<const journal::StepRecord*> by_place;
  for (const journal::StepRecord& step : earlier.steps) by_place[step.place] = &step;
  for (const journal::StepRecord& step : earlier.steps) {
    if (step.part >= changed.size() || changed[step.part].empty()) continue;
    // The step itself, and those that contain it.
    for (std::optional<journal::StepPlace> at = step.place; at; at = journal::parent_of(at->branch)) {
      const auto found = by_place.find(*at);
      // An inner workflow has inputs of its own.
      if (found == by_place.end() || !found->second->workflow.empty()) continue;
      const auto name = changed[step.part].find(found->second->state);
      if (name != changed[step.part].end()) past.note_changed(*at, name->second);
    }
  }
}

// Hides answers that a person gave to another workflow or with other inputs, also where the question was asked in an
// inner workflow: the person has approved what was to follow then.
void ask_again(const PreparedWorkflow& prepared, const journal::RunRecord& earlier, const ChangedInputs& changed,
               runner::PastRun& past) {
  const std::string now = sha256(prepared.source().text());
  const auto is_other = [&](std::size_t part) {
    const std::string& before = earlier.parts[part].sha256;
    return (!before.empty() && before != now) || !changed[part].empty();
  };
  for (const journal::StepRecord& step : earlier.steps) {
    if (step.action != "approve" || step.part >= changed.size() || !is_other(step.part)) continue;
    past.hide(step.place);
    for (auto above = journal::parent_of(step.place.branch); above; above = journal::parent_of(above->branch)) {
      past.hide(*above);
    }
  }
}

// Notes which steps have outputs that are gone or have changed since. If several steps have made the same file, it must be
// as the last of them has left it.
void note_changed_outputs(const PreparedWorkflow& prepared, const journal::RunRecord& earlier, runner::PastRun& past) {
  struct Made {
    const journal::StepRecord* step = nullptr;
    std::string sha256;
  };
  std::map<std::string, Made> made;
  for (const journal::StepRecord& step : earlier.steps) {
    for (const runner::MadeFile& file : step.made_files) made.insert_or_assign(file.path, Made{&step, file.sha256});
  }
  if (made.empty()) return;
  cache::StepCache::Options options = prepared.cache_options();
  options.looks_only = true;
  cache::StepCache cache(std::move(options));
  for (const auto& [path, by] : made) {
    const cache::FileState now = cache.state_of((std::filesystem::path(prepared.directory()) / path).string());
    // A dropped step may have changed the file. That step runs again, so the file may differ.
    const bool may_differ = by.sha256.empty() || earlier.dropped_files.contains(path);
    if (now.exists && (may_differ || now.hash == by.sha256)) continue;
    const std::string why = "the file " + expressions::quoted_for_message(path) + ", an output of '" + by.step->state +
                            (now.exists ? "', has changed since" : "', is gone");
    // A workflow or a matrix that contains the step would otherwise be kept as a whole.
    for (std::optional<journal::StepPlace> at = by.step->place; at; at = journal::parent_of(at->branch)) {
      past.note_outdated(*at, why);
    }
  }
}

}  // namespace

std::vector<std::string> names_given(const std::vector<std::string>& variables) {
  std::vector<std::string> names;
  names.reserve(variables.size());
  for (const std::string& variable : variables) names.push_back(variable.substr(0, variable.find('=')));
  return names;
}

std::optional<ReadyRun> make_ready(PreparedWorkflow& prepared, journal::ResumedRun& resumed, const ContinuedWith& with,
                                   std::vector<std::string>& errors) {
  const journal::RunRecord& earlier = resumed.run;
  ReadyRun ready;
  ready.settings.part = with.part.value_or(earlier.settings.part);
  ready.settings.fail_fast = earlier.settings.fail_fast;
  ready.settings.force = earlier.settings.force;
  ready.settings.max_parallel = earlier.settings.max_parallel;
  if (std::string why = prepared.cut_to(ready.settings.part); !why.empty()) {
    errors.push_back(std::move(why));
    return std::nullopt;
  }
  std::vector<std::string> variables;
  if (with.variables) {
    auto given = with.variables(earlier.parts.back().inputs.unknown);
    if (!given) return std::nullopt;
    variables = std::move(*given);
  }
  const std::vector<std::string> named = names_given(variables);
  std::set<std::string> names(named.begin(), named.end());
  for (const auto& [name, value] : with.values) names.insert(name);
  errors = lost_inputs(earlier, names, with.by_client ? "" : "--var-file ");
  if (!errors.empty()) return std::nullopt;
  Values values = with.values;
  values.insert(earlier.inputs.begin(), earlier.inputs.end());
  const workflow::Workflow& parsed = prepared.workflow();
  ready.inputs = workflow::resolve_inputs(parsed, variables, workflow::names_read(parsed), errors, values,
                                          with.by_client ? "" : "--var ");
  if (!errors.empty()) return std::nullopt;
  ChangedInputs changed;
  for (const journal::PartRecord& part : earlier.parts) changed.push_back(part.inputs.changed(parsed, ready.inputs));
  note_changed_inputs(parsed, earlier, changed, resumed.past);
  note_changed_outputs(prepared, earlier, resumed.past);
  ask_again(prepared, earlier, changed, resumed.past);
  return ready;
}

}  // namespace wtool::host
