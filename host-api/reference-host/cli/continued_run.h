// What `wtool resume`, `wtool approve` and `wtool mcp` do alike before they continue the run of a journal.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/prepared_workflow.h"
#include "journal/journal_reader.h"
#include "runner/run_observer.h"
#include "runner/run_part.h"

namespace wtool::host {

// The names in texts of the form NAME=VALUE.
std::vector<std::string> names_given(const std::vector<std::string>& variables);

// What a run is continued with. The inputs that are given here take precedence over those of the earlier run.
struct ContinuedWith {
  std::optional<runner::RunPart> part{};  // nothing: the part of the earlier run
  // Returns inputs as NAME=VALUE, with those of the names in `lost` that a person types when asked. Nothing: the run is
  // not continued, and the person knows why. Not set: no such inputs are given.
  std::function<std::optional<std::vector<std::string>>(const std::vector<std::string>& lost)> variables{};
  std::map<std::string, expressions::Value> values{};
  bool by_client = false;  // the inputs are arguments of a client, and messages name no options of the command line
};

struct ReadyRun {
  // The part that is to run, and the options of the earlier run that still apply unless others are given.
  runner::RunSettings settings;
  std::map<std::string, expressions::Value> inputs;
};

// Cuts the workflow to the part that is to run, finds the inputs, and notes in `resumed.past` which steps read an input
// that has changed. Nothing: `errors` says why, unless with.variables() has.
std::optional<ReadyRun> make_ready(PreparedWorkflow& prepared, journal::ResumedRun& resumed, const ContinuedWith& with,
                                   std::vector<std::string>& errors);

}  // namespace wtool::host
