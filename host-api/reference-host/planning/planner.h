// Makes the plan of a workflow that was checked. Nothing runs, nobody is asked, and nothing is written.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "planning/plan.h"
#include "runner/executor.h"
#include "runner/secrets.h"
#include "workflow/check/checker.h"

namespace wtool::host::planning {

// Workflows within workflows that are shown; a workflow is shown once for each set of inputs that is known.
inline constexpr std::size_t max_plans = 200;

struct PlanServices {
  // As in RunServices.
  std::function<std::optional<runner::OtherWorkflow>(const std::string& name, const std::string& from,
                                                     std::string& error)>
      workflow;
  // The command that a prompt would be given to, without a file for it.
  std::function<runner::PreparedPrompt(const std::string& prompt, bool is_inline, const std::string& from,
                                       const expressions::Scope& values)>
      prompt;
  // What the tool says of a call.
  std::function<workflow::CommandVerdict(const std::string& tool, const nlohmann::json& arguments)> verdict;
};

Plan plan_workflow(const workflow::Workflow& workflow, const workflow::Source& source,
                   std::map<std::string, expressions::Value> inputs, const PlanServices& services);

}  // namespace wtool::host::planning
