// Runs the action of one state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runner/run_observer.h"
#include "workflow/model.h"
#include "workflow/outcome.h"
#include "workflow/variables.h"

namespace wtool::host {
class Stop;
class ToolCaller;
}  // namespace wtool::host

namespace wtool::host::workflow {

struct ActionResult {
  Outcome outcome;
  std::string command;  // see LastStep
  bool abort = false;   // the action was Abort; its reason is outcome.message
  std::string mistake;  // the action could not be made at all (a variable without a value, ...); with its place
};

struct ActionContext {
  const Source& source;
  const Variables& variables;
  ToolCaller& tools;
  Stop& stop;
  RunObserver& observer;
};

// Blocks until the action is over. What Set assigns is returned through `assigned`, for the caller to store.
ActionResult run_action(const Step& step, const ActionContext& context,
                        std::vector<std::pair<std::string, expressions::Value>>& assigned);

}  // namespace wtool::host::workflow
