// Runs the action of one state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "workflow/model.h"
#include "workflow/outcome.h"
#include "workflow/run_observer.h"
#include "workflow/variables.h"

namespace wtool::host {
class Stop;
class ToolCaller;
}  // namespace wtool::host

namespace wtool::host::workflow {

inline constexpr std::string_view shell_tool = "shell_execute";

// A timeout in seconds; `why` says why the text is none.
std::optional<std::int64_t> timeout_value(const std::string& text, std::string& why);

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
ActionResult run_action(const State& state, const ActionContext& context,
                        std::vector<std::pair<std::string, expressions::Value>>& assigned);

}  // namespace wtool::host::workflow
